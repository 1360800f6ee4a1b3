/* SPDX-License-Identifier: BSD-3-Clause */
/* Members that are in different collective calls are told so, and which member is in which.  Through shared memory only:
 * messages of different calls are not distinguished.  Two members exchange up to 8 bytes in a line of their own, longer
 * data in others, and what is longer still by messages, before which they say in a line which call they are in.
 *
 * RUN: -n 3
 * RUN: -n 2 */
#include "mpi/coll/common.h"

#define LONGS   16384
#define MOMENTS 2000

static long in[LONGS], out[LONGS];

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

/* What the other one says comes at any moment of a look at it. */
static void at_any_moment(void)
{
    for (int i = 0; i < MOMENTS; i++) {
        for (volatile int k = rank ? 2 * i : 0; k > 0; k--)
            ;
        CHECK_CLASS(rank ? reduce(1) : MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
    }
}

static void long_ones_agree(void)
{
    for (int r = 0; r < size; r++) {
        in[LONGS - 1] = r == rank ? 7 + r : 0;
        CHECK_OK(MPI_Bcast(in, LONGS, MPI_LONG, r, MPI_COMM_WORLD));
        CHECK(in[LONGS - 1] == 7 + r);
    }
    for (int r = 0; r < size; r++)
        in[r * 2048] = 100 * rank + r;
    CHECK_OK(MPI_Alltoall(in, 2048, MPI_LONG, out, 2048, MPI_LONG, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        CHECK(out[r * 2048] == 100 * r + rank);
}

static void sum_later(void)
{
    MPI_Request q;
    long one = 1, all = 0;

    CHECK_OK(MPI_Iallreduce(&one, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &q));
    CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    CHECK(all == size);
}

static void all_agree_again(void)
{
    sum_later();
    for (int i = 0; i < 4; i++) {
        in[0] = rank + i;
        CHECK_OK(reduce(1));
        CHECK(out[0] == size * (size - 1) / 2 + size * i);
        CHECK_OK(reduce(4));
        long_ones_agree();
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

/* Calls of n longs to, from or of each; those with a root have rank 1 there. */
static int call(int which, int n)
{
    int counts[2] = {n, n}, displs[2] = {0, n};

    switch (which) {
    case 0:
        return MPI_Alltoall(in, n, MPI_LONG, out, n, MPI_LONG, MPI_COMM_WORLD);
    case 1:
        return MPI_Allgather(in, n, MPI_LONG, out, n, MPI_LONG, MPI_COMM_WORLD);
    case 2:
        return MPI_Allgatherv(in, n, MPI_LONG, out, counts, displs, MPI_LONG, MPI_COMM_WORLD);
    case 3:
        return MPI_Scan(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    case 4:
        return MPI_Exscan(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    case 5:
        return MPI_Reduce_scatter_block(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    case 6:
        return MPI_Bcast(in, n, MPI_LONG, 1, MPI_COMM_WORLD);
    case 7:
        return MPI_Gather(in, n, MPI_LONG, out, n, MPI_LONG, 1, MPI_COMM_WORLD);
    default:
        return MPI_Scatter(in, n, MPI_LONG, out, n, MPI_LONG, 1, MPI_COMM_WORLD);
    }
}
enum { ALL_WAIT = 6, BCAST = 6, GATHER, SCATTER, CALLS };

/* One sends messages and the other one does not, or both do.  A member that only gives need not wait for the other one. */
static void lengths_differ(int which, int of_rank_0, int of_rank_1)
{
    int err = call(which, rank ? of_rank_1 : of_rank_0);
    bool gives = which >= ALL_WAIT && rank == (which != GATHER);

    if (!gives || err)
        CHECK_CLASS(err, MPI_ERR_TRUNCATE);
    all_agree_again();
}

/* What rank 0 gave in its call is there before rank 1 expects more. */
static void less_has_come(void)
{
    if (rank == 0) {
        CHECK_OK(call(GATHER, 2200));
        CHECK_OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD));
    } else {
        CHECK_OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_CLASS(call(GATHER, 2500), MPI_ERR_TRUNCATE);
    }
    all_agree_again();
}

/* Both send messages, or one is in a call without data. */
static void long_calls_differ(void)
{
    for (int which = 0; which < ALL_WAIT; which++) {
        CHECK_CLASS(rank ? call(which, 4096) : MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
        CHECK_CLASS(rank ? reduce(1) : call(which, 4096), MPI_ERR_TRUNCATE);
        CHECK_CLASS(rank ? call(which, 4096) : call((which + 1) % ALL_WAIT, 1024),
                    MPI_ERR_TRUNCATE);
        all_agree_again();
    }
    CHECK_CLASS(rank ? MPI_Barrier(MPI_COMM_WORLD) : call(SCATTER, LONGS / 2), MPI_ERR_TRUNCATE);
    CHECK_CLASS(rank ? MPI_Barrier(MPI_COMM_WORLD) : call(BCAST, LONGS), MPI_ERR_TRUNCATE);
    CHECK_CLASS(rank ? MPI_Barrier(MPI_COMM_WORLD) : call(BCAST, 10), MPI_ERR_TRUNCATE);
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
        at_any_moment();
        root_is_elsewhere();
        root_waits(0);
        root_waits(1);
        for (int which = 0; which < CALLS; which++) {
            lengths_differ(which, LONGS / 2, 10);
            lengths_differ(which, 10, LONGS / 2);
            lengths_differ(which, LONGS / 3, LONGS / 2);
            lengths_differ(which, LONGS / 2, LONGS / 3);
        }
        less_has_come();
        long_calls_differ();
        for (int i = 0; i < 40; i++)
            CHECK_OK(call(0, 4096));
    }
    return finish();
}
