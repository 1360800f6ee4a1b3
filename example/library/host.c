/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c – a program that does not know of failures and uses a library that does.
 *
 *     mpicc -O2 host.c tasks.c -lm -o host && mpiexec -n 4 ./host
 *     mpiexec -n 4 --inject kill:0@call:MPI_Allreduce#9 ./host
 *
 * An integral, in pieces.  While tasks_run() runs, any process may be lost.  Before and after it this program
 * is as vulnerable as any other: its error handler is MPI's default one, and the loss of a process ends it,
 * with a status that is not 0.  All that it does for the library's sake: it lets the library say which
 * process writes the result, and goes on with the communicator that it gets back. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tasks.h"

#define STEPS 10000 /* in a piece */

static int pieces = 100;

static double piece(int k)
{
    double sum = 0, h = 1.0 / pieces / STEPS;

    for (int i = 0; i < STEPS; i++) {
        double x = (double)k / pieces + (i + 0.5) * h;

        sum += 4 / (1 + x * x) * h;
    }
    return sum;
}

static void write_sum(const double *result, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += result[i];
    printf("host: pi is %.12f\n", sum);
    fflush(stdout); /* what is in a buffer dies with its process */
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    MPI_Init(&argc, &argv);
    if (argc > 1)
        pieces = atoi(argv[1]);
    MPI_Bcast(&pieces, 1, MPI_INT, 0, comm);
    if (tasks_run(&comm, pieces, piece, write_sum) != MPI_SUCCESS)
        MPI_Abort(comm, 1);
    MPI_Barrier(comm); /* more of the program's own work, on the communicator that it got back */
    return MPI_Finalize();
}
