/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c – the one place that waits.
 *
 *   poll, poll, ... ──SPIN polls──> poll + yield ──YIELD yields──> arm, poll, sleep until woken
 *        any frame goes back to the start
 *
 * With more ranks than cores the peer needs this core: the spinning stage is short and for messages only, left out where it
 * did not help, and the yielding stage is short.  A yield that takes a millisecond shows that something else computes on this core: for a
 * while waits sleep instead after some microseconds, because a process that is woken gets the core at once.  A yield after which no other process
 * had the core costs the others nothing, and a process that is alone on its core yields longer: its sleep would end within microseconds, and
 * each one interrupts all cores.
 *
 * What ends a wait when a process involved dies: the agent increments the interrupt counter, which every
 * turn of the loop checks (one load of an unshared line), and wakes a sleeping rank; carrying out the
 * death or the revocation completes the request.
 *
 * A sleep has a time-out, although no correct wait depends on it: if an error in Mend loses a wake-up, the time-out
 * turns the hang into a pause, which is counted and which the launcher reports.  (Not counted with several
 * threads, where another one may have taken the news.)
 *
 * Of several waiting threads one polls for all, and the others sleep (proc/threads.h).  The poller releases the lock
 * before it yields or sleeps, and does not spin, because it would hold the lock meanwhile.  If it gets its core back late, other
 * threads of the program may be spinning: a ticker divides their slices (proc/ticker.h).
 *
 * The object of each wait is recorded for reports (life/waits.c), in a list: waits of one thread are nested, those of
 * several threads end in any order. */
#include "base/check.h"
#include "base/time.h"
#include "net/net.h"
#include "node/bell.h"
#include "proc/threads.h"
#include "proc/ticker.h"
#include "req/request.h"

#include <sched.h>

#define FRAME_POLLS           256  /* some microseconds */
#define OVERSUBSCRIBED_YIELDS 64   /* after so many turns no process on this core makes progress */
#define ALONE_YIELDS          1024 /* some hundred microseconds */
#define ALONE_NS              1000 /* sooner no other process has had the core and given it back */
#define OVERSUBSCRIBED_POLLS                                                                       \
    512 /* a few times what it costs to give the core away and to get it back */
#define OVERSUBSCRIBED_DOUBTS 5       /* at least one wait of 1 << so many spins */
#define LONG_TURN_NS          1000000 /* ranks that wait as well give the core back within microseconds */
#define CORE_SHARED_NS        100000000 /* so long after such a turn waits sleep without a yield */
#define SHARED_SPIN_NS                                                                             \
    30000 /* of spinning on such a core; polls of sockets take so long that all of them are 0.5 ms */
#define SHARED_SPIN_POLLS 128 /* between two looks at the clock then */
#define BUSY_TURNS        16  /* turns with news after which other threads get the lock */

struct patience {
    uint64_t polls;
    uint64_t yields;
    uint64_t alone;           /* of these: no other process had the core meanwhile */
    mend_time_ns spins_since; /* on a core that it shares; 0: not looked yet */
    uint32_t busy;
};

static bool all_ring(const struct mend_proc *self)
{
    mend_list_foreach (l, next, &self->active)
        if (!mend_list_entry(l, struct mend_request, link)->rings)
            return false;
    return true;
}

/* Sleeping is safe only if the event that ends the wait wakes us.  Frames and verdicts do, and with `rings` the
 * process that makes `until` true.  Room in a full ring, and most requests that need polling, do not. */
static bool may_sleep(const struct mend_proc *self, const struct mend_wait *w)
{
    return (!w || w->rings) && !self->outbox_n && all_ring(self);
}

static bool is_there(struct mend_proc *self, const struct mend_wait *w)
{
    return mend_progress(self, MEND_PEER_NONE) || mend_has_news(self) ||
           (w && w->until(self, w->arg));
}

/* Without a bell nobody could wake this process: it gives the core away. */
static bool sleep_at_most(struct mend_proc *self, mend_time_ns longest)
{
    if (self->bell)
        return self->bell->sleep(self, longest);
    sched_yield();
    return true;
}

/* A process that sleeps makes no turns, and others may want the places of the dead. */
static void let_go(struct mend_proc *self)
{
    if (mend_likely(self->let_go_n == self->deaths_n) || !self->let_go)
        return;
    self->let_go_turns = 0;
    self->let_go(self);
}

