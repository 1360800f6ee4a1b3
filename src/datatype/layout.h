/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h – the compiled form of a type: a short tree of loops over runs of bytes.
 *
 *     BYTES   size bytes in one piece
 *     LOOP    count times the body, stride bytes apart                 vector, subarray, contiguous
 *     AT      count times the body, at displs[i]                       indexed_block
 *     PIECES  count pieces of different length, at displs[i]           indexed, struct
 *     LIST    count different parts                                    struct of derived types
 *
 *     subarray of 4 x 3 doubles out of 10 x 100:   LOOP 4 x 800 ── BYTES 24
 *     vector of 1000 floats out of 8000:           LOOP 1000 x 32 ── BYTES 4
 *
 * The order of a tree's leaves is the order of the type map, and so of the packed bytes.  Memory is
 * O(1) for nests of regular types and O(blocks) for irregular ones.
 *
 * Invariants:
 *   1  size > 0, unless kind is NOTHING; a body or part is never NOTHING; a body's offset is 0;
 *   2  count >= 2 for all kinds with a count, and neighbours that touch have been merged, except in an AT of
 *      at most 16 bytes each, into which pieces of one or two of these have been cut;
 *   3  a LOOP over a LOOP does not continue it (else it would have been made one LOOP);
 *   4  starts[i] is the packed position of entry i, starts[count] == size. */
#ifndef MEND_DATATYPE_LAYOUT_H
#define MEND_DATATYPE_LAYOUT_H

#include "datatype/datatype.h"

enum mend_run_kind {
    MEND_RUN_NOTHING,
    MEND_RUN_BYTES,
    MEND_RUN_LOOP,
    MEND_RUN_AT,
    MEND_RUN_PIECES,
    MEND_RUN_LIST,
};

struct mend_run {
    enum mend_run_kind kind;
    MPI_Count size;   /* packed bytes of all of it */
    MPI_Count offset; /* from the origin of its owner, in bytes */
    MPI_Count count;
    MPI_Count stride;             /* LOOP */
    const struct mend_run *body;  /* LOOP, AT */
    const struct mend_run *parts; /* LIST */
    const MPI_Count *displs;      /* AT, PIECES */
    const MPI_Count *starts;      /* PIECES, LIST */
};

struct mend_chunk; /* memory of a layout */

struct mend_layout {
    struct mend_run root;
    struct mend_chunk *chunks;
};

/* Makes t->layout if there is none, also those of the types that t is built from, which its tree
 * points into.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_layout_make(struct mend_proc *self, struct mend_type *t);

/* Gives the memory back; a type's own layout only. */
void mend_layout_free(struct mend_proc *self, struct mend_layout *layout);

/* MPI_Type_commit: from here on the type can be packed.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_type_commit(struct mend_proc *self, struct mend_type *t);

/* count times the run, stride bytes apart, merged where possible.  *body_p receives what the result
 * points to, if it points to anything new, and must live as long. */
struct mend_run mend_run_repeat(const struct mend_run *run, MPI_Count count, MPI_Count stride,
                                struct mend_run *body_p);

/* mem + by, also where mem is MPI_BOTTOM and the displacements are addresses. */
static inline char *mend_mem_at(char *mem, MPI_Count by)
{
    return (char *)((uintptr_t)mem + (uintptr_t)by);
}

/* Origin of item i of a run with a count, whose own origin is mem. */
static inline char *mend_run_item(const struct mend_run *run, char *mem, MPI_Count i)
{
    switch (run->kind) {
    case MEND_RUN_LOOP:
        return mend_mem_at(mem, i * run->stride);
    case MEND_RUN_LIST:
        return mem;
    default:
        return mend_mem_at(mem, run->displs[i]);
    }
}

/* Packed bytes of item i. */
static inline MPI_Count mend_run_item_size(const struct mend_run *run, MPI_Count i)
{
    return run->starts ? run->starts[i + 1] - run->starts[i] : run->body->size;
}

/* The item that holds the packed position, and the position within it.  at == size: the end. */
static inline MPI_Count mend_run_find(const struct mend_run *run, MPI_Count at, MPI_Count *within_p)
{
    MPI_Count lo = 0, hi = run->count;

    if (!run->starts) {
        *within_p = at % run->body->size;
        return at / run->body->size;
    }
    while (lo < hi) { /* starts[lo] <= at, and at < starts[hi + 1] if there is one */
        MPI_Count mid = lo + (hi - lo + 1) / 2;

        if (run->starts[mid] <= at)
            lo = mid;
        else
            hi = mid - 1;
    }
    *within_p = at - run->starts[lo];
    return lo;
}

#endif
