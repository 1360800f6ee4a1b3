/* SPDX-License-Identifier: BSD-3-Clause */
/* unsupported.c – functions that are not built yet, so that every program links.
 *
 * Each entry of unsupported.def becomes a function that does nothing but raise
 * MPI_ERR_UNSUPPORTED_OPERATION through the right error handler.  Outputs are not written.  None is
 * collective, blocks, or is affected by a death. */
#include "comm/errcode.h"
#include "comm/errhandler.h"
#include "mpi/check.h"

static int not_built(const char *fn)
{
    mend_error_detail(mend_self, MPI_ERR_UNSUPPORTED_OPERATION, 0,
                      "%s is not built yet; `mend-info --functions` lists what is missing", fn);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

static int on_file(const char *fn)
{
    int err = mend_enter(fn);

    return err ? mend_report(err, fn) : mend_raise_file(mend_self, NULL, not_built(fn), fn);
}

/* One expression per place of unsupported.def; it sees the function's parameters. */
#define RAISE_FILE on_file(__func__)

#define UNSUPPORTED(where, name, ...)                                                              \
    MEND_API(name);                                                                                \
    int name(__VA_ARGS__)                                                                          \
    {                                                                                              \
        return RAISE_##where;                                                                      \
    }

#include "mpi/unsupported.def"
