/* SPDX-License-Identifier: BSD-3-Clause */
/* Members that are in different collective calls are told so, and which member is in which.  Through shared memory only:
 * messages of different calls are not distinguished.  Two members exchange up to 8 bytes in a line of their own, longer
 * data in others.
 *
 * RUN: -n 3
 * RUN: -n 2 */
#include "mpi/coll/common.h"

static long in[4], out[4];

static int reduce(int n)
{
    return MPI_Allreduce(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 1 is in a call that another waits for in a barrier. */
static void tells_which(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int len, err = rank == 1 ? reduce(1) : MPI_Barrier(MPI_COMM_WORLD);

    CHECK_CLASS(err, MPI_ERR_TRUNCATE);
    MPI_Error_string(err, text, &len);
    if (rank == 1)
        CHECK(strstr(text, "rank 0 is in a barrier of 0 bytes, this process in a reduction of 8"));
    else
        CHECK(strstr(text, "rank 1 is in a reduction of 8 bytes, this process in a barrier of 0"));
}

static void all_agree_again(void)
{
    for (int i = 0; i < 4; i++) {
        in[0] = rank + i;
        CHECK_OK(reduce(1));
        CHECK(out[0] == size * (size - 1) / 2 + size * i);
        CHECK_OK(reduce(4));
    }
}

/* One length in a call, another one in that of rank 1. */
static void other_length(int mine, int of_rank_1)
{
    CHECK_CLASS(reduce(rank == 1 ? of_rank_1 : mine), MPI_ERR_TRUNCATE);
    all_agree_again();
}

/* A root does not wait, so it is told nothing. */
static void root_is_elsewhere(void)
{
    int err = rank == 1 ? MPI_Bcast(in, 4, MPI_LONG, 1, MPI_COMM_WORLD) : reduce(1);

    CHECK_CLASS(err, rank == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    all_agree_again();
}

/* A reduction to one of them says the same as one to both, but elsewhere. */
static void root_waits(int root)
{
    int err =
        rank == 1 ? reduce(1) : MPI_Reduce(in, out, 1, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);

    CHECK_CLASS(err, rank == 0 && root == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    all_agree_again();
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    tells_which();
    all_agree_again();
    if (size == 2) {
        other_length(1, 4);
        other_length(4, 1);
        root_is_elsewhere();
        root_waits(0);
        root_waits(1);
    }
    return finish();
}
