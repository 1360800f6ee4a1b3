/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c – a play on virtual time, where a seed determines everything.
 *
 * Events: a process makes one of its moves, a message arrives, a death is announced to one process,
 * and the faults.  Deaths are planned by step number, so that they fall where something happens:
 * half of them hit the process that is just acting, in the middle of its sends.  Messages of the dead
 * are delivered even after their death was announced: the machines must refuse them themselves,
 * although Mend's transports deliver no such messages.  Between nodes the end of what a dead process had sent may be lost. */
#include "clock.h"
#include "network.h"
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ev_kind { EV_MOVE, EV_MSG, EV_NOTICE, EV_FENCE, EV_PARTITION };

struct world {
    struct mend_sim_io io; /* first: send() gets the world from it */
    const struct mend_sim_play *play;
    const struct mend_sim_conf *conf;
    struct mend_sim_result *result;
    struct mend_sim_rng rng;
    struct mend_sim_clock clock;
    struct mend_sim_net net;
    struct mend_sim_view view;
    char *procs;
    uint8_t *fate;
    int16_t *set;      /* as in the view */
    uint8_t *move_due; /* per rank: a MOVE is in the queue */
    uint64_t *hops;    /* per rank: longest chain of messages that led to it */
    mend_time_ns *paused_until;
    uint64_t *sent;      /* as in the view */
    uint64_t *faults_at; /* steps at which somebody dies or is doomed, or is paused */
    int faults_n, alive_n;
    int acting;     /* whose step this is */
    int sends_left; /* of a process that dies while it sends; -1: all */
};

static void *proc(struct world *w, int rank)
{
    return w->procs + (size_t)rank * w->view.proc_bytes;
}

