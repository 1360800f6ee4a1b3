/* SPDX-License-Identifier: BSD-3-Clause */
/* win.h – what the functions of windows share. */
#ifndef MEND_MPI_WIN_H
#define MEND_MPI_WIN_H

#include "mpi/check.h"

#include "rma/win.h"

/* MPI_ERR_WIN: null, freed, or of another kind. */
static inline int mend_check_win(MPI_Win win, struct mend_win **w_p)
{
    struct mend_win *w = (struct mend_win *)win;

    if (mend_unlikely(!mend_handle_is_object(w) || mend_handle_mark(&w->magic) != MEND_WIN_MAGIC))
        return MPI_ERR_WIN;
    *w_p = w;
    return MPI_SUCCESS;
}

/* Through the window's error handler; w NULL: that of MPI_COMM_SELF. */
static inline int mend_report_win(struct mend_win *w, int err, const char *fn)
{
    return mend_report_comm(w ? w->comm : NULL, err, fn);
}

/* A member, as a target. */
static inline int mend_check_target(const struct mend_win *w, int rank)
{
    return mend_likely((unsigned)rank < (unsigned)w->n) ? MPI_SUCCESS : MPI_ERR_RANK;
}

#endif
