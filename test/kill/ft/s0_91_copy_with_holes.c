/* SPDX-License-Identifier: BSD-3-Clause */
/* On the copy of a communicator with holes the dead contribute nothing, whatever they have left
 * behind in the memory that the copy uses.
 *
 *   all            dup, agreement on `false`, free: many times, so that communicators follow each other in
 *                  the same memory
 *   the last rank  dies with one that it has freed, and has not cleared up after
 *   others         validate, and agree on `true` on copies: true
 *
 *   S0-91: dead processes do not contribute to an agreement
 *   S2-10: validate makes collectives and creation work again */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 16 ; expect "rank 0 ok" */
/* RUN: -n 5 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
#include "../common.h"

#define ROUNDS 40 /* more than a process keeps of what it has freed */
#define COPIES 4

static void use_up(void)
{
    MPI_Comm c;

    for (int i = 0; i < ROUNDS; i++) {
        int flag = 0;

        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_agreement(c, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        MPI_Comm_free(&c);
    }
}

static void check_copy(MPI_Comm *c)
{
    int flag = 1, n;
    MPI_Group failed;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, c), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_agreement(*c, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Comm_validate(*c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 1);
    MPI_Group_free(&failed);
}

int main(int argc, char **argv)
{
    MPI_Comm copies[COPIES];
    MPI_Group failed;

    start(&argc, &argv);
    use_up();
    post(0);
    await_in_mpi(0, size);
    if (rank == size - 1)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    CHECK_EQ(MPI_Comm_validate(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
    for (int i = 0; i < COPIES; i++)
        check_copy(&copies[i]);
    return finish();
}
