/* SPDX-License-Identifier: BSD-3-Clause */
/* lock.c – locks of targets: the machine (winlock_sm.h) on the words of the segment, or asked of the target.
 *
 * By MPI_MODE_NOCHECK the program promises that no other process holds the lock; it is taken all the same, because by the
 * lock others learn of the death of its holder (S0-48). */
#include "comm/errcode.h"
#include "proc/report.h"
#include "rma/control.h"
#include "rma/epoch.h"
#include "rma/link.h"
#include "rma/sync.h"

/* ---- in the segment ---- */

struct attempt {
    struct mend_winlock *lock;
    int target;
    enum mend_winlock_result result;
};

/* An origin that this look has hindered for a moment may be asleep now, and nothing else would wake it. */
static void wake_hindered(struct mend_win *w, const struct mend_winlock *lock,
                          const struct mend_winlock_words *words)
{
    for (int r = 0; (r = mend_winlock_hindered(lock, words, r)) >= 0; r++)
        mend_win_wake(w, r);
}

static bool is_decided(struct mend_win *w, void *arg)
{
    struct attempt *k = arg;
    struct mend_winlock_words words = mend_win_lock_words(w, k->target, w->me);

    if (k->result != MEND_WINLOCK_WAIT) /* a wait may ask once more */
        return true;
    if (k->lock->kind != MEND_WINLOCK_ALL && mend_win_is_dead(w, k->target))
        return true;
    k->result = mend_winlock_step(k->lock, &words);
    if (k->result == MEND_WINLOCK_WAIT)
        wake_hindered(w, k->lock, &words);
    return k->result != MEND_WINLOCK_WAIT;
}

static void report_poisoned(struct mend_win *w, int target)
{
    mend_record_event(w->self, poisoned, .ctx = w->comm->ctx, .target = target);
}

static int lock_words(struct mend_win *w, struct mend_winlock *lock, int target)
{
    struct attempt k = {lock, target, MEND_WINLOCK_WAIT};
    int err = mend_win_wait(
        w, &(struct mend_win_wait){is_decided, &k, "a window's lock", .silent = true, .by = -1});
    struct mend_winlock_words words = mend_win_lock_words(w, target, w->me);

    if (k.result == MEND_WINLOCK_HELD) {
        mend_event(w->self, MEND_EV_RMA_LOCKED);
        return err;
    }
    if (k.result == MEND_WINLOCK_WAIT)
        mend_winlock_abandon(lock, &words);
    else
        report_poisoned(w, target);
    mend_win_wake_all(w); /* it wants the exclusive lock no longer, for which lock_all may wait */
    return err ? err : MPI_ERR_PROC_FAILED;
}

static int unlock_words(struct mend_win *w, struct mend_winlock *lock, int target)
{
    struct mend_winlock_words words = mend_win_lock_words(w, target, w->me);
    enum mend_winlock_result r = mend_winlock_release(lock, &words);

    mend_event(w->self, MEND_EV_RMA_UNLOCKED);
    mend_win_wake_all(w);
    return r == MEND_WINLOCK_POISONED ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
}

/* ---- by messages ---- */

struct asked {
    int target;
    enum mend_rma_link_lock not ;
};

static bool is_answered(struct mend_win *w, void *arg)
{
    const struct asked *k = arg;

    return w->links[k->target]->lock != k->not || mend_win_is_dead(w, k->target);
}

static int lock_by_message(struct mend_win *w, enum mend_winlock_kind kind, int target)
{
    struct mend_rma_link *l = mend_link(w, target);
    struct asked k = {target, MEND_RMA_LINK_ASKED};
    int err;

    if (!l)
        return MPI_ERR_NO_MEM;
    mend_rma_link_ask(l, kind);
    err =
        mend_win_wait(w, &(struct mend_win_wait){is_answered, &k, "a window's lock", .by = target});
    if (err || l->lock != MEND_RMA_LINK_HELD) {
        if (!err && l->lock == MEND_RMA_LINK_ASKED)
            mend_rma_link_give_back(l, kind);
        if (l->lock == MEND_RMA_LINK_POISONED)
            report_poisoned(w, target);
        l->lock = MEND_RMA_LINK_FREE;
        return err ? err : MPI_ERR_PROC_FAILED;
    }
    mend_event(w->self, MEND_EV_RMA_LOCKED);
    return MPI_SUCCESS;
}

