/* SPDX-License-Identifier: BSD-3-Clause */
/* tasks.h – a small library that survives failures under a program that does not know of them. */
#ifndef TASKS_H
#define TASKS_H

#include <mpi.h>

#define TASKS_MAX 1000

/* Computes task(0), ... task(n - 1), shared out among the processes of *comm.  One of them then calls
 * use(result, n), which writes or keeps the results; it may be called again by another process if that one
 * is lost.  Returns MPI_SUCCESS, or an error that is not the loss of a process.
 *
 * Collective over *comm.  Processes may be lost meanwhile, whatever the error handler of *comm: their
 * tasks are computed by others.  Afterwards *comm is a communicator of the survivors, in the same order
 * and with the same error handler: go on with it, and ask it for rank and size again.  The old one is
 * left as it was. */
int tasks_run(MPI_Comm *comm, int n, double (*task)(int i),
              void (*use)(const double *result, int n));

#endif
