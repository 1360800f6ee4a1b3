/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes are lost, one after the other, and their ranks are replaced on those that are left: the communicator has its old size and
 * everybody the old rank, newcomers of earlier losses among them.
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
        kill(getppid(), SIGKILL);
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

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&full), MPI_SUCCESS);
    if (full == MPI_COMM_NULL)
        full = MPI_COMM_WORLD;
    MPI_Comm_rank(full, &number);
    MPI_Comm_size(full, &full_n);
    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    share_losses();
    while (losses < argc - 1) {
        lose(argv[1 + losses]);
        share_losses();
    }
    if (number == 0)
        printf("whole after %d losses\n", losses);
    return finish();
}
