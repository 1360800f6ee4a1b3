/* SPDX-License-Identifier: BSD-3-Clause */
/* On an intercommunicator the source group of a wildcard receive is the remote group only.  A death
 * in the own group does not disturb it; one in the remote group does (S0-20, S0-21); R6: one
 * acknowledgement covers both groups.
 *
 *   R6: an acknowledgement on an intercommunicator covers both groups
 *   S0-9: a wildcard involves the members of the source group, on intercommunicators the remote one
 *   S0-20: a wildcard receive without a match stays pending
 *   S0-21: blocking wildcard calls return PROC_FAILED */
/* RUN: -n 4 ; expect "rank 0 ok" ; expect "rank 2 ok" */
/* RUN: -n 8 ; expect "rank 0 ok" ; expect "rank 4 ok" */
#include "../common.h"

/* Own group: ranks 0 .. half-1, remote group: half .. size-1.  Rank half-1 dies first, then size-1. */
int main(int argc, char **argv)
{
    int half, first_half, v = -1, flag;
    MPI_Comm side, inter;
    MPI_Request r;
    MPI_Status s;

    start(&argc, &argv);
    half = size / 2;
    first_half = rank < half;
    MPI_Comm_split(MPI_COMM_WORLD, first_half, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, first_half ? half : 0, 5, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    if (rank == half - 1)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, half - 1);
    if (rank == 0) { /* a member of the own group is dead */
        CHECK_EQ(MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Test(&r, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, 2, inter, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        post(0);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
        CHECK_EQ(v, 17);
        CHECK_EQ(s.MPI_SOURCE, 0);
    } else if (rank == half) { /* a member of the remote group is dead */
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &s), MPI_ERR_PROC_FAILED);
        MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &r);
        CHECK_CLASS(MPI_Wait(&r, &s), MPI_ERR_PENDING);
        CHECK(r != MPI_REQUEST_NULL);
        MPI_Comm_failure_ack(inter);
        CHECK_EQ(MPI_Test(&r, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        await(0, 1);
        v = 17;
        CHECK_EQ(MPI_Send(&v, 1, MPI_INT, 0, 1, inter), MPI_SUCCESS);
        MPI_Cancel(&r);
        CHECK_EQ(MPI_Wait(&r, &s), MPI_SUCCESS);
        post(1);
    }
    if (rank == size - 1 && size - 1 != half) {
        await(1, 1);
        die_now();
    }
    if (rank == 0) { /* now a possible sender is dead */
        wait_until_dead(inter, size - 1 - half);
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &s), MPI_ERR_PROC_FAILED);
        MPI_Comm_failure_ack(inter);
        CHECK_EQ(MPI_Irecv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Test(&r, &flag, &s), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        MPI_Cancel(&r);
        MPI_Wait(&r, &s);
    }
    return finish();
}
