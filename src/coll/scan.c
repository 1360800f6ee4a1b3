/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.c – rank r gets the reduction of ranks 0..r (scan) or 0..r-1 (exscan). */
#include "coll/algorithms.h"

/* The value of a block of ranks.  The own input serves as the first one, and is only read. */
struct block {
    struct mend_piece value, room[2];
    unsigned next; /* the room that does not hold the value */
    bool is_input;
};

static struct block first_block(struct mend_sched *s, struct mend_piece in, struct mend_piece out)
{
    struct block b = {.value = in, .is_input = true};

    b.room[0] = mend_sched_temp(s, out.count, out.type);
    b.room[1] = mend_sched_temp(s, out.count, out.type);
    if (in.operand != out.operand)
        return b;
    mend_sched_copy(s, in, b.room[0]); /* the result goes where the input is */
    return (struct block){.value = b.room[0], .room = {b.room[0], b.room[1]}, .next = 1};
}

/* The next room holds the value of the neighbouring block: both become one. */
static void join(struct mend_sched *s, struct block *b, bool other_is_lower)
{
    if (other_is_lower) {
        if (b->is_input) {
            mend_sched_copy(s, b->value, b->room[!b->next]);
            b->value = b->room[!b->next];
        }
        mend_sched_reduce(s, b->room[b->next], b->value);
    } else {
        mend_sched_reduce(s, b->value, b->room[b->next]);
        b->value = b->room[b->next];
        b->next = !b->next;
    }
    b->is_input = false;
}

/* After the round of distance d there is another partner. */
static bool goes_on(int rank, int d, int size)
{
    for (d *= 2; d < size; d *= 2)
        if ((rank ^ d) < size)
            return true;
    return false;
}

static struct mend_piece if_wanted(struct mend_piece p, bool wanted)
{
    return wanted ? p : mend_piece_part(p, 0, 0);
}

/* Recursive doubling.  A block is a reduction over the ranks known so far; what comes from a lower partner goes into the
 * result as well.
 *
 *     rank 0   block a  result a      ab     a           -      a
 *     rank 1         b         b  ->  ab     ab     ->   -      ab
 *     rank 2         c         c      cd     c           -      abc
 *     rank 3         d         d      cd     cd          -      abcd
 *
 * A rank that has no further partner needs no block any more: an upper partner sends it an empty message.
 *
 * A size that is not a power of two leaves some lower ranks that heard nothing of some higher ones.
 * They must not succeed if one of those is dead (ruling R7): a barrier follows. */
void mend_scan_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                        bool exclusive)
{
    struct block b = first_block(s, in, out);
    bool empty = exclusive; /* nothing in the result yet */

    if (!exclusive)
        mend_sched_copy(s, in, out);
    for (int d = 1; d < s->size; d *= 2) {
        int partner = s->rank ^ d;
        bool lower = partner < s->rank, more = goes_on(s->rank, d, s->size);
        struct mend_piece got = b.room[b.next];

        if (partner >= s->size)
            continue;
        mend_sched_recv(s, partner, if_wanted(got, lower || more));
        mend_sched_send(s, partner, if_wanted(b.value, !lower || goes_on(partner, d, s->size)));
        mend_sched_round(s);
        if (lower && empty)
            mend_sched_copy(s, got, out);
        else if (lower)
            mend_sched_reduce(s, got, out);
        empty &= !lower;
        if (more)
            join(s, &b, lower);
    }
    if (s->size & (s->size - 1))
        mend_barrier_dissemination(s);
}

/* What one rank does to one segment: `got` comes from the rank before; the return value goes to the next one. */
static struct mend_piece take_segment(struct mend_sched *s, struct mend_piece got,
                                      struct mend_piece in, struct mend_piece out,
                                      struct mend_piece sum, bool exclusive)
{
    if (!exclusive) {
        mend_sched_copy(s, in, out);
        mend_sched_reduce(s, got, out);
        return out;
    }
    if (s->rank < s->size - 1) {
        mend_sched_copy(s, in, sum);
        mend_sched_reduce(s, got, sum);
    }
    mend_sched_copy(s, got, out);
    return sum;
}

/* From rank to rank, so that each vector moves once; in segments, so that all ranks have something to do.
 *
 *     rank 0   ─ a1 ─>  ─ a2 ─>  ─ a3 ─>
 *     rank 1            ─ b1 ─>  ─ b2 ─>  ─ b3 ─>            b1: a1 and the own first segment
 *     rank 2                     ─ c1 ─>  ...
 *
 * The last rank waits for all, and the barrier lets the others wait for it (ruling R7).
 * Cost: segments + ranks rounds, one vector sent and one reduced by each rank. */
void mend_scan_chain(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                     bool exclusive, MPI_Count elements)
{
    MPI_Count n = out.count > elements ? (out.count - 1) / elements + 1 : 1;
    MPI_Count most = n > 1 ? elements : out.count;
    bool first = s->rank == 0, last = s->rank == s->size - 1;
    struct mend_piece got[2], sum, ready = in;

    for (int i = 0; i < 2; i++)
        got[i] = mend_sched_temp(s, first ? 0 : most, out.type);
    sum = mend_sched_temp(s, exclusive && !first && !last ? most : 0, out.type);
    if (first && !exclusive)
        mend_sched_copy(s, in, out);
    for (MPI_Count k = 0; k <= n; k++) {
        MPI_Count at = k * elements, len = k + 1 < n ? elements : out.count - at;

        if (!last && k > 0)
            mend_sched_send(s, s->rank + 1, ready);
        if (!first && k < n)
            mend_sched_recv(s, s->rank - 1, mend_piece_part(got[k % 2], 0, len));
        mend_sched_round(s);
        if (k == n)
            break;
        ready = mend_piece_part(in, at, len);
        if (!first)
            ready = take_segment(s, mend_piece_part(got[k % 2], 0, len), ready,
                                 mend_piece_part(out, at, len), mend_piece_part(sum, 0, len),
                                 exclusive);
    }
    mend_barrier_dissemination(s);
}