__attribute__((format(printf, 3, 4))) static void trace(struct world *w, int rank, const char *fmt,
                                                        ...)
{
    va_list ap;

    if (!w->conf->trace)
        return;
    printf("[%5llu] %d ", (unsigned long long)w->result->steps, rank);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

static void trace_msg(struct world *w, int rank, const char *what, const void *bytes, size_t len,
                      const char *prep, int other)
{
    char buf[512];

    if (!w->conf->trace)
        return;
    w->play->print_msg(bytes, len, w->conf, buf, sizeof buf);
    trace(w, rank, "%s %s %s %d", what, buf, prep, other);
}

static void post(struct world *w, int to, const void *bytes, size_t len)
{
    struct mend_sim_ev ev = {.kind = EV_MSG, .rank = to, .other = w->acting, .len = (uint32_t)len};

    ev.hops = w->hops[w->acting] + (w->conf->broken == MEND_SIM_DETOUR ? 50 : 1);
    ev.at = mend_sim_net_arrival(&w->net, w->clock.now, w->acting, to);
    ev.bytes = malloc(len + 1);
    MEND_ASSERT(ev.bytes);
    memcpy(ev.bytes, bytes, len);
    mend_sim_clock_add(&w->clock, ev);
}

/* What stays within a node is not counted. */
static void count(struct world *w, int to)
{
    int from = w->acting, agents = w->conf->nodes;

    w->result->messages++;
    if ((from < agents) == (to < agents))
        w->sent[from]++;
}

static void on_send(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
    struct world *w = (struct world *)io;

    if (w->sends_left == 0)
        return;
    if (w->sends_left > 0)
        w->sends_left--;
    count(w, to);
    trace_msg(w, w->acting, "< send", bytes, len, "to", to);
    if (w->fate[to] == MEND_SIM_DEAD)
        return;
    post(w, to, bytes, len);
    if (w->conf->duplicate && mend_sim_rng_below(&w->rng, 8) == 0)
        post(w, to, bytes, len);
}

/* A process that can move gets the chance to, at some time. */
static void plan_move(struct world *w, int rank)
{
    struct mend_sim_ev ev = {.kind = EV_MOVE, .rank = rank};

    if (w->move_due[rank] || !w->play->moves(proc(w, rank), w->conf))
        return;
    w->move_due[rank] = 1;
    ev.at = w->clock.now + mend_sim_net_delay(&w->rng);
    mend_sim_clock_add(&w->clock, ev);
}

/* ---- nodes ---- */

static void condemn(struct world *w, int rank)
{
    struct mend_sim_ev ev = {.kind = EV_FENCE, .rank = rank};

    if (w->fate[rank] == MEND_SIM_DEAD)
        return;
    ev.at = w->clock.now + mend_sim_net_delay(&w->rng);
    mend_sim_clock_add(&w->clock, ev);
}

static void on_kill(struct mend_sim_io *io, int rank)
{
    condemn((struct world *)io, rank);
}

/* The earliest message of a pair, out of the queue; false: there is none. */
static bool take_mail(struct world *w, int from, int to, struct mend_sim_ev *ev_p)
{
    struct mend_sim_ev *found = NULL;

    for (size_t i = 0; i < w->clock.n; i++) {
        struct mend_sim_ev *ev = &w->clock.heap[i];

        if (ev->kind == EV_MSG && ev->bytes && ev->rank == to && ev->other == from &&
            (!found || mend_sim_ev_before(ev, found)))
            found = ev;
    }
    if (!found)
        return false;
    *ev_p = *found;
    found->bytes = NULL; /* nothing will happen then */
    return true;
}

static void on_drain(struct mend_sim_io *io, int from)
{
    struct world *w = (struct world *)io;
    struct mend_sim_ev ev;

    while (take_mail(w, from, w->acting, &ev)) {
        trace_msg(w, w->acting, "> recv", ev.bytes, ev.len, "from the dead", from);
        w->play->recv(proc(w, w->acting), from, ev.bytes, ev.len, w->conf, io);
        free(ev.bytes);
    }
}

static bool is_empty(const struct world *w, int node)
{
    for (int r = w->conf->nodes; r < w->conf->ranks; r++)
        if (mend_sim_node_of(w->conf, r) == node && w->fate[r] != MEND_SIM_DEAD)
            return false;
    return true;
}

static void notify(struct world *w, int agent, int dead)
{
    struct mend_sim_ev ev = {.kind = EV_NOTICE, .rank = agent, .other = dead};

    ev.at = w->clock.now + mend_sim_net_delay(&w->rng);
    mend_sim_clock_add(&w->clock, ev);
}

static void announce_on_node(struct world *w, int rank)
{
    int agent = mend_sim_node_of(w->conf, rank);
    bool early = w->conf->broken == MEND_SIM_REPORT_FIRST;

    for (int r = w->conf->nodes; r < w->conf->ranks && rank == agent; r++)
        if (mend_sim_node_of(w->conf, r) == agent && w->conf->broken != MEND_SIM_LATE_LOOK)
            condemn(w, r);
    if (w->fate[agent] != MEND_SIM_DEAD)
        notify(w, agent, rank);
    else if (early ? rank == agent : is_empty(w, agent))
        notify(w, 0, agent);
}

/* The end of what a process has sent to another node before it died: a message that is lost, and all behind it. */
static bool is_lost(struct world *w, const struct mend_sim_ev *ev)
{
    const struct mend_sim_conf *c = w->conf;
    mend_time_ns *last = &w->net.last[(size_t)ev->other * (size_t)c->ranks + (size_t)ev->rank];

    if (!c->nodes || w->fate[ev->other] != MEND_SIM_DEAD ||
        mend_sim_node_of(c, ev->other) == mend_sim_node_of(c, ev->rank))
        return false;
    if (mend_sim_rng_below(&w->rng, 4) == 0)
        *last = MEND_TIME_NEVER;
    return *last == MEND_TIME_NEVER;
}

/* Everybody else will be told of those that have died together, each at another time. */
static void announce(struct world *w, int set)
{
    if (w->conf->nodes) {
        announce_on_node(w, set);
        return;
    }
    for (int r = 0; r < w->conf->ranks; r++) {
        struct mend_sim_ev ev = {.kind = EV_NOTICE, .rank = r, .other = set};

        if (w->set[r] == set || w->fate[r] == MEND_SIM_DEAD)
            continue;
        ev.at = w->clock.now + mend_sim_net_delay(&w->rng) + mend_sim_net_delay(&w->rng);
        mend_sim_clock_add(&w->clock, ev);
    }
}

/* Returns true if it was alive. */
static bool end(struct world *w, int rank)
{
    bool alive = w->fate[rank] == MEND_SIM_ALIVE;

    trace(w, rank, "x dies");
    w->view.faults++;
    w->alive_n -= alive;
    w->fate[rank] = MEND_SIM_DEAD;
    if (w->play->bury)
        w->play->bury(proc(w, rank), w->conf);
    return alive;
}

/* With --together half of the deaths take another process along. */
static void crash_another(struct world *w, int set)
{
    int other = (int)mend_sim_rng_below(&w->rng, (uint64_t)w->conf->ranks);

    if (w->alive_n < 2 || w->fate[other] != MEND_SIM_ALIVE || mend_sim_rng_below(&w->rng, 2))
        return;
    w->set[other] = (int16_t)set;
    end(w, other);
}

static void crash(struct world *w, int rank)
{
    if (w->fate[rank] == MEND_SIM_DEAD || !end(w, rank))
        return;
    w->set[rank] = (int16_t)rank;
    if (w->conf->together)
        crash_another(w, rank);
    announce(w, rank);
}

static void doom(struct world *w, int rank)
{
    struct mend_sim_ev ev = {.kind = EV_FENCE, .rank = rank};

    if (w->fate[rank] != MEND_SIM_ALIVE)
        return;
    trace(w, rank, "? is declared dead by mistake");
    w->view.faults++;
    w->fate[rank] = MEND_SIM_DOOMED;
    w->set[rank] = (int16_t)rank;
    w->alive_n--;
    announce(w, rank);
    ev.at = w->clock.now + 20 * mend_sim_net_delay(&w->rng);
    mend_sim_clock_add(&w->clock, ev);
}

/* Half of the faults hit the process that is just acting, a quarter the coordinator, which is the lowest living
 * rank. */
static int pick_victim(struct world *w)
{
    uint64_t lot = mend_sim_rng_below(&w->rng, 4);
    int victim = (int)mend_sim_rng_below(&w->rng, (uint64_t)w->conf->ranks);

    if (lot < 2)
        return w->acting;
    for (int r = w->conf->nodes; lot == 2 && r < w->conf->ranks; r++)
        if (w->fate[r] == MEND_SIM_ALIVE)
            return r;
    return victim;
}

/* It never gets shorter: what has arrived meanwhile is put off to its end, and nothing overtakes it. */
static void pause_process(struct world *w, int rank)
{
    mend_time_ns until = w->clock.now + 30 * mend_sim_net_delay(&w->rng);

    if (w->paused_until[rank] < until)
        w->paused_until[rank] = until;
}

/* Half of the losses hit the agent of the process that is acting.  -1: there is none but the first. */
static int pick_agent(struct world *w)
{
    int agents = w->conf->nodes, agent = mend_sim_node_of(w->conf, w->acting);

    if (agents < 2)
        return -1;
    if (agent == 0 || mend_sim_rng_below(&w->rng, 2))
        agent = 1 + (int)mend_sim_rng_below(&w->rng, (uint64_t)agents - 1);
    return agent;
}

static int pick(struct world *w, int i)
{
    int crashes = w->conf->crashes, agents = w->conf->agent_crashes, victim;

    if (crashes <= i && i < crashes + agents)
        return pick_agent(w);
    victim = pick_victim(w);
    if (victim < w->conf->nodes && i < crashes)
        victim =
            w->conf->nodes + (int)mend_sim_rng_below(&w->rng, (uint64_t)mend_sim_members(w->conf));
    return victim;
}

/* The faults that were planned for this step number.  They come in the order crashes, agents, suspicions,
 * pauses in faults_at.  Returns true if the acting process is to die in this step. */
static bool do_faults(struct world *w)
{
    int crashes = w->conf->crashes + w->conf->agent_crashes;
    bool dies = false;

    for (int i = 0; i < w->faults_n; i++) {
        int victim;

        if (w->faults_at[i] != w->result->steps)
            continue;
        victim = pick(w, i);
        if (victim < 0)
            continue;
        if (i >= crashes + w->conf->suspicions)
            pause_process(w, victim);
        else if (w->alive_n <= 1 || !w->play->death)
            continue;
        else if (i >= crashes)
            doom(w, victim);
        else if (victim == w->acting)
            dies = true;
        else
            crash(w, victim);
    }
    return dies;
}

static void check(struct world *w, int rank)
{
    if (w->fate[rank] != MEND_SIM_DEAD)
        w->result->wrong = w->play->check(&w->view, rank);
}

static void tell(struct world *w, int rank, int set)
{
    uint64_t dead[MEND_SIM_SET_WORDS] = {0};

    for (int r = 0; r < w->conf->ranks; r++) {
        if (w->set[r] != set)
            continue;
        trace(w, rank, "! hears that %d is dead", r);
        mend_bits_set(dead, r);
    }
    mend_sim_tell(w->play, proc(w, rank), dead, w->conf, &w->io);
}

/* Runs what `act` does as one step of the rank. */
static void step(struct world *w, struct mend_sim_ev *ev)
{
    void *p = proc(w, ev->rank);
    bool dies;

    w->acting = ev->rank;
    w->result->steps++;
    dies = do_faults(w);
    if (w->fate[ev->rank] == MEND_SIM_DEAD)
        return;
    w->io.now = w->clock.now;
    w->sends_left = dies ? (int)mend_sim_rng_below(&w->rng, 4) : -1;
    if (ev->kind == EV_MSG) {
        trace_msg(w, ev->rank, "> recv", ev->bytes, ev->len, "from", ev->other);
        if (w->hops[ev->rank] < ev->hops)
            w->hops[ev->rank] = ev->hops;
        if (w->view.rounds < ev->hops)
            w->view.rounds = ev->hops;
        w->play->recv(p, ev->other, ev->bytes, ev->len, w->conf, &w->io);
    } else if (ev->kind == EV_NOTICE) {
        tell(w, ev->rank, ev->other);
    } else {
        unsigned moves = w->play->moves(p, w->conf);
        int skip = (int)mend_sim_rng_below(&w->rng, (uint64_t)__builtin_popcount(moves));

        while (skip--)
            moves &= moves - 1;
        trace(w, ev->rank, "* %s", w->play->move_name(__builtin_ctz(moves)));
        w->play->move(p, __builtin_ctz(moves), w->conf, &w->io);
    }
    check(w, ev->rank);
    if (dies)
        crash(w, ev->rank);
    for (int r = 0; r < w->conf->ranks; r++)
        if (w->fate[r] != MEND_SIM_DEAD && (r == ev->rank || w->play->shares))
            plan_move(w, r);
}

/* What has to be true before an event may be a step. */
static bool happens(struct world *w, struct mend_sim_ev *ev)
{
    if (ev->kind == EV_PARTITION) {
        mend_sim_net_split(&w->net, w->clock.now + 30 * mend_sim_net_delay(&w->rng));
        return false;
    }
    if (ev->kind == EV_FENCE) {
        crash(w, ev->rank);
        return false;
    }
    if (ev->kind == EV_MOVE)
        w->move_due[ev->rank] = 0;
    if (w->fate[ev->rank] == MEND_SIM_DEAD)
        return false;
    if (ev->kind == EV_MSG && (!ev->bytes || is_lost(w, ev)))
        return false;
    if (w->paused_until[ev->rank] > w->clock.now) {
        struct mend_sim_ev later = *ev;

        later.at = w->paused_until[ev->rank];
        if (ev->kind == EV_MOVE)
            w->move_due[ev->rank] = 1;
        ev->bytes = NULL; /* belongs to the later one */
        mend_sim_clock_put_back(&w->clock, later);
        return false;
    }
    if (ev->kind == EV_MOVE)
        return w->play->moves(proc(w, ev->rank), w->conf) != 0;
    return true;
}

static void plan_faults(struct world *w)
{
    uint64_t span =
        (uint64_t)w->conf->ranks * (uint64_t)w->conf->instances *
        (w->play->shares ? (uint64_t)w->conf->ranks : 1) * /* their words are looked at */
        (1 + mend_sim_rng_below(&w->rng, 6));

    for (int i = 0; i < w->faults_n; i++)
        w->faults_at[i] = 1 + mend_sim_rng_below(&w->rng, span);
    for (int i = 0; i < w->conf->partitions; i++) {
        struct mend_sim_ev ev = {.kind = EV_PARTITION};

        ev.at = 10 * mend_sim_net_delay(&w->rng);
        mend_sim_clock_add(&w->clock, ev);
    }
}

static void *get(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);

    MEND_ASSERT(p);
    return p;
}

