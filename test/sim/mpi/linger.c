/* SPDX-License-Identifier: BSD-3-Clause */
/* linger.c – for the simulator: S0-1, S2-5, S2-7, R42.  The first process that is told of a decision may free the
 * communicator that it was about, and with one neighbour make and free many others, while the rest have not been told
 * yet and their informant dies.  It is asked then, and must know.
 *
 * The others wait long before they look again, so that it has freed more than any table holds.
 *
 *   R42: no decision depends on a process that is outside MPI
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-7: after the decision creation succeeds everywhere */
#include "uniform.h"

#define OWN 60

/* With the neighbour; until it dies. */
static void make_and_free(MPI_Comm *pair, int n)
{
    MPI_Comm made;

    while (n-- > 0 && *pair != MPI_COMM_NULL) {
        if (MPI_Comm_dup(*pair, &made) != MPI_SUCCESS) {
            MPI_Comm_free(pair);
            return;
        }
        MPI_Comm_free(&made);
    }
}

/* A communicator of all after the other: how many were made. */
static int generations(int rank, MPI_Comm *pair, int *err_p)
{
    MPI_Comm c = MPI_COMM_WORLD, next;
    int done = 0;

    for (; done < 3 && !(*err_p = MPI_Comm_dup(c, &next)); done++) {
        if (c != MPI_COMM_WORLD)
            MPI_Comm_free(&c);
        c = next;
        if (rank < 2 || rank / 2 % 2 == done % 2)
            make_and_free(pair, OWN);
    }
    if (c != MPI_COMM_WORLD)
        MPI_Comm_free(&c);
    return done;
}

int main(int argc, char **argv)
{
    MPI_Comm pair;
    int rank, done = 0, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    err = MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    if (!err)
        done = generations(rank, &pair, &err);
    if (err && err != MPIX_ERR_PROC_FAILED)
        return 2;
    if (!uniform(MPI_COMM_WORLD, done))
        return 3;
    MPI_Finalize();
    return 0;
}
