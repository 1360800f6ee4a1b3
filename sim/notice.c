/* SPDX-License-Identifier: BSD-3-Clause */
/* notice.c – the play of notices: the first agents declare a rank dead, agents are lost. */
#include "ft/wire.h"
#include "play.h"

#include <stdio.h>
#include <string.h>

static size_t notice_bytes(const struct mend_sim_conf *c)
{
    return offsetof(struct mend_sim_notice_proc, m) + mend_notice_size(c->instances, c->ranks);
}

static void notice_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_notice_proc *p = proc;

    memset(p, 0, notice_bytes(c));
    p->rank = rank;
    mend_notice_init(&p->m, c->instances, c->ranks, rank);
}

static unsigned notice_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_notice_proc *p = proc;

    return p->rank < c->instances && !p->called;
}

static const char *notice_move_name(int move)
{
    return "declares its rank dead";
}

static void step(struct mend_sim_notice_proc *p, const struct mend_notice_event *ev,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    uint8_t bytes[MEND_FT_VERDICT_BYTES];
    struct mend_notice_out out;
    struct mend_verdict v;
    int32_t to;

    mend_notice_step(&p->m, ev, &out);
    while (mend_notice_next(&p->m, &to, &v)) {
        if (c->broken == MEND_SIM_NO_REPAIR && v.peer != ev->verdict.peer)
            continue;
        mend_ft_verdict_encode(&v, bytes);
        io->send(io, to, bytes, sizeof bytes);
    }
}

static void notice_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_notice_proc *p = proc;
    struct mend_notice_event ev = {.kind = MEND_NOTICE_LOCAL,
                                   .verdict = {p->rank, MEND_VERDICT_SIGNAL, 11, 0}};

    p->called = true;
    step(p, &ev, c, io);
}

static void notice_recv(void *proc, int from, const void *bytes, size_t len,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_notice_event ev = {.kind = MEND_NOTICE_RECV, .from = from};

    MEND_ASSERT(mend_ft_verdict_decode(bytes, len, c->instances + c->ranks, &ev.verdict) ==
                MEND_OK);
    step(proc, &ev, c, io);
}

static bool notice_ignores(const void *proc, int from, const void *bytes, size_t len,
                           const struct mend_sim_conf *c)
{
    const struct mend_sim_notice_proc *p = proc;
    struct mend_verdict v;

    MEND_ASSERT(mend_ft_verdict_decode(bytes, len, c->instances + c->ranks, &v) == MEND_OK);
    return mend_notice_known(&p->m, v.peer, &v);
}

/* The loss of an agent is a verdict like any other; here every agent may come to it by itself. */
static void notice_death(void *proc, int dead, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    struct mend_notice_event ev = {.kind = MEND_NOTICE_LOCAL,
                                   .verdict = {c->instances + dead, MEND_VERDICT_LOST, 0, 0}};

    if (c->broken == MEND_SIM_ACCUSE) /* somebody else */
        ev.verdict.peer = c->instances + (dead + 1) % c->ranks;
    if (c->broken != MEND_SIM_DEAF)
        step(proc, &ev, c, io);
}

static int notice_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    return mend_notice_print(&((const struct mend_sim_notice_proc *)proc)->m, buf, size);
}

static int notice_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                            size_t size)
{
    struct mend_verdict v;

    MEND_ASSERT(mend_ft_verdict_decode(bytes, len, c->instances + c->ranks, &v) == MEND_OK);
    return snprintf(buf, size, "VERDICT %s %d", v.peer < c->instances ? "rank" : "agent",
                    v.peer < c->instances ? v.peer : v.peer - c->instances);
}

const struct mend_sim_play mend_sim_notice = {
    .name = "notice",
    .about = "spreading of verdicts between node agents",
    .instances = "agents that declare their rank dead",
    .bytes = notice_bytes,
    .init = notice_init,
    .moves = notice_moves,
    .move_name = notice_move_name,
    .move = notice_move,
    .recv = notice_recv,
    .death = notice_death,
    .ignores = notice_ignores,
    .check = mend_sim_check_notice,
    .check_end = mend_sim_check_notice_end,
    .print = notice_print,
    .print_msg = notice_print_msg,
};
