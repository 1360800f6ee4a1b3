/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c – carrying out the decisions of ft/detector_sm, and telling every rank.
 *
 *   event -> detector -> KILL      SIGKILL
 *                        DECLARE   death[k], fate
 *                        EXPLAIN   death[k].why, one atomic word
 *         after the last DECLARE   deaths_n (release), interrupt of every rank, wake of those that sleep
 *
 * One store publishes all declarations of a step: no rank sees only some of the processes that one abort ends.
 *
 * The verdict does not wait for the reason.  The reason is read from /proc when all that died together are
 * declared; if /proc does not have it, waitpid does, tens of milliseconds per GiB later.  The main thread prints and
 * reports. */
#include "agent/verdict.h"

#include "agent/procfs.h"
#include "base/time.h"
#include "node/log.h"
#include "node/wake.h"
#include "proc/death.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert((int)MEND_VERDICT_SUSPECTED == (int)MEND_CAUSE_SUSPECTED &&
                   (int)MEND_VERDICT_ABORT == (int)MEND_CAUSE_ABORT,
               "the detector's causes are the library's");

struct dying {
    uint32_t end;             /* on the only node: where the log will end */
    struct mend_verdict *set; /* on one of several: what the log of facts is told; n of them */
    int n;
};

static struct mend_node_rank *shared(struct mend_ranks *ranks, int i)
{
    return ranks->rank[i].shared;
}

