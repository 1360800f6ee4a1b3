/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c – the threads that wait on the ranks' life words.
 *
 * The kernel wakes a waiter by address, not by value: a thread that went to sleep while the word
 * was still 0 (the rank had not started) is woken when the rank, which has set FUTEX_WAITERS by
 * then, dies.  So the threads sleep from before the first rank starts, and the start of a rank wakes none
 * of them.
 *
 * One thread waits on up to 127 words at a time (futex_waitv, Linux 5.16).  Where that is missing,
 * there is one thread for each word.  The threads end with the process.
 *
 * The life word belongs to the main thread.  If the process has other threads, they are checked repeatedly after the
 * mark, until all are exiting.
 *
 * The way from a death to the ranks is: kernel wakes this thread -> mend_verdict_life().  Nothing
 * on it allocates, prints, or waits for the main thread longer than one step of the detector. */
#include "agent/verdict.h"

#include "agent/sources.h"
#include "base/list.h"
#include "base/time.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GROUP_MAX   127 /* futex_waitv takes 128 */
#define STACK_BYTES (128 * 1024)
#define SOON_NS                                                                                    \
    20000 /* until all threads of a process that is killed have come to their ends, they need a core */
#define LATER_NS MEND_NS_PER_MS

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
struct futex_waitv {
    uint64_t val, uaddr;
    uint32_t flags, reserved;
};
#endif

#ifndef FUTEX_32
#define FUTEX_32 2
#endif

struct group {
    struct mend_verdicts *verdicts;
    const struct mend_sources *sources;
    const int *name; /* of each rank: behind `wait` */
    int n;
    bool waitv;
    struct futex_waitv wait[];
};

/* Freeing the memory of a dead process takes tens of milliseconds per GiB.  Survivors that share its core wait for
 * it: with the default policy the first of them runs at the next tick, milliseconds later.  So all threads of the dead
 * process, and the processes that it started, which are killed anyway, get the lowest priority that there is. */
void mend_watch_let_survivors_run(struct mend_ranks *ranks, const struct rank *r)
{
    const struct sched_param none = {0};
    bool alone;

    pthread_mutex_lock(&ranks->lock);
    /* a script around it may go on */
    alone = mend_rank_is_ours(r) && !mend_rank_in_script(&r->state);
    pthread_mutex_unlock(&ranks->lock);
    if (!alone)
        return;
    if (r->own_group)
        setpriority(PRIO_PGRP, (id_t)r->child, PRIO_MAX - 1);
    sched_setscheduler(r->child, SCHED_IDLE, &none);
}

/* True: r is not retired before look_away(). */
static bool look_at(struct mend_ranks *ranks, struct rank *r)
{
    bool there;

    pthread_mutex_lock(&ranks->lock);
    there = !mend_rank_is_retired(ranks, r);
    r->looked_at += there;
    pthread_mutex_unlock(&ranks->lock);
    return there;
}

static void look_away(struct mend_ranks *ranks, struct rank *r)
{
    pthread_mutex_lock(&ranks->lock);
    r->looked_at--;
    pthread_mutex_unlock(&ranks->lock);
}

/* With several nodes others know of its death later, and the main thread tells them. */
static bool is_declared(struct group *g, struct rank *r)
{
    bool told;

    pthread_mutex_lock(&g->verdicts->ranks->lock);
    told = r->told_dead;
    pthread_mutex_unlock(&g->verdicts->ranks->lock);
    if (told)
        mend_sources_note(g->sources);
    return told || mend_rank_is_dead(g->verdicts->ranks, r->index);
}

/* Acts on the mark of r.  Returns whether to look again soon, for what must be known before the verdict: *news_p: there
 * is something for the main thread. */
static bool on_mark(struct group *g, struct rank *r, bool *news_p)
{
    struct mend_verdicts *verdicts = g->verdicts;
    bool was_seen, seen, left;

    pthread_mutex_lock(&verdicts->ranks->lock);
    was_seen = mend_rank_is_marked(&r->state);
    if (!was_seen)
        mend_verdict_life(verdicts, r);
    seen = mend_rank_is_marked(&r->state);
    left = r->state.mark == MEND_MARK_THREADS;
    pthread_mutex_unlock(&verdicts->ranks->lock);
    if (was_seen && !left)
        return false;
    if (was_seen)
        left = mend_verdict_threads(verdicts, r);
    if (is_declared(g, r))
        mend_watch_let_survivors_run(verdicts->ranks, r); /* last: it may cost us the core */
    *news_p |= !was_seen || !left;
    return !seen || left;
}

/* Acts on every mark of the group.  Only the bit counts: the kernel wipes the thread id, contrary
 * to its documentation.  Returns the number of words still to be waited on; *soon_p: and look again soon. */
