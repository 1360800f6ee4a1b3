/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c – from all to one, and the reverse, scatter.
 *
 * Trees carry packed bytes, since the type maps of the ranks may differ.  Ranks are counted from
 * the root: v = rank - root. */
#include "coll/algorithms.h"

#define BATCH 32 /* messages that the root of a linear form has open at once */

static void own_block(struct mend_sched *s, const struct mend_piece *from,
                      const struct mend_piece *to)
{
    if (from && to)
        mend_sched_copy(s, *from, *to);
}

/* Everybody sends to the root.
 *
 *     1 ──> 0 <── 2,  3 ──> 0 <── 4        batches of BATCH messages       */
void mend_gather_linear(struct mend_sched *s, const struct mend_piece *in,
                        const struct mend_blocks *out, int root)
{
    struct mend_piece mine;

    if (s->rank != root) {
        mend_sched_send(s, root, *in);
        mend_sched_round(s);
        return;
    }
    for (int i = 0, n = 0; i < s->size; i++) {
        if (i == root)
            continue;
        mend_sched_recv(s, i, mend_block(out, i));
        if (++n % BATCH == 0)
            mend_sched_round(s);
    }
    mine = mend_block(out, root);
    own_block(s, in, &mine);
    mend_sched_round(s);
}

/* The root sends to everybody. */
void mend_scatter_linear(struct mend_sched *s, const struct mend_blocks *in,
                         const struct mend_piece *out, int root)
{
    struct mend_piece mine;

    if (s->rank != root) {
        mend_sched_recv(s, root, *out);
        mend_sched_round(s);
        return;
    }
    for (int i = 0, n = 0; i < s->size; i++) {
        if (i == root)
            continue;
        mend_sched_send(s, i, mend_block(in, i));
        if (++n % BATCH == 0)
            mend_sched_round(s);
    }
    mine = mend_block(in, root);
    own_block(s, &mine, out);
    mend_sched_round(s);
}

/* Where a rank stands in the tree. */
struct place {
    int v, parent; /* parent: as a rank */
    int span;      /* distance to the parent; root: at least size */
    int below;     /* ranks in the subtree, itself included */
};

static struct place place_of(const struct mend_sched *s, int root)
{
    struct place p = {.v = (s->rank - root + s->size) % s->size};

    p.span = p.v & -p.v;
    for (p.span = p.v ? p.span : 1; !p.v && p.span < s->size;)
        p.span *= 2;
    p.below = p.span < s->size - p.v ? p.span : s->size - p.v;
    p.parent = (s->rank - p.span + s->size) % s->size;
    return p;
}

/* Blocks of the ranks v + d .. of the child at distance d, within the packed subtree of v. */
static struct mend_piece child_part(const struct mend_sched *s, struct mend_piece subtree,
                                    const struct place *p, int d, MPI_Count bytes)
{
    int n = d < s->size - p->v - d ? d : s->size - p->v - d;

    return mend_piece_part(subtree, d * bytes, n * bytes);
}

/* Copies all blocks but the root's between their places and the packed tree at the root. */
static void root_blocks(struct mend_sched *s, const struct mend_blocks *blocks,
                        struct mend_piece tree, MPI_Count bytes, int root, bool to_tree)
{
    int above = s->size - root - 1;
    struct mend_piece a = mend_piece_part(tree, bytes, above * bytes);
    struct mend_piece b = mend_piece_part(tree, (above + 1) * bytes, root * bytes);

    if (above && to_tree)
        mend_sched_copy(s, mend_blocks_range(blocks, root + 1, above), a);
    else if (above)
        mend_sched_copy(s, a, mend_blocks_range(blocks, root + 1, above));
    if (root && to_tree)
        mend_sched_copy(s, mend_blocks_range(blocks, 0, root), b);
    else if (root)
        mend_sched_copy(s, b, mend_blocks_range(blocks, 0, root));
}

/* Binomial tree: a rank collects its subtree and passes it on in one message.
 *
 *     0 <──── 4       round 1   1 -> 0,  3 -> 2,  5 -> 4,  7 -> 6       (all children of a rank
 *     │ <─ 2  │ <─ 6  then      2,3 -> 0,  6,7 -> 4                      in one round)
 *     1    3  5    7  then      4,5,6,7 -> 0                                             */
void mend_gather_binomial(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_blocks *out, MPI_Count bytes, int root)
{
    struct place p = place_of(s, root);
    struct mend_piece tree, mine;

    if (p.v && p.below == 1) {
        mend_sched_send(s, p.parent, *in);
        mend_sched_round(s);
        return;
    }
    tree = mend_sched_temp_bytes(s, p.below * bytes);
    for (int d = 1; d < p.below; d *= 2)
        mend_sched_recv(s, (s->rank + d) % s->size, child_part(s, tree, &p, d, bytes));
    if (p.v) {
        mend_sched_copy(s, *in, mend_piece_part(tree, 0, bytes));
        mend_sched_round(s);
        mend_sched_send(s, p.parent, tree);
        mend_sched_round(s);
        return;
    }
    mend_sched_round(s);
    mine = mend_block(out, root);
    own_block(s, in, &mine);
    root_blocks(s, out, tree, bytes, root, false);
}

/* The same tree, downwards. */
void mend_scatter_binomial(struct mend_sched *s, const struct mend_blocks *in,
                           const struct mend_piece *out, MPI_Count bytes, int root)
{
    struct place p = place_of(s, root);
    struct mend_piece tree, mine;
    int d = 1;

    if (p.v && p.below == 1) {
        mend_sched_recv(s, p.parent, *out);
        mend_sched_round(s);
        return;
    }
    tree = mend_sched_temp_bytes(s, p.below * bytes);
    if (p.v) {
        mend_sched_recv(s, p.parent, tree);
        mend_sched_round(s);
        mend_sched_copy(s, mend_piece_part(tree, 0, bytes), *out);
    } else {
        mine = mend_block(in, root);
        own_block(s, &mine, out);
        root_blocks(s, in, tree, bytes, root, true);
    }
    while (d < p.below)
        d *= 2;
    for (d /= 2; d > 0; d /= 2)
        mend_sched_send(s, (s->rank + d) % s->size, child_part(s, tree, &p, d, bytes));
    mend_sched_round(s);
}