bool mend_rank_goes_on(struct mend_verdicts *verdicts, struct rank *r)
{
    const struct mend_node_rank *s = shared(verdicts->ranks, r->index);
    bool signaled;
    uint8_t state;
    pid_t pid;
    int code;

    pthread_mutex_lock(&verdicts->ranks->lock);
    state = verdicts->detector->peer[r->index].state;
    pid = mend_rank_pid(r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return !mend_rank_has_ended(r) && !r->end.named &&
           !mend_rank_is_dead(verdicts->ranks, r->index) && state != MEND_DETECTOR_KILLING &&
           state != MEND_DETECTOR_LINGERING && !mend_load_acquire(&s->abort_asked) &&
           !mend_load_acquire(&s->crash_signal) && !mend_rank_has_mark(r) &&
           !(pid > 0 && (mend_procfs_killed(pid) || mend_procfs_exiting(pid, &signaled, &code)));
}

static uint64_t why_of(const struct mend_verdict *v)
{
    return MEND_NODE_WHY(v->cause, v->code);
}

/* A rank that ends itself by MPI_Abort, or crashes, says so in the segment first. */
static void ask_rank_for_cause(struct mend_ranks *ranks, struct mend_verdict *v)
{
    struct mend_node_rank *s = shared(ranks, v->peer);

    if (ranks->rank[v->peer].far)
        return;
    if (v->cause != MEND_VERDICT_ABORT && mend_load_acquire(&s->abort_asked)) {
        v->cause = MEND_VERDICT_ABORT;
        v->code = (int32_t)mend_load_relaxed(&s->abort_code);
        ranks->rank[v->peer].end.follows = mend_load_relaxed(&s->abort_follows);
    } else if (v->cause == MEND_VERDICT_UNKNOWN && mend_load_acquire(&s->crash_signal)) {
        v->cause = MEND_VERDICT_SIGNAL;
        v->code = (int32_t)mend_load_relaxed(&s->crash_signal);
    }
}

/* How the rank ended, as far as the kernel told.  If its process executed another program, it does not
 * matter whether that ended by itself before our signal came.  If a script was around the rank, only the
 * status of the script is known: by the convention of shells 128 + signal, or 0 if the script has coped with the death
 * of its MPI process. */
static void how_ended(const struct rank *r, bool *signaled_p, int *code_p)
{
    bool in_script = mend_rank_in_script(&r->state);

    *signaled_p = r->exit.si_code != CLD_EXITED;
    *code_p = r->exit.si_status;
    if (r->state.mark == MEND_MARK_SURVIVED && !in_script) {
        *signaled_p = true;
        *code_p = SIGKILL;
    }
    if (in_script && mend_rank_is_marked(&r->state) && !*signaled_p &&
        (*code_p == 0 || *code_p > 128)) {
        *signaled_p = true;
        *code_p = *code_p ? *code_p - 128 : SIGKILL;
    }
}

/* What the exit status is made of; called when the child has ended and the detector knows. */
static void settle_end(struct mend_ranks *ranks, struct rank *r)
{
    bool joined = mend_rank_presence(ranks, r->index) != MEND_PRESENCE_NONE;
    bool signaled;
    int code;

    how_ended(r, &signaled, &code);
    if (mend_rank_presence(ranks, r->index) == MEND_PRESENCE_AWAY)
        r->end.reach = MEND_REACH_FINALIZE;
    mend_rank_end_settle(&r->end, joined, signaled, code,
                         r->verdict.cause == MEND_VERDICT_ABORT ? &r->verdict.code : NULL);
}

/* When it happened, as far as that is known.  A guest's own agent has said so. */
static void date(const struct mend_ranks *ranks, const struct mend_verdict *v,
                 struct mend_node_death *d)
{
    mend_time_ns since =
        ranks->rank[v->peer].guest_of ? 0 : mend_load_relaxed(&ranks->shm->stopped_ns);
    bool late = since && since < v->when_ns;

    d->when_ns = late ? since : v->when_ns;
    d->late = late || v->late;
}

/* Writes entry k of the log, which nobody looks at before it is published. */
static void declare(struct mend_ranks *ranks, struct mend_verdict *v, uint32_t k)
{
    struct rank *r = &ranks->rank[v->peer];
    struct mend_node_death *d = mend_node_death_of(ranks->shm, k);

    ask_rank_for_cause(ranks, v);
    d->name = (uint32_t)v->peer;
    d->first = mend_load_relaxed(&ranks->shm->deaths_n);
    date(ranks, v, d);
    mend_store_relaxed(&d->why, why_of(v));
    r->verdict = *v;
    r->verdict_k = (int32_t)k;
}

/* Makes the entries before `end` known to everybody. */
static void extend_log(struct mend_ranks *ranks, uint32_t end)
{
    mend_store_release(&ranks->shm->deaths_n, end); /* pairs with the acquire in local_verdict() */
    mend_rank_call_all(ranks);
}

/* What stands for a process of another node stands for all that live there. */
static void set_dead(struct mend_ranks *ranks, int name)
{
    if (ranks->rank[name].far)
        ranks->rank[name].shared = &ranks->stub;
    else
        mend_store_release(&shared(ranks, name)->fate, MEND_PEER_DEAD);
}

/* The log of facts has one order everywhere; those that have left are in the segment of their node only. */
static uint32_t number_of(const struct mend_verdicts *verdicts, uint32_t k)
{
    return k - verdicts->lefts_n;
}

/* Tells everybody of the entries from `first` to before `end`. */
static void publish(struct mend_verdicts *verdicts, uint32_t first, uint32_t end)
{
    mend_time_ns now;

    if (first == end)
        return;
    if (verdicts->door.let_in)
        verdicts->door.let_in(verdicts->door.self);
    for (uint32_t k = first; k < end; k++)
        set_dead(verdicts->ranks, (int)mend_node_death_of(verdicts->ranks->shm, k)->name);
    extend_log(verdicts->ranks, end);
    now = mend_time_monotonic_ns();
    for (uint32_t k = first; k < end; k++) {
        struct rank *r = &verdicts->ranks->rank[mend_node_death_of(verdicts->ranks->shm, k)->name];

        if (!mend_rank_is_ours(r))
            continue;
        r->verdict_ns = now;
        mend_rank_step(&r->state, MEND_RANK_VERDICT);
        r->end.order = verdicts->ranks->nodes.n ? number_of(verdicts, k) : verdicts->ends_n++;
        if (r->state.ending == MEND_ENDING_TOLD)
            settle_end(verdicts->ranks, r); /* its child had ended before the others of its abort */
    }
}

uint32_t mend_verdict_number(struct mend_verdicts *verdicts, int name)
{
    uint32_t number;

    pthread_mutex_lock(&verdicts->ranks->lock);
    number = number_of(verdicts, (uint32_t)verdicts->ranks->rank[name].verdict_k);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return number;
}

void mend_verdict_left(struct mend_verdicts *verdicts, struct rank *const *left, int n)
{
    uint32_t first, end;

    pthread_mutex_lock(&verdicts->ranks->lock);
    first = end = mend_load_relaxed(&verdicts->ranks->shm->deaths_n);
    for (int i = 0; i < n; i++) {
        struct mend_node_death *d = mend_node_death_of(verdicts->ranks->shm, end++);

        d->name = (uint32_t)left[i]->index;
        d->first = first;
        d->when_ns = mend_time_monotonic_ns();
        d->late = false;
        mend_store_relaxed(&d->why, MEND_NODE_WHY(MEND_CAUSE_LEFT, 0));
        left[i]->has_left = true;
    }
    verdicts->lefts_n += (uint32_t)n;
    extend_log(verdicts->ranks, end);
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

uint32_t mend_verdict_guests(struct mend_verdicts *verdicts, struct mend_verdict *v, uint32_t n)
{
    uint32_t first;

    pthread_mutex_lock(&verdicts->ranks->lock);
    first = mend_load_relaxed(&verdicts->ranks->shm->deaths_n);
    for (uint32_t i = 0; i < n; i++)
        declare(verdicts->ranks, &v[i], first + i);
    publish(verdicts, first, first + n);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return first;
}

/* What was learned of the cause between the two is told once more. */
static void apply_ours(struct mend_verdicts *verdicts, struct mend_verdict *v)
{
    const struct rank *r = &verdicts->ranks->rank[v->peer];
    bool newer = r->verdict.cause != v->cause || r->verdict.code != v->code;

    *v = r->verdict;
    if (newer)
        verdicts->facts.explain(verdicts->facts.self, r);
}

void mend_verdict_apply(struct mend_verdicts *verdicts, struct mend_verdict *v, uint32_t n)
{
    uint32_t first;

    pthread_mutex_lock(&verdicts->ranks->lock);
    first = mend_load_relaxed(&verdicts->ranks->shm->deaths_n);
    for (uint32_t i = 0; i < n; i++) {
        v[i].when_ns = mend_time_monotonic_ns();
        if (!verdicts->ranks->rank[v[i].peer].far)
            apply_ours(verdicts, &v[i]);
        declare(verdicts->ranks, &v[i], first + i);
    }
    publish(verdicts, first, first + n);
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

bool mend_verdict_explain(struct mend_verdicts *verdicts, const struct mend_verdict *v)
{
    struct rank *r = &verdicts->ranks->rank[v->peer];

    bool known;

    pthread_mutex_lock(&verdicts->ranks->lock);
    known = mend_rank_is_dead(verdicts->ranks, v->peer);
    if (r->far && known) {
        r->verdict.cause = v->cause;
        r->verdict.code = v->code;
        mend_store_relaxed(&mend_node_death_of(verdicts->ranks->shm, (uint32_t)r->verdict_k)->why,
                           why_of(&r->verdict));
    }
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return r->far && known && !r->guest_of;
}

static void explain(struct mend_verdicts *verdicts, struct mend_verdict *v)
{
    struct rank *r = &verdicts->ranks->rank[v->peer];

    if (r->verdict.cause == MEND_VERDICT_ABORT)
        return;
    r->verdict.cause = v->cause;
    r->verdict.code = v->code;
    if (verdicts->ranks->nodes.n && !mend_rank_is_dead(verdicts->ranks, v->peer))
        return; /* apply_ours() tells it */
    mend_store_relaxed(&mend_node_death_of(verdicts->ranks->shm, (uint32_t)r->verdict_k)->why,
                       why_of(&r->verdict));
    if (verdicts->ranks->nodes.n)
        verdicts->facts.explain(verdicts->facts.self, r);
}

/* Those that die together in one step: on one node they are in the log at once. */
static void declare_next(struct mend_verdicts *verdicts, struct mend_verdict *v, struct dying *d)
{
    if (!verdicts->ranks->nodes.n) {
        declare(verdicts->ranks, v, d->end++);
        return;
    }
    ask_rank_for_cause(verdicts->ranks, v);
    verdicts->ranks->rank[v->peer].verdict = *v;
    if (!d->set)
        d->set = mend_xalloc((size_t)verdicts->ranks->n, sizeof(*d->set));
    d->set[d->n++] = *v;
}

static void act(struct mend_verdicts *verdicts, struct mend_detector_action *a, struct dying *d)
{
    struct rank *r = &verdicts->ranks->rank[a->verdict.peer];

    switch (a->kind) {
    case MEND_DETECTOR_KILL:
        if (mend_rank_signal(r, SIGKILL))
            mend_detector_delivered(verdicts->detector, r->index);
        if (verdicts->detector->peer[r->index].state == MEND_DETECTOR_LINGERING) {
            kill(r->child, SIGKILL); /* a script around it may be all that is left */
            mend_rank_step(&r->state, MEND_RANK_LINGER);
        }
        break;
    case MEND_DETECTOR_DECLARE:
        declare_next(verdicts, &a->verdict, d);
        break;
    case MEND_DETECTOR_EXPLAIN:
        explain(verdicts, &a->verdict);
        break;
    case MEND_DETECTOR_END:
        r->end.reach = MEND_REACH_FINALIZE;
        r->end.order = verdicts->ends_n++; /* for the exit status: the first death counts */
        break;
    case MEND_DETECTOR_CLEAR:
    case MEND_DETECTOR_ACTIONS:
        break;
    }
}

static void step(struct mend_verdicts *verdicts, const struct mend_detector_event *ev)
{
    uint32_t first = mend_load_relaxed(&verdicts->ranks->shm->deaths_n);
    struct dying dying = {.end = first};
    struct mend_detector_action a;

    mend_detector_step(verdicts->detector, ev, &verdicts->tick_at);
    while (mend_detector_next(verdicts->detector, &a))
        act(verdicts, &a, &dying);
    publish(verdicts, first, dying.end);
    if (dying.n)
        verdicts->facts.die(verdicts->facts.self, dying.set, dying.n);
    free(dying.set);
}

/* A rank says "finalized" in the segment only, and takes it back there; the detector must know before anything else about
 * that rank is decided. */
static void look_for_finalized(struct mend_verdicts *verdicts, int32_t peer, mend_time_ns now)
{
    struct mend_detector_event ev = {.now = now, .peer = peer};
    bool left = mend_rank_presence(verdicts->ranks, peer) == MEND_PRESENCE_LEFT;
    int known = verdicts->detector->peer[peer].state;

    ev.kind = left ? MEND_DETECTOR_EV_FINALIZED : MEND_DETECTOR_EV_RETURNED;
    if (left || known == MEND_DETECTOR_FINALIZED || known == MEND_DETECTOR_LINGERING)
        step(verdicts, &ev);
}

void mend_verdict_event(struct mend_verdicts *verdicts, struct mend_detector_event ev)
{
    ev.now = mend_time_monotonic_ns();
    if (ev.kind == MEND_DETECTOR_EV_ABORT) {
        for (int32_t i = 0; i < ev.npeers; i++)
            look_for_finalized(verdicts, ev.peers[i], ev.now);
    } else if (ev.kind == MEND_DETECTOR_EV_TICK) {
        for (int i = 0; i < verdicts->ranks->n; i++)
            if (verdicts->ranks->rank[i].state.child == MEND_CHILD_STOPPED)
                look_for_finalized(verdicts, i, ev.now);
    } else {
        look_for_finalized(verdicts, ev.peer, ev.now);
    }
    step(verdicts, &ev);
}

/* A rank may report that it is not the child; then the child is left alone. */
static void look_for_script(struct mend_verdicts *verdicts, struct rank *r)
{
    if (mend_load_acquire(&shared(verdicts->ranks, r->index)->in_script))
        verdicts->wrapped_n += mend_rank_step(&r->state, MEND_RANK_IS_WRAPPED);
}

/* A pidfd, so that a later kill hits nobody else.  The process that sent the datagram may have ended since, and
 * another have its number: not while the life word is unmarked, and hardly another of our own descendants. */
static int open_sender(struct mend_ranks *ranks, const struct rank *r, pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    if (fd < 0 || !mend_rank_has_mark(r) || mend_procfs_descends(pid, ranks->self_pid))
        return fd;
    close(fd);
    return -1;
}

void mend_verdict_joined(struct mend_verdicts *verdicts, struct rank *r, pid_t pid)
{
    bool was_wrapped = mend_rank_in_script(&r->state);

    if (pid == r->child) {
        verdicts->wrapped_n -= mend_rank_step(&r->state, MEND_RANK_CHILD_JOINS) && was_wrapped;
        return;
    }
    look_for_script(verdicts, r);
    if (!mend_rank_step(&r->state, MEND_RANK_INNER_JOINS))
        return;
    r->wrapped_pidfd =
        pid > 0 && mend_rank_in_script(&r->state) ? open_sender(verdicts->ranks, r, pid) : -1;
    r->wrapped = r->wrapped_pidfd >= 0 ? pid : 0;
    mend_store_relaxed(&shared(verdicts->ranks, r->index)->inner_pid, (uint32_t)r->wrapped);
}

void mend_verdict_reason(struct mend_verdicts *verdicts, struct rank *r)
{
    struct mend_detector_event ev = {.kind = MEND_DETECTOR_EV_EXITED, .peer = r->index};
    bool certain, exiting;
    pid_t pid;

    pthread_mutex_lock(&verdicts->ranks->lock);
    certain = r->state.mark == MEND_MARK_CERTAIN;
    pid = mend_rank_pid(r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    if (!certain)
        return;
    exiting = pid > 0 && mend_procfs_exiting(pid, &ev.signaled, &ev.code) &&
              !mend_rank_is_replaced(verdicts->ranks, r);
    pthread_mutex_lock(&verdicts->ranks->lock);
    if (!exiting)
        mend_rank_step(&r->state, MEND_RANK_SURVIVES); /* under its name; we have killed it */
    else if (mend_rank_step(&r->state, MEND_RANK_REASON))
        mend_verdict_event(verdicts, ev);
    pthread_mutex_unlock(&verdicts->ranks->lock);
}

void mend_verdict_dumping(struct mend_verdicts *verdicts, struct rank *r)
{
    if (!r->how)
        r->how = "core dump";
    mend_verdict_event(verdicts, (struct mend_detector_event){.kind = MEND_DETECTOR_EV_CONFIRMED,
                                                              .peer = r->index});
}

/* The other ranks of its abort must be known first, and which process it was.  Its datagrams are the main thread's to read. */
static bool awaits_words(struct mend_verdicts *verdicts, struct rank *r)
{
    bool named = mend_load_acquire(&shared(verdicts->ranks, r->index)->abort_asked) ==
                 MEND_NODE_ABORTS_OTHERS;

    if (r->state.mark == MEND_MARK_HEARD)
        return false;
    if (r->state.mark == MEND_MARK_NONE && !named && r->state.who != MEND_WHO_SCRIPT)
        return false;
    verdicts->words_wanted_n += mend_rank_step(&r->state, MEND_RANK_MARK_EARLY);
    return true;
}

static bool is_being_killed(const struct mend_verdicts *verdicts, const struct rank *r)
{
    return verdicts->detector->peer[r->index].state == MEND_DETECTOR_KILLING;
}

/* The end of its child waited for its own. */
static void tell_if_held(struct mend_verdicts *verdicts, struct rank *r)
{
    if (r->state.ending == MEND_ENDING_HELD && r->state.mark != MEND_MARK_THREADS)
        mend_verdict_exited(verdicts, r);
}

/* Its life word is that of the main thread.  It is dead, for memory that others share, when all of its threads
 * are at their ends (R28); one that has no others is so at once. */
void mend_verdict_life(struct mend_verdicts *verdicts, struct rank *r)
{
    struct mend_detector_event ev = {.kind = MEND_DETECTOR_EV_LIFE, .peer = r->index};

    look_for_script(verdicts, r);
    if (mend_rank_is_marked(&r->state) || awaits_words(verdicts, r))
        return;
    if (!r->how)
        r->how = "life word";
    ev.others = mend_rank_pid(r) > 0 && mend_procfs_threads(mend_rank_pid(r)) > 1;
    mend_rank_step(&r->state, ev.others ? MEND_RANK_MARK_OTHERS : MEND_RANK_MARK);
    mend_verdict_event(verdicts, ev);
    if (!is_being_killed(verdicts, r))
        mend_rank_step(&r->state, MEND_RANK_THREADS_END);
    tell_if_held(verdicts, r);
}

bool mend_verdict_threads(struct mend_verdicts *verdicts, struct rank *r)
{
    bool gone, left;
    pid_t pid;

    pthread_mutex_lock(&verdicts->ranks->lock);
    pid = mend_rank_pid(r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    gone = mend_procfs_all_exiting(pid);
    pthread_mutex_lock(&verdicts->ranks->lock);
    left = is_being_killed(verdicts, r) && !gone; /* else it may have taken too long */
    if (is_being_killed(verdicts, r) && gone)
        mend_verdict_event(verdicts, (struct mend_detector_event){
                                         .kind = MEND_DETECTOR_EV_CONFIRMED, .peer = r->index});
    if (!left && mend_rank_step(&r->state, MEND_RANK_THREADS_END))
        tell_if_held(verdicts, r);
    pthread_mutex_unlock(&verdicts->ranks->lock);
    return left;
}

void mend_verdict_replaced(struct mend_verdicts *verdicts, struct rank *r)
{
    look_for_script(verdicts, r);
    if (!mend_rank_in_script(&r->state))
        mend_rank_step(&r->state, MEND_RANK_SURVIVES);
}

void mend_verdict_exited(struct mend_verdicts *verdicts, struct rank *r)
{
    struct mend_node_rank *s = shared(verdicts->ranks, r->index);
    struct mend_detector_event ev = {.kind = MEND_DETECTOR_EV_EXITED};

    look_for_script(verdicts, r);
    /* A script ended before the MPI process in it: that one's end comes first, for a verdict about
     * a living process would be a lie.  The watcher will see it. */
    if (mend_rank_in_script(&r->state) && r->state.mark <= MEND_MARK_THREADS &&
        mend_rank_presence(verdicts->ranks, r->index) < MEND_PRESENCE_LEFT) {
        mend_rank_signal(r, SIGKILL);
        if (mend_load_acquire(&s->life_valid)) {
            mend_rank_step(&r->state, MEND_RANK_HOLD);
            return;
        }
    }
    mend_rank_step(&r->state, MEND_RANK_TELL);
    if (!r->how)
        r->how = "exit";
    ev.peer = r->index;
    how_ended(r, &ev.signaled, &ev.code);
    mend_verdict_event(verdicts, ev);
    settle_end(verdicts->ranks, r);
}
