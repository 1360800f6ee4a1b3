/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_shrink of a communicator that is invalid nowhere is MPI_ERR_ARG everywhere;
 * if it is invalid at one rank only it proceeds; MPIX_Comm_shrink takes any communicator.
 *
 *   R3: the shrink of 2012 refuses only if the communicator is revoked at no survivor
 *   R17: MPIX_Comm_shrink takes any communicator, MPI_Comm_shrink a revoked one
 *   S0-73: the shrink of 2012 refuses a communicator that is not revoked */
/* RUN: -n 1 ; expect "rank 0 ok" */
/* RUN: -n 2 ; expect "rank 1 ok" */
/* RUN: -n 5 ; expect "rank 4 ok" */
/* RUN: -n 16 ; set AGREE_SHM=0 ; expect "rank 15 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm c, s;
    int n;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    CHECK_CLASS(MPI_Comm_shrink(c, &s), MPI_ERR_ARG);
    CHECK_EQ(MPI_Barrier(c), MPI_SUCCESS);
    CHECK_EQ(MPIX_Comm_shrink(c, &s), MPI_SUCCESS);
    MPI_Comm_size(s, &n);
    CHECK_EQ(n, size);
    MPI_Comm_free(&s);
    if (rank == size - 1)
        MPI_Comm_invalidate(c);
    CHECK_EQ(MPI_Comm_shrink(c, &s), MPI_SUCCESS);
    CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, 0, 0, c), MPI_ERR_INVALIDATED); /* at once */
    CHECK_EQ(MPI_Barrier(s), MPI_SUCCESS);
    MPI_Comm_free(&s);
    MPI_Comm_free(&c);
    return finish();
}
