/* SPDX-License-Identifier: BSD-3-Clause */
/* The status of a job whose lost processes were replaced, until none is left of those that it began with: in each generation
 * the ranks take turns to die, and the others replace them.  The processes that finish were told of no death but the last
 * ones; all the others count as handled, because another process has the rank.
 *
 * Argument: how many generations.
 *
 *   R22: the job's status is 0 only if all deaths were handled
 *
 * RUN: -n 2 ; args 1 ; expect "2 of 2 after 1"
 * RUN: -n 2 ; args 2 ; expect "2 of 2 after 2"
 * RUN: -n 2 ; args 7 ; expect "2 of 2 after 7"
 * RUN: -n 2 --spares 3 ; args 6 ; expect "2 of 2 after 6"
 * RUN: -n 2 ; args 5 ; set MACHINES=2 ; expect "2 of 2 after 5"
 * RUN: -n 5 ; args 11 ; set AGREE_SHM=0 ; expect "5 of 5 after 11"
 * RUN: -n 2 --strict-exit ; args 4 ; exit 137 ; expect "2 of 2 after 4"
 * RUN: -n 2 --lenient-exit ; args 4 ; expect "2 of 2 after 4"
 * RUN: -n 2 ; args 1 ; kill 1 at finalize.enter ; exit 137 ; expect "2 of 2 after 1" ; expect "was told of the death of rank 1" */
#include "../common.h"

#include <mpi_ft.h>

static MPI_Comm comm;
static int generation, me, n;

/* The newcomers hear which generation it is.  The next one to die goes when all the others say that they do: what it has sent
 * may be lost with it. */
static void settle(void)
{
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &generation, 1, MPI_INT, MPI_MAX, comm), MPI_SUCCESS);
    if (me != generation % n)
        MPI_Send(NULL, 0, MPI_INT, generation % n, 0, comm); /* it may die before this returns */
    else
        for (int i = 1; i < n; i++)
            CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE));
}

static void replace(void)
{
    MPI_Comm whole = MPI_COMM_NULL;
    int err;

    do
        err = MPIX_Comm_refill(comm, MPI_INFO_NULL, &whole);
    while (err == MPI_ERR_PROC_FAILED || whole == MPI_COMM_NULL);
    CHECK_EQ(err, MPI_SUCCESS);
    MPI_Comm_free(&comm);
    comm = whole;
    generation++;
    settle();
}

int main(int argc, char **argv)
{
    int generations;

    set_watchdog();
    MPI_Init(&argc, &argv);
    return_errors();
    generations = atoi(argv[1]);
    MPIX_Comm_refilled(&comm);
    if (comm == MPI_COMM_NULL)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    settle();
    while (generation < generations) {
        if (me == generation % n)
            die_now();
        wait_until_dead(comm, generation % n);
        replace();
    }
    if (me == 0)
        printf("%d of %d after %d\n", n, n, generation);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
