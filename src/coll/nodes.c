/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c – collectives inside of nodes and among their leaders: nodes.h.
 *
 *     4 ranks, nodes 0 1 │ 2 3      1 -> 0    3 -> 2         inside
 *                                   0 <──────────> 2         leaders
 *                                   0 -> 1    2 -> 3         inside again             */
#include "coll/nodes.h"

#include "coll/algorithms.h"
#include "proc/peer.h"

#include <string.h>

/* ---- the groups ---- */

/* Numbers the nodes in the order of their first ranks, and counts the members of each in first[number + 1].  is[]: by given number. */
static void number(struct mend_nodes *x, const int *node, int *is, int end)
{
    memset(is, -1, (size_t)end * sizeof(*is));
    for (int r = 0; r < x->size; r++) {
        if (is[node[r]] < 0) {
            is[node[r]] = x->n++;
            x->first[x->n] = 0;
        }
        x->node[r] = is[node[r]];
        x->first[x->node[r] + 1]++;
    }
}

static void list_members(struct mend_nodes *x)
{
    x->first[0] = 0;
    for (int k = 0; k < x->n; k++)
        x->first[k + 1] += x->first[k];
    for (int r = 0; r < x->size; r++)
        x->member[x->first[x->node[r]]++] = r;
    for (int k = x->n; k > 0; k--) /* each was counted up to where the next one begins */
        x->first[k] = x->first[k - 1];
    x->first[0] = 0;
    x->in_order = true;
    for (int i = 0; i < x->size; i++) {
        x->at[x->member[i]] = i;
        x->in_order &= x->member[i] == i;
    }
}

struct mend_nodes *mend_nodes_make(struct mend_proc *self, const int *node, int size, int end)
{
    struct mend_nodes *x = mend_alloc(self, sizeof(*x) + (4 * (size_t)size + 1) * sizeof(*x->room));
    int *is = mend_alloc(self, (size_t)end * sizeof(*is));

    if (x && is) {
        x->n = 0;
        x->size = size;
        x->first = x->room;
        x->member = x->first + size + 1;
        x->at = x->member + size;
        x->node = x->at + size;
        number(x, node, is, end);
        list_members(x);
    } else {
        mend_free(self, x);
        x = NULL;
    }
    mend_free(self, is);
    return x;
}

/* Numbers as this process knows them: its own node, of whatever number, is 0, and others are 1 above theirs.  Returns the first number
 * that is not used. */
static int numbers_of(const struct mend_comm *c, int *node)
{
    int end = 1;

    for (int r = 0; r < c->size; r++) {
        const struct mend_where *where =
            &mend_peer_entry(c->self, mend_group_peer(c->group, r))->where;

        node[r] = where->kind == MEND_WHERE_HERE ? 0 : where->node + 1;
        end = node[r] >= end ? node[r] + 1 : end;
    }
    return end;
}

int mend_nodes_of(struct mend_comm *c, struct mend_nodes **nodes_p)
{
    struct mend_proc *self = c->self;
    struct mend_nodes *x;
    int *node;

    *nodes_p = NULL;
    if (c->in_segment || c->inter || c->spans)
        return MPI_SUCCESS;
    node = mend_alloc(self, (size_t)c->size * sizeof(*node));
    x = node ? mend_nodes_make(self, node, c->size, numbers_of(c, node)) : NULL;
    mend_free(self, node);
    if (!x)
        return MPI_ERR_NO_MEM;
    if (x->n > 1 && x->n < x->size)
        *nodes_p = x;
    else
        mend_free(self, x);
    return MPI_SUCCESS;
}

/* ---- the lists ---- */

/* What follows is among the members of the own node.  Returns which of them is the root; 0 if none is. */
static int inside(struct mend_sched *s, const struct mend_nodes *x, int root)
{
    int own = mend_sched_own_rank(s), k = x->node[own], first = x->first[k];

    s->rank = x->at[own] - first;
    s->size = x->first[k + 1] - first;
    s->among = (struct mend_among){.own = own, .member = x->member + first, .special = -1};
    return x->node[root] == k ? x->at[root] - first : 0;
}

/* What follows is among the leaders.  False: this process is none. */
static bool among_leaders(struct mend_sched *s, const struct mend_nodes *x, int root)
{
    int own = mend_sched_own_rank(s), k = x->node[own];
    struct mend_among a = {.own = own,
                           .member = x->member,
                           .first = x->first,
                           .special = x->node[root],
                           .special_rank = root};

    if (mend_among_rank(&a, k) != own)
        return false;
    s->rank = k;
    s->size = x->n;
    s->among = a;
    return true;
}

/* The end: the list is one of all members again. */
static void among_all(struct mend_sched *s, const struct mend_nodes *x)
{
    s->rank = mend_sched_own_rank(s);
    s->size = x->size;
    s->among = (struct mend_among){0};
}

