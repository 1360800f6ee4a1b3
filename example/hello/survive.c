/* SPDX-License-Identifier: BSD-3-Clause */
/* survive.c – the smallest program that loses a rank and goes on.  README.md shows it.
 *
 *     mpicc survive.c -o survive && mpiexec -n 4 ./survive */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD, living;
    int rank, size, sum, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); /* we want the codes */
    MPI_Comm_rank(comm, &rank);
    if (rank == 1)
        raise(SIGKILL);

    err = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (err == MPI_ERR_PROC_FAILED || err == MPI_ERR_REVOKED) {
        MPI_Comm_revoke(comm);           /* nobody waits any longer on the old communicator */
        MPIX_Comm_shrink(comm, &living); /* the living meet on a new one */
        comm = living;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
    MPI_Comm_size(comm, &size);
    printf("rank %d of the old world: %d of us are left, our ranks add up to %d\n", rank, size,
           sum);
    return MPI_Finalize();
}
