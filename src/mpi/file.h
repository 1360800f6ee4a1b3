/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h – what the functions of files share. */
#ifndef MEND_MPI_FILE_H
#define MEND_MPI_FILE_H

#include "mpi/check.h"

#include "io/file.h"

/* MPI_ERR_FILE: null, closed, or of another kind. */
static inline int mend_check_file(MPI_File fh, struct mend_file **f_p)
{
    struct mend_file *f = (struct mend_file *)fh;

    if (mend_unlikely(!mend_handle_is_object(f) || mend_handle_mark(&f->magic) != MEND_FILE_MAGIC))
        return MPI_ERR_FILE;
    *f_p = f;
    return MPI_SUCCESS;
}

/* Through the file's error handler; f NULL: that of MPI_FILE_NULL. */
int mend_report_file(struct mend_file *f, int err, const char *fn);

#endif