static void arm(struct mend_proc *self, bool nudged)
{
    let_go(self);
    if (self->bell)
        self->bell->arm(self, nudged);
}

static void disarm(struct mend_proc *self)
{
    if (self->bell)
        self->bell->disarm(self);
}

/* Nobody rings for this news: there are none, or they came by a descriptor and were read before the agent looked there. */
static bool needs_no_ring(struct mend_proc *self, const struct mend_wait *w)
{
    uint32_t read_n = self->bell->read_n(self);

    return !is_there(self, w) || self->bell->read_n(self) != read_n;
}

/* A sleep has lasted long.  If there is news, the wake-up may still be on its way; if it has not come after the same time again,
 * it never will.  The agent rings for what it finds readable, so that is left there as long. */
static void look_late(struct mend_proc *self, const struct mend_wait *w, mend_time_ns longest)
{
    const struct mend_bell *bell = self->bell;

    if ((bell->is_readable(self) || !needs_no_ring(self, w)) && !sleep_at_most(self, longest))
        bell->overslept(self);
}

/* A process that brings news wakes us.  The last look may itself have begun what nobody wakes us for. */
static void sleep_until_woken(struct mend_proc *self, const struct mend_wait *w)
{
    mend_time_ns longest = self->params.sleep_max_ns;

    arm(self, w || !mend_list_empty(&self->active));
    if (!is_there(self, w) && may_sleep(self, w) && !sleep_at_most(self, longest))
        look_late(self, w, longest);
    disarm(self);
}

/* Whose frames to look at first.  Between two turns that give the core away others run for
 * microseconds: then a look at all doorbells costs nothing, and a revocation is not overlooked. */
static inline mend_peer where(const struct patience *p, mend_peer hint)
{
    return p->yields ? MEND_PEER_NONE : hint;
}

/* Another process has computed on this core lately. */
static bool shares_core(const struct mend_proc *self, mend_time_ns now)
{
    return now - self->long_turn_at < CORE_SHARED_NS;
}

/* A yield beside a process that computes, or dies, makes the scheduler owe that process milliseconds. */
static uint64_t yields_max(const struct mend_proc *self)
{
    if (self->oversubscribed)
        return self->params.yield_polls > OVERSUBSCRIBED_YIELDS ? OVERSUBSCRIBED_YIELDS
                                                                : self->params.yield_polls;
    if (mend_unlikely(self->long_turn_at) && shares_core(self, mend_time_monotonic_ns()))
        return 0;
    return self->params.yield_polls;
}

/* A yield that nobody took cost nobody what the scheduler owes. */
static bool yields_again(const struct mend_proc *self, const struct patience *p)
{
    return p->yields - p->alone < yields_max(self) && p->alone < ALONE_YIELDS;
}

static void learn_of_core(struct mend_proc *self, struct patience *p, mend_time_ns turn)
{
    if (turn < ALONE_NS) {
        p->alone++;
        self->core_alone += self->core_alone < MEND_CORE_ALONE_MOST;
    } else {
        self->core_alone /= 2;
    }
}

/* A turn that takes so long was given to a process that computes: it takes all of them, and a sleeper is
 * ahead of it when it is woken.  Returns the length of the turn. */
static mend_time_ns give_way(struct mend_proc *self, struct patience *p)
{
    mend_time_ns before = mend_time_monotonic_ns(), after;

    p->yields++;
    self->yields_n++;
    mend_unlock(self);
    sched_yield();
    mend_lock(self);
    after = mend_time_monotonic_ns();
    if (self->oversubscribed)
        learn_of_core(self, p, after - before);
    if (after - before > LONG_TURN_NS) {
        p->yields = UINT64_MAX / 2;
        self->long_turn_at = after;
    }
    return after - before;
}

/* With more ranks than cores: the other process of a message may be running on another core, and then its answer comes
 * before this core would have gone round.  Two processes that answer each other so keep their cores until the time slice of
 * one ends, and after that another pair does.  Where that was in vain it is tried less often. */
static inline bool may_spin(struct mend_proc *self, struct patience *p)
{
    struct mend_doubt *d = &self->doubt;

    if (p->yields || p->polls >= OVERSUBSCRIBED_POLLS)
        return false;
    if (!p->polls && d->skip) {
        d->skip--;
        p->polls = OVERSUBSCRIBED_POLLS;
        return false;
    }
    if (++p->polls < OVERSUBSCRIBED_POLLS)
        return true;
    d->skip = 1u << d->level;
    d->level += d->level < OVERSUBSCRIBED_DOUBTS;
    return false;
}

