/* SPDX-License-Identifier: BSD-3-Clause */
/* Agreement and shrink are not pre-empted: some ranks are inside when the
 * communicator is revoked, the others join later; the result is the normal one.
 *
 *   S0-61: a revocation ends neither shrink nor agreement
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-93: an agreement works on a revoked communicator */
/* RUN: -n 2 ; expect "rank 1 ok" */
/* RUN: -n 7 ; expect "rank 6 ok" */
/* RUN: -n 16 ; set AGREE_SHM=0 ; expect "rank 15 ok" */
#include "../common.h"

/* Shrinks that began before the communicator was invalid anywhere. */
static void shrink_before(void)
{
    MPI_Comm c, shrunk;
    MPI_Request r;
    int n;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    if (rank == 0) {
        await(1, size - 1);
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_shrink(c, &shrunk), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPIX_Comm_ishrink(c, &shrunk, &r), MPI_SUCCESS);
        post(1);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    MPI_Comm_size(shrunk, &n);
    CHECK_EQ(n, size);
    CHECK_EQ(MPI_Barrier(shrunk), MPI_SUCCESS);
    MPI_Comm_free(&shrunk);
    MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
    MPI_Comm shrunk;
    MPI_Request r;
    int flag = 1, n, me, sum = 0;

    start(&argc, &argv);
    shrink_before();
    MPI_Icomm_agreement(MPI_COMM_WORLD, &flag, &r);
    if (rank == 0) {
        int done = 0;

        MPI_Test(&r, &done, MPI_STATUS_IGNORE);
        await(0, size - 1); /* the others are inside */
        MPI_Comm_invalidate(MPI_COMM_WORLD);
    } else {
        post(0);
    }
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Comm_shrink(MPI_COMM_WORLD, &shrunk), MPI_SUCCESS);
    MPI_Comm_size(shrunk, &n);
    MPI_Comm_rank(shrunk, &me);
    CHECK_EQ(n, size);
    CHECK_EQ(me, rank);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, shrunk), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    MPI_Comm_free(&shrunk);
    return finish();
}
