/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.h – memory of the program that other processes of the node can map: windows, MPI_Alloc_mem.
 *
 *   segment   ... │ heap of rank 0 │ heap of rank 1 │ heap of rank 2 │ ...
 *                 │ piece  piece   │ piece          │                │
 *
 * A heap is a range of the segment, not memory: pages exist only below pieces.  Each process gives out the pieces
 * of its own heap, and notes in its own memory where they are, so nothing here is shared but the bytes of the
 * program.  A piece is named by its offset in the segment; a process that is told the offset maps the piece.  It needs no
 * name, no descriptor and no permission beyond those that the segment has, so any number of windows can be made.
 *
 * A piece of a process that dies stays as it is: the survivors read and write it as before (R31).  Its pages are given
 * back with the window that it was taken for (rma/part.h), those of MPI_Alloc_mem when the job ends. */
#ifndef MEND_NODE_HEAP_H
#define MEND_NODE_HEAP_H

#include "base/list.h"
#include "proc/proc.h"

struct mend_heap_piece {
    struct mend_list link; /* in node->pieces, by offset */
    uint64_t at;           /* in the segment */
    size_t len;            /* whole pages */
    char *base;            /* where this process has mapped it */
};

/* A piece of at least len bytes that are zero, at the beginning of a page, reserved and mapped: touching it cannot
 * fail.  NULL: no memory, or no segment.  O(pieces). */
struct mend_heap_piece *mend_heap_take(struct mend_proc *self, size_t len);
/* The same, mapped here at a multiple of align, a power of two; 0: of a page. */
struct mend_heap_piece *mend_heap_take_aligned(struct mend_proc *self, size_t len, size_t align);

/* Its pages go; processes that have mapped it must not use it any more. */
void mend_heap_give_back(struct mend_proc *self, struct mend_heap_piece *p);

/* The piece of this process that holds all len bytes at base; NULL: none.  O(pieces). */
struct mend_heap_piece *mend_heap_find(struct mend_proc *self, const void *base, size_t len);

#endif
