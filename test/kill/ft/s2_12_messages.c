/* SPDX-License-Identifier: BSD-3-Clause */
/* The cut of MPI_Comm_validate covers collectives, not messages.  The last rank dies;
 * the survivors validate.  On the communicator that was validated
 *
 *   - a message that was sent before the cut is received after it;
 *   - a receive that was pending at the cut is matched by a message that is sent after it.
 *
 * So a program that goes back to an older state and sends anew must not do it there: on a fresh copy,
 * made after the cut, neither happens, and a revoked copy takes nothing else with it.
 *
 *   rank 0   send "old" -> 1, revoke copy   validate   dup   send "new" -> 1 (copy, comm)
 *   rank 1   irecv <- 0 (other tag)         validate   dup   receive <- 0

 *
 *   S0-2: a call that needs no dead process completes normally
 *   S0-68: a revocation affects no other communicator
 *   S2-12: collectives from before a validation match none from after it */
/* RUN: -n 3 ; expect "rank 1 ok" */
/* RUN: -n 5 ; expect "rank 1 ok" */
/* RUN: -n 5 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "rank 1 ok" */
/* RUN: -n 16 ; expect "rank 1 ok" */
#include "../common.h"

#define OLD   4711
#define NEW   4712
#define TAG   1
#define LATER 2

static void send_to_1(int value, int tag, MPI_Comm c)
{
    if (rank == 0)
        CHECK_EQ(MPI_Send(&value, 1, MPI_INT, 1, tag, c), MPI_SUCCESS);
}

static void receive_from_0(int expected, MPI_Comm c)
{
    int got = -1;

    if (rank != 1)
        return;
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, TAG, c, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, expected);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, copy, fresh;
    MPI_Request pending[2];
    MPI_Group failed;
    int late[2] = {-1, -1};

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
    if (rank == size - 1) {
        await(0, size - 1); /* nobody is in a collective any more */
        die_now();
    }
    send_to_1(OLD, TAG, comm);
    send_to_1(OLD, TAG, copy);
    if (rank == 1) {
        MPI_Irecv(&late[0], 1, MPI_INT, 0, LATER, comm, &pending[0]);
        MPI_Irecv(&late[1], 1, MPI_INT, 0, LATER, copy, &pending[1]);
    }
    post(0);
    wait_until_dead(comm, size - 1);
    if (rank == 0)
        CHECK_EQ(MPIX_Comm_revoke(copy), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_validate(comm, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
    CHECK_EQ(MPI_Comm_dup(comm, &fresh), MPI_SUCCESS);

    send_to_1(NEW, TAG, comm);
    send_to_1(NEW, LATER, comm);
    send_to_1(NEW, TAG, fresh);
    receive_from_0(NEW, fresh); /* nothing old there */
    receive_from_0(OLD, comm);  /* it has crossed the cut */
    receive_from_0(NEW, comm);
    if (rank == 1) {
        CHECK_EQ(MPI_Wait(&pending[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(late[0], NEW);
        CHECK_CLASS(MPI_Wait(&pending[1], MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    }
    CHECK_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(fresh), MPI_SUCCESS);
    return finish();
}
