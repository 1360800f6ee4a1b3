/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor.c – exchange with the neighbours of a topology, all at once.
 *
 *     sources[i] ──> block i of out          block i of in ──> targets[i]
 *
 * Two ranks can be neighbours several times.  Messages between them match in order, so both sides
 * must go through their common edges in one order.  In a graph that is the order of the lists.  In
 * a Cartesian topology (MPI-5.0 8.6: what goes out to the left comes in from the right) with one or
 * two ranks in a dimension it is not: there the receives of a dimension are posted right one first.
 *
 *     2 ranks, periodic:   rank 0: send left, send right      both to rank 1
 *                          rank 1: receive from the right first, then from the left             */
#include "coll/algorithms.h"

static struct mend_piece edge_block(const struct mend_blocks *b, int i)
{
    return mend_block(b, b->one ? 0 : i);
}

void mend_neighbor_exchange(struct mend_sched *s, const int *sources, int sources_n,
                            const int *targets, int targets_n, bool cartesian,
                            const struct mend_blocks *in, const struct mend_blocks *out)
{
    for (int k = 0; k < sources_n; k++) {
        int i = cartesian ? k ^ 1 : k;

        if (sources[i] != MPI_PROC_NULL)
            mend_sched_recv(s, sources[i], edge_block(out, i));
    }
    for (int i = 0; i < targets_n; i++)
        if (targets[i] != MPI_PROC_NULL)
            mend_sched_send(s, targets[i], edge_block(in, i));
    mend_sched_round(s);
}
