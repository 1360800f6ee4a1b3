/* SPDX-License-Identifier: BSD-3-Clause */
/* Allreduce, reduce at every root, scan and exscan: every form, in place and not, predefined and
 * user's operators, commutative or not, types with gaps, short and long vectors.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 3
 * RUN: -n 5 ; time 60
 * RUN: -n 2 ; set COLL_SHM=0 ; time 60
 * RUN: -n 5 ; set COLL_SHM=0 ; time 60
 * RUN: -n 4 ; set COLL=allreduce=ring,reduce=halving,scan=linear ; time 60
 * RUN: -n 6 ; set COLL=allreduce=halving,reduce=binomial,scan=doubling ; time 60
 * RUN: -n 3 ; set COLL=allreduce=doubling ; time 60
 * RUN: -n 2 ; set COUNTERS_LEFT=50 ; time 60
 * RUN: -n 5 ; set COUNTERS_LEFT=50 ; time 60
 * RUN: -n 5 ; set COUNTERS_LEFT=50 ; set COLL_SHM=0 ; time 60 */
#include "mpi/coll/ops.h"

static const struct op_case *o;
static int n;

static struct area given(bool in_place, struct area *out)
{
    struct area in = area_new((size_t)n * (size_t)o->extent);

    *out = area_new((size_t)n * (size_t)o->extent);
    op_give(o, in_place ? out : &in, n);
    return in;
}

static void checked(struct area *in, struct area *out)
{
    AREA_CHECK(in);
    AREA_CHECK(out);
    area_free(in);
    area_free(out);
}

static void allreduce(int form, bool in_place)
{
    struct area out, in = given(in_place, &out);

    CALL(form, Allreduce, allreduce, in_place ? MPI_IN_PLACE : in.buf, out.buf, n, o->type, o->op,
         MPI_COMM_WORLD);
    op_expect(o, &out, 0, n, 0, size - 1);
    checked(&in, &out);
}

static void reduce(int form, bool in_place, int root)
{
    struct area out, in = given(in_place && rank == root, &out);

    CALL(form, Reduce, reduce, in_place && rank == root ? MPI_IN_PLACE : in.buf,
         rank == root ? out.buf : NULL, n, o->type, o->op, root, MPI_COMM_WORLD);
    if (rank == root)
        op_expect(o, &out, 0, n, 0, size - 1);
    checked(&in, &out);
}

static void scan(int form, bool in_place)
{
    struct area out, in = given(in_place, &out);

    CALL(form, Scan, scan, in_place ? MPI_IN_PLACE : in.buf, out.buf, n, o->type, o->op,
         MPI_COMM_WORLD);
    op_expect(o, &out, 0, n, 0, rank);
    checked(&in, &out);
}

static void exscan(int form, bool in_place)
{
    struct area out, in = given(in_place, &out);

    CALL(form, Exscan, exscan, in_place ? MPI_IN_PLACE : in.buf, out.buf, n, o->type, o->op,
         MPI_COMM_WORLD);
    if (rank > 0)
        op_expect(o, &out, 0, n, 0, rank - 1);
    checked(&in, &out);
}

static void all_forms(void)
{
    EACH_FORM(form)
    for (int in_place = 0; in_place < 2; in_place++) {
        snprintf(doing, sizeof doing, "%s, %d elements, form %d, in place %d", o->name, n, form,
                 in_place);
        allreduce(form, in_place);
        scan(form, in_place);
        exscan(form, in_place);
        for (int root = 0; root < size; root++)
            if (n < 10000 || root == size - 1)
                reduce(form, in_place, root);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    ops_start();
    for (int k = 0; k < OP_CASES; k++)
        for (int l = 0; l < LENGTHS; l++) {
            o = &op_cases[k];
            n = op_length(o, lengths[l]);
            all_forms();
        }
    ops_finish();
    return finish();
}
