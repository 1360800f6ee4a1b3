/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c – what a protocol costs: messages, and latency in the virtual time of a LogGP network.
 *
 * All processes begin at time 0, or one does (revocation, notice).  A process is busy for o with
 * every message that it sends or receives.  The last column for agreement is the price of a death at
 * the worst moment: the root decides, tells its first child, and dies; the time is counted from the
 * verdict, which everybody hears at once, to the last return. */
#include "clock.h"
#include "network.h"
#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000.0
#define NODES_MAX 4096 /* notices are between nodes, not ranks */

struct count {
    struct mend_sim_io io;
    const struct mend_sim_play *play;
    const struct mend_sim_conf *conf;
    struct mend_sim_clock clock;
    char *procs;
    size_t proc_bytes;
    mend_time_ns *busy; /* per rank: until when */
    int32_t *sent;
    uint64_t messages, bytes;
    int32_t done_n;
    mend_time_ns last_done, killed_at;
    bool kill_root;
    int acting;
};

static void *proc(struct count *c, int rank)
{
    return c->procs + (size_t)rank * c->proc_bytes;
}

static mend_time_ns ns(double us)
{
    return (mend_time_ns)(us * NS_PER_US);
}

static bool root_is_dead(const struct count *c)
{
    return c->killed_at > 0;
}

static void on_send(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
    struct count *c = (struct count *)io;
    const struct mend_sim_loggp *net = &mend_sim_loggp_default;
    struct mend_sim_ev ev = {.rank = to, .other = c->acting, .len = (uint32_t)len};

    if (c->acting == 0 && root_is_dead(c))
        return;
    c->busy[c->acting] += ns(net->o_us > net->g_us ? net->o_us : net->g_us);
    c->sent[c->acting]++;
    c->messages++;
    c->bytes += len;
    ev.at = c->busy[c->acting] + ns(net->l_us + net->big_g_us * (double)len);
    ev.bytes = malloc(len + 1);
    MEND_ASSERT(ev.bytes);
    memcpy(ev.bytes, bytes, len);
    mend_sim_clock_add(&c->clock, ev);
}

/* Has this process what the protocol is there for? */
static bool is_done(struct count *c, int rank)
{
    struct mend_verdict v;

    if (c->play == &mend_sim_agree)
        return mend_sim_agree_comm(proc(c, rank), c->conf, 0)->decided == c->conf->instances;
    if (c->play == &mend_sim_revoke)
        return mend_revoke_is_revoked(&((struct mend_sim_revoke_proc *)proc(c, rank))->m);
    return mend_notice_known(&((struct mend_sim_notice_proc *)proc(c, rank))->m, 0, &v);
}

/* The verdict on the root reaches everybody now. */
static void kill_root(struct count *c)
{
    c->killed_at = c->busy[0];
    for (int r = 1; r < c->conf->ranks; r++)
        mend_sim_clock_add(&c->clock,
                           (struct mend_sim_ev){.at = c->killed_at, .rank = r, .other = -1});
}

static void step(struct count *c, const struct mend_sim_ev *ev)
{
    mend_time_ns *busy = &c->busy[ev->rank];
    bool before = is_done(c, ev->rank);

    if (ev->rank == 0 && root_is_dead(c))
        return;
    if (*busy < ev->at)
        *busy = ev->at;
    *busy += ns(mend_sim_loggp_default.o_us);
    c->acting = ev->rank;
    if (ev->other < 0)
        c->play->death(proc(c, ev->rank), 0, c->conf, &c->io);
    else
        c->play->recv(proc(c, ev->rank), ev->other, ev->bytes, ev->len, c->conf, &c->io);
    if (before || !is_done(c, ev->rank))
        return;
    c->done_n++;
    if (c->last_done < *busy)
        c->last_done = *busy;
}

/* Steps of the root are watched: it dies after the first message that tells its decision. */
static void on_send_of_root(struct mend_sim_io *io, int to, const void *bytes, size_t len)
{
    struct count *c = (struct count *)io;

    on_send(io, to, bytes, len);
    if (c->acting == 0 && !root_is_dead(c) && is_done(c, 0))
        kill_root(c);
}

