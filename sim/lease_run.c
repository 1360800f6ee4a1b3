/* SPDX-License-Identifier: BSD-3-Clause */
/* lease_run.c – agents with leases on virtual time, where a seed determines everything; up to a thousand agents.
 *
 * The numbers are those of MEND_LEASE_DEFAULTS, and the bounds those that they were made for: an agent wakes at most 30 ms late,
 * a message takes at most 5 ms, clocks are wrong by at most ρ.  A run is --instances seconds, in a tree of --radix.  From
 * 2 s on there are faults, one every 4 s: of --crashes an agent dies, with or without a sign; of --pauses one stops for up to 3 s, or
 * for less than half a lease; of --partitions some agents are cut off from the others, both ways or one way, for up to
 * 3 s, and what was said meanwhile arrives when it is over.
 *
 * In calm times, from CALM after a fault to CALM before the next one, one datagram in LOSS is lost, if there are faults at all.
 *
 * With --window 2 there are faults every 0.3 s, more than a job can live with, datagrams are lost at all times, and E5 and E6 are
 * not asked.
 *
 * With --replace each node that is declared is started again when no cut is on, by its parent or, after START_TRIES, by the nearest
 * ancestor that runs; so a run may be as long as one likes.  Datagrams of the former agent, and for it, may still arrive.
 *
 *   E1  when a node is declared its lease is over (S5-4)
 *   E2  only a declared node is refused
 *   E5  a node that was not itself cut off, stopped or killed is not lost (S5-5, S5-6)
 *   E6  one that was cut off, or killed, for long is declared in time (S5-3): after L(1+ρ)/(1-ρ), a beat and the bounds, and the slack if
 *       only the grants do not come through; below another agent than the root such a node turns to others, which hear it and wait as long
 *       again from then on
 *   E7  at the end all agents have heard the same verdicts (S5-2) */
#include "clock.h"
#include "lease.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS          MEND_LEASE_MS
#define LATE_MAX    (30 * MS)
#define DELAY_MAX   (5 * MS)
#define SHORT_CUT   (200 * MS)
#define HALF        (500 * MS)
#define LONG_CUT    (2600 * MS)
#define AFTERMATH   (2500 * MS)
#define START_AFTER (200 * MS)
#define START_TRIES 10
#define CALM        (1000 * MS)
#define LOSS        64
#define LATE        "E6: a node is cut off, or dead, and not declared in time"

enum ev_kind {
    EV_TIMER,
    EV_FENCE,
    EV_DIALED,
    EV_BEAT,
    EV_GRANT,
    EV_TO_ROOT,
    EV_TO_AGENT,
    EV_FAULT,
    EV_HEAL,
    EV_GONE,
    EV_START
};

struct agent {
    struct mend_sim_lease_state state;
    struct mend_lease *lease;
    struct mend_lease_child *children; /* all below it, by place_of() */
    int32_t children_n, linked, timers_n;
    uint32_t life; /* how often it was started */
    int64_t ppm;
    mend_time_ns timer_at, fence_at, paused_until, ended_at, declared_at;
    mend_time_ns last
        [4]; /* arrival of the last message: of its beats, of grants for it, to the root, of the root */
    mend_time_ns must_be_declared; /* 0: it need not */
    mend_time_ns excused_until;    /* it may be lost, because of what happened to it */
    uint64_t sent_n;
    bool dialing, dead, cut;
};

struct run {
    struct mend_sim_lease_world w;
    struct mend_sim_result *result;
    struct mend_sim_rng rng;
    struct mend_sim_clock clock;
    struct mend_lineage *lineage;
    struct agent *agent;
    int crashes, pauses, partitions;
    int cut_way; /* 0: no cut, 1: to the agents that are cut off, 2: from them, 3: both */
    mend_time_ns heals_at;
    mend_time_ns upset_until, fault_at; /* by the last fault; the next one, 0: there are none */
};

typedef struct mend_sim_lease_world world;

static struct run *run_of(world *w)
{
    return (struct run *)(void *)w;
}

static mend_time_ns below(struct run *r, mend_time_ns n)
{
    return mend_sim_rng_below(&r->rng, n);
}

/* ---- clocks ---- */

