/* SPDX-License-Identifier: BSD-3-Clause */
/* The exit status of a job in which fatal error handlers end what a death has left: the first death in time gives it.  The
 * code of an abort that the program asks for counts, and so does that of a fatal error without a death: a revocation, or an
 * error of the program's own.
 *
 *   R22: the job's status is 0 only if all deaths were handled
 *
 * RUN: -n 3 ; args kill 9 ; exit 137 ; expect "its error handler is fatal" ; expect-no "aborted the job"
 * RUN: -n 3 ; args kill 11 ; exit 139
 * RUN: -n 3 --strict-exit ; args kill 9 ; exit 137
 * RUN: -n 3 --lenient-exit ; args kill 9 ; exit 137
 * RUN: -n 3 ; args exit 5 ; exit 5
 * RUN: -n 3 ; args exit 0 ; exit 1
 * RUN: -n 3 ; args handled 9 ; exit 137 ; expect "rank 0 ok"
 * RUN: -n 3 --lenient-exit ; args handled 9 ; expect "rank 0 ok"
 * RUN: -n 3 ; args revoked 9 ; exit 137
 * RUN: -n 3 ; args revoked 0 ; exit 2 ; expect "MPI_ERR_INVALIDATED"
 * RUN: -n 3 ; args abort 9 ; exit 7 ; expect "aborted the job with code 7"
 * RUN: -n 3 ; args other 9 ; exit 4 ; expect "MPI_ERR_TAG" */
#include "../common.h"

static const char *what;

static bool is(const char *word)
{
    return !strcmp(what, word);
}

/* Rank 2 is alone with the dead rank 1 on the communicator of the two. */
static void handle(MPI_Comm two)
{
    int v;

    if (rank == 2) {
        await(0, 1);
        MPI_Recv(&v, 1, MPI_INT, 0, 0, two, MPI_STATUS_IGNORE); /* fatal */
    }
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    post(0); /* what this rank is told of later is handled, too */
}

static void meet(void)
{
    int v;

    if (is("revoked") && rank == 0) { /* then nobody is told of the death itself */
        MPIX_Comm_revoke(MPI_COMM_WORLD);
        wait_until_dead(MPI_COMM_WORLD, 2);
        return;
    }
    if (is("abort") && rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (is("other") && rank == 0)
        MPI_Send(&v, 1, MPI_INT, 2, -5, MPI_COMM_WORLD);
    MPI_Recv(&v, 1, MPI_INT, is("revoked") ? 0 : 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm two;
    int arg;

    what = argv[1];
    arg = atoi(argv[2]);
    start(&argc, &argv);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &two));
    MPI_Comm_set_errhandler(two, MPI_ERRORS_ARE_FATAL);
    if (rank == 1 && is("exit"))
        exit(arg);
    if (rank == 1 && arg)
        raise(arg);
    if (arg || is("exit"))
        wait_until_dead(MPI_COMM_WORLD, 1);
    if (!is("handled") && ((!is("abort") && !is("other")) || rank == 0))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (is("handled"))
        handle(two);
    else
        meet();
    return finish();
}
