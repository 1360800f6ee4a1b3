/* SPDX-License-Identifier: BSD-3-Clause */
/* from_group.c – for the simulator: S0-1, S2-5, S2-6, S2-9 for communicators from groups alone: one of
 * everybody, and an intercommunicator of two halves, twice.  Killed at every yield: every call returns,
 * with success or MPI_ERR_PROC_FAILED, the same at all survivors.
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S2-5: creation is uniform: at all survivors or at none
 *   S2-6: a death before the decision makes creation fail everywhere
 *   S2-9: creation on an inactive communicator fails at once */
#include "uniform.h"

static MPI_Group range(int first, int last)
{
    MPI_Group all, some;
    int r[1][3] = {{first, last, 1}};

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, r, &some);
    MPI_Group_free(&all);
    return some;
}

static int check(int err, MPI_Comm *c)
{
    if (err != MPI_SUCCESS && err != MPIX_ERR_PROC_FAILED)
        return 0;
    if (!err)
        MPI_Comm_free(c);
    return uniform(MPI_COMM_WORLD, !err);
}

static int one(int size)
{
    MPI_Group g = range(0, size - 1);
    MPI_Comm c;
    int err = MPI_Comm_create_from_group(g, "one", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);

    MPI_Group_free(&g);
    return check(err, &c);
}

static int two(int rank, int size)
{
    int low = size / 2, upper = rank >= low, err;
    MPI_Group a = range(0, low - 1), b = range(low, size - 1);
    MPI_Comm c;

    err = MPI_Intercomm_create_from_groups(upper ? b : a, 0, upper ? a : b, 0, "two", MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &c);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    return check(err, &c);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int times = 0; times < 2; times++) {
        if (!one(size))
            return 1;
        if (!two(rank, size))
            return 2;
    }
    MPI_Finalize();
    return 0;
}