static void open_world(struct world *w)
{
    size_t n = (size_t)w->conf->ranks;

    w->io.send = on_send;
    w->io.kill = on_kill;
    w->io.drain = on_drain;
    w->rng.state = w->conf->seed;
    w->faults_n = w->conf->crashes + w->conf->agent_crashes + w->conf->suspicions + w->conf->pauses;
    w->alive_n = w->conf->ranks;
    w->view.proc_bytes = (w->play->bytes(w->conf) + 7) / 8 * 8;
    w->procs = get(n, w->view.proc_bytes);
    w->fate = get(n, 1);
    w->set = get(n, sizeof *w->set);
    memset(w->set, 0xff, n * sizeof *w->set);
    w->move_due = get(n, 1);
    w->hops = get(n, sizeof *w->hops);
    w->paused_until = get(n, sizeof *w->paused_until);
    w->sent = get(n, sizeof *w->sent);
    w->faults_at = get((size_t)w->faults_n, sizeof *w->faults_at);
    w->view.conf = w->conf;
    w->view.fate = w->fate;
    w->view.set = w->set;
    w->view.sent = w->sent;
    w->view.procs = w->procs;
    mend_sim_net_init(&w->net, w->conf, &w->rng);
    plan_faults(w);
    for (int r = 0; r < w->conf->ranks; r++) {
        w->play->init(proc(w, r), r, w->conf);
        plan_move(w, r);
    }
}