static mend_time_ns clock_at(const struct agent *a, mend_time_ns real)
{
    mend_time_ns rate = (mend_time_ns)(1000000 + a->ppm);

    return real / 1000000 * rate + real % 1000000 * rate / 1000000;
}

/* The first instant at which its clock shows t. */
static mend_time_ns real_of(const struct agent *a, mend_time_ns t)
{
    mend_time_ns rate = (mend_time_ns)(1000000 + a->ppm);

    return t / rate * 1000000 + (t % rate * 1000000 + rate - 1) / rate;
}

/* Mostly at once, sometimes as late as it may be. */
static mend_time_ns lateness(struct run *r)
{
    return below(r, 20) ? below(r, MS / 5) : below(r, LATE_MAX);
}

static mend_time_ns delay(struct run *r)
{
    return MS / 50 + (below(r, 20) ? below(r, MS / 5) : below(r, DELAY_MAX - MS / 50));
}

__attribute__((format(printf, 3, 4))) static void tell(const struct run *r, int32_t agent,
                                                       const char *fmt, ...)
{
    va_list ap;

    if (!r->w.conf->trace)
        return;
    printf("[%9.3f] %d ", (double)r->clock.now * 1e-6, (int)agent);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

static bool is_dense(const struct run *r)
{
    return r->w.conf->window > 1;
}

/* From a fault to the next one. */
static mend_time_ns gap(const struct run *r)
{
    return is_dense(r) ? 300 * MS : 4000 * MS;
}

static void excuse(struct agent *a, mend_time_ns until)
{
    if (a->excused_until < until)
        a->excused_until = until;
}

static bool is_excused(const struct run *r, const struct agent *a)
{
    return r->clock.now <= a->excused_until;
}

static void wrong(struct run *r, const char *what)
{
    if (!r->result->wrong)
        r->result->wrong = what;
}

/* ---- the network ---- */

static bool is_blocked(const struct run *r, int32_t from, int32_t to)
{
    bool a = r->agent[from].cut, b = r->agent[to].cut;

    return a != b && (r->cut_way & (a ? 2 : 1));
}

/* What the numbers allow for one that is stopped is not for one whose messages are lost besides. */
static bool is_lost(struct run *r, enum ev_kind kind)
{
    bool calm = r->clock.now > r->upset_until + CALM && r->clock.now + CALM < r->fault_at;

    return (kind == EV_BEAT || kind == EV_GRANT) && r->fault_at && (calm || is_dense(r)) &&
           below(r, LOSS) == 0;
}

/* In order behind the last of its kind, except for grants over a former connection; what is blocked is said again when the cut is
 * over. */
static void post(struct run *r, enum ev_kind kind, int32_t from, int32_t to, int32_t of,
                 const void *bytes, size_t len)
{
    struct mend_sim_ev ev = {.kind = (uint8_t)kind,
                             .rank = to,
                             .other = from,
                             .len = (uint32_t)len,
                             .hops = r->agent[kind == EV_TO_ROOT ? from : to].life};
    mend_time_ns *last = &r->agent[of].last[kind - EV_BEAT];

    r->agent[from].sent_n++;
    r->result->messages++;
    r->result->words += kind == EV_TO_ROOT || kind == EV_TO_AGENT;
    if (is_lost(r, kind))
        return;
    ev.at = (is_blocked(r, from, to) ? r->heals_at + below(r, HALF) : r->clock.now) + delay(r) +
            lateness(r);
    if (kind != EV_GRANT || from == r->agent[of].linked)
        ev.at = *last = ev.at > *last ? ev.at : *last;
    ev.bytes = malloc(len);
    MEND_ASSERT(ev.bytes);
    memcpy(ev.bytes, bytes, len);
    mend_sim_clock_add(&r->clock, ev);
}

static void plan(struct run *r, enum ev_kind kind, int32_t agent, int32_t other, mend_time_ns at)
{
    mend_sim_clock_add(&r->clock, (struct mend_sim_ev){.at = at > r->clock.now ? at : r->clock.now,
                                                       .kind = (uint8_t)kind,
                                                       .rank = agent,
                                                       .other = other,
                                                       .hops = r->agent[agent].life});
}

/* ---- what the driver asks for ---- */

static mend_time_ns on_clock(world *w, int32_t agent)
{
    return clock_at(&run_of(w)->agent[agent], run_of(w)->clock.now);
}

static struct mend_sim_lease_state *on_state(world *w, int32_t agent)
{
    return &run_of(w)->agent[agent].state;
}

static struct mend_lease *on_machine(world *w, int32_t agent)
{
    return run_of(w)->agent[agent].lease;
}

/* Of those below an agent, level by level; -1: it is not below. */
static int32_t place_of(int32_t radix, int32_t agent, int32_t node)
{
    int64_t first = agent, width = 1, place = 0;

    while (node >= first + width) {
        place += width;
        first = first * radix + 1;
        width *= radix;
    }
    return node < first || node == agent ? -1 : (int32_t)(place + node - first - 1);
}

static struct mend_lease_child *on_child(world *w, int32_t agent, int32_t node)
{
    int32_t i = place_of(w->radix, agent, node);

    return i < 0 ? NULL : &run_of(w)->agent[agent].children[i];
}

static struct mend_lineage *on_lineage(world *w)
{
    return run_of(w)->lineage;
}

static void on_beat(world *w, int32_t agent, const struct mend_lease_msg *m)
{
    post(run_of(w), EV_BEAT, agent, run_of(w)->agent[agent].linked, agent, m, sizeof(*m));
}

static void on_answer(world *w, int32_t agent, int32_t node, const struct mend_lease_msg *m)
{
    post(run_of(w), EV_GRANT, agent, node, node, m, sizeof(*m));
}

static void on_tell_root(world *w, int32_t agent, struct mend_sim_lease_word word)
{
    if (agent)
        post(run_of(w), EV_TO_ROOT, agent, 0, agent, &word, sizeof(word));
    else
        mend_sim_lease_root_told(w, 0, word);
}

static void on_tell_agent(world *w, int32_t agent, struct mend_sim_lease_word word)
{
    if (agent)
        post(run_of(w), EV_TO_AGENT, 0, agent, agent, &word, sizeof(word));
    else
        mend_sim_lease_told(w, 0, word);
}

static void check_declared(struct run *r, int32_t node)
{
    struct agent *a = &r->agent[node];
    mend_time_ns end = a->dead ? a->ended_at : a->lease->until ? real_of(a, a->lease->until) : 0;

    a->declared_at = r->clock.now;
    tell(r, node, "! is declared");
    if (end > r->clock.now || (!a->dead && a->state.fence))
        wrong(r, "E1: a node is declared, and its lease is not over");
    if (!is_excused(r, a))
        wrong(r, "E5: a node is declared without a reason");
    if (!is_dense(r) && a->must_be_declared && a->declared_at > a->must_be_declared)
        wrong(r, LATE);
    if (r->w.conf->replaces)
        plan(r, EV_START, node, 0, r->clock.now + START_AFTER + below(r, START_AFTER));
}

static void on_declared(world *w, int32_t node)
{
    struct mend_sim_lease_word word = {MEND_SIM_LEASE_DECLARED, node,
                                       on_lineage(w)->node[node].turn};

    check_declared(run_of(w), node);
    for (int32_t a = mend_lineage_parent(w->radix, node); a >= 0;
         a = mend_lineage_parent(w->radix, a))
        if (!run_of(w)->agent[a].dead)
            on_tell_agent(w, a, word);
}

static void on_watch(world *w, int32_t agent, mend_time_ns at)
{
    struct agent *a = &run_of(w)->agent[agent];
    mend_time_ns real = at == MEND_TIME_NEVER ? at : real_of(a, at);

    if (real >= a->timer_at)
        return;
    a->timer_at = real;
    plan(run_of(w), EV_TIMER, agent, ++a->timers_n, real + lateness(run_of(w)));
}

/* All of it is over when the lease is, at the latest. */
static void on_over(world *w, int32_t agent)
{
    struct run *r = run_of(w);
    struct agent *a = &r->agent[agent];

    if (a->dead)
        return;
    tell(r, agent, "x ends");
    a->dead = true;
    a->ended_at = a->lease->until ? real_of(a, a->lease->until) : r->clock.now;
    if (a->ended_at < r->clock.now)
        a->ended_at = r->clock.now;
    if (!is_excused(r, a))
        wrong(r, "E5: a node ends without a reason");
    if (a->state.refused && !r->lineage->node[agent].declared)
        wrong(r, "E2: a node is refused, and not declared");
}

/* ---- events ---- */

static void dial(struct run *r, int32_t agent)
{
    struct agent *a = &r->agent[agent];
    int32_t to;

    if (!a->state.seek || a->dialing || a->dead)
        return;
    to = mend_lineage_next(&a->state.search);
    a->dialing = true;
    r->result->words++;
    if (is_blocked(r, agent, to) || is_blocked(r, to, agent))
        plan(r, EV_DIALED, agent, -1, r->clock.now + r->w.lease.try_ns);
    else
        plan(r, EV_DIALED, agent, to, r->clock.now + 3 * delay(r) + lateness(r));
}

static void arm(struct run *r, int32_t agent)
{
    struct agent *a = &r->agent[agent];

    if (a->state.fence && a->fence_at == MEND_TIME_NEVER && r->w.conf->broken != MEND_SIM_DEAF) {
        a->fence_at = real_of(a, a->state.fence);
        plan(r, EV_FENCE, agent, 0, a->fence_at);
    }
    dial(r, agent);
}

static void fence(struct run *r, int32_t agent)
{
    struct agent *a = &r->agent[agent];

    a->fence_at = MEND_TIME_NEVER;
    if (clock_at(a, r->clock.now) >= a->state.fence)
        on_over(&r->w, agent);
}

static void timers(struct run *r, int32_t agent)
{
    struct agent *a = &r->agent[agent];
    mend_time_ns now = clock_at(a, r->clock.now), next = MEND_TIME_NEVER;

    a->timer_at = MEND_TIME_NEVER;
    if (agent == 0)
        mend_sim_lease_tick_root(&r->w);
    else if (a->state.wake_at <= now)
        mend_sim_lease_tick(&r->w, agent);
    else
        next = a->state.wake_at;
    for (int32_t i = 0; i < a->children_n && !a->dead; i++) {
        struct mend_lease_child *c = &a->children[i];

        if (c->state == MEND_LEASE_CHILD_HELD && c->lost_at <= now)
            mend_sim_lease_tick_child(&r->w, agent, c->node);
        if (c->state == MEND_LEASE_CHILD_HELD && c->lost_at < next)
            next = c->lost_at;
    }
    on_watch(&r->w, agent, next);
}

static void dialed(struct run *r, int32_t agent, int32_t to)
{
    struct agent *a = &r->agent[agent];

    a->dialing = false;
    tell(r, agent, "* has called %d", (int)to);
    if (to >= 0 && !r->agent[to].dead) {
        a->linked = to;
        a->last[0] = a->last[1] = 0; /* another connection */
        mend_sim_lease_linked(&r->w, agent, to);
    } else {
        mend_sim_lease_tick(&r->w, agent);
    }
}

/* Its children find the end of their connections, if it is to be seen. */
static void kill_agent(struct run *r, int32_t agent, bool seen)
{
    struct agent *a = &r->agent[agent];

    tell(r, agent, "x is killed%s", seen ? "" : ", and nobody sees it");
    a->dead = true;
    excuse(a, MEND_TIME_NEVER);
    a->ended_at = r->clock.now;
    if (!a->must_be_declared && a->state.fence)
        a->must_be_declared = r->clock.now + 1250 * MS;
    for (int32_t i = 0; i < a->children_n && seen; i++) {
        struct agent *c = &r->agent[a->children[i].node];

        if (c->linked == agent && !c->dead) {
            c->linked = -1;
            mend_sim_lease_unlinked(&r->w, a->children[i].node);
            arm(r, a->children[i].node);
        }
    }
    if (seen)
        plan(r, EV_GONE, agent, 0, r->clock.now + delay(r));
}

static int32_t pick(struct run *r)
{
    return 1 + (int32_t)below(r, (mend_time_ns)r->w.conf->ranks - 1);
}

static void stop(struct run *r, int32_t agent)
{
    mend_time_ns time = below(r, 2) ? below(r, HALF) : below(r, 3000 * MS);
    struct agent *a = &r->agent[agent];

    a->paused_until = r->upset_until = r->clock.now + time;
    tell(r, agent, "x stops for %.3f ms", (double)time * 1e-6);
    for (int32_t i = 1; time >= HALF && i < r->w.conf->ranks; i++)
        if (agent == 0 || i == agent) /* all, if the root was stopped */
            excuse(&r->agent[i], a->paused_until + AFTERMATH);
}

/* It hears nothing and is heard, and there is another one that it may turn to. */
static bool may_turn(const struct run *r, int32_t agent)
{
    return r->cut_way == 1 && mend_lineage_parent(r->w.radix, agent) != 0;
}

/* One, one with all below, or about half of all. */
static void cut(struct run *r)
{
    mend_time_ns time = below(r, 3) ? LONG_CUT + below(r, 400 * MS) : below(r, SHORT_CUT);
    int32_t victim = pick(r), kind = (int32_t)below(r, 3);
    bool is_long = time >= LONG_CUT;

    r->cut_way = 1 + (int)below(r, 3);
    r->heals_at = r->upset_until = r->clock.now + time;
    for (int32_t i = 1; i < r->w.conf->ranks; i++) {
        struct agent *a = &r->agent[i];

        a->cut = kind == 2 ? below(r, 2)
                           : i == victim ||
                                 (kind == 1 && mend_lineage_is_ancestor(r->w.radix, victim, i));
        if (a->cut && is_long)
            excuse(a, r->heals_at + AFTERMATH);
        if (a->cut)
            tell(r, i, "x is cut off, way %d, for %.3f ms", r->cut_way, (double)time * 1e-6);
        if (a->cut && is_long && !a->dead && a->state.fence)
            a->must_be_declared = r->clock.now + (may_turn(r, i) ? 2300 : 1350) * MS;
    }
    plan(r, EV_HEAL, 0, 0, r->heals_at);
}

static void heal(struct run *r)
{
    r->cut_way = 0;
    for (int32_t i = 0; i < r->w.conf->ranks; i++)
        r->agent[i].cut = false;
}

static void plan_fault(struct run *r, mend_time_ns at)
{
    r->fault_at = at;
    plan(r, EV_FAULT, 0, 0, at);
}

static void fault(struct run *r)
{
    int lot = (int)below(r, (mend_time_ns)(r->crashes + r->pauses + r->partitions));

    r->upset_until = r->clock.now;
    r->fault_at = MEND_TIME_NEVER;
    if (r->crashes + r->pauses + r->partitions > 1)
        plan_fault(r, r->clock.now + gap(r) + below(r, 100 * MS));
    if (lot < r->crashes) {
        int32_t victim = r->w.conf->victim ? r->w.conf->victim : pick(r);

        r->crashes--;
        if (!r->agent[victim].dead)
            kill_agent(r, victim, below(r, 2) || !r->agent[victim].state.fence);
    } else if (lot < r->crashes + r->pauses) {
        r->pauses--;
        stop(r, below(r, 8) ? pick(r) : 0);
    } else {
        r->partitions--;
        cut(r);
    }
}

/* ---- nodes that are started again ---- */

static bool is_well(const struct run *r, int32_t agent)
{
    const struct agent *a = &r->agent[agent];

    return a->paused_until <= r->clock.now &&
           (agent == 0 || (!a->dead && a->state.fence && !a->must_be_declared &&
                           !r->lineage->node[agent].declared));
}

/* It is told what the root knows of those below it. */
static void tell_of_children(struct run *r, int32_t agent)
{
    struct agent *a = &r->agent[agent];
    int64_t first = agent, width = 1;
    int32_t i = 0;

    while (i < a->children_n) {
        first = first * r->w.radix + 1;
        width *= r->w.radix;
        for (int64_t k = first; k < first + width && i < a->children_n; k++, i++) {
            const struct mend_lineage_node *q = &r->lineage->node[k];

            mend_lease_child_init(&a->children[i], &r->w.lease, (int32_t)k, q->turn.incarnation,
                                  false, clock_at(a, r->clock.now));
            if (q->declared)
                mend_sim_lease_told(
                    &r->w, agent,
                    (struct mend_sim_lease_word){MEND_SIM_LEASE_DECLARED, (int32_t)k, q->turn});
        }
    }
}

/* By its parent, or, when that one does not run for long, by the next ancestor that does. */
static void start_again(struct run *r, int32_t agent, int32_t tries)
{
    struct agent *a = &r->agent[agent];
    int32_t by = mend_lineage_parent(r->w.radix, agent);

    while (by > 0 && tries >= START_TRIES && !is_well(r, by))
        by = mend_lineage_parent(r->w.radix, by);
    if (r->cut_way || !is_well(r, 0) || !is_well(r, by)) {
        plan(r, EV_START, agent, tries + 1, r->clock.now + START_AFTER);
        return;
    }
    a->life++;
    a->dead = a->dialing = false;
    a->excused_until = is_dense(r) ? MEND_TIME_NEVER : 0;
    a->linked = -1;
    a->timer_at = a->fence_at = MEND_TIME_NEVER;
    a->paused_until = a->ended_at = a->declared_at = a->must_be_declared = 0;
    tell(r, agent, "+ is started again by %d", (int)by);
    mend_sim_lease_start_again(&r->w, agent, by);
    tell_of_children(r, agent);
    dial(r, agent);
}

/* Of an agent that was started again meanwhile; what was sent as a datagram arrives all the same. */
static bool is_of_the_past(const struct run *r, const struct mend_sim_ev *ev)
{
    int32_t agent = ev->kind == EV_TO_ROOT ? ev->other : ev->rank;

    return ev->hops != r->agent[agent].life && ev->kind != EV_BEAT && ev->kind != EV_GRANT &&
           ev->kind < EV_FAULT;
}

/* The kernel and fate are on time; an agent that is stopped does the rest later. */
static bool is_put_off(struct run *r, struct mend_sim_ev *ev)
{
    struct agent *a = &r->agent[ev->rank];

    if (ev->kind == EV_FENCE || ev->kind >= EV_FAULT || a->paused_until <= r->clock.now || a->dead)
        return false;
    ev->at = a->paused_until;
    mend_sim_clock_put_back(&r->clock, *ev);
    return true;
}

static void happen(struct run *r, const struct mend_sim_ev *ev)
{
    switch (ev->kind) {
    case EV_TIMER:
        if (ev->other == r->agent[ev->rank].timers_n) /* else another one was set */
            timers(r, ev->rank);
        break;
    case EV_FENCE:
        fence(r, ev->rank);
        break;
    case EV_DIALED:
        dialed(r, ev->rank, ev->other);
        break;
    case EV_BEAT:
        mend_sim_lease_beaten(&r->w, ev->rank, *(const struct mend_lease_msg *)ev->bytes);
        break;
    case EV_GRANT:
        mend_sim_lease_heard(&r->w, ev->rank, *(const struct mend_lease_msg *)ev->bytes);
        break;
    case EV_TO_ROOT:
        tell(r, 0, "> hears %d about %d", (int)ev->other,
             (int)((const struct mend_sim_lease_word *)ev->bytes)->node);
        mend_sim_lease_root_told(&r->w, ev->other, *(const struct mend_sim_lease_word *)ev->bytes);
        break;
    default:
        mend_sim_lease_told(&r->w, ev->rank, *(const struct mend_sim_lease_word *)ev->bytes);
    }
    if (ev->rank)
        arm(r, ev->rank);
}

static void happen_to_all(struct run *r, const struct mend_sim_ev *ev)
{
    if (ev->kind == EV_FAULT)
        fault(r);
    else if (ev->kind == EV_HEAL)
        heal(r);
    else if (ev->kind == EV_START)
        start_again(r, ev->rank, ev->other);
    else
        mend_sim_lease_gone(&r->w, ev->rank, (uint32_t)ev->hops);
}

/* ---- a run ---- */

static void set_up(struct run *r, const struct mend_sim_conf *conf)
{
    static const struct mend_lease_config lease = MEND_LEASE_DEFAULTS;

    r->w = (world){conf,        lease,        1 << conf->radix_bits,
                   on_clock,    on_state,     on_machine,
                   on_child,    on_lineage,   on_beat,
                   on_answer,   on_tell_root, on_tell_agent,
                   on_declared, on_watch,     on_over};
    r->rng.state = conf->seed;
    r->crashes = conf->crashes;
    r->pauses = conf->pauses;
    r->partitions = conf->partitions;
    r->agent = calloc((size_t)conf->ranks, sizeof(*r->agent));
    r->lineage = malloc(mend_lineage_size(conf->ranks));
    MEND_ASSERT(r->agent && r->lineage);
    for (int32_t i = 0; i < conf->ranks; i++) {
        struct agent *a = &r->agent[i];

        a->ppm = below(r, 4) ? (int64_t)below(r, 2001) - 1000 : below(r, 2) ? 1000 : -1000;
        a->timer_at = a->fence_at = MEND_TIME_NEVER;
        a->linked = -1;
        a->life = 1;
        a->excused_until = is_dense(r) ? MEND_TIME_NEVER : 0;
        a->lease = malloc(mend_lease_size(&lease));
        for (int64_t first = i, width = 1; first < conf->ranks;
             first = first * r->w.radix + 1, width *= r->w.radix)
            a->children_n += (int32_t)(first + width < conf->ranks ? width : conf->ranks - first);
        a->children_n--; /* itself */
        a->children = calloc((size_t)a->children_n + 1, sizeof(*a->children));
        MEND_ASSERT(a->lease && a->children);
        mend_sim_lease_begin(&r->w, i, 1);
    }
    for (int32_t i = 1; i < conf->ranks; i++) {
        for (int32_t a = mend_lineage_parent(r->w.radix, i); a >= 0;
             a = mend_lineage_parent(r->w.radix, a))
            mend_sim_lease_enter(&r->w, a, i, 1);
        dial(r, i);
    }
    if (r->crashes + r->pauses + r->partitions)
        plan_fault(r, 2000 * MS + below(r, 300 * MS));
}

static void check_in_time(struct run *r)
{
    for (int32_t i = 1; i < r->w.conf->ranks; i++) {
        const struct agent *a = &r->agent[i];

        if (!r->lineage->node[i].declared && a->must_be_declared &&
            r->clock.now > a->must_be_declared)
            wrong(r, LATE);
    }
}

static void check_verdicts(struct run *r)
{
    for (int32_t i = 1; i < r->w.conf->ranks; i++)
        for (int32_t a = mend_lineage_parent(r->w.radix, i); a >= 0;
             a = mend_lineage_parent(r->w.radix, a)) {
            const struct mend_lease_child *c = on_child(&r->w, a, i);
            bool says = c->state == MEND_LEASE_CHILD_DECLARED &&
                        c->turn.incarnation == r->lineage->node[i].turn.incarnation;

            if (!r->agent[a].dead && says != r->lineage->node[i].declared)
                wrong(r, "E7: two agents know different verdicts");
        }
}

static void clean_up(struct run *r)
{
    for (int32_t i = 0; i < r->w.conf->ranks; i++) {
        r->result->agents_sent += r->agent[i].sent_n;
        if (r->agent[i].sent_n > r->result->agent_most)
            r->result->agent_most = r->agent[i].sent_n;
        free(r->agent[i].lease);
        free(r->agent[i].children);
    }
    r->result->virtual_ns = r->clock.now;
    mend_sim_clock_fini(&r->clock);
    free(r->agent);
    free(r->lineage);
}

void mend_sim_lease_run(const struct mend_sim_conf *conf, struct mend_sim_result *result_p)
{
    mend_time_ns faults = (mend_time_ns)(conf->crashes + conf->pauses + conf->partitions);
    mend_time_ns end = (mend_time_ns)conf->instances * 1000 * MS;
    struct run r = {.result = result_p};
    struct mend_sim_ev ev;

    memset(result_p, 0, sizeof *result_p);
    set_up(&r, conf);
    if (end < 8000 * MS + faults * (gap(&r) + 100 * MS)) /* all of them, and what they lead to */
        end = 8000 * MS + faults * (gap(&r) + 100 * MS);
    while (!result_p->wrong && mend_sim_clock_next(&r.clock, &ev) && r.clock.now < end) {
        if (!is_of_the_past(&r, &ev) && is_put_off(&r, &ev))
            continue;
        result_p->steps++;
        if (ev.kind >= EV_FAULT)
            happen_to_all(&r, &ev);
        else if (!r.agent[ev.rank].dead && !is_of_the_past(&r, &ev))
            happen(&r, &ev);
        free(ev.bytes);
    }
    if (!is_dense(&r))
        check_in_time(&r);
    check_verdicts(&r);
    clean_up(&r);
}
