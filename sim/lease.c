/* SPDX-License-Identifier: BSD-3-Clause */
/* lease.c – the play of agents with leases, for the search: time in ticks, and clocks that are wrong.
 *
 * Between two ticks all things happen in any order, or do not happen: an agent looks at its timers, reads a beat, a grant, a word
 * of the root or to it, calls a parent.  So each message may be late, or never come, and each agent may sleep for as long as it
 * likes: partitions, both ways and one way, pauses, and late thaws are all among the orders.  Of what was said over a connection
 * --window messages are not read yet at most; an agent that has no room for more does nothing.  Grants that would
 * change nothing any more are dropped.  Only the kernel is on time: an agent whose fence has come ends with the tick.
 *
 * --crashes agents may die besides, --partitions connections may break, with what is on them; each agent may
 * call --instances times, and with --replace one that is declared is started again, once.  The agents are a tree of radix 1, a
 * chain, or a star with --radix 8.
 *
 * In each tick the clock of an agent advances by 1 or by FAST, so that ρ is (FAST-1)/(FAST+1): which, is chosen once, and with
 * --fine anew for each tick.  With three agents the root is fast otherwise: it can be late, but not early.  A lease is LEASE units.
 *
 * Time has no end: all times are distances to the clock of their agent, which always shows NOW, and beats are numbered from the
 * last one, which is LAST.  What is so old that no machine can tell its age is made the same (settle).
 *
 *   E1  when a node is declared, nothing of the program runs on it, and nothing ever does (S5-4)
 *   E2  only a declared node is refused
 *   E3  an agent takes a node for declared only if the root has declared it (S5-2)
 * The bounds of time are those of runs with a seed (lease_run.c). */
#include "lease.h"

#include <stdio.h>
#include <string.h>

#define AGENTS_MAX 3
#define MAIL_MAX   3 /* --window is at most that */
#define WORDS_MAX  8
#define LEASE      3
#define BEAT       2
#define NOW        40 /* a lease, stretched or not, is less */
#define LAST       6  /* number of the last beat */

enum move {
    TICK,
    WAKE = 8,
    DIAL,
    BREAK,
    DIE,
    READ_WORD,
    START,
    READ_GRANT = 16,
    READ_BEAT = 20,
    READ_REPORT = 24,
    GONE = 28,
};

struct queue {
    uint8_t n;
    struct {
        uint8_t word, node, incarnation, turn, number, d;
    } at[MAIL_MAX + 1];
};

struct words {
    uint8_t n;
    struct mend_sim_lease_word at[WORDS_MAX];
};

struct proc {
    uint8_t rank, dead, calls, restarts, gone;
    int8_t linked; /* to that agent; -1: to none */
    struct mend_sim_lease_state state;
    struct words down; /* of the root */
    struct mend_lease_child child[AGENTS_MAX];
    struct queue grants[AGENTS_MAX]; /* of each that was its parent */
    struct queue beats[AGENTS_MAX];  /* of each that takes it for its parent */
    /* of the root: */
    uint8_t rates, deaths, breaks;
    struct words up[AGENTS_MAX];
    uint64_t store[]; /* its lease, or the lineage */
};

/* The world of a step: the processes are one block. */
struct lease_world {
    struct mend_sim_lease_world w;
    struct proc *root;
};

typedef struct mend_sim_lease_world world;

/* By agents: of two, and of three. */
static const unsigned fast[] = {3, 2};
static const uint32_t drift_ppm[] = {500000, 333333};

static const struct mend_lease_config lease = {
    .lease_ns = LEASE,
    .beat_ns = BEAT,
    .fence_ns = 0,
    .silence_ns = 2,
    .try_ns = 1,
    .start_ns = 200,
    .slack_ns = 200}; /* all hear: their queues do not carry it */

static size_t lease_bytes(const struct mend_sim_conf *c)
{
    size_t a = mend_lease_size(&lease), b = mend_lineage_size(c->ranks);

    return (sizeof(struct proc) + (a > b ? a : b) + 7) / 8 * 8;
}

static struct proc *proc_at(const world *w, int32_t rank)
{
    struct proc *root = ((const struct lease_world *)(const void *)w)->root;

