/* SPDX-License-Identifier: BSD-3-Clause */
/* The root of an agreement decides before it hears from a process whose path to it a death has cut,
 * and leaves MPI.  With messages (`inside`) the others ask it, so it must stay in MPI.
 *
 *       0           3 contributes to 2, which passes it on and dies; the message by which 3 asks 0 itself
 *      / \          does not fit into the ring, which is full of other messages for 0
 *     1   2x        0 finds all contributions there and decides, without having looked any further
 *          \        0 is outside of MPI
 *           3       3 must get the decision all the same
 *
 *   R5: if a member dies inside an agreement, its value counts at all survivors or at none
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths
 *
 * RUN: -n 4 ; set COLL_SHM=0 ; args outside ; kill 2 at call:MPI_Pcontrol>agree.enter ; expect "rank 3 ok" ; times 3
 * RUN: -n 4 ; set AGREE_SHM=0 ; args inside ; kill 2 at call:MPI_Pcontrol>agree.sent.up ; expect "rank 3 ok" ; times 3 */
#include "../common.h"

#define W    MPI_COMM_WORLD
#define MANY 400 /* a ring holds 256 */

enum { BEGUN, ASKED, DONE, VALUE }; /* slots of the board */

/* By messages the vote of the dead one counts for all or for none (R5); where votes lie in memory it counts. */
static void check_value(int flag, bool inside)
{
    int none = 0;

    if (!inside)
        CHECK_EQ(flag, 0);
    else if (!__atomic_compare_exchange_n(&board[VALUE], &none, flag + 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST))
        CHECK_EQ(none, flag + 1);
}

static void root(MPI_Request *r, const int *flag, bool inside)
{
    int done = 0, v;

    post(BEGUN);
    await(ASKED, 2);
    while (!done)
        CHECK_EQ(MPI_Test(r, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_value(*flag, inside);
    if (inside)
        await_in_mpi(DONE, 2);
    await(DONE, 2); /* no MPI here */
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, 3, 4, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void lost(MPI_Request *r, MPI_Request *messages, const int *flag, bool inside)
{
    int done = 0;

    while (!is_known_dead(W, 2))
        CHECK_EQ(MPI_Test(r, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(!inside || !done); /* else it may see by itself that all have voted */
    post(ASKED);
    while (!done)
        CHECK_EQ(MPI_Test(r, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_value(*flag, inside);
    post(DONE);
    CHECK_EQ(MPI_Waitall(MANY, messages, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static int v;
    int flag;
    MPI_Request r, messages[MANY];

    start(&argc, &argv);
    flag = rank != 2; /* it counts: it has contributed */
    MPI_Pcontrol(1);
    if (rank != 0)
        await(BEGUN, 1);
    if (rank == 3)
        for (int i = 0; i < MANY; i++)
            CHECK_EQ(MPI_Isend(&v, 1, MPI_INT, 0, 4, W, &messages[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Icomm_agreement(W, &flag, &r), MPI_SUCCESS);
    if (rank == 1) /* it has contributed */
        post(ASKED);
    if (rank == 0) {
        root(&r, &flag, !strcmp(argv[1], "inside"));
    } else if (rank == 3) {
        lost(&r, messages, &flag, !strcmp(argv[1], "inside"));
    } else {
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        check_value(flag, !strcmp(argv[1], "inside"));
        post(DONE);
    }
    return finish();
}
