/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of agreements come round (node/slots.h): what a process that died long ago has left in its slots is then not
 * taken for its vote.  Counters begin 16 steps before that (doc/limits.md); rank 1 dies before it has voted at all, or after
 * some votes of "no".  All agreements of the others have the value that they vote for.
 *
 *     args VOTES
 *
 *   S0-88: an agreement gives all survivors the AND of their values
 *
 * RUN: -n 3 ; args 0 ; set COUNTERS_LEFT=16 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 2 ; args 0 ; set COUNTERS_LEFT=16 ; expect "rank 0 ok"
 * RUN: -n 3 ; args 3 ; set COUNTERS_LEFT=16 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args 3 ; set COUNTERS_LEFT=16 ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define AGREEMENTS 60

static void agree(MPI_Comm c, int mine, int expected)
{
    int flag = mine, err = MPIX_Comm_agree(c, &flag);

    CHECK(class_of(err) == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED);
    CHECK_EQ(flag, expected);
}

int main(int argc, char **argv)
{
    int votes = atoi(argv[1]);
    MPI_Comm c;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    for (int i = 0; i < votes; i++)
        agree(c, rank != 1, 0);
    if (rank == 1)
        die_now();
    wait_until_dead(c, 1);
    for (int i = 0; i < AGREEMENTS; i++)
        agree(c, 1, 1);
    return finish();
}