/* Waits for the answer: it says whether another holder of the lock died (R32). */
static int unlock_by_message(struct mend_win *w, enum mend_winlock_kind kind, int target)
{
    struct mend_rma_link *l = mend_link(w, target);
    struct asked k = {target, MEND_RMA_LINK_HELD};
    int err;

    if (!l || l->lock == MEND_RMA_LINK_FREE)
        return MPI_SUCCESS;
    mend_rma_link_give_back(l, kind);
    err = mend_win_wait(
        w, &(struct mend_win_wait){is_answered, &k, "the end of a window's lock", .by = target});
    l->lock = MEND_RMA_LINK_FREE;
    return err ? err : mend_rma_link_fault(w, target);
}

/* ---- lock, unlock ---- */

/* The program has said that it will not. */
static int check_locks(struct mend_win *w)
{
    if (!w->no_locks)
        return MPI_SUCCESS;
    mend_error_detail(w->self, MPI_ERR_RMA_SYNC, 0, "the window was created with no_locks=true");
    return MPI_ERR_RMA_SYNC;
}

static int check_lock(struct mend_win *w, int target)
{
    int err = mend_win_check_valid(w);

    if (!err)
        err = check_locks(w);
    if (!err && w->lock[target].open && !w->lock[target].failed)
        err = MPI_ERR_RMA_SYNC;
    if (!err && w->access != MEND_ACCESS_LOCK)
        err = mend_epoch_check_free(w);
    return err;
}

static int take(struct mend_win *w, struct mend_win_lock *k, enum mend_winlock_kind kind,
                int target)
{
    if (mend_win_is_dead(w, target))
        return MPI_ERR_PROC_FAILED; /* S0-46 */
    mend_winlock_begin(&k->lock, kind);
    return w->shared ? lock_words(w, &k->lock, target) : lock_by_message(w, kind, target);
}

int mend_win_lock(struct mend_win *w, enum mend_winlock_kind kind, int target, int assert)
{
    struct mend_win_lock *k = &w->lock[target];
    int err = check_lock(w, target);

    (void)assert;
    if (err)
        return err;
    err = take(w, k, kind, target);
    k->open = true;
    k->failed = err != MPI_SUCCESS;
    w->any_refused |= k->failed;
    if (!err) {
        w->locks_n++;
        w->access = MEND_ACCESS_LOCK;
    }
    return err;
}

/* Gives the lock back, whatever became of the operations. */
static int give_back(struct mend_win *w, struct mend_win_lock *k, int target)
{
    int err = mend_win_check_valid(w), failed;

    if (!err)
        err = mend_sync_target(w, target);
    failed =
        w->shared ? unlock_words(w, &k->lock, target) : unlock_by_message(w, k->lock.kind, target);
    if (--w->locks_n == 0)
        w->access = MEND_ACCESS_NONE;
    return err ? err : failed;
}

int mend_win_unlock(struct mend_win *w, int target)
{
    struct mend_win_lock *k = &w->lock[target];
    int err = mend_win_check_valid(w);

    if (!k->open)
        return err ? err : MPI_ERR_RMA_SYNC;
    if (!k->failed)
        err = give_back(w, k, target);
    else if (!err)
        err = MPI_ERR_PROC_FAILED;
    k->open = k->failed = false;
    return err;
}

static bool has_dead(struct mend_win *w)
{
    return mend_comm_has_dead(w->comm);
}

/* By messages each target is asked when the first operation goes there. */
int mend_win_lock_all(struct mend_win *w, int assert)
{
    int err = mend_win_check_valid(w);

    (void)assert;
    if (!err)
        err = check_locks(w);
    if (!err)
        err = mend_epoch_check_free(w);
    if (err)
        return err;
    if (w->shared) {
        mend_winlock_begin(&w->lock_all, MEND_WINLOCK_ALL);
        err = lock_words(w, &w->lock_all, w->me);
    }
    if (err)
        return err;
    mend_epoch_leave_refused(w);
    w->access = MEND_ACCESS_LOCK_ALL;
    return has_dead(w) ? MPI_ERR_PROC_FAILED : MPI_SUCCESS; /* R29 */
}

int mend_win_unlock_all(struct mend_win *w)
{
    int err = mend_win_check_valid(w), failed = MPI_SUCCESS;

    if (w->access != MEND_ACCESS_LOCK_ALL)
        return err ? err : MPI_ERR_RMA_SYNC;
    if (!err)
        err = mend_sync_all(w);
    if (w->shared)
        failed = unlock_words(w, &w->lock_all, w->me);
    for (int r = 0; !w->shared && w->links && r < w->n; r++)
        if (w->links[r] && w->links[r]->lock == MEND_RMA_LINK_HELD && !mend_win_is_dead(w, r))
            unlock_by_message(w, MEND_WINLOCK_ALL, r);
    w->access = MEND_ACCESS_NONE;
    err = err ? err : failed;
    return !err && has_dead(w) ? MPI_ERR_PROC_FAILED : err;
}
