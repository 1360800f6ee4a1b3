/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonblocking agreement returns at once, overlaps with other traffic and with other
 * agreements, and completes by Wait and Test; a death in between changes nothing of that.  The first rank
 * begins all of them, exchanges messages and tests, while nobody else has begun one.
 *
 *   S0-94: the nonblocking agreement has the same meaning */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 3 ; set COUNTERS_LEFT=20 ; expect "rank 0 ok" */
/* RUN: -n 6 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 6 ; kill 5 at agree.enter#3 ; expect "rank 0 ok" */
/* RUN: -n 16 ; set AGREE_SHM=0 ; kill 8 at agree.sent.up#3 ; expect "rank 0 ok" */
#include "../common.h"

#define MANY 7

/* None can be complete yet, and other calls work. */
static void alone(MPI_Request *r)
{
    int v = 0, done = 1;

    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(MPI_Test(&r[i], &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(done, 0);
    }
    CHECK_EQ(MPI_Sendrecv_replace(&v, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    post(0);
}

int main(int argc, char **argv)
{
    MPI_Request r[MANY];
    int flag[MANY], v = 0, done = 0, right, left;

    start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    if (rank != 0) /* rank 0 is through with its part */
        await(0, 1);
    for (int i = 0; i < MANY; i++) {
        flag[i] = !(i == 2 && rank == 1);
        CHECK_EQ(MPI_Icomm_agreement(MPI_COMM_WORLD, &flag[i], &r[i]), MPI_SUCCESS);
    }
    if (rank == 0)
        alone(r);
    if (size == 3) /* nobody dies in this recipe */
        CHECK_EQ(MPI_Sendrecv_replace(&v, 1, MPI_INT, right, 0, left, 0, MPI_COMM_WORLD,
                                      MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    while (!done)
        CHECK_EQ(MPI_Test(&r[MANY - 1], &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(MANY, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(flag[i], i != 2);
    return finish();
}
