/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.h – threads of one process that wait at the same time (MPI_THREAD_MULTIPLE).
 *
 * One of them, the poller, polls for all; the others sleep, each on a condition of its own.
 *
 *   waits ── nobody polls ───> poller ── its wait is over ──> wakes one that sleeps, which polls then
 *     └───── somebody polls ─> asleep ── its wait is over, or nobody polls any more ──> waits
 *
 * A thread that releases the library's lock wakes those whose wait is over by then, so an operation need not
 * know the threads that wait for it.  The poller may itself sleep, in the transport; it is woken when its own
 * wait is over, or when an operation needs polling to make progress.
 *
 * Invariants, whenever the lock is free:
 *   1  if threads sleep then one polls, or has been woken to do so;
 *   2  no thread whose wait is over sleeps;
 *   3  the poller sleeps only while frames, verdicts and rouse() end all waits.
 *
 * Cost: one look at each waiting thread whenever the lock is given back; nothing without threads.  req/wait.c
 * has the waits. */
#ifndef MEND_PROC_THREADS_H
#define MEND_PROC_THREADS_H

#include "proc/detour.h"
#include "proc/proc.h"

/* One thread that waits, on its stack. */
struct mend_waiter {
    struct mend_list link; /* in self->asleep */
    bool (*over)(struct mend_proc *self, struct mend_waiter *w);
    const struct mend_request *request; /* what it waits for: one of these */
    const struct mend_wait *wait;
    bool rings; /* frames and verdicts end it, or another thread: nobody has to poll for it */
    bool awake;
    pthread_t thread;
    pthread_cond_t woken;
};

/* Takes a sleeping thread out of the list and lets it run. */
void mend_threads_wake(struct mend_waiter *w);

/* True if the poller may sleep: nothing is to be polled for any thread. */
bool mend_threads_may_sleep(const struct mend_proc *self);

/* Before the lock is given back: invariants 2 and 3. */
void mend_threads_settle(struct mend_proc *self);

static inline void mend_lock(struct mend_proc *self)
{
    if (mend_proc_has_threads(self))
        pthread_mutex_lock(&self->lock);
}

/* Gives the lock back, also around a call of the user's function, which may call MPI or never return. */
static inline void mend_unlock(struct mend_proc *self)
{
    if (!mend_proc_has_threads(self))
        return;
    if (mend_unlikely(self->poller != NULL))
        mend_threads_settle(self);
    pthread_mutex_unlock(&self->lock);
}

/* Around each MPI call: the lock, and the count of calls that notify/ needs.  A call counts before it takes the lock, until it has
 * given it back: the handler of a signal, which takes the lock if no call counts, must not come in between. */
static inline void mend_count_in(struct mend_proc *self)
{
    if (mend_detours(self, MEND_DETOUR_NOTIFY) &&
        (!mend_proc_has_threads(self) || pthread_equal(self->main_thread, pthread_self())))
        self->inside++;
}

static inline void mend_come_in(struct mend_proc *self)
{
    mend_count_in(self);
    atomic_signal_fence(memory_order_seq_cst);
    mend_lock(self);
}

static inline void mend_go_out(struct mend_proc *self)
{
    if (mend_unlikely(mend_detours(self, MEND_DETOUR_NOTIFY)))
        self->on_leave(self);
    else
        mend_unlock(self);
}

/* Behind a lock that is taken whether or not there are threads. */
static inline void mend_count_out(struct mend_proc *self)
{
    if (mend_likely(!mend_detours(self, MEND_DETOUR_NOTIFY)))
        return;
    mend_lock(self);
    self->on_leave(self);
}

static inline void mend_go_out_locked(struct mend_proc *self)
{
    mend_detour_end(self, MEND_DETOUR_LOCKED);
    pthread_mutex_unlock(&self->lock);
    mend_count_out(self);
}

#endif
