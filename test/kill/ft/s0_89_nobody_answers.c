/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that has contributed can find the decision, even if no other process can tell it.
 *
 *       0            2 dies with the decision in its hands, before it says anything to 3
 *      / \           3 has contributed and computes outside of MPI
 *     1   2x         0 and 1 have the decision, free the communicator, decide more than a row of the segment ever
 *          \         held, make and free more communicators than there ever lingered, and leave MPI
 *           3        3 waits for the decision
 *
 * The argument says what it is agreed on: an intercommunicator; a communicator without a cell because cells are
 * not used, or because the others have them all; the copy of a communicator with a hole.
 *
 *   R42: no decision depends on a process that is outside MPI
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-92: on an intercommunicator each group gets the AND of the other one
 *
 * RUN: -n 4 --lenient-exit ; args inter ; kill 2 at call:MPI_Pcontrol>agree.decided ; expect "rank 3 ok" ; expect-no "rank 2 ok" ; times 3
 * RUN: -n 4 --lenient-exit ; args plain ; set COLL_SHM=0 ; kill 2 at call:MPI_Pcontrol>agree.decided ; expect "rank 3 ok" ;
 *   expect-no "rank 2 ok"
 * RUN: -n 4 --lenient-exit ; args many ; kill 2 at call:MPI_Pcontrol>agree.decided ; expect "rank 3 ok" ; expect-no "rank 2 ok"
 * RUN: -n 5 --lenient-exit ; args holes ; kill 2 at call:MPI_Pcontrol>agree.decided ; expect "rank 3 ok" ; expect-no "rank 2 ok" */
#include "creators.h"

#define DECISIONS 40
#define FREED     80
#define CELLS     70 /* more than a node has */

enum { CONTRIBUTED, GONE, DONE }; /* slots of the board */

static void make_many(MPI_Comm *c)
{
    MPI_Comm kept;

    for (int i = 0; i < CELLS; i++)
        CHECK_EQ(MPI_Comm_dup(W, &kept), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(W, c), MPI_SUCCESS);
}

static void make_with_hole(MPI_Comm *c)
{
    MPI_Comm whole;
    MPI_Group failed;

    CHECK_EQ(MPI_Comm_dup(W, &whole), MPI_SUCCESS);
    if (rank == 4)
        die_now();
    wait_until_dead(whole, 4);
    CHECK_EQ(MPI_Comm_validate(whole, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
    CHECK_EQ(MPI_Comm_dup(whole, c), MPI_SUCCESS);
}

static void make(const char *what, MPI_Comm *c)
{
    if (!strcmp(what, "many"))
        make_many(c);
    else if (!strcmp(what, "holes"))
        make_with_hole(c);
    else
        CHECK_EQ(create(strcmp(what, "inter") ? "dup" : "inter_dup", c), MPI_SUCCESS);
}

static void agree_on(MPI_Comm c)
{
    int flag = 1;

    CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
}

static void go_on(MPI_Comm *c, MPI_Comm pair)
{
    MPI_Comm made;
    int flag = 1;

    agree_on(*c);
    CHECK_EQ(MPI_Comm_free(c), MPI_SUCCESS);
    for (int i = 0; i < DECISIONS; i++)
        CHECK_EQ(MPI_Comm_agreement(pair, &flag), MPI_SUCCESS);
    for (int i = 0; i < FREED; i++) {
        CHECK_EQ(MPI_Comm_dup(pair, &made), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    }
    post(GONE);
    await(DONE, 1); /* no MPI here */
}

static void outside(MPI_Comm c, int other_group)
{
    MPI_Request q;
    int flag = 1;

    CHECK_EQ(MPI_Icomm_agreement(c, &flag, &q), MPI_SUCCESS);
    post(CONTRIBUTED);
    await(GONE, 2); /* no MPI here */
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, other_group);
    post(DONE);
}

static void say_no_and_die(MPI_Comm c)
{
    int flag = 0;

    await(CONTRIBUTED, 1);
    MPI_Comm_agreement(c, &flag);
}

int main(int argc, char **argv)
{
    MPI_Comm c, pair = MPI_COMM_NULL;

    start(&argc, &argv);
    if (!strcmp(argv[1], "inter"))
        set_up();
    CHECK_EQ(MPI_Comm_split(W, rank < 2 ? 0 : MPI_UNDEFINED, rank, &local), MPI_SUCCESS);
    if (rank < 2)
        CHECK_EQ(MPI_Intercomm_create(MPI_COMM_SELF, 0, local, 1 - rank, 2, &pair), MPI_SUCCESS);
    make(argv[1], &c);
    MPI_Pcontrol(1);
    if (rank < 2)
        go_on(&c, pair);
    else if (rank == 2)
        say_no_and_die(c);
    else
        outside(c, !strcmp(argv[1], "inter")); /* S0-92: what 0 and 1 said */
    return finish();
}