static void close_world(struct world *w)
{
    mend_sim_net_fini(&w->net);
    mend_sim_clock_fini(&w->clock);
    free(w->procs);
    free(w->fate);
    free(w->set);
    free(w->move_due);
    free(w->hops);
    free(w->paused_until);
    free(w->sent);
    free(w->faults_at);
}

static void add_up(struct world *w)
{
    for (int a = 0; a < w->conf->nodes; a++) {
        w->result->agents_sent += w->sent[a];
        if (w->result->agent_most < w->sent[a])
            w->result->agent_most = w->sent[a];
    }
}

void mend_sim_run(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                  struct mend_sim_result *result_p)
{
    struct world w = {.play = play, .conf = conf, .result = result_p};
    struct mend_sim_ev ev;

    memset(result_p, 0, sizeof *result_p);
    open_world(&w);
    while (!result_p->wrong && mend_sim_clock_next(&w.clock, &ev)) {
        if (happens(&w, &ev))
            step(&w, &ev);
        free(ev.bytes);
        if (result_p->steps >= conf->steps_max)
            result_p->wrong = "it does not come to an end";
    }
    w.view.messages = result_p->messages;
    w.view.now = w.clock.now;
    add_up(&w);
    if (!result_p->wrong)
        result_p->wrong = play->check_end(&w.view);
    close_world(&w);
}
