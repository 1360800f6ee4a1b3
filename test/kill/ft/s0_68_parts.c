/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a split are different communicators, although the library gives them one context id.
 * A member of one part revokes it and dies: members of that part return, and the other part continues.
 *
 *   S0-10: an operation without a dead process never reports a failure
 *   S0-68: a revocation affects no other communicator
 *
 * RUN: -n 4 ; kill 1 at revoke.local ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; kill 1 at revoke.sent ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 7 ; set REVOKE_SHM=0 ; kill 1 at revoke.sent ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 7 ; set REVOKE_SHM=0 ; set MACHINES=2 ; kill 1 at revoke.sent ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 5 */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm part;
    int v = 0, flag = 1;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &part), MPI_SUCCESS);
    if (rank == 1) {
        MPI_Comm_invalidate(part);
    } else if (rank % 2) {
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE), MPI_ERR_INVALIDATED);
    } else {
        wait_until_dead(MPI_COMM_WORLD, 1);
        CHECK_EQ(MPI_Comm_is_revoked(part, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        CHECK_EQ(MPI_Barrier(part), MPI_SUCCESS);
    }
    return finish();
}
