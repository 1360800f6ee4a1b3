/* SPDX-License-Identifier: BSD-3-Clause */
/* halving.c – folding to a power of two, and recursive halving; the pictures are in halving.h. */
#include "coll/halving.h"

struct mend_fold mend_fold_of(int rank, int size)
{
    struct mend_fold f = {.n = 1};

    while (f.n <= size / 2)
        f.n *= 2;
    f.rem = size - f.n;
    if (rank >= 2 * f.rem)
        f.v = rank - f.rem;
    else
        f.v = rank % 2 ? rank / 2 : -1;
    return f;
}

void mend_fold_in(struct mend_sched *s, const struct mend_fold *f, struct mend_piece mine,
                  struct mend_accu *a)
{
    if (f->v < 0) {
        mend_sched_send(s, s->rank + 1, mine);
        mend_sched_round(s);
        return;
    }
    mend_sched_copy(s, mine, a->value);
    if (s->rank < 2 * f->rem) {
        mend_sched_recv(s, s->rank - 1, a->spare);
        mend_sched_round(s);
        mend_sched_combine(s, &a->value, &a->spare, true);
    }
}

void mend_fold_out(struct mend_sched *s, const struct mend_fold *f, struct mend_piece result)
{
    if (s->rank >= 2 * f->rem)
        return;
    if (f->v < 0)
        mend_sched_recv(s, s->rank + 1, result);
    else
        mend_sched_send(s, s->rank - 1, result);
    mend_sched_round(s);
}

int mend_halve(struct mend_sched *s, const struct mend_fold *f, struct mend_accu *a,
               struct mend_range ranges[MEND_FOLD_LEVELS])
{
    int level = 0;

    ranges[0] = (struct mend_range){0, a->value.count};
    for (int d = 1; d < f->n; d *= 2, level++) {
        struct mend_range whole = ranges[level], keep = whole, give = whole;
        MPI_Count middle = whole.lo + (whole.hi - whole.lo) / 2;
        bool upper = f->v & d;
        int partner = mend_fold_rank(f, f->v ^ d);
        struct mend_accu kept;

        *(upper ? &keep.lo : &keep.hi) = middle;
        *(upper ? &give.hi : &give.lo) = middle;
        mend_sched_recv(s, partner, mend_range_of(a->spare, keep));
        mend_sched_send(s, partner, mend_range_of(a->value, give));
        mend_sched_round(s);
        kept = (struct mend_accu){mend_range_of(a->value, keep), mend_range_of(a->spare, keep)};
        mend_sched_combine(s, &kept.value, &kept.spare, upper);
        if (!upper) { /* the result lies in the spare buffer */
            struct mend_piece value = a->value;

            a->value = a->spare;
            a->spare = value;
        }
        ranges[level + 1] = keep;
    }
    return level;
}
