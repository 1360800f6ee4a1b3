/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall.c – every rank has a block for every rank. */
#include "coll/algorithms.h"

#define BATCH 8 /* partners that a rank exchanges with at once */

/* Pairwise: in round k rank r meets rank k - r (mod size), which meets r in the same round.  So
 * blocks change places pair by pair, and MPI_IN_PLACE needs a copy of the blocks of one batch only.
 *
 *     4 ranks    k = 0   1-3            0 and 2 have no partner
 *                k = 1   0-1  2-3
 *                k = 2   0-2            1 and 3 have no partner
 *                k = 3   0-3  1-2                                  */
void mend_alltoall_pairwise(struct mend_sched *s, const struct mend_blocks *in,
                            const struct mend_blocks *out)
{
    int n = s->size;

    if (in)
        mend_sched_copy(s, mend_block(in, s->rank), mend_block(out, s->rank));
    for (int first = 0; first < n; first += BATCH) {
        size_t mark = mend_sched_temp_mark(s);

        for (int k = first; k < first + BATCH && k < n; k++) {
            int partner = (k - s->rank + n) % n;
            struct mend_piece give, get;

            if (partner == s->rank)
                continue;
            get = mend_block(out, partner);
            give = in ? mend_block(in, partner) : mend_sched_temp_bytes(s, mend_piece_bytes(get));
            if (!in)
                mend_sched_copy(s, get, give);
            mend_sched_recv(s, partner, get);
            mend_sched_send(s, partner, give);
        }
        mend_sched_round(s);
        mend_sched_temp_reset(s, mark);
    }
}

/* Copies between the blocks whose index has bit d set (runs of d blocks) and one packed piece.
 * Returns the number of bytes. */
static MPI_Count copy_runs(struct mend_sched *s, struct mend_piece all, struct mend_piece packed,
                           int d, MPI_Count bytes, bool pack)
{
    MPI_Count at = 0;

    for (int i = d; i < s->size; i += 2 * d) {
        int run = d < s->size - i ? d : s->size - i;
        struct mend_piece a = mend_piece_part(all, i * bytes, run * bytes);
        struct mend_piece b = mend_piece_part(packed, at, run * bytes);

        mend_sched_copy(s, pack ? a : b, pack ? b : a);
        at += run * bytes;
    }
    return at;
}

/* Bruck: a block for the rank i above travels in the steps of the bits of i, so everybody sends
 * log2(size) messages of half of all blocks.  For small blocks.
 *
 *     4 ranks, block xy goes from x to y; each rank starts with the block for itself
 *     rank 0   00 01 02 03        00 31 02 23        00 31 22 13
 *     rank 1   11 12 13 10   ->   11 02 13 30   ->   11 02 33 20     place i holds the block
 *     rank 2   22 23 20 21        22 13 20 01        22 13 00 31     from the rank i below
 *     rank 3   33 30 31 32        33 20 31 12        33 20 11 02               */
void mend_alltoall_bruck(struct mend_sched *s, const struct mend_blocks *in,
                         const struct mend_blocks *out)
{
    const struct mend_blocks *blocks = in ? in : out;
    MPI_Count bytes = mend_piece_bytes(mend_block(blocks, 0)), part;
    struct mend_piece all = mend_sched_temp_bytes(s, s->size * bytes);
    struct mend_piece give = mend_sched_temp_bytes(s, s->size * bytes);
    struct mend_piece get = mend_sched_temp_bytes(s, s->size * bytes);
    int n = s->size, above = n - s->rank;

    mend_sched_copy(s, mend_blocks_range(blocks, s->rank, above),
                    mend_piece_part(all, 0, above * bytes));
    if (s->rank)
        mend_sched_copy(s, mend_blocks_range(blocks, 0, s->rank),
                        mend_piece_part(all, above * bytes, s->rank * bytes));
    for (int d = 1; d < n; d *= 2) {
        part = copy_runs(s, all, give, d, bytes, true);
        mend_sched_recv(s, (s->rank + n - d) % n, mend_piece_part(get, 0, part));
        mend_sched_send(s, (s->rank + d) % n, mend_piece_part(give, 0, part));
        mend_sched_round(s);
        copy_runs(s, all, get, d, bytes, false);
    }
    for (int i = 0; i < n; i++)
        mend_sched_copy(s, mend_piece_part(all, i * bytes, bytes),
                        mend_block(out, (s->rank - i + n) % n));
}
