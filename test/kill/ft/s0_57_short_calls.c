/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that waits for nothing, and only makes calls that need no other process, learns of a revocation with its next call; `told`:
 * where it comes from the agent, with the first call after that.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 2 ; set REVOKE_SHM=0 ; args told ; expect "rank 0 ok" */
/* RUN: -n 2 ; set MACHINES=2 ; args told ; expect "rank 0 ok" */
#include "../common.h"

enum { TIMES = 100 };

/* Ends with the watchdog if it never learns. */
static void make_calls(MPI_Comm c, bool until_told)
{
    int r, revoked;

    do {
        CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &r), MPI_SUCCESS);
        CHECK_EQ(MPIX_Comm_is_revoked(c, &revoked), MPI_SUCCESS);
    } while (until_told && !revoked);
    CHECK(revoked);
}

int main(int argc, char **argv)
{
    MPI_Comm c;

    start(&argc, &argv);
    for (int i = 0; i < TIMES; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank == 1) {
            CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
            post(i);
        } else {
            await(i, 1);
            make_calls(c, argc > 1);
        }
        CHECK_CLASS(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, c), MPI_ERR_INVALIDATED);
        CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    }
    return finish();
}
