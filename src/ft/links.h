/* SPDX-License-Identifier: BSD-3-Clause */
/* links.h – the links of a flood: ranks at distance 2^i in both directions, the dead skipped.
 *
 *        me-4      me-2  me-1  me  me+1  me+2      me+4          n ranks in a circle
 *          o    x    o    o    *    x     o         o            x is dead
 *                                   `---> o  link +1 goes to the next living one
 *
 * Even links point up and odd ones down, the longest first.  Because links +1 and -1 lead to the
 * nearest living ranks, the survivors are always connected; the longer links make it
 * O(log n) hops. */
#ifndef MEND_FT_LINKS_H
#define MEND_FT_LINKS_H

#include "ft/bits.h"

/* Number of links of each of n ranks: two for every i with 2^i < n. */
static inline int mend_links_count(int32_t n)
{
    return n < 2 ? 0 : 2 * (32 - __builtin_clz((uint32_t)(n - 1)));
}

/* Where link l of me leads: a living rank, or -1.  `alive` (or -1) is a rank that is to be taken as
 * living although it is in `dead`: so the state before its death can be asked. */
static inline int32_t mend_links_target(int32_t n, int32_t me, const uint64_t *dead, int32_t alive,
                                        int l)
{
    int64_t dir = l & 1 ? -1 : 1, stride = INT64_C(1) << (mend_links_count(n) / 2 - 1 - l / 2);
    int64_t t = (me + dir * stride + 2 * (int64_t)n) % n;

    while (t != me && t != alive && mend_bits_test(dead, (int32_t)t))
        t = (t + dir + n) % n;
    return t == me ? -1 : (int32_t)t;
}

/* The first link that leads to `to`, so that nobody is told twice; -1: none does. */
static inline int mend_links_find(int32_t n, int32_t me, const uint64_t *dead, int32_t alive,
                                  int32_t to)
{
    for (int l = 0; l < mend_links_count(n); l++)
        if (mend_links_target(n, me, dead, alive, l) == to)
            return l;
    return -1;
}

#endif
