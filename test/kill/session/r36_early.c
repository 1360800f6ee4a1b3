/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that are through with a communicator free it, end their last session and exit, while rank 0 has not begun its
 * part yet: their end is not a failure, so rank 0 gets the sum and the messages of all.  Rank 0 gives the others a tenth of
 * a second to go too early.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *   S0-10: an operation without a dead process never reports a failure
 *
 * RUN: -n 4 ; expect "rank 0 ok"
 * RUN: -n 4 ; set COLL_SHM=0 ; expect "rank 0 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
#include "../../mpi/session/common.h"

#include <unistd.h>

int main(void)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "early"), d;
    int sum = 0, got = -1;

    CHECK_OK(MPI_Comm_dup(c, &d));
    if (rank == 0)
        usleep(100000);
    else
        CHECK_OK(MPI_Send(&rank, 1, MPI_INT, 0, 0, c));
    CHECK_OK(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, d));
    for (int i = 1; rank == 0 && i < size; i++) {
        CHECK_OK(MPI_Recv(&got, 1, MPI_INT, i, 0, c, MPI_STATUS_IGNORE));
        CHECK_EQ(got, i);
    }
    CHECK(rank != 0 || sum == size * (size - 1) / 2);
    CHECK_OK(MPI_Comm_free(&c));
    CHECK_OK(MPI_Comm_free(&d));
    close_session(&s);
    if (rank == 0)
        printf("rank 0 ok\n");
    return 0;
}
