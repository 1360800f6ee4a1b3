/* SPDX-License-Identifier: BSD-3-Clause */
/* Alltoall, alltoallv, alltoallw: every form, in place and not, type maps of each rank (and with w
 * of each block) its own, blocks of sizes of their own.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 5 ; time 60
 * RUN: -n 2 ; set COLL_SHM=0 ; time 60
 * RUN: -n 5 ; set COLL_SHM=0 ; time 60
 * RUN: -n 9 ; set COLL=alltoall=bruck ; time 60
 * RUN: -n 12 ; set COLL=alltoall=pairwise ; time 60 */
#include "mpi/coll/common.h"

enum { PLAIN, V, W };

static int form, kind, pairs, mix;
static bool in_place;

static const struct layout *layout_of(int r, int i, bool out)
{
    if (!mix)
        return &layouts[0];
    return &layouts[(r + out + mix + (kind == W ? i : 0)) % LAYOUTS];
}

/* In place both directions of a pair have one size. */
static int block_ints(int from, int to)
{
    return 2 * pairs * (kind == PLAIN ? 1 : (from + to) % 3);
}

/* The blocks of one side. */
struct side {
    struct area a;
    int counts[64], displs[64];
    MPI_Datatype types[64];
};

static size_t block_at(const struct side *s, int i, bool out)
{
    return (size_t)s->displs[i] * (size_t)(kind == W ? 1 : layout_of(rank, i, out)->extent);
}

static void side_new(struct side *s, bool out)
{
    int at = 0;

    for (int k = 0; k < size; k++) {
        int i = kind == PLAIN ? k : size - 1 - k;
        const struct layout *l = layout_of(rank, i, out);

        s->counts[i] = block_ints(out ? i : rank, out ? rank : i) / l->n;
        s->types[i] = l->type;
        s->displs[i] = at;
        at += kind == W ? (s->counts[i] + 1) * l->extent : s->counts[i] + (kind == V);
    }
    s->a = area_new((size_t)at * (kind == W ? 1 : 16) + 64);
}

/* Writes block i, or what it must become. */
static void block(struct side *s, int i, bool out, int from, int to, bool only_expected)
{
    const struct layout *l = layout_of(rank, i, out);
    struct area part = s->a;

    part.buf += block_at(s, i, out);
    part.image += block_at(s, i, out);
    for (int k = 0; k < block_ints(from, to); k++) {
        if (only_expected)
            area_expect(&part, l, k, datum(from, to, k));
        else
            area_put(&part, l, k, datum(from, to, k));
    }
}

static void call(struct side *in, struct side *out)
{
    void *from = in_place ? MPI_IN_PLACE : in->a.buf;

    if (kind == PLAIN)
        CALL(form, Alltoall, alltoall, from, in_place ? -1 : in->counts[0],
             in_place ? MPI_DATATYPE_NULL : in->types[0], out->a.buf, out->counts[0], out->types[0],
             MPI_COMM_WORLD);
    else if (kind == V)
        CALL(form, Alltoallv, alltoallv, from, in_place ? NULL : in->counts,
             in_place ? NULL : in->displs, in_place ? MPI_DATATYPE_NULL : in->types[0], out->a.buf,
             out->counts, out->displs, out->types[0], MPI_COMM_WORLD);
    else
        CALL(form, Alltoallw, alltoallw, from, in_place ? NULL : in->counts,
             in_place ? NULL : in->displs, in_place ? NULL : in->types, out->a.buf, out->counts,
             out->displs, out->types, MPI_COMM_WORLD);
}

static void one(void)
{
    static struct side in, out;

    snprintf(doing, sizeof doing, "kind %d, %d pairs, form %d, mix %d, in place %d", kind, pairs,
             form, mix, in_place);
    side_new(&in, false);
    side_new(&out, true);
    for (int i = 0; i < size; i++) {
        if (in_place)
            block(&out, i, true, rank, i, false);
        else
            block(&in, i, false, rank, i, false);
    }
    call(&in, &out);
    for (int i = 0; i < size; i++)
        block(&out, i, true, i, rank, true);
    AREA_CHECK(&in.a);
    AREA_CHECK(&out.a);
    area_free(&in.a);
    area_free(&out.a);
}

int main(int argc, char **argv)
{
    static const int some[] = {0, 1, 3, 25, 700, 9000};

    start(&argc, &argv);
    for (int l = 0; l < (size > 6 ? 5 : 6); l++)
        for (kind = PLAIN; kind <= W; kind++)
            for (int mode = 0; mode < 6; mode++)
                for (form = 0; form < FORMS; form++) {
                    pairs = some[l];
                    in_place = mode & 1;
                    mix = mode / 2;
                    one();
                }
    return finish();
}