static void open_count(struct count *c)
{
    size_t n = (size_t)c->conf->ranks;

    c->io.send = c->kill_root ? on_send_of_root : on_send;
    c->proc_bytes = (c->play->bytes(c->conf) + 7) / 8 * 8;
    c->procs = calloc(n, c->proc_bytes);
    c->busy = calloc(n, sizeof *c->busy);
    c->sent = calloc(n, sizeof *c->sent);
    MEND_ASSERT(c->procs && c->busy && c->sent);
    for (int r = 0; r < c->conf->ranks; r++)
        c->play->init(proc(c, r), r, c->conf);
}

static void count(struct count *c)
{
    struct mend_sim_ev ev;

    open_count(c);
    for (int r = 0; r < c->conf->ranks; r++) {
        c->acting = r;
        if (c->play->moves(proc(c, r), c->conf))
            c->play->move(proc(c, r), __builtin_ctz(c->play->moves(proc(c, r), c->conf)), c->conf,
                          &c->io);
        c->done_n += is_done(c, r);
    }
    while (mend_sim_clock_next(&c->clock, &ev)) {
        step(c, &ev);
        free(ev.bytes);
    }
    MEND_ASSERT(c->done_n >= c->conf->ranks - 1);
}

static void close_count(struct count *c)
{
    mend_sim_clock_fini(&c->clock);
    free(c->procs);
    free(c->busy);
    free(c->sent);
}

static int32_t most_sent(const struct count *c)
{
    int32_t most = 0;

    for (int r = 0; r < c->conf->ranks; r++)
        if (most < c->sent[r])
            most = c->sent[r];
    return most;
}

static double run_us(const struct mend_sim_play *play, const struct mend_sim_conf *conf,
                     bool kill_root, struct count *c)
{
    *c = (struct count){.play = play, .conf = conf, .kill_root = kill_root};
    count(c);
    return (double)(c->last_done - c->killed_at) / NS_PER_US;
}

static void count_agree(struct mend_sim_conf *conf)
{
    static const int bits[] = {1, 2, 3, 5};
    struct count c;

    printf("%7d", conf->ranks);
    for (size_t i = 0; i < MEND_COUNT_OF(bits); i++) {
        double us;

        conf->radix_bits = bits[i];
        us = run_us(&mend_sim_agree, conf, false, &c);
        if (i == 0)
            printf(" %10llu %8d", (unsigned long long)c.messages, most_sent(&c));
        printf(" %9.1f", us);
        close_count(&c);
    }
    conf->radix_bits = 1;
    printf(" %9.1f", run_us(&mend_sim_agree, conf, true, &c));
    printf(" %10llu\n", (unsigned long long)c.messages);
    close_count(&c);
}

static void count_flood(const struct mend_sim_play *play, const struct mend_sim_conf *conf)
{
    struct count c;
    double us = run_us(play, conf, false, &c);

    printf("%7d %10llu %8d %9.1f\n", conf->ranks, (unsigned long long)c.messages, most_sent(&c),
           us);
    close_count(&c);
}

void mend_sim_count(const struct mend_sim_play *play, const struct mend_sim_conf *conf)
{
    static const int ranks[] = {2, 4, 16, 64, 256, 1024, 4096, 10000};
    const struct mend_sim_loggp *net = &mend_sim_loggp_default;

    printf("%s; LogGP: L %g us, o %g us, g %g us, G %g us per byte\n", play->about, net->l_us,
           net->o_us, net->g_us, net->big_g_us);
    if (play == &mend_sim_agree)
        printf("                      at most   latency in us with a tree of radix      root dies "
               "after its first DOWN\n"
               "  ranks   messages  per rank         2         4         8        32  us after "
               "verdict  messages\n");
    else
        printf("                      at most    us until\n"
               "  ranks   messages  per rank   all know\n");
    for (size_t i = 0; i < MEND_COUNT_OF(ranks); i++) {
        struct mend_sim_conf c = *conf;

        c.ranks = ranks[i];
        if (play == &mend_sim_notice && c.ranks > NODES_MAX)
            break;
        c.instances = 1;
        if (play == &mend_sim_agree)
            count_agree(&c);
        else
            count_flood(play, &c);
    }
}
