/* SPDX-License-Identifier: BSD-3-Clause */
/* What a member had contributed before it died stays where the others look, though a communicator
 * that had the same memory before is only now put away by somebody else.
 *
 *   1          closes the old communicator ............................... looks whether the others have, too
 *   0, 2, 3      close it, and make another one, which gets the memory
 *   0              agrees ...................................................... and hears the result
 *   2                says no, dies
 *   3                           agrees: no
 *
 *   S0-90: an agreement never fails and is uniform under deaths
 *
 * RUN: -n 4 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 3 ok" */
#include "../common.h"

enum { FREED, ASKED, SAID_NO, DECIDED, LOOKED }; /* slots of the board */

static MPI_Comm make_second(void)
{
    const int members[] = {0, 2, 3};
    MPI_Group all, some;
    MPI_Comm c;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 3, members, &some);
    CHECK_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &c), MPI_SUCCESS);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return c;
}

static void look(void)
{
    MPI_Comm alone;

    await(DECIDED, 1);
    wait_until_dead(MPI_COMM_WORLD, 2);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &alone), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&alone), MPI_SUCCESS);
    post(LOOKED);
}

static void agree(MPI_Comm c)
{
    MPI_Request q;
    int flag = rank != 2;

    await(ASKED, rank != 0);
    await(SAID_NO, rank == 3);
    CHECK_EQ(MPI_Icomm_agreement(c, &flag, &q), MPI_SUCCESS);
    post(rank == 0 ? ASKED : SAID_NO);
    if (rank == 2)
        die_now();
    await(LOOKED, rank == 0);
    CHECK_EQ(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    post(DECIDED);
}

int main(int argc, char **argv)
{
    MPI_Comm old;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &old), MPI_SUCCESS);
    await(FREED, rank == 1 ? 0 : 1);
    CHECK_EQ(MPI_Comm_free(&old), MPI_SUCCESS);
    post(FREED);
    await(FREED, size);
    if (rank == 1)
        look();
    else
        agree(make_second());
    return finish();
}
