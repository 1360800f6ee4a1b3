/* SPDX-License-Identifier: BSD-3-Clause */
/* A node is switched off by --inject when its lowest rank gets somewhere: that rank goes no further, and the others learn of all ranks
 * of the node together when its lease is over.
 *
 *   S5-2: the loss of a node is one verdict over all its processes */
/* RUN: -n 6 --inject node:1@call:MPI_Allreduce#3 ; set MACHINES=3 ; args 2 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 4 ok" ;
 *      expect "node 1 (ranks 2 to 3) is lost: no sign of life" */
/* RUN: -n 6 --inject node:2@call:MPI_Allreduce#2>coll.enter ; set MACHINES=3 ; args 1 ; expect "rank 0 ok" ; expect "rank 3 ok" ;
 *      expect "node 2 (ranks 4 to 5) is lost: no sign of life" */
/* RUN: -n 4 --inject node:1@in:MPI_Allreduce:0,1 ; set MACHINES=2 ; args 0 waits ; expect "rank 0 ok" ; expect "rank 1 ok" ;
 *      expect "node 1 (ranks 2 to 3) is lost: no sign of life" */
#include "../common.h"

/* All of one node, and not this process. */
static void check_failed(int n)
{
    MPI_Group failed, world;
    int failed_n, zero = 0, first;

    CHECK_EQ(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &failed_n);
    CHECK_EQ(failed_n, n);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(failed, 1, &zero, world, &first);
    CHECK(rank < first || rank >= first + n);
    MPI_Group_free(&world);
    MPI_Group_free(&failed);
}

int main(int argc, char **argv)
{
    int one = 1, sum, n;

    start(&argc, &argv);
    n = size == 6 ? 2 : size / 2;
    for (int i = atoi(argv[1]); i; i--)
        CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    if (argc > 2 && rank >= n)
        await_kill();
    CHECK_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                MPI_ERR_PROC_FAILED);
    check_failed(n);
    return finish();
}