    return (void *)((char *)root + lease_bytes(w->conf) * (size_t)rank);
}

/* ---- what the driver asks for ---- */

static mend_time_ns on_clock(world *w, int32_t agent)
{
    (void)w, (void)agent;
    return NOW;
}

static struct mend_sim_lease_state *on_state(world *w, int32_t agent)
{
    return &proc_at(w, agent)->state;
}

static struct mend_lease *on_machine(world *w, int32_t agent)
{
    return (void *)proc_at(w, agent)->store;
}

static struct mend_lease_child *on_child(world *w, int32_t agent, int32_t node)
{
    return mend_lineage_is_ancestor(w->radix, agent, node) ? &proc_at(w, agent)->child[node] : NULL;
}

static struct mend_lineage *on_lineage(world *w)
{
    return (void *)proc_at(w, 0)->store;
}

static void put(struct queue *q, const struct mend_lease_msg *m)
{
    MEND_ASSERT(q->n < MEND_COUNT_OF(q->at));
    q->at[q->n].word = m->word;
    q->at[q->n].node = (uint8_t)m->node;
    q->at[q->n].incarnation = (uint8_t)m->turn.incarnation;
    q->at[q->n].turn = (uint8_t)m->turn.turn;
    q->at[q->n].number = (uint8_t)m->number;
    q->at[q->n++].d = (uint8_t)m->d_ns;
}

static void remove_at(struct queue *q, int i)
{
    q->n--;
    memmove(&q->at[i], &q->at[i + 1], (size_t)(q->n - i) * sizeof(q->at[0]));
    memset(&q->at[q->n], 0, sizeof(q->at[0]));
}

static struct mend_lease_msg take(struct queue *q)
{
    struct mend_lease_msg m = {
        q->at[0].word,   q->at[0].node, {q->at[0].incarnation, q->at[0].turn},
        q->at[0].number, q->at[0].d,    0};

    remove_at(q, 0);
    return m;
}

static void on_beat(world *w, int32_t agent, const struct mend_lease_msg *m)
{
    struct proc *p = proc_at(w, agent);

    if (!proc_at(w, p->linked)->dead)
        put(&proc_at(w, p->linked)->beats[agent], m);
}

static void on_answer(world *w, int32_t agent, int32_t node, const struct mend_lease_msg *m)
{
    if (!proc_at(w, node)->dead || w->conf->replaces)
        put(&proc_at(w, node)->grants[agent], m);
}

static void put_word(struct words *q, struct mend_sim_lease_word word)
{
    MEND_ASSERT(q->n < WORDS_MAX);
    q->at[q->n++] = word;
}

static struct mend_sim_lease_word take_word(struct words *q)
{
    struct mend_sim_lease_word word = q->at[0];

    q->n--;
    memmove(q->at, q->at + 1, q->n * sizeof(q->at[0]));
    memset(&q->at[q->n], 0, sizeof(q->at[0]));
    return word;
}

static void on_tell_root(world *w, int32_t agent, struct mend_sim_lease_word word)
{
    if (agent)
        put_word(&proc_at(w, 0)->up[agent], word);
    else
        mend_sim_lease_root_told(w, 0, word);
}

static void on_tell_agent(world *w, int32_t agent, struct mend_sim_lease_word word)
{
    if (!agent)
        mend_sim_lease_told(w, 0, word);
    else if (!proc_at(w, agent)->dead)
        put_word(&proc_at(w, agent)->down, word);
}

static void on_declared(world *w, int32_t node)
{
    struct mend_sim_lease_word word = {MEND_SIM_LEASE_DECLARED, node,
                                       on_lineage(w)->node[node].turn};

    for (int32_t r = 0; r < w->conf->ranks; r++)
        if (r == 0 || on_child(w, r, node))
            on_tell_agent(w, r, word);
}

static void on_watch(world *w, int32_t agent, mend_time_ns at)
{
    (void)w, (void)agent, (void)at; /* it looks at all its timers */
}

static bool runs(const struct proc *p)
{
    return !p->dead && p->state.fence;
}

