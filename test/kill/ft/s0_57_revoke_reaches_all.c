/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank revokes; every other rank is blocked in a call
 * of another kind and comes back with MPI_ERR_INVALIDATED; the duplicate made before goes on working.
 *
 *   R2: revoking a revoked object succeeds
 *   S0-4: a revocation makes a failure known to every survivor
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-58: one caller of a revocation suffices, and it does not wait
 *   S0-60: a revocation ends calls in progress
 *   S0-62: at its caller the communicator is revoked at once
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S0-68: a revocation affects no other communicator */
/* RUN: -n 2 ; expect "rank 1 ok" */
/* RUN: -n 8 ; expect "rank 7 ok" */
/* RUN: -n 16 ; expect "rank 15 ok" */
#include "../common.h"

#define W MPI_COMM_WORLD

static int blocked_call(int kind)
{
    static char large[1 << 20], other[1 << 20];
    MPI_Request r;
    MPI_Comm made;
    MPI_Message m;
    MPI_Status s;
    int next = (rank + 1) % size, err;

    switch (kind % 9) {
    case 0:
        return MPI_Recv(large, 1, MPI_INT, next, 77, W, &s);
    case 1:
        return MPI_Recv(large, 1, MPI_INT, MPI_ANY_SOURCE, 77, W, &s);
    case 2:
        return MPI_Ssend(large, sizeof large, MPI_CHAR, next, 78, W);
    case 3:
        return MPI_Barrier(W);
    case 4:
        return MPI_Probe(next, 79, W, &s);
    case 5:
        return MPI_Comm_dup(W, &made);
    case 6:
        MPI_Irecv(large, 1, MPI_INT, next, 80, W, &r);
        err = MPI_Wait(&r, &s);
        CHECK(r == MPI_REQUEST_NULL);
        return err;
    case 7:
        return MPI_Mprobe(MPI_ANY_SOURCE, 81, W, &m, &s);
    default:
        return MPI_Allreduce(large, other, 100000, MPI_SIGNED_CHAR, MPI_MAX, W);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    int sum = 0, flag = 0;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(W, &dup), MPI_SUCCESS);
    if (rank == 0) {
        await(0, size - 1);
        CHECK_EQ(MPI_Comm_invalidate(W), MPI_SUCCESS);
        CHECK_CLASS(MPI_Send(&sum, 1, MPI_INT, MPI_PROC_NULL, 0, W), MPI_ERR_INVALIDATED);
        CHECK_EQ(MPI_Comm_revoke(W), MPI_SUCCESS); /* R2 */
    } else {
        post(0);
        CHECK_CLASS(blocked_call(rank - 1), MPI_ERR_INVALIDATED);
    }
    CHECK_EQ(MPI_Comm_is_revoked(W, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_CLASS(MPI_Barrier(W), MPI_ERR_INVALIDATED);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, dup), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    return finish();
}
