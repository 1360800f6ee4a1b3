/* SPDX-License-Identifier: BSD-3-Clause */
/* A communicator that is made from a validated one, with a hole where a member is dead, is
 * revoked by rank 0 as soon as rank 0 has it, while others are still creating it: their collectives on it
 * end, and all later ones fail.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-60: a revocation ends calls in progress
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *
 * RUN: -n 5 ; kill 1 at validate.enter ; set COLL_SHM=0 ; expect "rank 4 ok" ; times 3
 * RUN: -n 5 ; kill 1 at validate.enter ; set AGREE_SHM=0 ; expect "rank 4 ok" ; times 3
 * RUN: -n 5 ; kill 1 at validate.enter ; expect "rank 4 ok"
 * RUN: -n 16 ; kill 1,7 at validate.enter ; set COLL_SHM=0 ; expect "rank 15 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm whole, made;
    MPI_Group dead;
    int err, n;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &whole), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_validate(whole, &dead), MPI_SUCCESS);
    MPI_Group_size(dead, &n);
    CHECK(n > 0);
    CHECK_EQ(MPI_Comm_dup(whole, &made), MPI_SUCCESS);
    if (rank == 0)
        MPI_Comm_invalidate(made);
    do
        err = MPI_Barrier(made);
    while (err == MPI_SUCCESS);
    CHECK_CLASS(err, MPI_ERR_INVALIDATED);
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT, MPI_SUM, made), MPI_ERR_INVALIDATED);
    CHECK_EQ(MPI_Barrier(whole), MPI_SUCCESS);
    return finish();
}
