/* SPDX-License-Identifier: BSD-3-Clause */
/* survive.c – the smallest program that loses a rank and goes on.  README.md shows it.
 *
 *     mpicc survive.c -o survive && mpiexec -n 4 ./survive */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD, survivors;
    int me, rank, size, sum, good;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); /* errors come back as codes */
    MPI_Comm_rank(comm, &me);
    if (me == 1)
        raise(SIGKILL);

    for (;;) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        good = MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
        if (good && rank == 0) { /* write first and agree afterwards: the writer may die, too */
            printf("%d ranks are left, their old ranks add up to %d\n", size, sum);
            fflush(stdout);
        }
        if (!good)
            MPIX_Comm_revoke(comm); /* ends every wait on this communicator */
        if (MPIX_Comm_agree(comm, &good) == MPI_SUCCESS && good)
            break; /* no rank was lost, all have the sum, rank 0 has written it */
        if (MPIX_Comm_shrink(comm, &survivors) != MPI_SUCCESS)
            MPI_Abort(comm, 1);
        comm = survivors; /* try again without the lost ranks */
    }
    return MPI_Finalize();
}
