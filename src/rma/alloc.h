/* SPDX-License-Identifier: BSD-3-Clause */
/* alloc.h – memory for the program: MPI_Alloc_mem (MPI-5.0 9.2). */
#ifndef MEND_RMA_ALLOC_H
#define MEND_RMA_ALLOC_H

#include "proc/proc.h"

/* At least size bytes, more than 0, that begin at a multiple of align, a power of two, and of a cache line.  Memory of a
 * page or more comes from the segment, where windows reach it directly; all else, and what the segment has no room for,
 * from the program's heap.  The caller gives it back with mend_rma_free().  NULL: no memory. */
void *mend_rma_alloc(struct mend_proc *self, size_t size, size_t align);

/* MPI_ERR_BASE: it lies in a piece of the segment, and does not begin there. */
int mend_rma_free(struct mend_proc *self, void *base);

#endif
