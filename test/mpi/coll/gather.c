/* SPDX-License-Identifier: BSD-3-Clause */
/* Gather(v), scatter(v) at every root; allgather(v): every form, in place and not; every rank has a
 * type map of its own; blocks of v-forms lie in reverse order with holes between them, some are
 * empty.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 5 ; time 60
 * RUN: -n 2 ; set COLL_SHM=0 ; time 60
 * RUN: -n 5 ; set COLL_SHM=0 ; time 60
 * RUN: -n 8 ; set COLL=gather=binomial,allgather=doubling,allgatherv=ring ; time 120
 * RUN: -n 6 ; set COLL=gather=linear,allgather=bruck ; time 60
 * RUN: -n 3 ; set COLL=allgather=ring ; time 60 */
#include "mpi/coll/common.h"

static int form, root, pairs, mix;
static bool in_place, irregular;
static int counts[64], displs[64]; /* in elements of a layout */

static const struct layout *layout_of(int r, bool out)
{
    return &layouts[mix ? (r + out + mix) % LAYOUTS : 0];
}

/* Ints of the block that belongs to a rank. */
static int block_ints(int r)
{
    return 2 * (irregular ? pairs * ((r + 1) % 3) : pairs);
}

/* Where blocks lie; returns ints that the whole takes. */
static int arrange(const struct layout *l)
{
    int at = 0;

    for (int r = size - 1; r >= 0; r--) {
        counts[r] = block_ints(r) / l->n;
        displs[r] = at;
        at += counts[r] + 1;
    }
    for (int r = 0; r < size && !irregular; r++)
        displs[r] = r * counts[0];
    return at * l->n;
}

static int first_int(const struct layout *l, int r)
{
    return displs[r] * l->n;
}

static void fill(struct area *a, const struct layout *l, int at, int n, int from, int to)
{
    for (int i = 0; i < n; i++)
        area_put(a, l, at + i, datum(from, to, i));
}

static void expect(struct area *a, const struct layout *l, int at, int n, int from, int to)
{
    for (int i = 0; i < n; i++)
        area_expect(a, l, at + i, datum(from, to, i));
}

static void name_case(const char *what)
{
    snprintf(doing, sizeof doing, "%s of %d pairs, root %d, form %d, mix %d, in place %d, v %d",
             what, pairs, root, form, mix, in_place, irregular);
}

static void done(struct area *in, struct area *out)
{
    AREA_CHECK(in);
    AREA_CHECK(out);
    area_free(in);
    area_free(out);
}

static void gather(void)
{
    const struct layout *li = layout_of(rank, false), *lo = layout_of(rank, true);
    struct area in = area_of(li, block_ints(rank)), out = area_of(lo, arrange(lo));
    bool here = rank == root, keep = here && in_place;
    void *from = keep ? MPI_IN_PLACE : in.buf, *to = here ? out.buf : NULL;
    int n = block_ints(rank) / li->n;
    MPI_Datatype ti = keep ? MPI_DATATYPE_NULL : li->type, t = here ? lo->type : MPI_DATATYPE_NULL;

    name_case("gather");
    fill(&in, li, 0, block_ints(rank), rank, root);
    if (keep)
        fill(&out, lo, first_int(lo, rank), block_ints(rank), rank, root);
    if (irregular)
        CALL(form, Gatherv, gatherv, from, keep ? -1 : n, ti, to, here ? counts : NULL,
             here ? displs : NULL, t, root, MPI_COMM_WORLD);
    else
        CALL(form, Gather, gather, from, keep ? -1 : n, ti, to, here ? counts[0] : -1, t, root,
             MPI_COMM_WORLD);
    for (int r = 0; r < size && here; r++)
        expect(&out, lo, first_int(lo, r), block_ints(r), r, root);
    done(&in, &out);
}

static void scatter(void)
{
    const struct layout *li = layout_of(rank, false), *lo = layout_of(rank, true);
    struct area in = area_of(li, arrange(li)), out = area_of(lo, block_ints(rank));
    bool here = rank == root, keep = here && in_place;
    void *from = here ? in.buf : NULL, *to = keep ? MPI_IN_PLACE : out.buf;
    int n = block_ints(rank) / lo->n;
    MPI_Datatype ti = here ? li->type : MPI_DATATYPE_NULL, t = keep ? MPI_DATATYPE_NULL : lo->type;

    name_case("scatter");
    for (int r = 0; r < size && here; r++)
        fill(&in, li, first_int(li, r), block_ints(r), root, r);
    if (irregular)
        CALL(form, Scatterv, scatterv, from, here ? counts : NULL, here ? displs : NULL, ti, to,
             keep ? -1 : n, t, root, MPI_COMM_WORLD);
    else
        CALL(form, Scatter, scatter, from, here ? counts[0] : -1, ti, to, keep ? -1 : n, t, root,
             MPI_COMM_WORLD);
    if (!keep)
        expect(&out, lo, 0, block_ints(rank), root, rank);
    done(&in, &out);
}

static void allgather(void)
{
    const struct layout *li = layout_of(rank, false), *lo = layout_of(rank, true);
    struct area in = area_of(li, block_ints(rank)), out = area_of(lo, arrange(lo));
    void *from = in_place ? MPI_IN_PLACE : in.buf;
    int n = in_place ? -1 : block_ints(rank) / li->n;
    MPI_Datatype ti = in_place ? MPI_DATATYPE_NULL : li->type;

    name_case("allgather");
    fill(&in, li, 0, block_ints(rank), rank, 0);
    if (in_place)
        fill(&out, lo, first_int(lo, rank), block_ints(rank), rank, 0);
    if (irregular)
        CALL(form, Allgatherv, allgatherv, from, n, ti, out.buf, counts, displs, lo->type,
             MPI_COMM_WORLD);
    else
        CALL(form, Allgather, allgather, from, n, ti, out.buf, counts[0], lo->type, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        expect(&out, lo, first_int(lo, r), block_ints(r), r, 0);
    done(&in, &out);
}

int main(int argc, char **argv)
{
    static const int some[] = {0, 1, 6, 7, 300, 9000};

    start(&argc, &argv);
    for (int l = 0; l < 6; l++)
        for (int mode = 0; mode < 12; mode++)
            for (form = 0; form < FORMS; form++) {
                pairs = some[l];
                in_place = mode & 1;
                irregular = mode & 2;
                mix = mode / 4;
                for (root = 0; root < size; root++)
                    if (l < 5 ||
                        root == (mode + form) % size) { /* each root in some of the longest */
                        gather();
                        scatter();
                    }
                allgather();
            }
    return finish();
}
