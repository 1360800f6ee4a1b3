/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather.c – every rank gets the blocks of all. */
#include "coll/algorithms.h"

/* The first round sends what the caller has given, not a copy that this core has just written: that takes a reader on another
 * core up to five times as long. */
static struct mend_piece given(const struct mend_sched *s, const struct mend_piece *in,
                               const struct mend_blocks *out)
{
    return in ? *in : mend_block(out, s->rank);
}

static void own_block(struct mend_sched *s, const struct mend_piece *in,
                      const struct mend_blocks *out)
{
    if (in)
        mend_sched_copy(s, *in, mend_block(out, s->rank));
}

/* Ring: everybody passes on the block that it got last.
 *
 *     rank 0   a..       a.c       abc
 *     rank 1   .b.  ->   ab.  ->   abc
 *     rank 2   ..c       .bc       abc     */
void mend_allgather_ring(struct mend_sched *s, const struct mend_piece *in,
                         const struct mend_blocks *out)
{
    int n = s->size;

    for (int k = 0; k < n - 1; k++) {
        mend_sched_recv(s, (s->rank + n - 1) % n, mend_block(out, (s->rank - k - 1 + n) % n));
        mend_sched_send(s, (s->rank + 1) % n,
                        k ? mend_block(out, (s->rank - k + n) % n) : given(s, in, out));
        mend_sched_round(s);
    }
    own_block(s, in, out);
}

/* Recursive doubling: partners at distance 1, 2, 4, ... exchange all they have.
 *
 *     rank 0   a...      ab..      abcd
 *     rank 1   .b..  ->  ab..  ->  abcd
 *     rank 2   ..c.      ..cd      abcd
 *     rank 3   ...d      ..cd      abcd     */
void mend_allgather_doubling(struct mend_sched *s, const struct mend_piece *in,
                             const struct mend_blocks *out)
{
    for (int d = 1; d < s->size; d *= 2) {
        int partner = s->rank ^ d;

        if (d == 2)
            own_block(s, in, out);
        mend_sched_recv(s, partner, mend_blocks_range(out, partner & ~(d - 1), d));
        mend_sched_send(s, partner,
                        d > 1 ? mend_blocks_range(out, s->rank & ~(d - 1), d) : given(s, in, out));
        mend_sched_round(s);
    }
    if (s->size <= 2)
        own_block(s, in, out);
}

/* Bruck: as doubling, for any size.  The packed blocks are kept rotated so that the own one is
 * first: a rank gets what the rank d above has, and appends it.
 *
 *     rank 0   a        ab       abcd       abcde
 *     rank 1   b        bc       bcde       bcdea
 *     rank 2   c   ->   cd   ->  cdea  ->   cdeab      then rotated into place
 *     rank 3   d        de       deab       deabc
 *     rank 4   e        ea       eabc       eabcd                                */
void mend_allgather_bruck(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_blocks *out)
{
    struct mend_piece mine = in ? *in : mend_block(out, s->rank);
    MPI_Count bytes = mend_piece_bytes(mine);
    struct mend_piece all = mend_sched_temp_bytes(s, s->size * bytes);
    int n = s->size, above = n - s->rank;

    mend_sched_copy(s, mine, mend_piece_part(all, 0, bytes));
    for (int d = 1; d < n; d *= 2) {
        MPI_Count part = (d < n - d ? d : n - d) * bytes;

        mend_sched_recv(s, (s->rank + d) % n, mend_piece_part(all, d * bytes, part));
        mend_sched_send(s, (s->rank + n - d) % n, mend_piece_part(all, 0, part));
        mend_sched_round(s);
    }
    mend_sched_copy(s, mend_piece_part(all, 0, above * bytes),
                    mend_blocks_range(out, s->rank, above));
    if (s->rank)
        mend_sched_copy(s, mend_piece_part(all, above * bytes, s->rank * bytes),
                        mend_blocks_range(out, 0, s->rank));
}