static int look(struct group *g, bool *soon_p)
{
    struct mend_ranks *ranks = g->verdicts->ranks;
    int waiting = 0;
    bool news = false;

    *soon_p = false;
    for (int i = 0; i < g->n; i++) {
        struct rank *r = &ranks->rank[g->name[i]];
        mend_atomic_u32 *life;
        uint32_t word;

        if (!look_at(ranks, r))
            continue;
        life = mend_node_life_word(r->shared);
        word = mend_load_acquire(life);
        if (word & FUTEX_OWNER_DIED)
            *soon_p |= on_mark(g, r, &news);
        else
            g->wait[waiting++] =
                (struct futex_waitv){.val = word, .uaddr = (uintptr_t)life, .flags = FUTEX_32};
        look_away(ranks, r);
    }
    for (int i = 0; news && i < g->n; i++)
        if (look_at(ranks, &ranks->rank[g->name[i]])) {
            mend_verdict_reason(g->verdicts, &ranks->rank[g->name[i]]);
            look_away(ranks, &ranks->rank[g->name[i]]);
        }
    if (news)
        mend_sources_note(g->sources);
    return waiting;
}

/* Until one of the words is marked, or for so long; 0: for ever. */
static void sleep_on(const struct group *g, int waiting, mend_time_ns limit_ns)
{
    mend_time_ns until = mend_time_monotonic_ns() + limit_ns;
    const struct timespec from_now = {0, (long)limit_ns};
    const struct timespec at = {(time_t)(until / MEND_NS_PER_S), (long)(until % MEND_NS_PER_S)};

    if (!waiting)
        nanosleep(&from_now, NULL);
    else if (g->waitv)
        syscall(SYS_futex_waitv, g->wait, waiting, 0, limit_ns ? &at : NULL, CLOCK_MONOTONIC);
    else
        syscall(SYS_futex, (void *)(uintptr_t)g->wait[0].uaddr, FUTEX_WAIT,
                (uint32_t)g->wait[0].val, limit_ns ? &from_now : NULL, NULL, 0);
}

static void *watch(void *arg)
{
    struct group *g = arg;
    mend_time_ns pause_ns = SOON_NS;
    bool soon;
    int waiting;

    mend_watch_prefer();
    while ((waiting = look(g, &soon)) > 0 || soon) {
        sleep_on(g, waiting, soon ? pause_ns : 0);
        pause_ns = soon ? LATER_NS < 2 * pause_ns ? LATER_NS : 2 * pause_ns : SOON_NS;
    }
    free(g);
    return NULL;
}

/* struct sched_attr of <linux/sched/types.h>, which cannot be included beside <sched.h>. */
struct attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Measured with ten compute-bound processes on two cores, 30 deaths a run: from the kernel's mark to
 * the ranks' interrupts at most 0.5 ms either way; without this, 12 ms in two of eight runs. */
void mend_watch_prefer(void)
{
    struct sched_param p;
    int policy, max = sched_get_priority_max(SCHED_FIFO);
    struct attr slice = {.size = sizeof(slice),
                         .policy = SCHED_OTHER,
                         .flags = 1 /* reset on fork */,
                         .runtime = 100000};

    if (pthread_getschedparam(pthread_self(), &policy, &p) != 0)
        return;
    p.sched_priority = p.sched_priority < max ? p.sched_priority + 1 : max;
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) != 0 && policy == SCHED_OTHER) {
        slice.nice = getpriority(PRIO_PROCESS, (id_t)gettid());
        syscall(SYS_sched_setattr, 0, &slice, 0);
    }
}

static bool have_waitv(void)
{
    if (getenv("MEND_AGENT_NO_WAITV")) /* so that the other way can be tested on a new kernel */
        return false;
    return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) != -1 || errno != ENOSYS;
}

static void start_group(struct mend_verdicts *verdicts, const struct mend_sources *sources,
                        const pthread_attr_t *attr, bool waitv, const int *names, int n)
{
    size_t words = (size_t)n * sizeof(struct futex_waitv);
    struct group *g = mend_xalloc(1, sizeof(*g) + words + (size_t)n * sizeof(*names));
    pthread_t thread;

    g->verdicts = verdicts;
    g->sources = sources;
    g->name = memcpy(g->wait + n, names, (size_t)n * sizeof(*names));
    g->n = n;
    g->waitv = waitv;
    if (pthread_create(&thread, attr, watch, g) != 0)
        free(g); /* waitpid tells of these ranks, later */
}

void mend_watch_start(struct mend_verdicts *verdicts, const struct mend_sources *sources,
                      const int *names, int n)
{
    bool waitv = have_waitv();
    int step = waitv ? GROUP_MAX : 1;
    pthread_attr_t attr;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < n; i += step)
        start_group(verdicts, sources, &attr, waitv, names + i, n - i < step ? n - i : step);
    pthread_attr_destroy(&attr);
}