/* Its processes end with it. */
static void end(world *w, int32_t agent)
{
    struct proc *p = proc_at(w, agent);
    struct proc left = {.rank = p->rank, .dead = 1, .linked = -1};

    left.restarts = p->restarts;
    left.state.refused = p->state.refused;
    if (w->conf->replaces) /* it may be read by the one that is started again */
        memcpy(left.grants, p->grants, sizeof(left.grants));
    memset(p, 0, lease_bytes(w->conf));
    *p = left;
}

static void on_over(world *w, int32_t agent)
{
    end(w, agent);
}

static struct lease_world world_of(const void *proc, const struct mend_sim_conf *c)
{
    const struct proc *p = proc;
    struct lease_world l = {.w = {c, lease, c->radix_bits > 1 ? 1 << c->radix_bits : 1, on_clock,
                                  on_state, on_machine, on_child, on_lineage, on_beat, on_answer,
                                  on_tell_root, on_tell_agent, on_declared, on_watch, on_over}};

    l.w.lease.drift_ppm = drift_ppm[c->ranks > 2];
    l.root = (void *)((char *)(uintptr_t)p - lease_bytes(c) * p->rank);
    return l;
}

/* ---- the play ---- */

static void lease_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct proc *p = proc;
    struct lease_world l;

    memset(p, 0, lease_bytes(c));
    p->rank = (uint8_t)rank;
    p->linked = -1;
    l = world_of(p, c);
    mend_sim_lease_begin(&l.w, rank, 1);
    if (rank)
        on_machine(&l.w, rank)->number = LAST;
    for (int32_t i = rank + 1; i < c->ranks; i++)
        if (on_child(&l.w, rank, i))
            mend_sim_lease_enter(&l.w, rank, i, 1);
}

/* Whether it has room for what it would say. */
static bool has_room(const struct proc *p, world *w)
{
    if (p->linked >= 0 && proc_at(w, p->linked)->beats[p->rank].n >= w->conf->window)
        return false;
    for (int32_t i = p->rank + 1; i < w->conf->ranks; i++)
        if (proc_at(w, i)->grants[p->rank].n >= w->conf->window)
            return false;
    return true;
}

static bool is_due(const struct proc *p, world *w)
{
    if (p->rank && p->state.wake_at <= NOW)
        return true;
    for (int32_t i = p->rank + 1; i < w->conf->ranks; i++) {
        const struct mend_lease_child *c = on_child(w, p->rank, i);

        if (c && c->state == MEND_LEASE_CHILD_HELD && c->lost_at <= NOW)
            return true;
        if (!p->rank && on_lineage(w)->node[i].orphan_end &&
            on_lineage(w)->node[i].orphan_end <= NOW)
            return true;
    }
    return false;
}

static unsigned moves_of_time(const struct proc *p, const struct mend_sim_conf *c)
{
    unsigned all = (1u << (1u << c->ranks)) - 1;

    if (c->fine)
        return all;
    if (p->rates)
        return 1u << (p->rates - 1);
    return c->ranks > 2 ? all & 0xaa : all; /* 0xaa: the root is fast */
}

static unsigned moves_of_root(const struct proc *p, world *w)
{
    unsigned moves = moves_of_time(p, w->conf);

    for (int32_t i = 1; i < w->conf->ranks; i++) {
        const struct proc *q = proc_at(w, i);
        const struct mend_lineage_node *node = &on_lineage(w)->node[i];

        if (p->up[i].n)
            moves |= 1u << (READ_REPORT + i);
        if (q->dead && !q->gone && !node->declared)
            moves |= 1u << (GONE + i);
        if (w->conf->replaces && node->declared && q->dead && !q->restarts)
            moves |= 1u << START;
    }
    return moves;
}

static unsigned moves_of_child(const struct proc *p, world *w)
{
    const struct proc *root = proc_at(w, 0);
    unsigned moves = 0;

    if (p->state.seek && p->calls < w->conf->instances)
        moves |= 1u << DIAL;
    if (p->linked >= 0 && (proc_at(w, p->linked)->dead || root->breaks < w->conf->partitions))
        moves |= 1u << BREAK;
    if (root->deaths < w->conf->crashes)
        moves |= 1u << DIE;
    if (p->down.n)
        moves |= 1u << READ_WORD;
    for (int32_t i = 0; i < p->rank; i++)
        if (p->grants[i].n)
            moves |= 1u << (READ_GRANT + i);
    return moves;
}

