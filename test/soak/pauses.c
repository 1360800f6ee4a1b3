/* SPDX-License-Identifier: BSD-3-Clause */
/* pauses.c – the ranks of several machines sum and ask for turns while their agents stand still again and again (pauses): each call has
 * its right result, until rank 0 finds that it is time.
 *
 * Arguments: for how many seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void want(int rank, long rounds, const char *what, int got, int wanted)
{
    if (got == wanted)
        return;
    printf("rank %d, round %ld: %s %d instead of %d\n", rank, rounds, what, got, wanted);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank, size, sum, more = 1;
    long rounds = 0;
    double until = seconds() + (argc > 1 ? atof(argv[1]) : 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (; more; rounds++) {
        want(rank, rounds, "error", MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
             0);
        want(rank, rounds, "sum", sum, size * (size - 1) / 2);
        more = seconds() < until;
        want(rank, rounds, "error", MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD), 0);
    }
    if (rank == 0)
        printf("%d ranks are whole after %ld rounds\n", size, rounds);
    return MPI_Finalize();
}
