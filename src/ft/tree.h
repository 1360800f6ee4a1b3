/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.h – the tree of an agreement, as survivors see it.
 *
 * Ranks 0..n-1 form a static k-nomial tree, k = 2^bits: write a rank in base k; its parent is the
 * same number with the lowest non-zero digit set to zero.  bits = 1 is the binomial tree; k >= n is
 * a star.  For n = 8 and k = 2:
 *
 *              0
 *        .-----+-----.            rank 0 talks to 4 first: the largest subtree
 *        4     2     1
 *       / \    |                  ranks in order are the tree in preorder, and the subtree of r
 *      6   5   3                  is the range [r, r + span(r))
 *      |
 *      7
 *
 * The dead are skipped.  For a process that knows the set `dead`:
 *
 *   root       the lowest live rank;
 *   parent(r)  the nearest live ancestor of r, or the root if all ancestors are dead;
 *   child      a live rank whose parent I am.
 *
 * So views that know the same deaths see the same tree, and a death moves only the subtrees that
 * hung from the dead.  Nothing here costs O(n) while nobody is dead. */
#ifndef MEND_FT_TREE_H
#define MEND_FT_TREE_H

#include "ft/bits.h"

struct mend_tree {
    int32_t n, me;
    uint8_t bits; /* 1..30 */
};

/* A walk over the children of `me`; the largest direct subtrees first. */
struct mend_tree_walk {
    int32_t digit;  /* next direct child is me + (digit << shift) */
    int32_t lo, hi; /* ranks still to be looked at below a dead child, or beside a new root */
    int8_t shift;   /* negative: no direct child is left */
    bool outer;     /* me is the root: orphans beside my subtree come last */
};

/* Position of the lowest non-zero digit of r > 0. */
static inline int mend_tree_shift(const struct mend_tree *t, int32_t r)
{
    return __builtin_ctz((uint32_t)r) / t->bits * t->bits;
}

static inline int32_t mend_tree_parent(const struct mend_tree *t, int32_t r)
{
    uint64_t digit = ((UINT64_C(1) << t->bits) - 1) << mend_tree_shift(t, r);

    return (int32_t)((uint64_t)r & ~digit);
}

/* First rank after the subtree of r. */
static inline int32_t mend_tree_end(const struct mend_tree *t, int32_t r)
{
    int64_t end = r + (r ? INT64_C(1) << mend_tree_shift(t, r) : t->n);

    return end < t->n ? (int32_t)end : t->n;
}

static inline bool mend_tree_is_ancestor(const struct mend_tree *t, int32_t a, int32_t r)
{
    return a < r && r < mend_tree_end(t, a);
}

/* Nearest live ancestor of r, or root. */
static inline int32_t mend_tree_live_parent(const struct mend_tree *t, const uint64_t *dead,
                                            int32_t root, int32_t r)
{
    for (int32_t a = r; a > 0;) {
        a = mend_tree_parent(t, a);
        if (!mend_bits_test(dead, a))
            return a;
    }
    return root;
}

/* Makes the next direct child a valid one, going down through the digits. */
static inline void mend_tree_walk_settle(const struct mend_tree *t, struct mend_tree_walk *w)
{
    while (w->digit == 0) {
        w->shift = (int8_t)(w->shift - t->bits);
        if (w->shift < 0)
            return;
        w->digit = (int32_t)((UINT64_C(1) << t->bits) - 1);
        if (w->digit > (t->n - 1 - t->me) >> w->shift)
            w->digit = (t->n - 1 - t->me) >> w->shift;
    }
}

static inline void mend_tree_walk_begin(const struct mend_tree *t, bool root,
                                        struct mend_tree_walk *w)
{
    int shift = t->me ? mend_tree_shift(t, t->me) : (30 / t->bits + 1) * t->bits;

    *w = (struct mend_tree_walk){.shift = (int8_t)shift, .outer = root && t->me > 0};
    mend_tree_walk_settle(t, w);
}

/* The next live child, or false.  Subtrees of ranks in `covered` (may be NULL) are left out: those
 * ranks need not be asked any more, whether they are alive or not. */
static inline bool mend_tree_walk_next(const struct mend_tree *t, struct mend_tree_walk *w,
                                       const uint64_t *dead, const uint64_t *covered, int32_t *r_p)
{
    for (;;) {
        int32_t r;

        if (w->lo < w->hi) {
            r = w->lo;
            w->lo = mend_tree_end(t, r);
        } else if (w->shift >= 0) {
            r = t->me + (w->digit << w->shift);
            w->digit--;
            mend_tree_walk_settle(t, w);
            w->hi = mend_tree_end(t, r);
            w->lo = w->hi;
        } else if (w->outer) {
            w->outer = false;
            w->lo = mend_tree_end(t, t->me);
            w->hi = t->n;
            continue;
        } else {
            return false;
        }
        if (covered && mend_bits_test(covered, r))
            continue;
        if (!mend_bits_test(dead, r)) {
            *r_p = r;
            return true;
        }
        w->lo = r + 1; /* dead: its children are mine */
    }
}

#endif