static unsigned lease_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct proc *p = proc;
    struct lease_world l = world_of(p, c);
    unsigned moves = 0;

    if (p->dead)
        return 0;
    if (!has_room(p, &l.w))
        return p->rank ? 0 : moves_of_time(p, c);
    moves = p->rank ? moves_of_child(p, &l.w) : moves_of_root(p, &l.w);
    if (is_due(p, &l.w))
        moves |= 1u << WAKE;
    for (int32_t i = p->rank + 1; i < c->ranks; i++)
        if (p->beats[i].n)
            moves |= 1u << (READ_BEAT + i);
    return moves;
}

static const char *lease_move_name(int move)
{
    static const char *const names[] = {
        "looks at its timers", "calls a parent",     "finds its connection broken", "dies",
        "hears the root",      "starts a node again"};

    return move < WAKE          ? "lets time pass"
           : move < READ_GRANT  ? names[move - WAKE]
           : move < READ_BEAT   ? "hears its parent"
           : move < READ_REPORT ? "hears a child"
           : move < GONE        ? "hears an agent"
                                : "hears that a node is gone";
}

/* ---- time ---- */

/* A time that is so much further in the past; 0 is none, and stays so. */
static mend_time_ns older(mend_time_ns t, unsigned by)
{
    return t == 0 || t == MEND_TIME_NEVER ? t : t > by ? t - by : 1;
}

static void age_lease(struct mend_lease *x, unsigned by)
{
    x->until = older(x->until, by);
    x->beat_at = older(x->beat_at, by);
    x->linked_at = older(x->linked_at, by);
    for (uint32_t i = 0; i < x->sent_n; i++)
        x->sent[i] = older(x->sent[i], by);
}

static void age(struct proc *p, world *w, unsigned by)
{
    if (p->rank)
        age_lease(on_machine(w, p->rank), by);
    p->state.fence = older(p->state.fence, by);
    p->state.wake_at = older(p->state.wake_at, by);
    for (int32_t i = p->rank + 1; i < w->conf->ranks; i++) {
        p->child[i].lost_at = older(p->child[i].lost_at, by);
        p->child[i].asked_at = older(p->child[i].asked_at, by);
        p->child[i].heard_at = NOW;
    }
    for (int32_t i = 1; !p->rank && i < w->conf->ranks; i++) {
        on_lineage(w)->node[i].free_at = older(on_lineage(w)->node[i].free_at, by);
        on_lineage(w)->node[i].orphan_end = older(on_lineage(w)->node[i].orphan_end, by);
    }
}

/* The kernel's part: a fence that has come. */
static void tick(world *w, int rates)
{
    proc_at(w, 0)->rates = (uint8_t)(w->conf->fine ? 0 : rates + 1);
    for (int32_t i = 0; i < w->conf->ranks; i++) {
        struct proc *p = proc_at(w, i);

        if (!p->dead)
            age(p, w, rates >> i & 1 ? fast[w->conf->ranks > 2] : 1);
        if (runs(p) && p->state.fence <= NOW && w->conf->broken != MEND_SIM_DEAF)
            end(w, i);
    }
}

static void renumber(struct queue *q, unsigned by)
{
    for (int i = 0; i < q->n; i++)
        q->at[i].number = (uint8_t)(q->at[i].number > by ? q->at[i].number - by : 1);
}

/* Beat 1 is so old that its grant is none. */
static void settle_numbers(struct proc *p, world *w)
{
    struct mend_lease *x = on_machine(w, p->rank);
    mend_time_ns sent[LEASE / BEAT + 2];
    unsigned by = (unsigned)(x->number - LAST);

    MEND_ASSERT(x->sent_n == MEND_COUNT_OF(sent));
    for (uint32_t i = 0; i < x->sent_n; i++)
        sent[i] = x->sent[(i + by) % x->sent_n];
    memcpy(x->sent, sent, sizeof(sent));
    x->number = LAST;
    for (int32_t a = 0; a < p->rank; a++) {
        struct mend_lease_child *c = &proc_at(w, a)->child[p->rank];

        if (c->number)
            c->number = c->number > by ? c->number - by : 1;
        renumber(&p->grants[a], by);
        renumber(&proc_at(w, a)->beats[p->rank], by);
    }
}

