/* SPDX-License-Identifier: BSD-3-Clause */
/* sync.c – fence and flush: everything that was begun is executed. */
#include "rma/sync.h"

#include "rma/control.h"
#include "rma/epoch.h"
#include "rma/link.h"
#include "rma/way.h"

/* ---- executed at a target ---- */

struct which {
    int target; /* -1: all */
    bool local;
};

static bool is_executed(struct mend_win *w, void *arg)
{
    const struct which *k = arg;
    bool all = true;

    if (!w->links)
        return true;
    if (k->target >= 0)
        return k->local ? mend_rma_link_is_local(w, k->target)
                        : mend_rma_link_is_flushed(w, k->target);
    for (int r = 0; r < w->n; r++) /* each is asked before any is waited for */
        if (!(k->local ? mend_rma_link_is_local(w, r) : mend_rma_link_is_flushed(w, r)))
            all = false;
    return all;
}

/* What targets have reported, and whether one that the call involves is dead. */
static int outcome(struct mend_win *w, int target)
{
    int err = MPI_SUCCESS;

    if (mend_likely(!w->links && !w->comm->inactive))
        return err;
    for (int r = target < 0 ? 0 : target; r < (target < 0 ? w->n : target + 1); r++) {
        int fault = w->links ? mend_rma_link_fault(w, r) : MPI_SUCCESS;

        if (mend_win_is_dead(w, r))
            err = MPI_ERR_PROC_FAILED;
        else if (fault && !err)
            err = fault;
    }
    return err;
}

static int execute_by_messages(struct mend_win *w, int target, bool local)
{
    struct which k = {target, local};
    int err = mend_win_wait(w, &(struct mend_win_wait){is_executed, &k,
                                                       "operations to be executed at their targets",
                                                       .by = target});

    if (!local && w->trial.choice)
        mend_rma_way_executed(w, target);
    /* What others stored before they told us of it is read after this, and the reverse. */
    atomic_thread_fence(memory_order_acq_rel);
    return err;
}

static int execute(struct mend_win *w, int target, bool local)
{
    if (mend_likely(!w->links)) { /* no message was ever needed */
        mend_win_serve_others(w);
        if (mend_unlikely(w->trial.choice != NULL))
            mend_rma_way_executed(w, target);
        atomic_thread_fence(memory_order_acq_rel);
        return mend_win_check_valid(w);
    }
    return execute_by_messages(w, target, local);
}

int mend_sync_target(struct mend_win *w, int target)
{
    int err = execute(w, target, false);

    return err ? err : outcome(w, target);
}

int mend_sync_all(struct mend_win *w)
{
    int err = execute(w, -1, false);

    return err ? err : outcome(w, -1);
}

/* ---- flush ---- */

int mend_win_flush(struct mend_win *w, int target, bool local)
{
    int err = mend_win_check_valid(w);

    if (!err)
        err = mend_epoch_check_passive(w, target);
    if (!err)
        err = execute(w, target, local);
    return err ? err : outcome(w, target);
}

int mend_win_flush_all(struct mend_win *w, bool local)
{
    int err = mend_win_check_valid(w);

    if (!err)
        err = mend_epoch_check_passive_any(w);
    if (!err)
        err = execute(w, -1, local);
    return err ? err : outcome(w, -1);
}

int mend_win_sync(struct mend_win *w)
{
    int err = mend_win_check_valid(w);

    atomic_thread_fence(memory_order_seq_cst);
    return err;
}

/* ---- fence ---- */

static int barrier(struct mend_win *w)
{
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_barrier(w->comm, &now);
}

/* The barrier comes even if an operation failed: the others wait in theirs. */
int mend_win_fence(struct mend_win *w, int assert)
{
    int err = mend_win_check_valid(w), failed;

    if (err)
        return err;
    if (w->access > MEND_ACCESS_FENCE || w->exposed)
        return MPI_ERR_RMA_SYNC;
    failed = mend_sync_all(w);
    err = barrier(w);
    mend_epoch_leave_refused(w);
    w->access = assert &MPI_MODE_NOSUCCEED ? MEND_ACCESS_NONE : MEND_ACCESS_FENCED;
    return err ? err : failed;
}

/* ---- the end of a window ---- */

void mend_win_end_epochs(struct mend_win *w)
{
    if (w->access == MEND_ACCESS_START)
        mend_win_complete(w);
    if (w->access == MEND_ACCESS_LOCK_ALL)
        mend_win_unlock_all(w);
    for (int r = 0; w->access == MEND_ACCESS_LOCK && r < w->n; r++)
        mend_win_unlock(w, r);
    if (w->access == MEND_ACCESS_FENCE)
        mend_sync_all(w);
    w->access = MEND_ACCESS_NONE;
    if (w->exposed)
        mend_win_end_exposure(w);
}
