/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c – the program: it calls one module after the other, and knows of no failures.
 *
 *     ranks                 0  1  2  3  4  5  6
 *     solver     (F)        x  x  x  x  x
 *     statistics (R)                 x  x  x  x
 *
 * Usage: mpiexec -n 7 ./modules [CALLS [FILE]]      FILE: what each rank does, for ./watch */
#include "board.h"
#include "solver.h"
#include "statistics.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, cells, calls = argc > 1 ? atoi(argv[1]) : 50, solves, counts;
    const double *field;
    double result = 0;
    MPI_Comm readers;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    solves = rank < 5;
    counts = rank > 2;
    board_open(argc > 2 ? argv[2] : NULL, rank);
    MPI_Comm_split(MPI_COMM_WORLD, counts ? 0 : MPI_UNDEFINED, rank, &readers);
    if (counts)
        statistics_open(readers);
    solver_open(solves);
    for (int call = 1; call <= calls; call++) {
        board_show(solves ? "solver" : "(waits for the solver)", call);
        field = solver_advance(&cells);
        board_left(call);
        board_show(counts ? "statistics" : "-", call);
        if (counts)
            statistics_add(field, cells);
    }
    if (counts)
        result = statistics_close();
    solver_close();
    board_show("done", calls);
    if (rank == 3)
        printf("%.17g\n", result);
    return MPI_Finalize();
}