void mend_nodes_barrier(struct mend_sched *s, const struct mend_nodes *x)
{
    struct mend_piece nothing = mend_piece_of(MEND_OPERAND_OUTPUT, 0, mend_sched_byte());
    struct mend_blocks nothings = {.operand = MEND_OPERAND_OUTPUT, .type = mend_sched_byte()};

    inside(s, x, 0);
    mend_gather_binomial(s, &nothing, &nothings, 0, 0);
    if (among_leaders(s, x, 0))
        mend_barrier_dissemination(s);
    inside(s, x, 0);
    mend_bcast_binomial(s, nothing, 0);
    among_all(s, x);
}

void mend_nodes_bcast(struct mend_sched *s, const struct mend_nodes *x, struct mend_piece data,
                      int root, mend_bcast_fn *leaders)
{
    if (among_leaders(s, x, root))
        leaders(s, data, x->node[root]);
    mend_bcast_binomial(s, data, inside(s, x, root));
    among_all(s, x);
}

void mend_nodes_reduce(struct mend_sched *s, const struct mend_nodes *x, struct mend_piece in,
                       struct mend_piece out, int root, mend_reduce_fn *leaders)
{
    bool leads = among_leaders(s, x, root);
    int at_root = inside(s, x, root);
    struct mend_piece of_node = out;

    if (s->size == 1)
        of_node = in;
    else if (leads && mend_sched_own_rank(s) != root)
        of_node = mend_sched_temp(s, in.count, in.type);
    if (s->size > 1)
        mend_reduce_binomial(s, in, of_node, at_root);
    if (among_leaders(s, x, root))
        leaders(s, of_node, out, x->node[root]);
    among_all(s, x);
}

void mend_nodes_allreduce(struct mend_sched *s, const struct mend_nodes *x, struct mend_piece in,
                          struct mend_piece out, mend_allreduce_fn *leaders)
{
    inside(s, x, 0);
    mend_reduce_binomial(s, in, out, 0);
    if (among_leaders(s, x, 0))
        leaders(s, out, out);
    inside(s, x, 0);
    mend_bcast_binomial(s, out, 0);
    among_all(s, x);
}

/* The blocks of all members, node by node: where they belong, or packed in scratch memory. */
struct by_node {
    const struct mend_nodes *x;
    const struct mend_blocks *out;
    bool packed;
    struct mend_piece all;
};

/* Those of the members k .. k + n - 1 in x->member. */
static struct mend_piece blocks_of(const struct by_node *b, int k, int n)
{
    MPI_Count bytes = b->out->count * b->out->type->size;

    return b->packed ? mend_piece_part(b->all, k * bytes, n * bytes)
                     : mend_blocks_range(b->out, k, n);
}

/* Those of nodes k .. k + n - 1. */
static struct mend_piece blocks_of_nodes(const struct by_node *b, int k, int n)
{
    const int *first = b->x->first;

    return blocks_of(b, first[k], first[k + n] - first[k]);
}

/* To the leader, which has its own there already. */
static void gather_inside(struct mend_sched *s, const struct by_node *b, struct mend_piece mine)
{
    int first = b->x->first[b->x->node[mend_sched_own_rank(s)]];

    if (s->rank)
        mend_sched_send(s, 0, mine);
    else
        mend_sched_copy(s, mine, blocks_of(b, first, 1));
    for (int i = 1; !s->rank && i < s->size; i++)
        mend_sched_recv(s, i, blocks_of(b, first + i, 1));
    mend_sched_round(s);
}

/* As mend_allgather_doubling() and mend_allgather_ring(), with blocks of several lengths. */
static void exchange_nodes(struct mend_sched *s, const struct by_node *b)
{
    int n = s->size, me = s->rank;

    if (!(n & (n - 1))) {
        for (int d = 1; d < n; d *= 2) {
            mend_sched_recv(s, me ^ d, blocks_of_nodes(b, (me ^ d) & ~(d - 1), d));
            mend_sched_send(s, me ^ d, blocks_of_nodes(b, me & ~(d - 1), d));
            mend_sched_round(s);
        }
        return;
    }
    for (int k = 0; k < n - 1; k++) {
        mend_sched_recv(s, (me + n - 1) % n, blocks_of_nodes(b, (me - k - 1 + n) % n, 1));
        mend_sched_send(s, (me + 1) % n, blocks_of_nodes(b, (me - k + n) % n, 1));
        mend_sched_round(s);
    }
}

void mend_nodes_allgather(struct mend_sched *s, const struct mend_nodes *x,
                          const struct mend_piece *in, const struct mend_blocks *out)
{
    struct by_node b = {.x = x, .out = out, .packed = !x->in_order};
    struct mend_piece mine = in ? *in : mend_block(out, s->rank);

    if (b.packed)
        b.all = mend_sched_temp_bytes(s, x->size * mend_piece_bytes(mine));
    inside(s, x, 0);
    gather_inside(s, &b, mine);
    if (among_leaders(s, x, 0))
        exchange_nodes(s, &b);
    inside(s, x, 0);
    mend_bcast_binomial(s, blocks_of(&b, 0, x->size), 0);
    among_all(s, x);
    for (int k = 0; b.packed && k < x->size; k++)
        mend_sched_copy(s, blocks_of(&b, k, 1), mend_block(out, x->member[k]));
}
