/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks die one after the other, each inside the shrink that repairs the
 * loss of the one before, at every place of the protocol; the survivors agree on the same members in
 * their old order, and collectives work on the result.
 *
 *   S0-74: shrink never fails because of a death or a revocation
 *   S0-75: all survivors get the same group from shrink
 *   S0-76: shrink leaves out every process whose failure a caller had been told of
 *   S0-77: shrink keeps the order of ranks
 *   S0-78: shrink leaves out the failed and keeps the callers
 *   S0-80: the new communicator sees no message and no revocation of the old one
 *   S0-85: revoke and shrink give a communicator on which collectives work
 *   S2-3: a new communicator has all members that were asked for */
/* RUN: -n 5 ; kill 4 at call:MPI_Barrier#1 ; expect "rank 0 ok" */
/* RUN: -n 5 ; kill 0 at call:MPI_Barrier#1 ; expect "rank 4 ok" */
/* RUN: -n 5 ; kill 0 at call:MPI_Barrier#1 ; kill 1 at agree.enter ; expect "rank 4 ok" */
/* RUN: -n 5 ; kill 0 at call:MPI_Barrier#1 ; kill 1 at agree.done ; expect "rank 4 ok" */
/* RUN: -n 5 ; kill 3 at call:MPI_Barrier#1 ; kill 1 at shrink.decided ; expect "rank 4 ok" */
/* RUN: -n 8 ; kill 7 at call:MPI_Barrier#1 ; kill 0 at agree.enter ; kill 2 at agree.done ; kill 4 at shrink.decided ; expect "rank 6 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; kill 0 at call:MPI_Barrier#1 ; kill 1 at agree.enter ; expect "rank 4 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; kill 4 at call:MPI_Barrier#1 ; kill 0 at agree.sent.down ; expect "rank 2 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; kill 4 at call:MPI_Barrier#1 ; kill 0 at agree.done ; expect "rank 2 ok" */
/* RUN: -n 8 ; set AGREE_SHM=0 ; kill 4 at call:MPI_Barrier#1 ; kill 0 at agree.sent.down ; kill 2 at agree.sent.up ; expect "rank 7 ok" */
/* RUN: -n 16 ; kill 3 at call:MPI_Barrier#1 ; kill 0,1,8 at agree.enter ; kill 12 at shrink.decided ; expect "rank 15 ok" */
/* RUN: -n 16 ; set AGREE_SHM=0 ; kill 15 at call:MPI_Barrier#1 ; kill 0 at agree.sent.down ; kill 4,8 at agree.sent.up ; expect "rank 14 ok" */
#include "../common.h"

static void check_members(MPI_Comm c)
{
    int n, me, *old, last = -1;

    MPI_Comm_size(c, &n);
    MPI_Comm_rank(c, &me);
    old = malloc((size_t)n * sizeof *old);
    CHECK_EQ(MPI_Allgather(&rank, 1, MPI_INT, old, 1, MPI_INT, c), MPI_SUCCESS);
    CHECK_EQ(old[me], rank);
    for (int i = 0; i < n; i++) {
        CHECK(old[i] > last); /* S0-77 */
        last = old[i];
    }
    free(old);
}

int main(int argc, char **argv)
{
    MPI_Comm c = MPI_COMM_WORLD, next;
    int ok;

    start(&argc, &argv);
    for (int round = 0; round < 10; round++) {
        ok = MPI_Barrier(c) == MPI_SUCCESS;
        if (round > 0)
            MPI_Comm_agreement(c, &ok); /* leave the loop together */
        if (round > 0 && ok)
            break;
        MPI_Comm_invalidate(c);
        CHECK_EQ(MPI_Comm_shrink(c, &next), MPI_SUCCESS); /* S0-74 */
        MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
        c = next;
    }
    check_members(c);
    return finish();
}
