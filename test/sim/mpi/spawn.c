/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn.c – for the simulator: ROUNDS times the processes start two others, which meet them and take part in a collective.
 *
 * Shows, killed at every yield of every process, also of the new ones:
 *
 *   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure
 *   S2-5: creation is uniform: at all survivors or at none */
#include "uniform.h"

#define ROUNDS   2
#define CHILDREN 2

static int allowed(int err)
{
    return err == MPI_SUCCESS || err == MPIX_ERR_PROC_FAILED || err == MPI_ERR_SPAWN;
}

/* Both groups add up what the other one has. */
static int meet(MPI_Comm inter)
{
    int one = 1, sum = 0, there, err;

    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_remote_size(inter, &there);
    err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    if (err != MPI_SUCCESS && err != MPIX_ERR_PROC_FAILED)
        return 1;
    return err == MPI_SUCCESS && sum != there;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, inter, c, next;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        if (meet(parent))
            return 1;
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPIX_Comm_shrink(MPI_COMM_WORLD, &c) != MPI_SUCCESS)
        return 2;
    for (int round = 0; round < ROUNDS; round++) {
        int err = MPI_Comm_spawn("child", MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, c, &inter,
                                 MPI_ERRCODES_IGNORE);

        if (!allowed(err))
            return 3;
        if (!uniform(c, err == MPI_SUCCESS))
            return 4;
        if (err == MPI_SUCCESS && meet(inter))
            return 5;
        if (MPIX_Comm_shrink(c, &next) != MPI_SUCCESS)
            return 6;
        c = next;
    }
    MPI_Finalize();
    return 0;
}
