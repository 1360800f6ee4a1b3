/* SPDX-License-Identifier: BSD-3-Clause */
/* query.c – what a program may ask of a window: hints, and where parts lie in its own memory. */
#include "comm/info.h"
#include "rma/win.h"

/* What holds if nothing else was asked for (MPI-5.0 12.2.1). */
static int add_defaults(struct mend_proc *self, struct mend_info *i)
{
    static const char *const defaults[][2] = {
        {"no_locks", "false"},       {"accumulate_ordering", "rar,raw,war,waw"},
        {"same_size", "false"},      {"accumulate_ops", "same_op_no_op"},
        {"same_disp_unit", "false"}, {"mpi_memory_alloc_kinds", "mpi,system"},
    };
    int err = MPI_SUCCESS;

    for (unsigned k = 0; k < MEND_COUNT_OF(defaults) && !err; k++)
        if (!mend_info_get(i, defaults[k][0]))
            err = mend_info_set(self, i, defaults[k][0], defaults[k][1]);
    return err;
}

int mend_win_info(const struct mend_win *w, struct mend_info **info_p)
{
    struct mend_info *i = mend_info_dup(w->self, w->comm->info);
    int err = i ? add_defaults(w->self, i) : MPI_ERR_NO_MEM;

    if (!err)
        *info_p = i;
    else if (i)
        mend_info_free(w->self, i);
    return err;
}

static int first_with_memory(const struct mend_win *w)
{
    for (int r = 0; r < w->n; r++)
        if (w->part[r].size > 0)
            return r;
    return -1;
}

struct mend_win_part mend_win_shared_part(struct mend_win *w, int rank)
{
    struct mend_win_part p = {.disp_unit = 1};

    if (rank == MPI_PROC_NULL)
        rank = first_with_memory(w);
    if (rank >= 0)
        p = *mend_win_reach(w, rank);
    if (!p.here)
        p.size = 0;
    return p;
}