static void settle_lease(struct mend_lease *x)
{
    for (uint32_t i = 0; i < x->sent_n; i++)
        if (i != LAST % x->sent_n && x->sent[i] + LEASE <= NOW)
            x->sent[i] = 0;
    if (x->linked_at + lease.silence_ns <= NOW)
        x->linked_at = 0;
    if (!x->linked || x->beat_at < NOW)
        x->beat_at = x->linked ? NOW : 0;
}

static void settle_child(struct mend_lease_child *c)
{
    if (c->state == MEND_LEASE_CHILD_REPORTED)
        c->lost_at = 1;
    if (!c->asked.turn)
        c->asked_at = c->number = 0;
}

/* What is too late, or gives no more than there is already. */
static void drop_grants(struct proc *p, world *w)
{
    const struct mend_lease *x = on_machine(w, p->rank);

    for (int32_t a = 0; a < p->rank; a++)
        for (int i = p->grants[a].n - 1; i >= 0; i--) {
            mend_time_ns end =
                x->sent[p->grants[a].at[i].number % x->sent_n] + p->grants[a].at[i].d;

            if (p->grants[a].at[i].word == MEND_LEASE_GRANT && (end <= x->until || end <= NOW))
                remove_at(&p->grants[a], i);
        }
}

static void settle(struct proc *p, world *w)
{
    if (p->rank) {
        settle_numbers(p, w);
        settle_lease(on_machine(w, p->rank));
        if (!w->conf->broken)
            drop_grants(p, w);
    }
    if (p->state.wake_at < NOW)
        p->state.wake_at = NOW;
    for (int32_t i = p->rank + 1; i < w->conf->ranks; i++) {
        settle_child(&p->child[i]);
        if (!p->rank && on_lineage(w)->node[i].free_at <= NOW)
            on_lineage(w)->node[i].free_at = 0;
    }
}

/* ---- moves ---- */

static void wake(struct proc *p, world *w)
{
    if (p->rank)
        mend_sim_lease_tick(w, p->rank);
    for (int32_t i = p->rank + 1; i < w->conf->ranks && !p->dead; i++)
        if (on_child(w, p->rank, i))
            mend_sim_lease_tick_child(w, p->rank, i);
    if (!p->rank)
        mend_sim_lease_tick_root(w);
}

static void dial(struct proc *p, world *w)
{
    int32_t to = mend_lineage_next(&p->state.search);

    p->calls++;
    if (proc_at(w, to)->dead)
        return;
    p->linked = (int8_t)to;
    mend_sim_lease_linked(w, p->rank, to);
}

/* With what was on it. */
static void lose_link(struct proc *p, world *w)
{
    struct proc *parent = proc_at(w, p->linked);

    proc_at(w, 0)->breaks = (uint8_t)(proc_at(w, 0)->breaks + !parent->dead);
    memset(&parent->beats[p->rank], 0, sizeof(struct queue));
    memset(&p->grants[p->linked], 0, sizeof(struct queue));
    p->linked = -1;
    mend_sim_lease_unlinked(w, p->rank);
}

static void start_again(world *w)
{
    for (int32_t i = 1; i < w->conf->ranks; i++) {
        struct proc *p = proc_at(w, i);

        if (!on_lineage(w)->node[i].declared || !p->dead || p->restarts)
            continue;
        p->dead = p->gone = 0;
        p->restarts = 1;
        mend_sim_lease_start_again(w, i, 0);
        on_machine(w, i)->number = LAST;
        for (int k = 0; k < p->grants[0].n; k++)
            p->grants[0].at[k].number = LAST + 2; /* to a beat that is to come */
        for (int32_t k = i + 1; k < w->conf->ranks; k++)
            if (on_child(w, i, k))
                mend_lease_child_init(&p->child[k], &lease, k, 1, false, NOW);
        return;
    }
}

