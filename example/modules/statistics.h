/* SPDX-License-Identifier: BSD-3-Clause */
/* statistics.h – module R: a history of numbers.  It knows nothing of failures, nor of the solver. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <mpi.h>

void statistics_open(MPI_Comm comm);

/* Collective over comm: adds the numbers that rank 0 has. */
void statistics_add(const double *numbers, int n);

/* A sum over all that was ever added, and in what order. */
double statistics_close(void);

#endif
