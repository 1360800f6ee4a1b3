/* SPDX-License-Identifier: BSD-3-Clause */
/* intercomm.c – intercommunicators: two groups get to know each other through their leaders.
 *
 *   leader A <── header { size, context id proposal }, list of peers ──> leader B     (peer comm)
 *   leader ── the same ──> its group                                                (local bcast)
 *   everybody: the object, with the higher proposal, and one agreement over both groups
 *
 * The agreement on the new object makes creation uniform among all who know of it.  A group whose
 * broadcast fails everywhere does not know of it; the other group then waits until one of its own
 * members or the failed process is noticed, which is the death that made the broadcast fail. */
#include "member/internal.h"

#include "proc/post.h"

struct header {
    uint64_t ctx;
    int64_t size, error;
};

static int bcast(struct mend_comm *c, void *buf, size_t n, int root)
{
    struct mend_coll_buf b = {buf, (MPI_Count)n, mend_type_predefined((uintptr_t)MPI_BYTE),
                              MPI_BYTE};
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};

    return mend_coll_bcast(c, b, root, &now);
}

static int swap(struct mend_comm *peer_c, int remote_leader, int tag, const void *mine, size_t n,
                void *theirs, size_t max)
{
    const struct mend_type *bytes = mend_type_predefined((uintptr_t)MPI_BYTE);
    struct mend_p2p_request out, in;
    int err;

    out.embedded = in.embedded = true;
    mend_p2p_irecv(&in, peer_c, MEND_CHANNEL_P2P, theirs, (MPI_Count)max, bytes, remote_leader,
                   tag);
    mend_p2p_isend(&out, peer_c, MEND_CHANNEL_P2P, MEND_SEND_STANDARD, mine, (MPI_Count)n, bytes,
                   remote_leader, tag);
    mend_wait(peer_c->self, &in.base);
    mend_wait(peer_c->self, &out.base);
    err = in.base.error ? in.base.error : out.base.error;
    return err;
}

static void list_peers(const struct mend_group *g, mend_peer *peers)
{
    for (int i = 0; i < g->size; i++)
        peers[i] = mend_group_peer(g, i);
}

/* The leader's part: fills *h and *peers_p (its own memory) with what the other side says. */
static int meet_leader(struct mend_comm *local, struct mend_comm *peer_c, int remote_leader,
                       int tag, struct header *h, mend_peer **peers_p)
{
    struct mend_proc *self = local->self;
    struct header mine = {.ctx = mend_ctx_propose(self), .size = local->size};
    mend_peer *mine_list = mend_alloc(self, (size_t)local->size * sizeof(*mine_list));
    int err = mine_list ? swap(peer_c, remote_leader, tag, &mine, sizeof(mine), h, sizeof(*h))
                        : MPI_ERR_NO_MEM;

    if (!err) {
        h->ctx = h->ctx > mine.ctx ? h->ctx : mine.ctx;
        list_peers(local->group, mine_list);
        *peers_p = mend_alloc(self, (size_t)h->size * sizeof(**peers_p));
        err = *peers_p ? swap(peer_c, remote_leader, tag, mine_list,
                              (size_t)local->size * sizeof(*mine_list), *peers_p,
                              (size_t)h->size * sizeof(**peers_p))
                       : MPI_ERR_NO_MEM;
    }
    mend_free(self, mine_list);
    return err;
}

/* Everybody learns what the leader learnt.  *remote_p is the other group. */
static int learn(struct mend_comm *local, int local_leader, struct mend_comm *peer_c,
                 int remote_leader, int tag, struct header *h, struct mend_group **remote_p)
{
    struct mend_proc *self = local->self;
    mend_peer *peers = NULL;
    int err = MPI_SUCCESS;

    *h = (struct header){0};
    if (local->rank == local_leader)
        h->error = meet_leader(local, peer_c, remote_leader, tag, h, &peers);
    err = bcast(local, h, sizeof(*h), local_leader);
    if (!err)
        err = (int)h->error;
    if (!err && !peers)
        peers = mend_alloc(self, (size_t)h->size * sizeof(*peers));
    if (!err)
        err = peers ? bcast(local, peers, (size_t)h->size * sizeof(*peers), local_leader)
                    : MPI_ERR_NO_MEM;
    if (!err) {
        *remote_p = mend_group_create(self, peers, (int)h->size);
        err = *remote_p ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    mend_free(self, peers);
    return err;
}

static int agree_on(struct mend_comm *c)
{
    struct mend_agreed value = {.and_word = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    int err = mend_agree_wait(c, MEND_MACHINE_CREATION, &value);

    if (!err)
        err = mend_creation_result(c, &value, 0);
    if (value.failed)
        mend_group_put(c->self, value.failed);
    return err;
}

int mend_member_intercomm_create(struct mend_comm *local, int local_leader,
                                 struct mend_comm *peer_c, int remote_leader, int tag,
                                 struct mend_comm **new_p)
{
    struct mend_proc *self = local->self;
    struct mend_group *remote = NULL;
    struct mend_comm *c;
    struct header h;
    int err = mend_creation_check(local);

    if (!err)
        err = learn(local, local_leader, peer_c, remote_leader, tag, &h, &remote);
    if (err)
        return err;
    for (int i = 0; i < remote->size && !err; i++)
        if (mend_group_rank(self, local->group, mend_group_peer(remote, i)) != MPI_UNDEFINED)
            err = MPI_ERR_COMM; /* the groups must be disjoint */
    c = err ? NULL : mend_comm_create(self, local->group, remote, h.ctx, local);
    mend_group_put(self, remote);
    if (!c)
        return err ? err : MPI_ERR_NO_MEM;
    mend_creation_open(c);
    err = agree_on(c);
    if (err) {
        mend_member_free(c);
        return err;
    }
    *new_p = c;
    return MPI_SUCCESS;
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
int mend_member_intercomm_merge(struct mend_comm *inter, int high, struct mend_comm **new_p)
{
    struct mend_agreed value;
    struct mend_group *g = NULL;
    bool i_am_first = inter->ft->first == inter->group, first_high, second_high;
    int err = mend_creation_check(inter);

    if (err)
        return err;
    mend_creation_propose(inter, true, false, &value);
    value.and_word[2] = high ? UINT64_MAX : ~(uint64_t)(i_am_first ? 1 : 2);
    err = mend_creation_decide(inter, &value);
    if (err)
        return err;
    err = mend_creation_result(inter, &value, 0);
    if (!err) {
        first_high = value.and_word[2] & 1;
        second_high = value.and_word[2] & 2;
        g = merged(inter, first_high == second_high ? i_am_first
                                                    : (i_am_first ? !first_high : !second_high));
        err = g ? mend_creation_object(inter, g, NULL, &value, new_p) : MPI_ERR_NO_MEM;
    }
    if (g)
        mend_group_put(inter->self, g);
    if (value.failed)
        mend_group_put(inter->self, value.failed);
    return err;
}
