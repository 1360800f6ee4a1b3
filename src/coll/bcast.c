/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast.c – from one to all.  Ranks are counted from the root: v = rank - root. */
#include "coll/algorithms.h"

static int virtual_rank(const struct mend_sched *s, int root)
{
    return (s->rank - root + s->size) % s->size;
}

static int real_rank(const struct mend_sched *s, int root, int v)
{
    return (v + root) % s->size;
}

/* Smallest power of two that is at least n. */
static int power_above(int n)
{
    int p = 1;

    while (p < n)
        p *= 2;
    return p;
}

/* Distance to the parent: the lowest bit of v; for the root the size of the whole tree. */
static int tree_span(const struct mend_sched *s, int v)
{
    return v ? v & -v : power_above(s->size);
}

/* Binomial tree: every rank that has the data passes it on, farthest first.
 *
 *     v = 0 ──────> 4                  0 has children 4, 2, 1
 *       │ └───> 2   └──> 5, 6 ──> 7    2 has child 3, ...
 *       └─> 1   └─> 3                                           */
void mend_bcast_binomial(struct mend_sched *s, struct mend_piece data, int root)
{
    int v = virtual_rank(s, root), span = tree_span(s, v);

    if (v) {
        mend_sched_recv(s, real_rank(s, root, v - span), data);
        mend_sched_round(s);
    }
    for (int d = span / 2; d > 0; d /= 2)
        if (v + d < s->size)
            mend_sched_send(s, real_rank(s, root, v + d), data);
    mend_sched_round(s);
}

/* Bytes [begin of part i, begin of part i + n). */
static struct mend_piece parts(const struct mend_sched *s, struct mend_piece bytes, int i, int n)
{
    MPI_Count from, to;

    if (i + n > s->size)
        n = s->size - i;
    from = mend_stretch_begin(bytes.count, s->size, i);
    to = mend_stretch_begin(bytes.count, s->size, i + n);
    return mend_piece_part(bytes, from, to - from);
}

/* Large data: the tree hands out one part to each, then a ring passes the parts round.  Everybody
 * sends and receives about twice the data, instead of log2(size) times at the root.
 *
 *     4 ranks, parts a b c d     tree             ring
 *     v = 0   abcd               abcd             abcd
 *     v = 1   ....               .b..             ab.. -> ab.d -> abcd
 *     v = 2   ....               ..cd             .bcd -> abcd
 *     v = 3   ....               ...d             ..cd -> .bcd -> abcd     */
void mend_bcast_scatter_ring(struct mend_sched *s, struct mend_piece bytes, int root)
{
    int v = virtual_rank(s, root), span = tree_span(s, v), n = s->size;

    if (v) {
        mend_sched_recv(s, real_rank(s, root, v - span), parts(s, bytes, v, span));
        mend_sched_round(s);
    }
    for (int d = span / 2; d > 0; d /= 2)
        if (v + d < n)
            mend_sched_send(s, real_rank(s, root, v + d), parts(s, bytes, v + d, d));
    mend_sched_round(s);
    for (int k = 0; k < n - 1; k++) {
        mend_sched_send(s, real_rank(s, root, (v + 1) % n), parts(s, bytes, (v - k + n) % n, 1));
        mend_sched_recv(s, real_rank(s, root, (v + n - 1) % n),
                        parts(s, bytes, (v - k - 1 + n) % n, 1));
        mend_sched_round(s);
    }
}

/* In parts, hence as bytes: type maps differ, so parts of elements would not. */
void mend_bcast_in_parts(struct mend_sched *s, struct mend_piece data, int root)
{
    struct mend_piece bytes;

    if (mend_piece_is_dense(data)) {
        mend_bcast_scatter_ring(s, mend_piece_as_bytes(data), root);
        return;
    }
    bytes = mend_sched_temp_bytes(s, mend_piece_bytes(data));
    if (s->rank == root)
        mend_sched_copy(s, data, bytes);
    mend_bcast_scatter_ring(s, bytes, root);
    if (s->rank != root)
        mend_sched_copy(s, bytes, data);
}
