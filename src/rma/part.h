/* SPDX-License-Identifier: BSD-3-Clause */
/* part.h – the memory of the members, on its way from one that has it to those that reach it.
 *
 *   taken (of the heap, or the program's) ──> offered to all ──> known ──> mapped, when it is first reached ──> unmapped
 *   ──> given back, by its owner or for a dead one
 *
 * Used by win.c, which makes and frees windows; all others call mend_win_reach() (win.h). */
#ifndef MEND_RMA_PART_H
#define MEND_RMA_PART_H

#include "rma/win.h"

/* The memory of an allocated window: this member's, or for a contiguous one rank 0's, which takes `all` bytes.
 * MPI_ERR_NO_MEM. */
int mend_win_take_memory(struct mend_win *w, const struct mend_win_wish *wish, size_t all);

/* Where the segment holds a piece of this process's memory; 0: nowhere. */
uint64_t mend_win_place_of(struct mend_win *w, const void *base, MPI_Aint size);

/* What all have offered.  The largest error of a member, MPI_ERR_NO_MEM. */
int mend_win_know_parts(struct mend_win *w, const struct mend_win_wish *wish,
                        const struct mend_win_offer *offer);

/* Forgets the parts of all. */
void mend_win_unmap_parts(struct mend_win *w);

/* When all survivors have left the window: gives back what these dead members had taken for it (R31).  The lowest survivor
 * of their node does it; if that one dies before, the pages stay until the job ends. */
void mend_win_give_back_of(struct mend_win *w, struct mend_group *dead);

#endif
