/* SPDX-License-Identifier: BSD-3-Clause */
/* epoch.h – which call is allowed when (MPI-5.0 12.5).
 *
 *   access of this process:    NONE ──fence──> FENCED ──operation──> FENCE ──fence──> FENCED
 *                              NONE, FENCED ──start──> START ──complete──> NONE
 *                              NONE, FENCED, LOCK ──lock──> LOCK ──the last unlock──> NONE
 *                              NONE, FENCED ──lock_all──> LOCK_ALL ──unlock_all──> NONE
 *   exposure of its part:      post ──> exposed ──wait, test──> not
 *
 * A fence with MPI_MODE_NOSUCCEED leads to NONE.  What is not in the picture is MPI_ERR_RMA_SYNC and changes nothing.
 * An error of another class is the result of a call that has its effect (S0-42). */
#ifndef MEND_RMA_EPOCH_H
#define MEND_RMA_EPOCH_H

#include "rma/win.h"

/* May an operation towards the target begin?  It turns FENCED into FENCE. */
int mend_epoch_operate(struct mend_win *w, int target);

/* The same, where the answer needs no more than a look; false: mend_epoch_operate() has to say. */
static inline bool mend_epoch_is_open(const struct mend_win *w, int target)
{
    if (w->access == MEND_ACCESS_LOCK)
        return w->lock[target].open && !w->lock[target].failed;
    return (w->access == MEND_ACCESS_FENCE || w->access == MEND_ACCESS_LOCK_ALL) &&
           !w->lock[target].failed;
}

/* May an epoch of another kind begin? */
static inline int mend_epoch_check_free(const struct mend_win *w)
{
    return w->access <= MEND_ACCESS_FENCED ? MPI_SUCCESS : MPI_ERR_RMA_SYNC;
}

/* An epoch of another kind has begun, or a fence: locks that were refused are no longer asked for. */
void mend_epoch_leave_refused(struct mend_win *w);

/* May the window be freed?  Within an epoch only if a member is dead or the window is revoked, since that may have kept the program
 * from ending it (R30). */
static inline bool mend_epoch_allows_free(const struct mend_win *w)
{
    return (w->access <= MEND_ACCESS_FENCED && !w->exposed) || w->comm->revoked ||
           mend_comm_has_dead(w->comm);
}

/* Within an epoch of locks: flush and its like.  MPI_ERR_PROC_FAILED: the lock was refused. */
int mend_epoch_check_passive(const struct mend_win *w, int target);
int mend_epoch_check_passive_any(const struct mend_win *w);

#endif