/* News.  It came while this process was spinning: it will do so again. */
static inline void rest(struct mend_proc *self, struct patience *p)
{
    if (self->oversubscribed && p->polls && p->polls < OVERSUBSCRIBED_POLLS)
        self->doubt = (struct mend_doubt){0};
    *p = (struct patience){0};
}

/* Time that is spent spinning is missing when the news comes: a process that has slept gets the core before one that computes. */
static bool has_spun_enough(const struct mend_proc *self, struct patience *p)
{
    mend_time_ns now;

    if (p->polls % SHARED_SPIN_POLLS)
        return false;
    now = mend_time_monotonic_ns();
    if (!shares_core(self, now))
        return false;
    p->spins_since = p->spins_since ? p->spins_since : now;
    return now - p->spins_since > SHARED_SPIN_NS;
}

static inline bool spins(struct mend_proc *self, struct patience *p, bool message)
{
    if (mend_unlikely(self->oversubscribed))
        return message && may_spin(self, p);
    if (mend_unlikely(self->long_turn_at) && has_spun_enough(self, p))
        p->polls = self->params.spin_polls;
    return p->polls++ < self->params.spin_polls;
}

/* One turn without news; w: what is waited for, NULL: a request; message: a message is. */
static void pause_once(struct mend_proc *self, struct patience *p, const struct mend_wait *w,
                       bool message)
{
    if (mend_unlikely(mend_interrupt_check(self)))
        return;
    if (self->yield) {
        self->yield(self);
    } else if (spins(self, p, message)) {
        mend_cpu_relax();
    } else if (yields_again(self, p) || !may_sleep(self, w)) {
        give_way(self, p);
    } else {
        sleep_until_woken(self, w);
    }
}

const struct mend_frame *mend_wait_frame(struct mend_proc *self, mend_peer from,
                                         const void **payload_p)
{
    bool spins = !self->oversubscribed && !mend_proc_has_threads(self) && !self->yield;
    const struct mend_near *near = mend_near_of(self, from);
    const struct mend_frame *f = near->peek(self, from, payload_p);

    for (int i = 0; !f && spins && i < FRAME_POLLS; i++) {
        if (mend_unlikely(mend_has_news(self)))
            break;
        mend_cpu_relax();
        f = near->peek(self, from, payload_p);
    }
    return f;
}

/* Several threads. */

static bool request_over(struct mend_proc *self, struct mend_waiter *me)
{
    const struct mend_request *r = me->request;

    (void)self;
    return mend_request_is_done(r) || r->pending;
}

/* What the wait is for may have become what only polling finds. */
static bool until_over(struct mend_proc *self, struct mend_waiter *me)
{
    const struct mend_wait *w = me->wait;
    bool over = w->until(self, w->arg);

    me->rings = w->rings;
    return over;
}

/* What ends it when a process dies: the poller carries out the death, which completes what it ends. */
static void sleep_beside(struct mend_proc *self, struct mend_waiter *me)
{
    me->awake = false;
    mend_list_append(&self->asleep, &me->link);
    mend_threads_settle(self); /* the poller may have to poll for this one */
    while (!me->awake)
        pthread_cond_wait(&me->woken, &self->lock);
}

static void sleep_for_all(struct mend_proc *self)
{
    arm(self, true);
    if (!mend_progress(self, MEND_PEER_NONE) && !mend_interrupt_check(self) &&
        mend_threads_may_sleep(self)) {
        self->poller_asleep = true;
        mend_unlock(self); /* rouses us if there is a reason not to sleep */
        sleep_at_most(self, self->params.sleep_max_ns);
        mend_lock(self);
        self->poller_asleep = false;
    }
    disarm(self);
}

static void turn_for_all(struct mend_proc *self, struct patience *p, mend_peer hint)
{
    bool alone = mend_list_empty(&self->asleep);

    if (mend_progress(self, alone ? where(p, hint) : MEND_PEER_NONE) ||
        mend_interrupt_check(self)) {
        p->yields = 0;
        mend_threads_settle(self);
        if (++p->busy % BUSY_TURNS == 0)
            give_way(self, p);
    } else if (p->yields < OVERSUBSCRIBED_YIELDS || !mend_threads_may_sleep(self)) {
        mend_ticker_turn(self, give_way(self, p));
    } else {
        sleep_for_all(self);
    }
}

