/* SPDX-License-Identifier: BSD-3-Clause */
/* The flag is the logical AND of the survivors' values, for all numbers; dead
 * members do not contribute; MPIX_Comm_agree is bitwise and reports, everywhere, deaths that some rank
 * has not acknowledged.
 *
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   S0-88: an agreement gives all survivors the AND of their values
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-91: dead processes do not contribute to an agreement */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 5 ; expect "rank 0 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 16 ; expect "rank 0 ok" */
/* RUN: -n 5 ; set COUNTERS_LEFT=50 ; expect "rank 0 ok" */
/* RUN: -n 16 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
#include "../common.h"

static int agreement(MPI_Comm c, int flag)
{
    CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
    return flag;
}

int main(int argc, char **argv)
{
    int flag, err;

    start(&argc, &argv);
    for (int who = 0; who < size; who++) {
        CHECK_EQ(agreement(MPI_COMM_WORLD, rank != who), 0);
        CHECK_EQ(agreement(MPI_COMM_WORLD, rank == who ? 2 : 1), 1);
    }
    flag = ~(1 << rank);
    CHECK_EQ(MPIX_Comm_agree(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, ~((1 << size) - 1));
    if (rank == size - 1)
        die_now(); /* it would have said false */
    CHECK_EQ(agreement(MPI_COMM_WORLD, 1), 1);
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    flag = 6;
    err = MPIX_Comm_agree(MPI_COMM_WORLD, &flag); /* nobody has acknowledged */
    CHECK_CLASS(err, MPI_ERR_PROC_FAILED);
    CHECK_EQ(flag, 6);
    if (rank != 0 || size == 2)
        MPI_Comm_failure_ack(MPI_COMM_WORLD);
    err = MPIX_Comm_agree(MPI_COMM_WORLD, &flag); /* rank 0 has not, unless it is alone */
    CHECK_CLASS(err, size == 2 ? MPI_SUCCESS : MPI_ERR_PROC_FAILED);
    CHECK_EQ(agreement(MPI_COMM_WORLD, 1), 1); /* S0-90 */
    MPI_Comm_failure_ack(MPI_COMM_WORLD);
    CHECK_CLASS(MPIX_Comm_agree(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    CHECK_CLASS(MPIX_Comm_agree(MPI_COMM_WORLD, &flag), MPI_SUCCESS);
    return finish();
}
