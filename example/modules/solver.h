/* SPDX-License-Identifier: BSD-3-Clause */
/* solver.h – module F: heat in a bar.  It survives the loss of its processes, and the program need not know. */
#ifndef SOLVER_H
#define SOLVER_H

#include <mpi.h>

/* Collective over all processes of the job, of which those with has_part solve. */
void solver_open(int has_part);

/* The same: some hundred steps in time.  Returns the field, of *cells, at all that solve; NULL at the others. */
const double *solver_advance(int *cells);

void solver_close(void);

#endif