/* A wait within a poll of the same thread polls as well. */
static bool other_polls(const struct mend_proc *self, const struct mend_waiter *me)
{
    return self->poller && !pthread_equal(self->poller->thread, me->thread);
}

/* A callback that another process has asked for runs in the wait, and may wait itself. */
static inline void run_due(struct mend_proc *self)
{
    if (mend_unlikely(self->due))
        self->on_due(self);
}

static void wait_among(struct mend_proc *self, struct mend_waiter me, mend_peer hint)
{
    struct patience patience = {0};
    struct mend_waiter *outer = NULL;

    me.thread = pthread_self();
    pthread_cond_init(&me.woken, NULL);
    while (!me.over(self, &me)) {
        if (other_polls(self, &me)) {
            sleep_beside(self, &me);
            continue;
        }
        outer = self->poller == &me ? outer : self->poller;
        self->poller = &me;
        turn_for_all(self, &patience, hint);
        run_due(self);
    }
    if (self->poller == &me)
        self->poller = outer;
    if (!self->poller && !mend_list_empty(&self->asleep))
        mend_threads_wake(mend_list_entry(self->asleep.next, struct mend_waiter, link));
    pthread_cond_destroy(&me.woken);
}

/* Both. */

/* What is broken is found before this process sleeps over it. */
static inline void begin_wait(struct mend_proc *self)
{
    if (MEND_CHECKS_AT_WAITS)
        mend_request_check_all(self);
}

/* The fences: a report that interrupts here sees a list that is whole. */
static inline void note(struct mend_proc *self, struct mend_waiting *x)
{
    if (mend_unlikely(self->wait_times != NULL))
        x->since = mend_proc_now(self);
    x->call = self->call;
    x->outer = self->waits;
    if (self->attends)
        mend_store_relaxed(self->attends, 1);
    atomic_signal_fence(memory_order_seq_cst);
    self->waits = x;
}

static inline void forget(struct mend_proc *self, const struct mend_waiting *x)
{
    struct mend_waiting **at = &self->waits;

    while (mend_unlikely(*at != x))
        at = &(*at)->outer;
    *at = x->outer;
    if (mend_unlikely(x->since && self->wait_times))
        self->wait_times->ns[x->r ? x->r->ops->cause : x->w->cause] +=
            mend_proc_now(self) - x->since;
    if (self->attends && !self->waits)
        mend_store_relaxed(self->attends, 0);
    atomic_signal_fence(memory_order_seq_cst);
}

void mend_wait(struct mend_proc *self, struct mend_request *r)
{
    struct patience patience = {0};
    struct mend_waiting waiting = {.r = r};

    self->waits_n++;
    if (mend_request_is_done(r) || r->pending)
        return;
    begin_wait(self);
    note(self, &waiting);
    if (mend_unlikely(mend_proc_has_threads(self)))
        wait_among(self, (struct mend_waiter){.over = request_over, .request = r, .rings = true},
                   r->hint);
    while (!mend_request_is_done(r) && !r->pending) {
        if (mend_progress(self, where(&patience, r->hint))) {
            rest(self, &patience);
            mend_interrupt_check(self); /* frames may come without end */
        } else if (!mend_request_is_done(r) && !r->pending) {
            pause_once(self, &patience, NULL, r->ops->cause == MEND_WAIT_MESSAGES);
        }
        run_due(self);
    }
    forget(self, &waiting);
}

void mend_wait_until(struct mend_proc *self, const struct mend_wait *w)
{
    struct patience patience = {0};
    struct mend_waiting waiting = {.w = w};

    self->waits_n++;
    begin_wait(self);
    note(self, &waiting);
    if (mend_unlikely(mend_proc_has_threads(self)))
        wait_among(self, (struct mend_waiter){.over = until_over, .wait = w}, w->hint);
    while (!w->until(self, w->arg)) {
        if (mend_progress(self, where(&patience, w->hint))) {
            patience = (struct patience){0};
            mend_interrupt_check(self);
        } else {
            pause_once(self, &patience, w, false);
        }
        run_due(self);
    }
    forget(self, &waiting);
}
