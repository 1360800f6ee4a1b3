/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c – the root gets the reduction of all. */
#include "coll/algorithms.h"
#include "coll/halving.h"

/* Children of v in the binomial tree: v + 1, v + 2, v + 4, ... below the lowest bit of v. */
static int children_of(const struct mend_sched *s, int v)
{
    int n = 0;

    for (int d = 1; v + d < s->size && !(v & d); d *= 2)
        n++;
    return n;
}

/* Collects the values of the subtree of v into *result_p.  `mine` is only read; the pieces a and b
 * are where values of children arrive, in turn. */
static void collect(struct mend_sched *s, int base, int v, struct mend_piece mine,
                    struct mend_piece a, struct mend_piece b, struct mend_piece *result_p)
{
    struct mend_piece value = mine, room = a;

    for (int d = 1; v + d < s->size && !(v & d); d *= 2) {
        struct mend_piece next_room = room.operand == a.operand && room.at == a.at ? b : a;

        mend_sched_recv(s, (base + v + d) % s->size, room);
        mend_sched_round(s);
        mend_sched_reduce(s, value, room); /* the child's ranks are above mine */
        value = room;
        room = next_room;
    }
    *result_p = value;
}

/* Binomial tree.  For an operator that does not commute it is built over the ranks as they are, so
 * that what meets is neighbours, and rank 0 hands the result to the root.
 *
 *     0 <────── 4                  round 1   1 -> 0, 3 -> 2, 5 -> 4, 7 -> 6
 *     │ <── 2   │ <── 6 <─ 7       round 2   2 -> 0, 6 -> 4
 *     │ <─ 1  <─ 3 <─ 5            round 3   4 -> 0                          */
void mend_reduce_binomial(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                          int root)
{
    int base = s->op->commutative ? root : 0;
    int v = (s->rank - base + s->size) % s->size, children = children_of(s, v);
    struct mend_piece a = out, b = out, value;
    bool in_place = in.operand == MEND_OPERAND_OUTPUT, at_root = s->rank == root;

    if (!at_root && children > 0)
        a = mend_sched_temp(s, in.count, in.type);
    if (children > 1 || (at_root && children > 0))
        b = mend_sched_temp(s, in.count, in.type);
    /* End in `out` at the root if possible: the last child's value must arrive there. */
    if (at_root && (in_place || children % 2 == 0))
        collect(s, base, v, in, b, a, &value);
    else
        collect(s, base, v, in, a, b, &value);
    if (v) {
        mend_sched_send(s, (base + v - (v & -v)) % s->size, value);
        mend_sched_round(s);
    }
    if (base == root) {
        if (at_root)
            mend_sched_copy(s, value, out);
    } else if (at_root) {
        mend_sched_recv(s, 0, out);
        mend_sched_round(s);
    } else if (!v) {
        mend_sched_send(s, root, value);
        mend_sched_round(s);
    }
}

/* The parts go to the one that stands for the root: at each distance one of two partners hands on
 * all it has.  ranges[] as mend_halve() left it. */
static void collect_parts(struct mend_sched *s, const struct mend_fold *f, int root_v, int level,
                          struct mend_piece out, const struct mend_range *ranges)
{
    for (int d = f->n / 2; d > 0; d /= 2, level--) {
        struct mend_range mine = ranges[level], other = ranges[level - 1];
        int partner = mend_fold_rank(f, f->v ^ d);

        if ((f->v & d) != (root_v & d)) {
            mend_sched_send(s, partner, mend_range_of(out, mine));
            mend_sched_round(s);
            return;
        }
        *(f->v & d ? &other.hi : &other.lo) = f->v & d ? mine.lo : mine.hi;
        mend_sched_recv(s, partner, mend_range_of(out, other));
        mend_sched_round(s);
    }
}

/* Large vectors: halving (halving.h), then the parts are collected at the root.
 *
 *     v = 0   a...      ab..      abcd   (root)
 *     v = 1   ..c.  ->  ..cd  ->
 *     v = 2   .b..
 *     v = 3   ...d                                 */
void mend_reduce_halving(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                         int root)
{
    struct mend_fold f = mend_fold_of(s->rank, s->size);
    struct mend_fold of_root = mend_fold_of(root, s->size);
    int root_v = of_root.v < 0 ? root / 2 : of_root.v, stands_for = mend_fold_rank(&f, root_v);
    struct mend_range ranges[MEND_FOLD_LEVELS];
    struct mend_accu a;
    int level;

    if (f.v >= 0) {
        if (s->rank != root)
            out = mend_sched_temp(s, in.count, in.type);
        a = (struct mend_accu){out, mend_sched_temp(s, in.count, in.type)};
        mend_fold_in(s, &f, in, &a);
        level = mend_halve(s, &f, &a, ranges);
        mend_sched_copy(s, mend_range_of(a.value, ranges[level]),
                        mend_range_of(out, ranges[level]));
        collect_parts(s, &f, root_v, level, out, ranges);
    } else {
        mend_fold_in(s, &f, in, NULL);
    }
    if (stands_for == root)
        return;
    if (s->rank == root)
        mend_sched_recv(s, stands_for, out);
    else if (s->rank == stands_for)
        mend_sched_send(s, root, out);
    mend_sched_round(s);
}
