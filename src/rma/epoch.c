/* SPDX-License-Identifier: BSD-3-Clause */
/* epoch.c – the picture in epoch.h as code. */
#include "rma/epoch.h"

static bool is_started(const struct mend_win *w, int target)
{
    return mend_group_rank(w->self, w->started, mend_comm_peer(w->comm, target)) != MPI_UNDEFINED;
}

int mend_epoch_operate(struct mend_win *w, int target)
{
    bool may = false;

    if (w->lock[target]
            .failed) /* it has no effect, so it does not begin the epoch of a fence either */
        return MPI_SUCCESS;
    switch (w->access) {
    case MEND_ACCESS_NONE:
        break;
    case MEND_ACCESS_FENCED:
        w->access = MEND_ACCESS_FENCE;
        may = true;
        break;
    case MEND_ACCESS_FENCE:
    case MEND_ACCESS_LOCK_ALL:
        may = true;
        break;
    case MEND_ACCESS_START:
        may = is_started(w, target);
        break;
    case MEND_ACCESS_LOCK:
        may = w->lock[target].open;
        break;
    }
    return may ? MPI_SUCCESS : MPI_ERR_RMA_SYNC;
}

void mend_epoch_leave_refused(struct mend_win *w)
{
    for (int r = 0; w->any_refused && r < w->n; r++)
        if (w->lock[r].failed)
            w->lock[r].open = w->lock[r].failed = false;
    w->any_refused = false;
}

int mend_epoch_check_passive(const struct mend_win *w, int target)
{
    bool may = w->access == MEND_ACCESS_LOCK_ALL || w->lock[target].open;

    if (w->lock[target].failed)
        return MPI_ERR_PROC_FAILED;
    return may ? MPI_SUCCESS : MPI_ERR_RMA_SYNC;
}

int mend_epoch_check_passive_any(const struct mend_win *w)
{
    return w->access == MEND_ACCESS_LOCK_ALL || w->access == MEND_ACCESS_LOCK ? MPI_SUCCESS
                                                                              : MPI_ERR_RMA_SYNC;
}
