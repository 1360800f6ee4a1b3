/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that waits for nothing, and only makes calls that need no other process, learns of a revocation with one of the next
 * 64 calls, also where it comes as a frame that no interrupt tells of.
 *
 *   S0-57: a revocation reaches all members, in both groups */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 2 ; set NODES=2 ; expect "rank 0 ok" */
/* RUN: -n 2 ; set REVOKE_SHM=0 ; expect "rank 0 ok" */
#include "../common.h"

enum { CALLS_PER_LOOK = 64, TIMES = 100 };

int main(int argc, char **argv)
{
    MPI_Comm c;
    int r;

    start(&argc, &argv);
    for (int i = 0; i < TIMES; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank == 1) {
            CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
            post(i);
        } else {
            await(i, 1);
            for (int k = 0; k < CALLS_PER_LOOK; k++)
                CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &r), MPI_SUCCESS);
        }
        CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, c), MPI_ERR_INVALIDATED);
        CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    }
    return finish();
}
