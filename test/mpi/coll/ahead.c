/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that need nothing of the others run ahead of those that do, as far as their memory reaches, and then enter a call
 * in which all wait for all.  What the others have not read yet must still be there: each number of calls ahead, each call.
 *
 * RUN: -n 2 ; time 60
 * RUN: -n 4
 * RUN: -n 5 */
#include "../../program.h"

#include <string.h>

#define AHEAD_MAX 40
#define ROUNDS    4
#define LONG      200 /* does not fit into a line */

static long in[8 * LONG], out[8 * LONG];

static void gather(int n, int root)
{
    CHECK_OK(MPI_Gather(in, n, MPI_LONG, out, n, MPI_LONG, root, MPI_COMM_WORLD));
    for (int r = 0; rank == root && r < size; r++)
        CHECK(out[r * n] == in[0] + r - rank);
}

static void scatter(int n, int root)
{
    for (int r = 1; r < size; r++)
        in[r * n] = in[0] + r;
    CHECK_OK(MPI_Scatter(in, n, MPI_LONG, out, n, MPI_LONG, root, MPI_COMM_WORLD));
    CHECK(
        out[0] ==
        in[0] +
            root); /* the root's first number is in[0] + root - rank, and this block is rank behind it */
}

static void bcast(int n, int root)
{
    memcpy(out, in, sizeof(long));
    CHECK_OK(MPI_Bcast(out, n, MPI_LONG, root, MPI_COMM_WORLD));
    CHECK(out[0] == in[0] + root - rank);
}

static void reduce(int n, int root)
{
    CHECK_OK(MPI_Reduce(in, out, n, MPI_LONG, MPI_MAX, root, MPI_COMM_WORLD));
    CHECK(rank != root || out[0] == in[0] + size - 1 - rank);
}

static void barrier(void)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void allreduce(void)
{
    long sum;

    CHECK_OK(MPI_Allreduce(&in[0], &sum, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD));
    CHECK(sum == in[0] - rank);
}

static void allgather(void)
{
    CHECK_OK(MPI_Allgather(in, 1, MPI_LONG, out, 1, MPI_LONG, MPI_COMM_WORLD));
    CHECK(out[size - 1] == in[0] + size - 1 - rank);
}

static void alltoall(void)
{
    CHECK_OK(MPI_Alltoall(in, 1, MPI_LONG, out, 1, MPI_LONG, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    void (*const ahead[])(int, int) = {gather, scatter, bcast, reduce};
    void (*const meet[])(void) = {barrier, allreduce, allgather, alltoall};
    long call = 0;

    MPI_Init(&argc, &argv);
    know_rank();
    for (int k = 0; k < 4; k++)
        for (int m = 0; m < 4; m++)
            for (int round = 0; round < ROUNDS; round++)
                for (int n = 1; n <= AHEAD_MAX; n++) {
                    for (int i = 0; i < n; i++) {
                        in[0] = 1000 * ++call + rank;
                        ahead[k](round % 2 ? LONG : 1, size - 1);
                    }
                    meet[m]();
                }
    MPI_Finalize();
    return 0;
}
