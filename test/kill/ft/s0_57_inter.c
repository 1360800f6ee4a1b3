/* SPDX-License-Identifier: BSD-3-Clause */
/* A process of either group revokes an intercommunicator; everybody in
 * both groups is blocked in a call of another kind on it and comes back with MPI_ERR_INVALIDATED; what
 * was made from it before, and the local communicators, go on.  With `dies` the one that revokes is
 * killed while it tells the others: all or none are told, and nobody hangs.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-58: one caller of a revocation suffices, and it does not wait
 *   S0-59: a revocation reaches all survivors even if its caller dies
 *   S0-60: a revocation ends calls in progress
 *   S0-63: elsewhere the communicator is revoked when a call first reports it
 *   S0-66: calls on a revoked communicator return without any other process
 *   S0-67: local calls still work on a revoked communicator
 *   S0-68: a revocation affects no other communicator
 *   S0-69: a revoked communicator can be freed */
/* RUN: -n 2 ; args 0 ; expect "rank 1 ok" */
/* RUN: -n 9 ; args 0 ; expect "rank 8 ok" */
/* RUN: -n 9 ; args 8 ; expect "rank 0 ok" ; times 3 */
/* RUN: -n 14 ; args 5 ; expect "rank 13 ok" */
/* RUN: -n 9 ; args 0 dies ; kill 0 at revoke.local ; expect "rank 8 ok" ; times 3 */
/* RUN: -n 9 ; args 0 dies ; kill 0 at revoke.sent.one ; expect "rank 8 ok" ; times 3 */
/* RUN: -n 9 ; args 4 dies ; kill 4 at revoke.sent.one#2 ; expect "rank 8 ok" ; times 3 */
#include "../common.h"

static MPI_Comm inter, local;

static int blocked_call(int kind)
{
    static char large[1 << 20];
    int one = 1, sum, there;
    MPI_Status s;
    MPI_Message m;
    MPI_Comm made;
    MPI_Request r;

    MPI_Comm_remote_size(inter, &there);
    switch (kind % 10) {
    case 0:
        return MPI_Recv(&one, 1, MPI_INT, rank % there, 77, inter, &s);
    case 1:
        return MPI_Barrier(inter);
    case 2:
        return MPI_Ssend(large, sizeof large, MPI_CHAR, rank % there, 78, inter);
    case 3:
        return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    case 4:
        return MPI_Comm_split(inter, 0, 0, &made);
    case 5:
        return MPI_Comm_dup(inter, &made);
    case 6:
        return MPI_Intercomm_merge(inter, 0, &made);
    case 7:
        MPI_Irecv(&one, 1, MPI_INT, rank % there, 80, inter, &r);
        return MPI_Wait(&r, &s);
    case 8:
        return MPI_Mprobe(MPI_ANY_SOURCE, 81, inter, &m, &s);
    default:
        MPI_Comm_idup(inter, &made, &r);
        return MPI_Wait(&r, &s);
    }
}

/* If nobody was told before it died, only these calls end: they involve the dead. */
static int waits_for_all(int kind)
{
    static const int collective[] = {1, 3, 4, 5, 6, 9};

    return blocked_call(collective[kind % 6]);
}

int main(int argc, char **argv)
{
    MPI_Comm before;
    int low, upper, who, flag = 0, sum = 0, n, err;
    bool dies;

    start(&argc, &argv);
    who = atoi(argv[1]);
    dies = argc > 2;
    inter = connect_halves(&local, &low, &upper);
    CHECK_EQ(MPI_Comm_dup(inter, &before), MPI_SUCCESS);
    if (rank == who) {
        await(0, size - 1);
        CHECK_EQ(MPI_Comm_invalidate(inter), MPI_SUCCESS); /* S0-58: nobody answers */
        CHECK(!dies);
        CHECK_CLASS(MPI_Send(&sum, 1, MPI_INT, 0, 0, inter), MPI_ERR_INVALIDATED);
    } else {
        post(0);
        err = dies ? waits_for_all(rank) : blocked_call(rank);
        CHECK(class_of(err) == MPI_ERR_INVALIDATED ||
              (dies && class_of(err) == MPI_ERR_PROC_FAILED));
        post(err == MPI_ERR_INVALIDATED ? 1 : 2);
    }
    if (dies) { /* S0-59: a rank that gets another error may be told later, but all are told */
        while (posted(1) + posted(2) < size - 1)
            MPIX_Comm_is_revoked(inter, &flag);
        while (posted(1) > 0 && !flag)
            MPIX_Comm_is_revoked(inter, &flag);
        /* All may have been told of the revocation before the death: then nobody would know of it. */
        wait_until_dead(MPI_COMM_WORLD, who);
        return finish();
    }
    CHECK_CLASS(MPI_Barrier(inter), MPI_ERR_INVALIDATED); /* S0-66 */
    CHECK_EQ(MPI_Comm_is_revoked(inter, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, before), MPI_SUCCESS); /* S0-68 */
    CHECK_EQ(sum, upper ? low * (low - 1) / 2 : (size - low) * (size + low - 1) / 2);
    CHECK_EQ(MPI_Barrier(local), MPI_SUCCESS);
    MPI_Comm_remote_size(inter, &n); /* S0-67 */
    CHECK_EQ(n, upper ? low : size - low);
    CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS); /* S0-69 */
    return finish();
}
