/* SPDX-License-Identifier: BSD-3-Clause */
/* generations.c – for the simulator: S2-5..S2-7, S2-9.  A communicator is made from the one before, again and
 * again, and a refused creation is repeated at once, as in a program that has not learned of
 * the death itself.  A member that learns of a death between a decision and the object that follows from
 * it has a communicator with a failure from the start.  Every call returns, and all survivors make the same progress.
 *
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-7: after the decision creation succeeds everywhere
 *   S2-9: creation on an inactive communicator fails at once */
#include "uniform.h"

#define GENERATIONS 4
#define TRIES       7

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, next;
    int done = 0, err = MPI_SUCCESS;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    while (done < GENERATIONS && err == MPI_SUCCESS) {
        err = MPI_Comm_dup(c, &next);
        if (err == MPI_SUCCESS) {
            c = next;
            done++;
        } else if (err != MPIX_ERR_PROC_FAILED) {
            return 1;
        }
    }
    for (int i = 0; err && i < TRIES; i++) {
        MPI_Request r;

        if (i % 2 == 0 && MPI_Comm_dup(c, &next) != MPIX_ERR_PROC_FAILED)
            return 2;
        if (i % 2 && (MPI_Comm_idup(c, &next, &r) != MPI_SUCCESS ||
                      MPI_Wait(&r, MPI_STATUS_IGNORE) != MPIX_ERR_PROC_FAILED))
            return 3;
    }
    if (!uniform(MPI_COMM_WORLD, done))
        return 4;
    MPI_Finalize();
    return 0;
}
