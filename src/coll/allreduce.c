/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce.c – every rank gets the reduction of all. */
#include "coll/algorithms.h"
#include "coll/halving.h"

/* Recursive doubling: partners at distance 1, 2, 4, ... exchange all they have.
 *
 *     v = 0   a         ab        abcd
 *     v = 1   b    ->   ab   ->   abcd
 *     v = 2   c         cd        abcd
 *     v = 3   d         cd        abcd                     */
void mend_allreduce_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out)
{
    struct mend_fold f = mend_fold_of(s->rank, s->size);
    struct mend_accu a = {.value = out};

    if (f.v >= 0 && s->size > 1)
        a.spare = mend_sched_temp(s, out.count, out.type);
    mend_fold_in(s, &f, in, &a);
    for (int d = 1; f.v >= 0 && d < f.n; d *= 2) {
        int partner = mend_fold_rank(&f, f.v ^ d);

        mend_sched_recv(s, partner, a.spare);
        mend_sched_send(s, partner, a.value);
        mend_sched_round(s);
        mend_sched_combine(s, &a.value, &a.spare, f.v & d);
    }
    mend_sched_copy(s, a.value, out);
    mend_fold_out(s, &f, out);
}

/* Rabenseifner: halving (halving.h), then the parts go back the same way.  Everybody sends about
 * twice the vector, whatever the number of ranks.
 *
 *     v = 0   a...      ab..      abcd
 *     v = 1   ..c.  ->  ..cd  ->  abcd
 *     v = 2   .b..      ab..      abcd
 *     v = 3   ...d      ..cd      abcd                     */
void mend_allreduce_halving(struct mend_sched *s, struct mend_piece in, struct mend_piece out)
{
    struct mend_fold f = mend_fold_of(s->rank, s->size);
    struct mend_range ranges[MEND_FOLD_LEVELS];
    struct mend_accu a = {.value = out};
    int level;

    if (f.v >= 0)
        a.spare = mend_sched_temp(s, out.count, out.type);
    mend_fold_in(s, &f, in, &a);
    if (f.v >= 0) {
        level = mend_halve(s, &f, &a, ranges);
        mend_sched_copy(s, mend_range_of(a.value, ranges[level]),
                        mend_range_of(out, ranges[level]));
        for (int d = f.n / 2; d > 0; d /= 2, level--) {
            struct mend_range mine = ranges[level], other = ranges[level - 1];
            int partner = mend_fold_rank(&f, f.v ^ d);

            *(f.v & d ? &other.hi : &other.lo) = f.v & d ? mine.lo : mine.hi;
            mend_sched_recv(s, partner, mend_range_of(out, other));
            mend_sched_send(s, partner, mend_range_of(out, mine));
            mend_sched_round(s);
        }
    }
    mend_fold_out(s, &f, out);
}

static struct mend_piece part_of(const struct mend_sched *s, struct mend_piece p, int i)
{
    int n = s->size, k = (i % n + n) % n;
    MPI_Count from = mend_stretch_begin(p.count, n, k), to = mend_stretch_begin(p.count, n, k + 1);

    return mend_piece_part(p, from, to - from);
}

/* Ring: part i travels once round and collects, then once more as the result.  Commutative only,
 * because part i is reduced in the order i+1, i+2, ..., i.
 *
 *     3 ranks    0 -a-> 1 -a-> 2         part a is complete at 2, b at 0, c at 1;
 *                1 -b-> 2 -b-> 0         then each is passed on twice
 *                2 -c-> 0 -c-> 1                                                  */
void mend_allreduce_ring(struct mend_sched *s, struct mend_piece in, struct mend_piece out)
{
    int n = s->size, next = (s->rank + 1) % n, before = (s->rank + n - 1) % n;
    struct mend_piece temp = mend_sched_temp(s, out.count / n + 1, out.type);

    mend_sched_copy(s, in, out);
    for (int k = 0; k < n - 1; k++) {
        struct mend_piece mine = part_of(s, out, s->rank - k - 1), got = temp;

        got.count = mine.count;
        mend_sched_recv(s, before, got);
        mend_sched_send(s, next, part_of(s, out, s->rank - k));
        mend_sched_round(s);
        mend_sched_reduce(s, got, mine);
    }
    for (int k = 0; k < n - 1; k++) {
        mend_sched_recv(s, before, part_of(s, out, s->rank - k));
        mend_sched_send(s, next, part_of(s, out, s->rank - k + 1));
        mend_sched_round(s);
    }
}
