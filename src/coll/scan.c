/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.c – rank r gets the reduction of ranks 0..r (scan) or 0..r-1 (exscan). */
#include "coll/algorithms.h"

/* Recursive doubling.  `block` is the reduction over the block of ranks known so far; what comes
 * from a lower partner goes into the result as well.
 *
 *     rank 0   block a  result a      ab     a           abcd   a
 *     rank 1         b         b  ->  ab     ab     ->   abcd   ab
 *     rank 2         c         c      cd     c           abcd   abc
 *     rank 3         d         d      cd     cd          abcd   abcd
 *
 * A size that is not a power of two leaves some lower ranks that heard nothing of some higher ones.
 * They must not succeed if one of those is dead (ruling R7): a barrier follows. */
void mend_scan_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                        bool exclusive)
{
    struct mend_piece block = mend_sched_temp(s, out.count, out.type);
    struct mend_piece got = mend_sched_temp(s, out.count, out.type);
    bool empty = exclusive; /* nothing in the result yet */

    mend_sched_copy(s, in, block);
    if (!exclusive)
        mend_sched_copy(s, in, out);
    for (int d = 1; d < s->size; d *= 2) {
        int partner = s->rank ^ d;
        bool lower = partner < s->rank;

        if (partner >= s->size)
            continue;
        mend_sched_recv(s, partner, got);
        mend_sched_send(s, partner, block);
        mend_sched_round(s);
        if (lower && empty)
            mend_sched_copy(s, got, out);
        else if (lower)
            mend_sched_reduce(s, got, out);
        empty &= !lower;
        mend_sched_combine(s, &block, &got, lower);
    }
    if (s->size & (s->size - 1))
        mend_barrier_dissemination(s);
}
