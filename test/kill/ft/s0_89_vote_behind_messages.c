/* SPDX-License-Identifier: BSD-3-Clause */
/* A vote needs no room in a ring: a rank that has sent more messages than fit to a receiver outside MPI, and then
 * leaves MPI, has still voted.
 *
 *   1   400 messages to 0, begins an agreement, leaves MPI
 *   0   has looked at nothing; agrees
 *
 *   R42: no decision depends on a process that is outside MPI
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-89: an agreement waits for every survivor and for no dead process
 *
 * RUN: -n 2 ; args inter ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args world ; set COLL_SHM=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args world ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "creators.h"

#define MANY 400 /* a ring holds 256 */

enum { VOTED, AGREED }; /* slots of the board */

static void vote(MPI_Comm c)
{
    static int v[MANY];
    MPI_Request messages[MANY], q;
    int flag = 0;

    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Isend(&v[i], 1, MPI_INT, 0, 4, W, &messages[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Icomm_agreement(c, &flag, &q), MPI_SUCCESS);
    post(VOTED);
    await(AGREED, 1); /* no MPI here */
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(MANY, messages, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static void agree(MPI_Comm c)
{
    int flag = 1, v;

    await(VOTED, 1);
    CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    post(AGREED);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, 1, 4, W, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Comm c = W;

    start(&argc, &argv);
    if (!strcmp(argv[1], "inter")) {
        set_up();
        c = inter;
    }
    if (rank == 0)
        agree(c);
    else
        vote(c);
    return finish();
}