static void gone(world *w, int32_t i)
{
    proc_at(w, i)->gone = 1;
    mend_sim_lease_gone(w, i, on_lineage(w)->node[i].turn.incarnation);
}

static void lease_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct proc *p = proc;
    struct lease_world l = world_of(p, c);

    (void)io;
    if (move < WAKE)
        tick(&l.w, move);
    else if (move == WAKE)
        wake(p, &l.w);
    else if (move == DIAL)
        dial(p, &l.w);
    else if (move == BREAK)
        lose_link(p, &l.w);
    else if (move == DIE)
        proc_at(&l.w, 0)->deaths++, end(&l.w, p->rank);
    else if (move == READ_WORD)
        mend_sim_lease_told(&l.w, p->rank, take_word(&p->down));
    else if (move == START)
        start_again(&l.w);
    else if (move < READ_BEAT)
        mend_sim_lease_heard(&l.w, p->rank, take(&p->grants[move - READ_GRANT]));
    else if (move < READ_REPORT)
        mend_sim_lease_beaten(&l.w, p->rank, take(&p->beats[move - READ_BEAT]));
    else if (move < GONE)
        mend_sim_lease_root_told(&l.w, move - READ_REPORT, take_word(&p->up[move - READ_REPORT]));
    else
        gone(&l.w, move - GONE);
    for (int32_t i = 0; i < c->ranks; i++)
        if (!proc_at(&l.w, i)->dead)
            settle(proc_at(&l.w, i), &l.w);
}

static int lease_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    const struct proc *p = proc;
    struct lease_world l = world_of(p, c);
    int len = snprintf(buf, size, "%s", p->dead ? "ended: " : "");

    if (p->rank)
        len += mend_lease_print(on_machine(&l.w, p->rank), buf + len, size - (size_t)len);
    else
        len += mend_lineage_print(on_lineage(&l.w), buf + len, size - (size_t)len);
    for (int32_t i = p->rank + 1; i < c->ranks && (size_t)len < size; i++) {
        len += snprintf(buf + len, size - (size_t)len, "; ");
        len += mend_lease_child_print(&p->child[i], buf + len, size - (size_t)len);
    }
    return len;
}

/* ---- what must hold ---- */

static const char *check_child(world *w, int32_t agent, int32_t node)
{
    const struct mend_lease_child *c = on_child(w, agent, node);
    const struct mend_lineage_node *q = &on_lineage(w)->node[node];

    if (c && !proc_at(w, agent)->dead && c->state == MEND_LEASE_CHILD_DECLARED && !q->declared &&
        c->turn.incarnation >= q->turn.incarnation)
        return "E3: an agent takes a node for declared, and the root does not";
    return NULL;
}

static const char *lease_check(const struct mend_sim_view *v, int rank)
{
    struct lease_world l = world_of(v->procs, v->conf);
    const char *wrong = NULL;

    (void)rank;
    for (int32_t i = 1; i < v->conf->ranks && !wrong; i++) {
        const struct mend_lineage_node *q = &on_lineage(&l.w)->node[i];
        struct proc *p = proc_at(&l.w, i);

        if (q->declared && runs(p))
            wrong = "E1: a node is declared, and runs";
        if (p->state.refused && !q->declared && !p->restarts)
            wrong = "E2: a node is refused, and not declared";
        for (int32_t a = 0; a < i && !wrong; a++)
            wrong = check_child(&l.w, a, i);
    }
    return wrong;
}

static const char *lease_check_end(const struct mend_sim_view *v)
{
    (void)v;
    return NULL;
}

/* Time goes on for ever. */
static bool lease_at_rest(const struct mend_sim_view *v)
{
    (void)v;
    return false;
}

const struct mend_sim_play mend_sim_lease = {
    .name = "lease",
    .about = "agents with leases",
    .instances = "calls of each agent",
    .bytes = lease_bytes,
    .init = lease_init,
    .moves = lease_moves,
    .move_name = lease_move_name,
    .move = lease_move,
    .check = lease_check,
    .check_end = lease_check_end,
    .at_rest = lease_at_rest,
    .shares = true,
    .own_faults = true,
    .run = mend_sim_lease_run,
    .print = lease_print,
};
