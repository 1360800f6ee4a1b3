/* SPDX-License-Identifier: BSD-3-Clause */
/* from_group.c – communicators from groups alone, without a parent (MPI-5.0 7.4.2, 7.6.2).
 *
 * MPI_Comm_create_from_group is a meeting (meet.c) whose key follows from the group and the string tag:
 *
 *   a member of the group is dead: MPI_ERR_PROC_FAILED at all survivors; a death elsewhere has no effect
 *
 * MPI_Intercomm_create_from_groups is made of such meetings:
 *
 *   leaders     {A0, B0} meet: the bridge          no other process needs it, and only they know both groups
 *   both sides  {A0, A1, ..} and {B0, B1, ..} meet: two local communicators
 *   all         the intercommunicator, over the bridge (intercomm.c)
 *
 * The bridge comes first, so a leader whose own side fails can tell the other one, and no process waits for a
 * leader that gave up. */
#include "create/meet.h"

#include "comm/errcode.h"
#include "node/abroad.h"

#include <string.h>

/* What the meetings of one call are for. */
enum role { ROLE_COMM, ROLE_BRIDGE, ROLE_SIDE };

static uint64_t tag_of(const char *text, enum role role)
{
    uint64_t h =
        mend_hash_mix(UINT64_C(1) << 32 | (uint64_t)role); /* create_group's have 32 bits */

    for (; *text; text++)
        h = mend_hash_mix(h * UINT64_C(0x100000001b3) + (unsigned char)*text);
    return h;
}

static int meet(struct mend_proc *self, struct mend_group *g, const char *tag, enum role role,
                struct mend_comm **new_p)
{
    uint64_t key = mend_meet_key(self, MEND_CTX_WORLD, g, tag_of(tag, role));

    return mend_meet_group(self->world, NULL, g, key, new_p);
}

int mend_create_from_group(struct mend_proc *self, struct mend_group *g, const char *tag,
                           struct mend_comm **new_p)
{
    int err = meet(self, g, tag, ROLE_COMM, new_p);

    if (!err)
        (*new_p)->of_groups = true;
    return err;
}

/* In an order that both know. */
int mend_meet_bridge(struct mend_proc *self, const char *tag, mend_peer other,
                     struct mend_comm **bridge_p)
{
    bool spans = mend_abroad_has(self, other);
    bool first = mend_abroad_common(self, self->me, spans) < mend_abroad_common(self, other, spans);
    mend_peer peers[2] = {first ? self->me : other, first ? other : self->me};
    struct mend_group *g;
    int err;

    mend_memory_press(
        self); /* the other one comes, and can be told on the bridge only that this one does not */
    g = mend_group_create(self, peers, 2);
    mend_memory_relax(self);
    err = meet(self, g, tag, ROLE_BRIDGE, bridge_p);
    mend_group_put(self, g);
    return err;
}

void mend_meet_give_up(struct mend_proc *self, struct mend_comm *bridge, mend_peer other, int error)
{
    struct mend_meeting m = {.named = {bridge}, .peer_c = bridge, .other = other};
    mend_peer *peers = NULL;
    mend_ctx ctx;
    int n;

    mend_meet_begin(self, &m);
    mend_leaders_meet(&m, self->comm_self, error, &ctx, &peers, &n);
    mend_meet_end(&m);
    mend_free(self, peers);
}

/* It is in no communicator of this group, which could tell of its death. */
static void tell_death(struct mend_proc *self, mend_peer other)
{
    if (other < 0 || !mend_peer_is_dead(self, other))
        return;
    mend_peer_entry(self, other)->told = true;
    mend_error_detail(
        self, MEND_CLASS_PROC_FAILED, 0,
        mend_abroad_has(self, other)
            ? "the root of the other group, process %d in messages of mpiexec, is dead"
            : "the root of the other group, process %d of the job, is dead",
        (int)other);
}

int mend_meet_connect(struct mend_comm *c, int root, const char *tag, mend_peer other, int err,
                      struct mend_comm **new_p)
{
    struct mend_proc *self = c->self;
    struct mend_comm *bridge = NULL;
    int at = 0;

    if (c->rank == root && !err) {
        mend_peers_connect(self, other, 1);
        err = mend_meet_bridge(self, tag, other, &bridge);
    }
    if (bridge)
        at = mend_group_rank(self, bridge->group, other);
    err = mend_create_intercomm(c, root, bridge, at, 0, err, new_p);
    if (bridge)
        mend_decide_free_temporary(bridge, !err);
    if (err == MEND_CLASS_PROC_FAILED && c->rank == root)
        tell_death(self, other);
    return err;
}

int mend_create_from_groups(struct mend_proc *self, struct mend_group *g, int leader,
                            mend_peer other, const char *tag, int other_error,
                            struct mend_comm **new_p)
{
    bool leads = mend_group_peer(g, leader) == self->me;
    struct mend_comm *bridge = NULL, *side = NULL;
    int err;

    *new_p = NULL;
    if (leads && !other_error)
        other_error =
            other == self->me ? MPI_ERR_GROUP : mend_meet_bridge(self, tag, other, &bridge);
    err = meet(self, g, tag, ROLE_SIDE, &side);
    if (!err)
        err = mend_create_intercomm(side, leader, bridge,
                                    bridge ? mend_group_rank(self, bridge->group, other) : 0, 0,
                                    other_error, new_p);
    else if (bridge)
        mend_meet_give_up(self, bridge, other, err);
    if (!err && *new_p)
        (*new_p)->of_groups = true;
    if (side)
        mend_decide_free_temporary(side, !err);
    if (bridge)
        mend_decide_free_temporary(bridge, !err);
    return err;
}
