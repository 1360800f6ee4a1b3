/* SPDX-License-Identifier: BSD-3-Clause */
/* revoke.c – for the simulator: S0-59.  Rank 0 revokes and may die while it does; all others wait for
 * messages that never come.  If one of them learns of the revocation, all do: otherwise a rank that waits for a survivor
 * would hang, which the simulator detects.  If none has learned of it, rank 0's death is reported.
 *
 *   S0-59: a revocation reaches all survivors even if its caller dies */
#include <mpi.h>
#include <mpi-ext.h>

int main(int argc, char **argv)
{
    int rank, size, v = 0, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPIX_Comm_revoke(MPI_COMM_WORLD);
    } else {
        err = MPI_Recv(&v, 1, MPI_INT, rank == 1 ? 0 : rank - 1, 7, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
        if (err == MPIX_ERR_PROC_FAILED) /* the one we wait for died: tell the others ourselves */
            MPIX_Comm_revoke(MPI_COMM_WORLD);
        else if (err != MPIX_ERR_REVOKED)
            return 1;
    }
    MPI_Finalize();
    return 0;
}
