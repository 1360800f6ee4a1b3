/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.h – which communicator uses which cell of the segment, and for how long.
 *
 *   free ──offered at creation, agreed on──> taken ──closing──> closed ──> free
 *                                                                all others closed it too, or are dead
 *
 * A member that has closed a communicator no longer reads the others' blocks.  It says so in the segment, and keeps
 * its own cell back until all other members have done the same or are dead, because a slow member may still be
 * reading.  This needs no message and no wait: the list of closed cells is checked when a cell is requested.
 *
 * A member must vote on each of its communicators, because the others wait for it.  So it offers a cell only if it has
 * the page of its votes there, and reserves these pages some at a time; without memory for any it offers none, and the communicator votes in vote blocks
 * (node/vote_blocks.h).  The agent reserves those of MPI_COMM_WORLD, in cell 0.
 *
 * None of these blocks.  Without a segment, or without MEND_COLL_SHM, no cell is ever offered.
 *
 * Invariants:
 *   1  the agreement area and no_from of a free cell are zero (mend_node_votes_clear());
 *   2  all members' agreement areas of a cell that is taken have their pages. */
#ifndef MEND_NODE_CELLS_H
#define MEND_NODE_CELLS_H

#include "proc/proc.h"

/* Bit k: cell k is free in this process.  A creation ANDs the offers of all members and takes the lowest bit.  What
 * one creation was offered no other one is, until settle() says that its cell is taken, or none.  modest: a quarter
 * of the cells, that of turn, so that creations which overlap all find one; else everything. */
uint64_t mend_cells_offer(struct mend_proc *self, bool modest, unsigned turn);
void mend_cells_settle(struct mend_proc *self, uint64_t offered);

/* This process can offer all cells from now on, if there is memory: to be called when a creation has found none that is
 * free at all members. */
void mend_cells_reserve_all(struct mend_proc *self);

/* A communicator of this process uses the cell from now on. */
void mend_cells_take(struct mend_proc *self, int cell);

/* The end of a communicator's use, in this order.  Its mark is not 0 and never used again; members are the others.
 * Without memory the process ends, because the cell would never be free again. */
struct mend_cells_closing *mend_cells_closing(struct mend_proc *self, int cell, uint64_t mark,
                                              int members_max);
void mend_cells_add_member(struct mend_proc *self, struct mend_cells_closing *x, mend_peer peer);
void mend_cells_close(struct mend_proc *self, struct mend_cells_closing *x);

#endif
