/* SPDX-License-Identifier: BSD-3-Clause */
/* replace.c – for the simulator: the highest rank but one dies, and the others replace what is lost until the communicator
 * has its old size; then all of that size, also the new ones, take part in a collective and end.
 *
 * Shows, killed at every yield of every process, also of the new ones:
 *
 *   S2-5: creation is uniform: at all survivors or at none
 *   S3-1: a failed process never returns under its identity */
#include "uniform.h"

#include <unistd.h>

#define TRIES 8

/* What all processes of the whole communicator do, one that dies meanwhile excepted. */
static int use(MPI_Comm whole)
{
    int one = 1, sum = 0, size, err;

    MPI_Comm_set_errhandler(whole, MPI_ERRORS_RETURN);
    MPI_Comm_size(whole, &size);
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, whole);
    if (err != MPI_SUCCESS && err != MPIX_ERR_PROC_FAILED)
        return 1;
    return err == MPI_SUCCESS && sum != size;
}

int main(int argc, char **argv)
{
    MPI_Comm whole;
    int rank, size, at, now, err = MPI_SUCCESS;

    MPI_Init(&argc, &argv);
    MPIX_Comm_refilled(&whole);
    if (whole == MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank == size - 2)
            _exit(0);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int k = 0; k < TRIES; k++) {
            err = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
            if (err != MPIX_ERR_PROC_FAILED)
                break;
        }
        if (err != MPI_SUCCESS && err != MPI_ERR_SPAWN && err != MPIX_ERR_PROC_FAILED)
            return 2;
        if (err == MPI_SUCCESS) {
            MPI_Comm_rank(whole, &at);
            MPI_Comm_size(whole, &now);
            if (at != rank || now != size)
                return 3;
        }
    }
    if (err == MPI_SUCCESS && use(whole))
        return 4;
    MPI_Finalize();
    return 0;
}
