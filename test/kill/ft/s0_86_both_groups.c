/* SPDX-License-Identifier: BSD-3-Clause */
/* Acknowledging on an intercommunicator covers both groups, and is
 * local: nobody else calls MPI meanwhile.  A process of the own group dies, then one of the other group,
 * then another one.  MPI_Comm_get_failed lists them in one order for ever, MPIX_Comm_ack_failed takes as
 * many as it is told, and MPI_Comm_failure_get_acked returns these and nobody else.
 *
 *   R6: an acknowledgement on an intercommunicator covers both groups
 *   S0-9: a wildcard involves the members of the source group, on intercommunicators the remote one
 *   S0-81: an acknowledgement is local and covers the known failures of one communicator
 *   S0-82: after an acknowledgement wildcard receives continue
 *   S0-83: a failure after the acknowledgement is reported again
 *   S0-84: an acknowledgement does not repair collectives
 *   S0-86: get_acked returns the members that were acknowledged
 *   S0-87: get_acked returns no other members
 *
 * RUN: -n 6 ; expect "rank 0 ok"
 * RUN: -n 16 ; expect "rank 0 ok" ; expect "rank 14 ok" */
#include "creators.h"

enum { SECOND, THIRD, SENT, OVER }; /* slots of the board */

static int victim[3];

/* World ranks of a group. */
static int list(MPI_Group g, int *ranks)
{
    int n, all[RANKS_MAX];
    MPI_Group world;

    MPI_Group_size(g, &n);
    CHECK(n <= 3);
    for (int i = 0; i < n; i++)
        all[i] = i;
    MPI_Comm_group(W, &world);
    MPI_Group_translate_ranks(g, n, all, world, ranks);
    MPI_Group_free(&world);
    MPI_Group_free(&g);
    return n;
}

/* The first n victims, in the order of their deaths. */
static void check_failed(MPI_Comm c, int n)
{
    int got[RANKS_MAX];
    MPI_Group g;

    CHECK_EQ(MPI_Comm_get_failed(c, &g), MPI_SUCCESS);
    CHECK_EQ(list(g, got), n);
    for (int i = 0; i < n; i++)
        CHECK_EQ(got[i], victim[i]);
}

static void check_acked(MPI_Comm c, int n)
{
    int got[RANKS_MAX];
    MPI_Group g;

    CHECK_EQ(MPI_Comm_failure_get_acked(c, &g), MPI_SUCCESS);
    CHECK_EQ(list(g, got), n);
    for (int i = 0; i < n; i++)
        CHECK_EQ(got[i], victim[i]);
}

static void hear_of(int i)
{
    wait_until_dead(W, victim[i]);
    check_failed(inter, i + 1);
    check_failed(W, i + 1);
}

/* R6: S0-9 makes a wildcard look at the other group only, acknowledging looks at both. */
static void first_two(void)
{
    int v, n;

    hear_of(0);
    check_acked(inter, 0); /* S0-87 */
    post(SECOND);
    hear_of(1);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPIX_Comm_ack_failed(inter, 1, &n), MPI_SUCCESS);
    CHECK_EQ(n, 1);
    check_acked(inter, 1);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPI_Comm_failure_ack(inter), MPI_SUCCESS);
    check_acked(inter, 2);
    check_acked(W, 0);                                         /* S0-81 */
    CHECK_EQ(MPIX_Comm_ack_failed(inter, 1, &n), MPI_SUCCESS); /* takes nothing back */
    CHECK_EQ(n, 2);
    check_acked(inter, 2);
}

static void and_the_third(void)
{
    int v;

    post(SENT);
    CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, MPI_STATUS_IGNORE),
             MPI_SUCCESS); /* S0-82 */
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, victim[1] - size / 2, 5, inter, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);                     /* S0-84 */
    CHECK_CLASS(MPI_Barrier(inter), MPI_ERR_PROC_FAILED); /* S0-84 */
    post(THIRD);
    hear_of(2);
    check_acked(inter, 2);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, MPI_ANY_SOURCE, 6, inter, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED); /* S0-83 */
    CHECK_EQ(MPI_Comm_failure_ack(inter), MPI_SUCCESS);
    check_acked(inter, 3);
    post(OVER);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    set_up();
    victim[0] = size / 2 - 1; /* of rank 0's group */
    victim[1] = size - 1;
    victim[2] = size / 2;
    for (int i = 0; i < 3; i++)
        if (rank == victim[i]) {
            await(i == 1 ? SECOND : THIRD, i > 0);
            die_now();
        }
    if (rank == 0) {
        first_two();
        and_the_third();
    }
    if (rank == size - 2) {
        await(SENT, 1);
        CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, 0, 5, inter), MPI_SUCCESS);
    }
    await(OVER, 1);
    return finish();
}
