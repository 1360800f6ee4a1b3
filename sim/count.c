/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c – the cost of a protocol: messages, and latency in the virtual time of a LogGP network.
 *
 * All processes begin at time 0.  A process is busy for o with
 * every message that it sends or receives, and with every death that it is told of.  All processes are told of a
 * death when it happens: the time of the detector is not part of these figures.
 *
 *   agree          no process dies
 *   root-dies      the coordinator decides, tells its first child, and dies
 *   roots-die      the same, and log2(n) successors in a row do as well
 *   children-die   log2(n) ranks die when they are about to answer: 1, 2, 4, 8, ..., the children of
 *                  the coordinator; all other ranks are below them
 *   shrink         log2(n) ranks, spread evenly, are known to be dead when all begin
 *
 * With deaths the time is counted from the first death to the last return. */
#include "clock.h"
#include "count.h"
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum scenario { NOBODY_DIES, ROOT_DIES, ROOTS_DIE, CHILDREN_DIE, KNOWN_DEAD };

static const char *const names[] = {"agree", "agree-root-dies", "agree-roots-die",
                                    "agree-children-die", "shrink"};

struct count {
    struct mend_sim_io io;
    const struct mend_sim_play *play;
    const struct mend_sim_conf *conf;
    enum scenario scenario;
    struct mend_sim_clock clock;
    char *procs;
    size_t proc_bytes;
    mend_time_ns *busy; /* per rank: until when */
    int32_t *sent;
    bool *dead;
    uint64_t messages;
    int deaths, returned;
    mend_time_ns last_return, first_death;
    int acting;
};

static void *proc(struct count *c, int rank)
{
    return c->procs + (size_t)rank * c->proc_bytes;
}

static int log2_of(int n)
{
    int k = 0;

    while (1 << (k + 1) <= n)
        k++;
    return k;
}

/* Has this process what the protocol is there for? */
static bool is_done(struct count *c, int rank)
{
    return mend_sim_agree_comm(proc(c, rank), c->conf, 0)->decided == c->conf->instances;
}

/* ---- deaths ---- */

/* Everybody is told of it now. */
static void end(struct count *c, int victim)
{
    struct mend_sim_ev ev = {.at = c->busy[victim], .other = -1 - victim};

    if (ev.at < c->clock.now)
        ev.at = c->clock.now;
    if (c->deaths++ == 0)
        c->first_death = ev.at;
    c->dead[victim] = true;
    for (ev.rank = 0; ev.rank < c->conf->ranks; ev.rank++)
        if (!c->dead[ev.rank])
            mend_sim_clock_add(&c->clock, ev);
}

static bool is_victim(const struct count *c, int rank)
{
    int most = log2_of(c->conf->ranks);

    if (c->scenario == CHILDREN_DIE)
        return rank && !(rank & (rank - 1)) && c->deaths < most;
    return c->scenario == ROOT_DIES ? rank < 1 : c->scenario == ROOTS_DIE && rank < most;
}

/* Before a message is sent, and after it. */
static bool dies_before(struct count *c)
{
    if (c->scenario != CHILDREN_DIE || !is_victim(c, c->acting))
        return false;
    end(c, c->acting);
    return true;
}

static bool dies_after(struct count *c)
{
    return c->scenario != CHILDREN_DIE && is_victim(c, c->acting) && is_done(c, c->acting);
}

/* The dead of a shrink are known: their processes never were, and the others have heard of it. */
static void bury_known(struct count *c)
{
    int f = log2_of(c->conf->ranks);

    for (int i = 0; i < f && f < c->conf->ranks; i++)
        c->dead[(int64_t)i * c->conf->ranks / f] = true;
    for (int r = 0; r < c->conf->ranks; r++)
        for (int v = 0; v < c->conf->ranks && !c->dead[r]; v++)
            if (c->dead[v])
                c->play->death(proc(c, r), v, c->conf, &c->io);
}

/* ---- steps ---- */

static void on_send(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
    struct count *c = (struct count *)io;
    struct mend_sim_ev ev = {.rank = to, .other = c->acting, .len = (uint32_t)len};

    if (c->dead[c->acting] || dies_before(c))
        return;
    c->busy[c->acting] += mend_sim_loggp_busy(&mend_sim_loggp_default);
    c->sent[c->acting]++;
    c->messages++;
    ev.at = c->busy[c->acting] + mend_sim_loggp_flight(&mend_sim_loggp_default, len);
    ev.bytes = malloc(len + 1);
    MEND_ASSERT(ev.bytes);
    memcpy(ev.bytes, bytes, len);
    mend_sim_clock_add(&c->clock, ev);
    if (dies_after(c))
        end(c, c->acting);
}

static void note_return(struct count *c, int rank)
{
    if (c->dead[rank] || !is_done(c, rank))
        return;
    c->returned++;
    if (c->last_return < c->busy[rank])
        c->last_return = c->busy[rank];
}

