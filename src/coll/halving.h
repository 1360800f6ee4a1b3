/* SPDX-License-Identifier: BSD-3-Clause */
/* halving.h – the common code of reductions over a power of two of ranks.
 *
 * Folding.  With size = 2^k + rem the first 2 rem ranks meet in pairs: the even one hands its value
 * to the odd one and waits for the result.  The remaining ranks are numbered v = 0 ..  2^k - 1 in
 * the order of their ranks, so neighbours stay neighbours and the order of operands is kept.
 *
 *     size 6     0  1  2  3  4  5          size 7    0  1  2  3  4  5  6
 *     fold       0->1  2->3                          0->1  2->3  4->5
 *     v             0     1  2  3                       0     1     2  3
 *
 * Halving.  Partners at distance 1, 2, 4, ... exchange halves of the range they still hold: each
 * keeps one half of it and reduces there.  Afterwards each holds a part of the vector, reduced over
 * all.  With distance 1 first, combined operands are always neighbours, so the order is kept (the
 * parts end up in bit-reversed order, which is harmless).
 *
 *     v = 0   abcd      ab..      a...
 *     v = 1   abcd  ->  ..cd  ->  ..c.
 *     v = 2   abcd      ab..      .b..
 *     v = 3   abcd      ..cd      ...d                     */
#ifndef MEND_COLL_HALVING_H
#define MEND_COLL_HALVING_H

#include "coll/schedule.h"

struct mend_fold {
    int v;      /* number among those that go on, -1: handed its value over */
    int n, rem; /* how many go on (a power of two), how many pairs */
};

struct mend_range {
    MPI_Count lo, hi;
};

/* The state of a reduction: where the value is, and a second buffer of the same size. */
struct mend_accu {
    struct mend_piece value, spare;
};

struct mend_fold mend_fold_of(int rank, int size);

/* Rank of number v. */
static inline int mend_fold_rank(const struct mend_fold *f, int v)
{
    return v < f->rem ? 2 * v + 1 : v + f->rem;
}

/* First round: values of pairs meet.  `mine` is this rank's own value as given by the caller. */
void mend_fold_in(struct mend_sched *s, const struct mend_fold *f, struct mend_piece mine,
                  struct mend_accu *a);
/* Last round: the result goes back to those that handed their value over. */
void mend_fold_out(struct mend_sched *s, const struct mend_fold *f, struct mend_piece result);

/* Halving: ranges[k] is the range held before distance 2^k; ranges[log2 n] the one left. */
#define MEND_FOLD_LEVELS 32
int mend_halve(struct mend_sched *s, const struct mend_fold *f, struct mend_accu *a,
               struct mend_range ranges[MEND_FOLD_LEVELS]);

static inline struct mend_piece mend_range_of(struct mend_piece p, struct mend_range r)
{
    return mend_piece_part(p, r.lo, r.hi - r.lo);
}

#endif
