/* SPDX-License-Identifier: BSD-3-Clause */
/* way.h – single copy or messages: which way a put or get takes on memory of the program.
 *
 * A copy is a system call of the origin, of the same cost for any length up to some KiB.  A message costs little, but
 * its cache lines travel from core to core twice, and the target has to be in MPI.  So it depends on the distance of the cores, on
 * the length, and on what the target does: it is measured (trial.h) for each target, put and get, and class of
 * lengths, from the call to the return of the flush that finds it executed, if nothing else was begun on the window
 * meanwhile.
 *
 * With more ranks than cores times mean little, and fixed lengths decide. */
#ifndef MEND_RMA_WAY_H
#define MEND_RMA_WAY_H

#include "rma/op.h"

/* True: by single copy; false: by messages.  Begins a measurement, and ends one that this operation spoils. */
bool mend_rma_way_copies(struct mend_win *w, const struct mend_rma_op *op);

/* The target has executed all; -1: all targets. */
void mend_rma_way_executed(struct mend_win *w, int target);

void mend_rma_way_drop(struct mend_win *w);

#endif
