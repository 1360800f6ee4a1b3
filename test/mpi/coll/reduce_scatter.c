/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce_scatter with uneven shares (some empty) and reduce_scatter_block: every form, in place and
 * not, all kinds of operators.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 5 ; time 60
 * RUN: -n 5 ; set COLL_SHM=0 ; time 60
 * RUN: -n 6 ; set COLL=reduce_scatter=pairwise ; time 60
 * RUN: -n 7 ; set COLL=reduce_scatter=halving ; time 60
 * RUN: -n 3 ; set COLL=reduce_scatter=doubling ; time 60 */
#include "mpi/coll/ops.h"

static void one(const struct op_case *o, int form, bool in_place, bool block, int each)
{
    int *counts = malloc(sizeof(int) * (size_t)size), total = 0, first = 0;
    struct area in, out;

    for (int r = 0; r < size; r++) {
        counts[r] = block ? each : each * (r % 3);
        first += r < rank ? counts[r] : 0;
        total += counts[r];
    }
    in = area_new((size_t)total * (size_t)o->extent);
    out = area_new((size_t)(in_place ? total : counts[rank]) * (size_t)o->extent);
    op_give(o, in_place ? &out : &in, total);
    snprintf(doing, sizeof doing, "%s, %d each, form %d, in place %d, block %d", o->name, each,
             form, in_place, block);
    if (block)
        CALL(form, Reduce_scatter_block, reduce_scatter_block, in_place ? MPI_IN_PLACE : in.buf,
             out.buf, each, o->type, o->op, MPI_COMM_WORLD);
    else
        CALL(form, Reduce_scatter, reduce_scatter, in_place ? MPI_IN_PLACE : in.buf, out.buf,
             counts, o->type, o->op, MPI_COMM_WORLD);
    op_expect(o, &out, first, counts[rank], 0, size - 1);
    if (in_place) /* the rest of the buffer is the call's to use */
        memcpy(out.image + MARGIN + counts[rank] * o->extent,
               out.raw + MARGIN + counts[rank] * o->extent,
               (size_t)(total - counts[rank]) * (size_t)o->extent);
    AREA_CHECK(&in);
    AREA_CHECK(&out);
    area_free(&in);
    area_free(&out);
    free(counts);
}

int main(int argc, char **argv)
{
    static const int each[] = {0, 1, 3, 200, 1500, 20000};

    start(&argc, &argv);
    ops_start();
    for (int k = 0; k < OP_CASES; k++)
        for (int l = 0; l < 6; l++)
            for (int mode = 0; mode < 4; mode++)
                EACH_FORM(form)
    one(&op_cases[k], form, mode & 1, mode & 2, op_length(&op_cases[k], each[l]));
    ops_finish();
    return finish();
}
