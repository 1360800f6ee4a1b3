/* SPDX-License-Identifier: BSD-3-Clause */
/* intercomm.c – intercommunicators: the leaders connect two groups; merging.
 *
 *   leader A <── group, context id proposal ──> leader B                         (leaders.c)
 *   leader ── the same, or the reason of a failure ──> its group                 (two local bcasts)
 *   each process makes the object, with the higher proposal, and meets the others on it   (meet.c)
 *
 * Creation is uniform among the survivors of both groups.  A process that leaves before it has come to the meeting
 * leaves no other process waiting there:
 *   - a member whose broadcast failed: the reason is a death or a revocation in its group, which also ends the
 *     meeting for the processes in it;
 *   - a leader: it tells the other leader, which calls the meeting off; the other leader's death also ends it.
 * A process other than a leader that waits in the broadcast depends only on its leader's call: it knows
 * neither the peer communicator nor the other group. */
#include "create/meet.h"

#include "node/abroad.h"
#include "proc/post.h"

struct header {
    uint64_t ctx;
    int64_t size, error;
};

static void list_peers(const struct mend_group *g, mend_peer *peers)
{
    for (int i = 0; i < g->size; i++)
        peers[i] = mend_group_peer(g, i);
}

/* Everybody learns what the leader has learnt; *peers_p has come from the leader, or is made here, and
 * is the caller's in any case.  Blocks until the leader calls, or the local communicator fails. */
static int tell_group(struct mend_comm *local, int leader, struct header *h, mend_peer **peers_p)
{
    struct mend_proc *self = local->self;
    int err = mend_creation_tell(local, h, sizeof(*h), leader);
    int32_t *names;

    if (!err)
        err = (int)h->error;
    if (err)
        return err;
    mend_memory_press(self); /* its way out would be to leave the others in the broadcast */
    if (!*peers_p)
        *peers_p = mend_alloc(self, (size_t)h->size * sizeof(**peers_p));
    names = mend_alloc(self, (size_t)h->size * sizeof(*names));
    mend_memory_relax(self);
    for (int64_t i = 0; local->rank == leader && i < h->size; i++)
        names[i] = mend_abroad_name(self, (*peers_p)[i]);
    err = mend_creation_tell(local, names, (size_t)h->size * sizeof(*names), leader);
    /* a job with which that of the leader is connected, and this one is not */
    if (!err && !mend_meet_read_peers(self, names, (int)h->size, *peers_p))
        err = MPI_ERR_UNSUPPORTED_OPERATION;
    mend_free(self, names);
    return err;
}

/* At the leader: what the other side says.  A peer communicator must be as whole as the local one
 * (S2-2).  The other leader hears from us in any case. */
static int ask_leader(struct mend_meeting *m, struct mend_comm *local, int own_error,
                      struct header *h, mend_peer **peers_p)
{
    int n = 0, err = own_error;

    if (mend_group_rank(local->self, local->group, m->other) != MPI_UNDEFINED)
        return MPI_ERR_COMM; /* the groups must be disjoint */
    if (!err)
        err = mend_meet_reason(m); /* first: a revocation precedes all other errors (S0-65) */
    if (!err && mend_comm_is_inactive(m->peer_c))
        err = MEND_CLASS_PROC_FAILED;
    err = mend_leaders_meet(m, local, err, &h->ctx, peers_p, &n);
    h->size = n;
    return err;
}

/* Members of several jobs agree that all of them know the other group: a job may be connected with that of the leader
 * and not with another one.  An error of one is an error of all. */
static int agree_to_know(struct mend_comm *local, int own_error)
{
    struct mend_decision value;
    int err;

    mend_creation_propose(local, !own_error, false, &value);
    value.max_word[1] = (uint64_t)own_error;
    mend_creation_decide(local, &value);
    err = mend_creation_result(local, &value, own_error);
    if (value.failed)
        mend_group_put(local->self, value.failed);
    return err;
}

/* Both groups: *remote_p is a reference for the caller. */
static int learn(struct mend_meeting *m, struct mend_comm *local, int leader, int own_error,
                 struct header *h, struct mend_group **remote_p)
{
    struct mend_proc *self = local->self;
    mend_peer *peers = NULL;
    int err = own_error;

    if (m->peer_c)
        h->error = ask_leader(m, local, own_error, h, &peers);
    if (!own_error)
        err = tell_group(local, leader, h, &peers);
    if (local->spans && (!err || (err == MPI_ERR_UNSUPPORTED_OPERATION && !h->error)))
        err = agree_to_know(local, err);
    if (err && m->peer_c && !h->error)
        mend_leaders_take_back(m, err);
    if (!err) {
        mend_memory_press(self); /* the others come to the meeting */
        *remote_p = mend_group_create(self, peers, (int)h->size);
        mend_memory_relax(self);
    }
    mend_free(self, peers);
    return err;
}

