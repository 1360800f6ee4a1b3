/* SPDX-License-Identifier: BSD-3-Clause */
/* What a job that hangs says: every rank names its operation, its partner and the communicator, also
 * where the program gave that no name. */
/* RUN: -n 4 --timeout 2 ; exit 124 ; expect "receive from rank 1, tag 5, on chess" ;
   expect "receive from any rank, any tag, on a communicator of ranks 0-3, made by MPI_Comm_dup" ;
   expect "send to rank 0, tag 7, on MPI_COMM_WORLD, 0 of 4 bytes sent, nobody receives it yet" ;
   expect "MPI_Ibarrier on an intercommunicator of ranks 2-3 with ranks 0-1, made by MPI_Intercomm_create" */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm dup, half, inter;
    MPI_Request r;
    int rank, n = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &inter);
    if (rank == 0) {
        MPI_Comm_set_name(dup, "chess");
        MPI_Recv(&n, 1, MPI_INT, 1, 5, dup, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        MPI_Ssend(&n, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else {
        MPI_Ibarrier(inter, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
