/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcast from every root in every form; every rank has a type map of its own; barrier.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 5 ; time 60
 * RUN: -n 2 ; set COLL_SHM=0 ; time 60
 * RUN: -n 5 ; set COLL_SHM=0 ; time 60
 * RUN: -n 6 ; set COLL=bcast=scatter_ring ; time 60
 * RUN: -n 7 ; set COLL=bcast=binomial,barrier=dissemination ; time 60 */
#include "mpi/coll/common.h"

static void bcast(int form, int root, int pairs, int mix)
{
    const struct layout *l = &layouts[mix ? (rank + mix) % LAYOUTS : 0];
    struct area a = area_of(l, 2 * pairs);

    snprintf(doing, sizeof doing, "bcast of %d pairs from %d, form %d, mix %d", pairs, root, form,
             mix);
    for (int i = 0; i < 2 * pairs && rank == root; i++)
        area_put(&a, l, i, datum(root, 0, i));
    CALL(form, Bcast, bcast, a.buf, 2 * pairs / l->n, l->type, root, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * pairs; i++)
        area_expect(&a, l, i, datum(root, 0, i));
    AREA_CHECK(&a);
    area_free(&a);
}

/* The root may run ahead, but never into what others still read. */
static void run_ahead(void)
{
    for (int i = 0; i < 2000; i++) {
        int root = i / 100 % size, v[30] = {0};

        v[i % 30] = rank == root ? i : -1;
        MPI_Bcast(v, i % 2 ? 30 : i % 12, MPI_INT, root, MPI_COMM_WORLD);
        CHECK(i % 30 >= (i % 2 ? 30 : i % 12) || v[i % 30] == i);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    EACH_FORM(form)
    {
        MPI_Request q;

        for (int l = 0; l < LENGTHS; l++)
            for (int root = 0; root < size; root++)
                for (int mix = 0; mix < 3; mix++)
                    bcast(form, root, lengths[l], mix);
        if (form == BLOCKING)
            MPI_Barrier(MPI_COMM_WORLD);
        else if (form == NONBLOCKING)
            MPI_Ibarrier(MPI_COMM_WORLD, &q);
        else
            MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &q);
        if (form != BLOCKING)
            finish_request(form, &q);
    }
    run_ahead();
    return finish();
}
