/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange.c – collectives on intercommunicators: every member exchanges with every member of the other
 * group.
 *
 *     group A   0   1        allreduce: every a sends its vector to every b and the reverse; each
 *               │ ╲ │ ╲      reduces what it got from the other group, in the order of its ranks
 *     group B   0   1   2
 *
 * Ranks are those of the other group.  It is flat, with as many messages as there are pairs; but each
 * process depends directly on every process of the other group, so that no process misses a death
 * there (S0-31).  All messages are in one round: an order would make large messages wait for each
 * other. */
#include "coll/algorithms.h"

static struct mend_piece block_for(const struct mend_blocks *b, int i)
{
    return mend_block(b, b->one ? 0 : i);
}

void mend_exchange_blocks(struct mend_sched *s, const struct mend_blocks *in,
                          const struct mend_blocks *out)
{
    for (int i = 0; out && i < s->size; i++)
        mend_sched_recv(s, i, block_for(out, i));
    for (int i = 0; in && i < s->size; i++)
        mend_sched_send(s, i, block_for(in, i));
    mend_sched_round(s);
}

void mend_exchange_one(struct mend_sched *s, int root, const struct mend_piece *in,
                       const struct mend_piece *out)
{
    if (in)
        mend_sched_send(s, root, *in);
    if (out)
        mend_sched_recv(s, root, *out);
    mend_sched_round(s);
}

void mend_exchange_reduce(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_piece *out, MPI_Count n, MPI_Count first)
{
    struct mend_piece all, sum;

    if (out)
        all = mend_sched_temp_blocks(s, s->size, n, out->type);
    if (s->no_memory) /* the pieces do not matter */
        n = first = 0;
    for (int i = 0; out && i < s->size; i++)
        mend_sched_recv(s, i, mend_piece_part(all, i * n, n));
    for (int i = 0; in && i < s->size; i++)
        mend_sched_send(s, i, *in);
    mend_sched_round(s);
    if (!out)
        return;
    sum = mend_piece_part(all, (s->size - 1) * n + first, out->count);
    for (int i = s->size - 2; i >= 0; i--) /* a lower rank's value goes to the left */
        mend_sched_reduce(s, mend_piece_part(all, i * n + first, out->count), sum);
    mend_sched_copy(s, sum, *out);
}
