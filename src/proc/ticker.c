/* SPDX-License-Identifier: BSD-3-Clause */
/* ticker.c – the thread that divides time slices (ticker.h has the idea). */
#include "proc/ticker.h"

#include "base/thread.h"
#include "base/time.h"

#include <sched.h>
#include <sys/stat.h>
#include <time.h>

#define STAYS_NS    MEND_NS_PER_S
#define TASKS       "/proc/self/task" /* a folder for each thread */
#define NOT_THREADS 2                 /* links of a folder without folders in it */
#define PER_CORE_MIN                                                                               \
    2 /* with more ranks on a core each ticks less often: about 4000 ticks a second in all */

struct mend_ticker {
    struct mend_proc *self;
    mend_time_ns tick;
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t more;
    mend_time_ns until;
    bool ends;
};

/* Ranks of a node tick different cores. */
static void choose_core(unsigned rank)
{
    cpu_set_t all, one;
    unsigned skip;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof(all), &all) != 0) /* more cores than a set has room for */
        return;
    skip = rank % (unsigned)CPU_COUNT(&all);
    while (!CPU_ISSET(cpu, &all) || skip-- > 0)
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

/* False: it ends. */
static bool is_wanted(struct mend_ticker *t)
{
    bool ends;

    pthread_mutex_lock(&t->lock);
    while (!t->ends && mend_time_monotonic_ns() >= t->until)
        pthread_cond_wait(&t->more, &t->lock);
    ends = t->ends;
    pthread_mutex_unlock(&t->lock);
    return !ends;
}

static void *tick(void *arg)
{
    struct mend_ticker *t = arg;
    struct timespec pause = {.tv_sec = (time_t)(t->tick / MEND_NS_PER_S),
                             .tv_nsec = (long)(t->tick % MEND_NS_PER_S)};

    choose_core(t->self->me);
    while (is_wanted(t))
        nanosleep(&pause, NULL);
    return NULL;
}

static struct mend_ticker *make(struct mend_proc *self)
{
    struct mend_ticker *t = mend_zalloc(self, 1, sizeof(*t));
    mend_time_ns ranks = self->ranks_per_core;

    if (!t)
        return NULL;
    t->self = self;
    t->tick = MEND_TICKER_TICK_NS * (ranks > PER_CORE_MIN ? ranks / PER_CORE_MIN : 1);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->more, NULL);
    if (mend_thread_start(&t->thread, tick, t))
        return t;
    mend_free(self, t);
    return NULL;
}

static bool is_ticking(struct mend_ticker *t)
{
    bool ticking;

    pthread_mutex_lock(&t->lock);
    ticking = mend_time_monotonic_ns() < t->until;
    pthread_mutex_unlock(&t->lock);
    return ticking;
}

static bool has_other_threads(const struct mend_proc *self)
{
    struct stat s;

    return stat(TASKS, &s) == 0 && s.st_nlink > NOT_THREADS + 1 + (self->ticker != NULL);
}

void mend_ticker_begin(struct mend_proc *self, mend_time_ns turn)
{
    bool ticking = self->ticker && is_ticking(self->ticker);

    if (!self->params.ticker)
        return;
    if (!ticking && (turn < MEND_TICKER_SLICE_NS || !has_other_threads(self)))
        return;
    if (!self->ticker)
        self->ticker = make(self);
    if (!self->ticker)
        return;
    pthread_mutex_lock(&self->ticker->lock);
    self->ticker->until = mend_time_monotonic_ns() + STAYS_NS;
    pthread_cond_signal(&self->ticker->more);
    pthread_mutex_unlock(&self->ticker->lock);
}

void mend_ticker_end(struct mend_proc *self)
{
    struct mend_ticker *t = self->ticker;

    if (!t)
        return;
    self->ticker = NULL;
    pthread_mutex_lock(&t->lock);
    t->ends = true;
    pthread_cond_signal(&t->more);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    mend_free(self, t);
}
