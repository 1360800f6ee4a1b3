/* SPDX-License-Identifier: BSD-3-Clause */
/* An abort ends ranks of several nodes, or the victims of one die one after the other: a process that knows that one of them is dead knows it of
 * all, and all shrink alike, also if one of the victims had voted.
 *
 *   S4-8: an abort may end a part of the world
 *   S5-10: the victims of one abort on several nodes are one set */
/* RUN: -n 6 ; set MACHINES=2 ; args all ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args all ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args voted ; expect "rank 0 ok" ; expect "rank 4 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args whole ; exit 9 ; expect "rank 1 aborted the job with code 9" ; expect-no "rank 0 (pid" */
#include "../common.h"

enum { VOTES };

static bool is_victim(int r)
{
    return r == 1 || r == size - 1;
}

static int failed_n(MPI_Comm c)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPIX_Comm_get_failed(c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    MPI_Group_free(&failed);
    return n;
}

int main(int argc, char **argv)
{
    MPI_Comm victims, rest;
    int n, m, flag = 1, low, high;

    start(&argc, &argv);
    if (!strcmp(argv[1], "whole")) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 9);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, is_victim(rank), rank, &victims), MPI_SUCCESS);
    if (rank == 1) {
        if (!strcmp(argv[1], "voted"))
            await(VOTES, 1);
        MPI_Abort(victims, 9);
    }
    if (is_victim(rank) && strcmp(argv[1], "voted") != 0)
        MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    do
        n = failed_n(MPI_COMM_WORLD);
    while (strcmp(argv[1], "voted") != 0 && !n);
    CHECK(n == 0 || n == 2);
    if (is_victim(rank))
        post(VOTES); /* it is about to vote */
    while (MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS)
        ;
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &m);
    CHECK_EQ(m, size - 2);
    CHECK_EQ(MPI_Allreduce(&m, &low, 1, MPI_INT, MPI_MIN, rest), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&m, &high, 1, MPI_INT, MPI_MAX, rest), MPI_SUCCESS);
    CHECK(low == high);
    return finish();
}
