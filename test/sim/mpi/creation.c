/* SPDX-License-Identifier: BSD-3-Clause */
/* creation.c – for the simulator: S2-5..S2-7.  Everybody duplicates and splits a communicator, then all
 * survivors agree on which of them got one: either all or none.
 *
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-7: after the decision creation succeeds everywhere */
#include "uniform.h"

int main(int argc, char **argv)
{
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request r;
    int rank, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err = MPI_Comm_dup(MPI_COMM_WORLD, &made);
    if ((err != 0) != (made == MPI_COMM_NULL) || (err && err != MPIX_ERR_PROC_FAILED))
        return 1;
    if (!uniform(MPI_COMM_WORLD, !err))
        return 2;
    made = MPI_COMM_NULL;
    err = MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
    if ((err != 0) != (made == MPI_COMM_NULL) || (err && err != MPIX_ERR_PROC_FAILED))
        return 3;
    if (!uniform(MPI_COMM_WORLD, !err))
        return 4;
    made = MPI_COMM_NULL;
    err = MPI_Comm_idup(MPI_COMM_WORLD, &made, &r);
    if (err)
        return 5;
    err = MPI_Wait(&r, MPI_STATUS_IGNORE);
    if ((err != 0) != (made == MPI_COMM_NULL) || !uniform(MPI_COMM_WORLD, !err))
        return 6;
    MPI_Finalize();
    return 0;
}