/* MPI_ERR_COMM, at everybody, if the groups have somebody in common. */
static int check_disjoint(struct mend_comm *local, struct mend_group *remote)
{
    for (int i = 0; i < remote->size; i++)
        if (mend_group_rank(local->self, local->group, mend_group_peer(remote, i)) != MPI_UNDEFINED)
            return MPI_ERR_COMM;
    return MPI_SUCCESS;
}

/* Comes to the meeting. */
static int meet(struct mend_meeting *m, struct mend_comm *local, struct mend_group *remote,
                mend_ctx ctx)
{
    struct mend_proc *self = local->self;
    struct mend_decision value = {.failed = NULL};
    int err = check_disjoint(local, remote);

    if (!err)
        err = mend_meet_declined(self, ctx);
    if (err)
        return err;
    mend_memory_press(self);
    m->c = mend_comm_create(self, local->group, remote, ctx, local);
    mend_memory_relax(self);
    mend_creation_open(m->c);
    err = mend_meet(m, &value);
    if (value.failed)
        mend_group_put(self, value.failed);
    if (err)
        mend_decide_free(m->c);
    return err;
}

/* The leader is given by its rank in the communicator that users know. */
int mend_create_intercomm(struct mend_comm *known, int local_leader, struct mend_comm *peer_c,
                          int remote_leader, int tag, int peer_error, struct mend_comm **new_p)
{
    struct mend_proc *self = known->self;
    struct mend_comm *local = mend_comm_carrier(known);
    int leader = mend_group_translate(self, known->group, local_leader, local->group);
    struct mend_meeting m = {.named = {local, peer_c}, .named_must_live = true};
    struct mend_group *remote = NULL;
    struct header h = {.error = peer_error};
    int err = mend_creation_check(local);

    if (leader == MPI_PROC_NULL) /* S2-9 */
        return local->revoked ? MEND_CLASS_INVALIDATED : MEND_CLASS_PROC_FAILED;
    if (local->rank == leader && !peer_error) {
        m.peer_c = peer_c;
        m.other = mend_comm_peer(peer_c, remote_leader);
        m.tag = tag;
    } else if (err) {
        return err;
    }
    mend_meet_begin(self, &m);
    err = learn(&m, local, leader, err, &h, &remote);
    if (!err)
        err = meet(&m, local, remote, h.ctx);
    mend_meet_end(&m);
    if (remote)
        mend_group_put(self, remote);
    if (!err)
        *new_p = m.c;
    return err;
}

/* The group that says low comes first; if both say the same, the one with the lower first peer. */
static struct mend_group *merged(struct mend_comm *inter, bool local_first)
{
    struct mend_proc *self = inter->self;
    struct mend_group *a = local_first ? inter->group : inter->remote;
    struct mend_group *b = local_first ? inter->remote : inter->group;
    mend_peer *peers = mend_alloc(self, (size_t)(a->size + b->size) * sizeof(*peers));
    struct mend_group *g;

    if (!peers)
        return NULL;
    list_peers(a, peers);
    list_peers(b, peers + a->size);
    g = mend_group_create(self, peers, a->size + b->size);
    mend_free(self, peers);
    return g;
}

/* and_word[2], bit 0 (1): everybody of the first (second) group says high. */
int mend_create_merge(struct mend_comm *known, int high, struct mend_comm **new_p)
{
    struct mend_comm *inter = mend_comm_carrier(known);
    struct mend_decision value;
    struct mend_group *g = NULL;
    bool i_am_first = inter->decide->first == inter->group, first_high, second_high;
    int own_error, err = mend_creation_check(inter);

    if (err)
        return err;
    own_error = mend_creation_room(inter, MPI_SUCCESS);
    mend_creation_propose(inter, !own_error, false, &value);
    value.max_word[1] = (uint64_t)own_error;
    value.and_word[2] = high ? UINT64_MAX : ~(uint64_t)(i_am_first ? 1 : 2);
    mend_creation_decide(inter, &value);
    err = mend_creation_result(inter, &value, own_error);
    if (!err) {
        mend_memory_press(inter->self); /* it is decided */
        first_high = value.and_word[2] & 1;
        second_high = value.and_word[2] & 2;
        g = merged(inter, first_high == second_high ? i_am_first
                                                    : (i_am_first ? !first_high : !second_high));
        err = mend_creation_object(inter, g, NULL, &value, new_p);
        mend_memory_relax(inter->self);
    }
    if (g)
        mend_group_put(inter->self, g);
    if (value.failed)
        mend_group_put(inter->self, value.failed);
    return err;
}
