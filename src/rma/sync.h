/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.h – fence, post-start-complete-wait, locks and flushes (MPI-5.0 12.5).
 *
 * Errors of all: MPI_ERR_RMA_SYNC (no epoch like that: nothing changed), MPI_ERR_INVALIDATED (the window is revoked, or
 * was while the call waited), MPI_ERR_PROC_FAILED (a member that the call involves is dead; the epoch began or ended all
 * the same, S0-42), MPI_ERR_RMA_RANGE (a target could not carry out an operation on a dynamic window). */
#ifndef MEND_RMA_SYNC_H
#define MEND_RMA_SYNC_H

#include "rma/control.h"
#include "rma/win.h"

/* Collective.  What ends the wait when a member dies: the barrier fails. */
int mend_win_fence(struct mend_win *w, int assert);

/* start waits for the posts of the group's members; complete for what it began; wait for the origins that it posted
 * for.  Each wait ends for a member when it dies.  *flag_p of test: the epoch is over. */
int mend_win_post(struct mend_win *w, struct mend_group *g, int assert);
int mend_win_start(struct mend_win *w, struct mend_group *g, int assert);
int mend_win_complete(struct mend_win *w);
int mend_win_wait_posted(struct mend_win *w);
int mend_win_test_posted(struct mend_win *w, bool *flag_p);

/* The epoch of wait and test is over; it is open. */
void mend_win_end_exposure(struct mend_win *w);

/* The wait for a lock ends when it is free, when its holder or the target dies. */
int mend_win_lock(struct mend_win *w, enum mend_winlock_kind kind, int target, int assert);
int mend_win_unlock(struct mend_win *w, int target);
int mend_win_lock_all(struct mend_win *w, int assert);
int mend_win_unlock_all(struct mend_win *w);

/* local: the origin's buffers only.  The wait ends for a target when it dies. */
int mend_win_flush(struct mend_win *w, int target, bool local);

/* mend_win_flush() where operations are loads and stores, no member is dead and no message has come that has to be looked
 * for: true if it is done.  The target is the program's, unchecked. */
static inline bool mend_win_flush_at_once(struct mend_win *w, int target)
{
    if (mend_unlikely((unsigned)target >= (unsigned)w->calm_n || w->links ||
                      !(w->access == MEND_ACCESS_LOCK_ALL || w->lock[target].open) ||
                      (w->calls_n + 1) % MEND_WIN_CALLS == 0))
        return false;
    w->calls_n++;
    /* What others stored before they told us of it is read after this, and the reverse. */
    atomic_thread_fence(memory_order_acq_rel);
    return true;
}

int mend_win_flush_all(struct mend_win *w, bool local);
int mend_win_sync(struct mend_win *w);

/* Ends all epochs of this process, since the window is about to be freed: what it began towards survivors is executed, locks are given
 * back, and nobody is waited for that has access to its part. */
void mend_win_end_epochs(struct mend_win *w);

/* Waits until what was begun towards a target, or towards all, is executed there. */
int mend_sync_target(struct mend_win *w, int target);
int mend_sync_all(struct mend_win *w);

#endif