static void step(struct count *c, const struct mend_sim_ev *ev)
{
    mend_time_ns *busy = &c->busy[ev->rank];
    bool before = is_done(c, ev->rank);

    if (c->dead[ev->rank])
        return;
    if (*busy < ev->at)
        *busy = ev->at;
    *busy += mend_sim_ns(mend_sim_loggp_default.o_us);
    c->acting = ev->rank;
    if (ev->other < 0)
        c->play->death(proc(c, ev->rank), -1 - ev->other, c->conf, &c->io);
    else
        c->play->recv(proc(c, ev->rank), ev->other, ev->bytes, ev->len, c->conf, &c->io);
    if (!before)
        note_return(c, ev->rank);
}

static void begin(struct count *c, int rank)
{
    unsigned moves = c->play->moves(proc(c, rank), c->conf);

    if (!moves || c->dead[rank])
        return;
    c->acting = rank;
    c->play->move(proc(c, rank), __builtin_ctz(moves), c->conf, &c->io);
    note_return(c, rank);
}

static void open_count(struct count *c)
{
    size_t n = (size_t)c->conf->ranks;

    c->io.send = on_send;
    c->proc_bytes = (c->play->bytes(c->conf) + 7) / 8 * 8;
    c->procs = calloc(n, c->proc_bytes);
    c->busy = calloc(n, sizeof *c->busy);
    c->sent = calloc(n, sizeof *c->sent);
    c->dead = calloc(n, sizeof *c->dead);
    MEND_ASSERT(c->procs && c->busy && c->sent && c->dead);
    for (int r = 0; r < c->conf->ranks; r++)
        c->play->init(proc(c, r), r, c->conf);
    if (c->scenario == KNOWN_DEAD)
        bury_known(c);
}

static void check_all_returned(const struct count *c)
{
    int alive = 0;

    for (int r = 0; r < c->conf->ranks; r++)
        alive += !c->dead[r];
    MEND_ASSERT(c->returned >= alive);
}

static struct mend_sim_cost close_count(struct count *c)
{
    struct mend_sim_cost cost = {(double)(c->last_return - c->first_death) / MEND_SIM_NS_PER_US,
                                 c->messages, 0};

    for (int r = 0; r < c->conf->ranks; r++)
        if (cost.most < c->sent[r])
            cost.most = c->sent[r];
    mend_sim_clock_fini(&c->clock);
    free(c->procs);
    free(c->busy);
    free(c->sent);
    free(c->dead);
    return cost;
}

static struct mend_sim_cost run(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                                enum scenario scenario)
{
    struct count c = {.play = play, .conf = conf, .scenario = scenario};
    struct mend_sim_ev ev;

    open_count(&c);
    for (int r = 0; r < conf->ranks; r++)
        begin(&c, r);
    while (mend_sim_clock_next(&c.clock, &ev)) {
        step(&c, &ev);
        free(ev.bytes);
    }
    check_all_returned(&c);
    return close_count(&c);
}

/* ---- the table ---- */

static void print_row(int ranks, const char *what, struct mend_sim_cost cost)
{
    printf("%7d %-22s %9.1f %10llu %8d\n", ranks, what, cost.us, (unsigned long long)cost.messages,
           cost.most);
}

static void print_rows(const struct mend_sim_play *play, struct mend_sim_conf *c)
{
    static const int bits[] = {2, 3, 5};

    print_row(c->ranks, "allreduce", mend_sim_count_allreduce(c->ranks, true));
    print_row(c->ranks, "reduce+bcast", mend_sim_count_allreduce(c->ranks, false));
    for (size_t i = 0; i < MEND_COUNT_OF(names); i++)
        if (i == NOBODY_DIES || c->ranks > 2)
            print_row(c->ranks, names[i], run(play, c, (enum scenario)i));
    for (size_t i = 0; i < MEND_COUNT_OF(bits); i++) {
        char name[32];

        c->radix_bits = bits[i];
        snprintf(name, sizeof name, "agree-radix-%d", 1 << bits[i]);
        print_row(c->ranks, name, run(play, c, NOBODY_DIES));
    }
}

void mend_sim_count(const struct mend_sim_play *play, const struct mend_sim_conf *conf)
{
    static const int ranks[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 10000};
    const struct mend_sim_loggp *net = &mend_sim_loggp_default;

    printf("%s; LogGP: L %g us, o %g us, g %g us, G %g us per byte\n", play->about, net->l_us,
           net->o_us, net->g_us, net->big_g_us);
    printf("  ranks what                          us   messages  at most per rank\n");
    for (size_t i = 0; i < MEND_COUNT_OF(ranks) && ranks[i] <= conf->ranks; i++) {
        struct mend_sim_conf c = *conf;

        c.ranks = ranks[i];
        c.instances = 1;
        print_rows(play, &c);
    }
}
