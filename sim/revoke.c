/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – the play of revocation: some members revoke, some of them die while they tell. */
#include "play.h"

#include <stdio.h>
#include <string.h>

static size_t revoke_bytes(const struct mend_sim_conf *c)
{
    return offsetof(struct mend_sim_revoke_proc, m) + mend_flood_size(c->ranks);
}

static void revoke_init(void *proc, int rank, const struct mend_sim_conf *c)
{
    struct mend_sim_revoke_proc *p = proc;

    memset(p, 0, revoke_bytes(c));
    p->rank = rank;
    mend_flood_init(&p->m, c->ranks, rank);
}

static unsigned revoke_moves(const void *proc, const struct mend_sim_conf *c)
{
    const struct mend_sim_revoke_proc *p = proc;

    return p->rank < c->instances && !p->called;
}

static const char *revoke_move_name(int move)
{
    return "revokes";
}

static void step(struct mend_sim_revoke_proc *p, enum mend_flood_event_kind kind, int rank,
                 const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_flood_event ev = {kind, rank};
    struct mend_flood_out out;
    int32_t to;

    if (c->broken == MEND_SIM_NO_REPAIR && kind == MEND_FLOOD_DEATH && mend_flood_is_revoked(&p->m))
        return;
    if (c->broken == MEND_SIM_INVENT && kind == MEND_FLOOD_DEATH)
        ev.kind = MEND_FLOOD_LOCAL;
    mend_flood_step(&p->m, &ev, &out);
    while (mend_flood_next(&p->m, &to))
        io->send(io, to, "", 0);
}

static void revoke_move(void *proc, int move, const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    struct mend_sim_revoke_proc *p = proc;

    p->called = true;
    step(p, MEND_FLOOD_LOCAL, -1, c, io);
}

static void revoke_recv(void *proc, int from, const void *bytes, size_t len,
                        const struct mend_sim_conf *c, struct mend_sim_io *io)
{
    step(proc, MEND_FLOOD_RECV, from, c, io);
}

static bool revoke_ignores(const void *proc, int from, const void *bytes, size_t len,
                           const struct mend_sim_conf *c)
{
    return mend_flood_is_revoked(&((const struct mend_sim_revoke_proc *)proc)->m);
}

static void revoke_death(void *proc, int dead, const struct mend_sim_conf *c,
                         struct mend_sim_io *io)
{
    step(proc, MEND_FLOOD_DEATH, dead, c, io);
}

static int revoke_print(const void *proc, const struct mend_sim_conf *c, char *buf, size_t size)
{
    return mend_flood_print(&((const struct mend_sim_revoke_proc *)proc)->m, buf, size);
}

static int revoke_print_msg(const void *bytes, size_t len, const struct mend_sim_conf *c, char *buf,
                            size_t size)
{
    return snprintf(buf, size, "REVOKE");
}

const struct mend_sim_play mend_sim_revoke = {
    .name = "revoke",
    .about = "reliable flood of a revocation",
    .instances = "members that revoke",
    .bytes = revoke_bytes,
    .init = revoke_init,
    .moves = revoke_moves,
    .move_name = revoke_move_name,
    .move = revoke_move,
    .recv = revoke_recv,
    .death = revoke_death,
    .ignores = revoke_ignores,
    .check = mend_sim_check_revoke,
    .check_end = mend_sim_check_revoke_end,
    .print = revoke_print,
    .print_msg = revoke_print_msg,
};
