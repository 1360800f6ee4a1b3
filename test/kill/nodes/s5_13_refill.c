/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes are lost, one after the other, and their ranks are replaced on those that are left: the communicator has its old size and
 * everybody the old rank, newcomers of earlier losses among them.  Where a node was kept free they are there.
 *
 * Arguments: the ranks that kill their agents, in that order.
 *
 *   S5-8: the death of an agent is the loss of its node
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 4 ; set MACHINES=2 ; args 3 ; expect "whole after 1 losses" */
/* RUN: -n 6 ; set MACHINES=3 ; args 4 2 ; expect "whole after 2 losses" */
/* RUN: -n 6 ; set MACHINES=3 ; args 2 5 ; expect "whole after 2 losses" */
/* RUN: -n 6 --spares 3 ; set MACHINES=3 ; args 4 2 ; expect "whole after 2 losses" */
/* RUN: -n 4 --spares 2 ; set MACHINES=4 ; args 1 2 ; expect "whole after 2 losses" */
/* RUN: -n 8 ; set MACHINES=4 ; args 3 5 7 ; expect "whole after 3 losses" */
/* RUN: -n 5 ; set MACHINES=5 ; args 1 2 3 4 ; expect "whole after 4 losses" */
/* RUN: -n 6 --map-by node ; set MACHINES=3 ; args 4 2 ; expect "whole after 2 losses, at most 6 on a node" */
/* RUN: -n 6 --spare-nodes 1 ; set MACHINES=4 ; args 4 ; expect "whole after 1 losses, at most 2 on a node" */
/* RUN: -n 4 --spares 2 --spare-nodes 1 ; set MACHINES=3 ; args 3 ; expect "whole after 1 losses, at most 2 on a node" */
/* RUN: -n 6 --spare-nodes 2 ; set MACHINES=4 ; args 4 5 ; expect "whole after 2 losses, at most 3 on a node" */
/* RUN: -n 3 --nolocal ; set MACHINES=4 ; args 2 ; expect "whole after 1 losses, at most 2 on a node" */
/* RUN: -n 6 -H localhost:9 ; set MACHINES=3 ; args 4 ; expect "whole after 1 losses, at most 3 on a node" */
#include "../../agent.h"
#include "../common.h"

static MPI_Comm full;
static int number, full_n, losses;

static bool all_succeeded(int err)
{
    int flag = err == MPI_SUCCESS;

    CHECK(!err || err == MPI_ERR_PROC_FAILED);
    MPIX_Comm_agree(full, &flag);
    return flag;
}

static void adopt(MPI_Comm next)
{
    int r, n;

    full = next;
    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    MPI_Comm_rank(full, &r);
    MPI_Comm_size(full, &n);
    CHECK(r == number && n == full_n);
}

static void refill(void)
{
    MPI_Comm next;
    int err;

    while ((err = MPIX_Comm_refill(full, MPI_INFO_NULL, &next)) != MPI_SUCCESS)
        CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    adopt(next);
}

static void lose(const char *who)
{
    int rc, one = 1, sum;

    if (atoi(who) == number) {
        signal_own_agent(SIGKILL);
        await_kill();
    }
    do
        rc = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, full);
    while (all_succeeded(rc));
    refill();
    losses++;
}

/* A newcomer learns how far the others are. */
static void share_losses(void)
{
    int mine = losses;

    CHECK(all_succeeded(MPI_Allreduce(&mine, &losses, 1, MPI_INT, MPI_MAX, full)));
}

/* The most members that share a node. */
static int count_most(void)
{
    MPI_Comm here;
    int n, most;

    CHECK_EQ(MPI_Comm_split_type(full, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here), MPI_SUCCESS);
    MPI_Comm_size(here, &n);
    MPI_Comm_free(&here);
    CHECK_EQ(MPI_Allreduce(&n, &most, 1, MPI_INT, MPI_MAX, full), MPI_SUCCESS);
    return most;
}

int main(int argc, char **argv)
{
    int most;

    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&full), MPI_SUCCESS);
    if (full == MPI_COMM_NULL)
        full = MPI_COMM_WORLD;
    MPI_Comm_rank(full, &number);
    MPI_Comm_size(full, &full_n);
    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    for (int i = 1; i < argc; i++)
        CHECK(atoi(argv[i]) < full_n);
    share_losses();
    while (losses < argc - 1) {
        lose(argv[1 + losses]);
        share_losses();
    }
    most = count_most();
    if (number == 0)
        printf("whole after %d losses, at most %d on a node\n", losses, most);
    return finish();
}
