/* SPDX-License-Identifier: BSD-3-Clause */
/* win_sync.c – fence, post-start-complete-wait, locks, flushes (MPI-5.0 12.5).
 *
 * What these calls wait for, and what the death of a process does to each, stands in rma/sync.h. */
#include "mpi/win.h"

#include "rma/sync.h"

#define ASSERTIONS                                                                                 \
    (MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)

static int check_assert(int assert)
{
    return assert & ~ASSERTIONS ? MPI_ERR_ASSERT : MPI_SUCCESS;
}

static inline int enter_window(MPI_Win win, struct mend_win **w_p)
{
    mend_event(mend_self, MEND_EV_RMA_ENTER);
    return mend_check_win(win, w_p);
}

MEND_API(MPI_Win_fence);
int MPI_Win_fence(int assert, MPI_Win win)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = enter_window(win, &w);
    if (!err)
        err = check_assert(assert);
    if (!err)
        err = mend_win_fence(w, assert);
    return mend_report_win(w, err, __func__);
}

static int of_group(int (*begin)(struct mend_win *w, struct mend_group *g, int assert),
                    MPI_Group group, int assert, MPI_Win win, const char *fn)
{
    struct mend_win *w = NULL;
    struct mend_group *g = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = enter_window(win, &w);
    if (!err)
        err = mend_check_group(group, &g);
    if (!err)
        err = check_assert(assert);
    if (!err)
        err = begin(w, g, assert);
    return mend_report_win(w, err, fn);
}

MEND_API(MPI_Win_start);
int MPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
    return of_group(mend_win_start, group, assert, win, __func__);
}

MEND_API(MPI_Win_post);
int MPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
    return of_group(mend_win_post, group, assert, win, __func__);
}

static int of_window(int (*call)(struct mend_win *w), MPI_Win win, const char *fn)
{
    struct mend_win *w = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = enter_window(win, &w);
    if (!err)
        err = call(w);
    return mend_report_win(w, err, fn);
}

MEND_API(MPI_Win_complete);
int MPI_Win_complete(MPI_Win win)
{
    return of_window(mend_win_complete, win, __func__);
}

MEND_API(MPI_Win_wait);
int MPI_Win_wait(MPI_Win win)
{
    return of_window(mend_win_wait_posted, win, __func__);
}

MEND_API(MPI_Win_unlock_all);
int MPI_Win_unlock_all(MPI_Win win)
{
    return of_window(mend_win_unlock_all, win, __func__);
}

MEND_API(MPI_Win_sync);
int MPI_Win_sync(MPI_Win win)
{
    return of_window(mend_win_sync, win, __func__);
}

MEND_API(MPI_Win_test);
int MPI_Win_test(MPI_Win win, int *flag)
{
    struct mend_win *w = NULL;
    bool over = false;
    int err = mend_enter(__func__);

    if (!err)
        err = enter_window(win, &w);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err) {
        err = mend_win_test_posted(w, &over);
        *flag = over;
    }
    return mend_report_win(w, err, __func__);
}

MEND_API(MPI_Win_lock);
int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = enter_window(win, &w);
    if (!err && lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
        err = MPI_ERR_LOCKTYPE;
    if (!err && rank != MPI_PROC_NULL)
        err = mend_check_target(w, rank);
    if (!err)
        err = check_assert(assert);
    if (!err && rank != MPI_PROC_NULL)
        err = mend_win_lock(
            w, lock_type == MPI_LOCK_SHARED ? MEND_WINLOCK_SHARED : MEND_WINLOCK_EXCLUSIVE, rank,
            assert);
    return mend_report_win(w, err, __func__);
}

MEND_API(MPI_Win_lock_all);
int MPI_Win_lock_all(int assert, MPI_Win win)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = enter_window(win, &w);
    if (!err)
        err = check_assert(assert);
    if (!err)
        err = mend_win_lock_all(w, assert);
    return mend_report_win(w, err, __func__);
}

/* MPI_PROC_NULL is a target without a lock, and without anything to wait for. */
MEND_API(MPI_Win_unlock);
int MPI_Win_unlock(int rank, MPI_Win win)
{
    struct mend_win *w = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = enter_window(win, &w);
    if (!err && rank != MPI_PROC_NULL)
        err = mend_check_target(w, rank);
    if (!err && rank != MPI_PROC_NULL)
        err = mend_win_unlock(w, rank);
    return mend_report_win(w, err, __func__);
}

/* Takes the short way of mend_enter() only, and reports nothing. */
static inline bool is_flushed_at_once(int rank, MPI_Win win)
{
    struct mend_proc *self = mend_self;
    struct mend_win *w;

    return mend_likely(self && mend_goes_short_way(self) && !mend_check_win(win, &w)) &&
           mend_win_flush_at_once(w, rank);
}

static int flush(int rank, MPI_Win win, bool local, const char *fn)
{
    struct mend_win *w = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = enter_window(win, &w);
    if (!err && rank != MPI_PROC_NULL)
        err = mend_check_target(w, rank);
    if (!err && rank != MPI_PROC_NULL)
        err = mend_win_flush(w, rank, local);
    return mend_report_win(w, err, fn);
}

MEND_API(MPI_Win_flush);
int MPI_Win_flush(int rank, MPI_Win win)
{
    return mend_likely(is_flushed_at_once(rank, win)) ? MPI_SUCCESS
                                                      : flush(rank, win, false, __func__);
}

MEND_API(MPI_Win_flush_local);
int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return mend_likely(is_flushed_at_once(rank, win)) ? MPI_SUCCESS
                                                      : flush(rank, win, true, __func__);
}

static int flush_all(MPI_Win win, bool local, const char *fn)
{
    struct mend_win *w = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = enter_window(win, &w);
    if (!err)
        err = mend_win_flush_all(w, local);
    return mend_report_win(w, err, fn);
}

MEND_API(MPI_Win_flush_all);
int MPI_Win_flush_all(MPI_Win win)
{
    return flush_all(win, false, __func__);
}

MEND_API(MPI_Win_flush_local_all);
int MPI_Win_flush_local_all(MPI_Win win)
{
    return flush_all(win, true, __func__);
}
