/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter.c – a vector is reduced over all, and each rank gets its share of it. */
#include "coll/algorithms.h"
#include "coll/halving.h"

static struct mend_piece share(struct mend_piece all, const MPI_Count *begin, int from, int to)
{
    return mend_piece_part(all, begin[from], begin[to] - begin[from]);
}

/* Small vectors: everybody reduces everything (allreduce.c) and keeps its share. */
void mend_reduce_scatter_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                                  const MPI_Count *begin)
{
    struct mend_piece all = mend_sched_temp(s, in.count, in.type);

    mend_allreduce_doubling(s, in, all);
    mend_sched_copy(s, share(all, begin, s->rank, s->rank + 1), out);
}

/* Pairwise: in round k everybody sends rank+k its share and gets from rank-k.  What comes from the
 * ranks below arrives nearest first, then what comes from above arrives farthest first: the first
 * kind goes to the left of what is there, so does the second kind into a value of its own.
 *
 *     rank 2 of 5:   round 1   from 1    low  = 1 2
 *                    round 2   from 0    low  = 0 1 2
 *                    round 3   from 4    high = 4
 *                    round 4   from 3    high = 3 4       result = low high         */
void mend_reduce_scatter_pairwise(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                                  const MPI_Count *begin)
{
    int n = s->size;
    struct mend_piece mine = share(in, begin, s->rank, s->rank + 1);
    struct mend_piece low =
        in.operand != out.operand ? out : mend_sched_temp(s, out.count, out.type);
    struct mend_piece high = low;
    struct mend_piece got = mend_sched_temp(s, mine.count, mine.type);
    bool have_high = false;

    if (s->rank < n - 1)
        high = mend_sched_temp(s, mine.count, mine.type);
    mend_sched_copy(s, mine, low);
    for (int k = 1; k < n; k++) {
        int to = (s->rank + k) % n, from = (s->rank - k + n) % n;
        bool first_high = from > s->rank && !have_high;

        mend_sched_recv(s, from, first_high ? high : got);
        mend_sched_send(s, to, share(in, begin, to, to + 1));
        mend_sched_round(s);
        if (from < s->rank)
            mend_sched_reduce(s, got, low);
        else if (!first_high)
            mend_sched_reduce(s, got, high);
        have_high |= first_high;
    }
    if (have_high)
        mend_sched_combine(s, &low, &high, false);
    mend_sched_copy(s, low, out);
}

/* First rank whose share number v is responsible for: a pair of folded ranks has one number. */
static int first_rank(const struct mend_fold *f, int v)
{
    return v < f->rem ? 2 * v : v + f->rem;
}

/* Recursive halving over ranks: partners at distance n/2, n/4, ... keep the shares of their own
 * half.  Commutative only, because what meets is not neighbours.
 *
 *     v = 0   abcd      ab..      a...
 *     v = 1   abcd  ->  ab..  ->  .b..
 *     v = 2   abcd      ..cd      ..c.
 *     v = 3   abcd      ..cd      ...d
 *
 * What this rank has is reduced into what it gets, so its input is only read; the last part is received where the result
 * has to be, if the other ranks' shares are not there. */
void mend_reduce_scatter_halving(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                                 const MPI_Count *begin)
{
    struct mend_fold f = mend_fold_of(s->rank, s->size);
    bool straight = f.rem == 0 && f.n > 1 && in.operand != out.operand;
    struct mend_piece value = in, room[2];
    int lo = 0, hi = f.n, mate = s->rank ^ 1;
    unsigned next = 0;

    if (f.v < 0) {
        mend_sched_send(s, mate, in);
        mend_sched_round(s);
        mend_sched_recv(s, mate, out);
        mend_sched_round(s);
        return;
    }
    for (int i = 0; i < 2; i++)
        room[i] = mend_sched_temp(s, straight && f.n == 2 ? 0 : in.count, in.type);
    if (s->rank < 2 * f.rem) {
        mend_sched_recv(s, mate, room[next]);
        mend_sched_round(s);
        mend_sched_reduce(s, value, room[next]);
        value = room[next++];
    }
    for (int d = f.n / 2; d > 0; d /= 2, next = !next) {
        bool upper = f.v & d;
        int middle = lo + d, partner = mend_fold_rank(&f, f.v ^ d);
        int l = first_rank(&f, lo), m = first_rank(&f, middle), h = first_rank(&f, hi);
        int from = upper ? m : l, to = upper ? h : m;
        struct mend_piece got = d == 1 && straight ? out : share(room[next], begin, from, to);

        mend_sched_recv(s, partner, got);
        mend_sched_send(s, partner, upper ? share(value, begin, l, m) : share(value, begin, m, h));
        mend_sched_round(s);
        mend_sched_reduce(s, share(value, begin, from, to), got);
        value = room[next];
        *(upper ? &lo : &hi) = middle;
    }
    if (!straight)
        mend_sched_copy(s, share(value, begin, s->rank, s->rank + 1), out);
    if (s->rank < 2 * f.rem) {
        mend_sched_send(s, mate, share(value, begin, mate, mate + 1));
        mend_sched_round(s);
    }
}
