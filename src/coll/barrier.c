/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c – no rank leaves before all have come. */
#include "coll/algorithms.h"

/* Dissemination: in round k everybody tells the rank 2^k above that it, and all it has heard of,
 * has arrived.  After ceil(log2 size) rounds everybody has heard of everybody.
 *
 *     5 ranks     round 1      round 2      round 3
 *                 0 -> 1       0 -> 2       0 -> 4
 *                 1 -> 2       1 -> 3       1 -> 0
 *                 2 -> 3       2 -> 4       2 -> 1
 *                 3 -> 4       3 -> 0       3 -> 2
 *                 4 -> 0       4 -> 1       4 -> 3          */
void mend_barrier_dissemination(struct mend_sched *s)
{
    struct mend_piece nothing = mend_piece_of(MEND_OPERAND_OUTPUT, 0, mend_sched_byte());

    for (int d = 1; d < s->size; d *= 2) {
        mend_sched_recv(s, (s->rank - d + s->size) % s->size, nothing);
        mend_sched_send(s, (s->rank + d) % s->size, nothing);
        mend_sched_round(s);
    }
}
