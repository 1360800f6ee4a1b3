/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent of a node is killed while all ranks are in MPI: its ranks end with it, and every survivor learns of all of them at once, in
 * whatever call it is.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-8: the death of an agent is the loss of its node */
/* RUN: -n 6 ; set MACHINES=2 ; args allreduce ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "node 1 (ranks 3 to 5)" */
/* RUN: -n 6 ; set MACHINES=3 ; args allreduce ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect "node 2 (ranks 4 to 5)" */
/* RUN: -n 6 ; set MACHINES=3 ; args receive ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 6 ; set MACHINES=3 ; args any ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 6 ; set MACHINES=6 ; args agree ; expect "rank 0 ok" ; expect "rank 4 ok" */
/* RUN: -n 8 ; set MACHINES=2 ; args agree ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../../agent.h"
#include "../common.h"

enum { READY };

static int first_lost; /* the ranks from here on are on the node that is lost */

/* Of this node, by what the ranks' parents are. */
static void find_node(void)
{
    int parent = (int)getppid(), last;
    int *all = malloc((size_t)size * sizeof(*all));

    CHECK_EQ(MPI_Allgather(&parent, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    last = all[size - 1];
    first_lost = size - 1;
    while (all[first_lost - 1] == last)
        first_lost--;
    free(all);
}

/* The first error names all processes of the node. */
static void check_failed(MPI_Comm c)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPIX_Comm_get_failed(c, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, size - first_lost);
    MPI_Group_free(&failed);
}

static int call(const char *what)
{
    int one = 1, sum, flag = 1;

    if (!strcmp(what, "allreduce"))
        return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(what, "receive"))
        return MPI_Recv(&one, 1, MPI_INT, size - 1 - rank % 2, 3, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    if (!strcmp(what, "any"))
        return MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
}

int main(int argc, char **argv)
{
    MPI_Comm rest;
    int rc = MPI_SUCCESS, one = 1, sum, n;

    start(&argc, &argv);
    find_node();
    if (rank >= first_lost) {
        if (rank == first_lost) {
            await(READY, first_lost);
            signal_own_agent(SIGKILL);
        }
        await_kill();
    }
    post(READY);
    while (rc == MPI_SUCCESS)
        rc = call(argv[1]);
    CHECK_CLASS(rc, MPI_ERR_PROC_FAILED);
    check_failed(MPI_COMM_WORLD);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &n);
    CHECK_EQ(n, first_lost);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, first_lost);
    return finish();
}
