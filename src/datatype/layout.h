/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h – the compiled form of a type: a short tree of loops over runs of bytes.
 *
 *     BYTES   size bytes in one piece
 *     LOOP    count times the body, stride bytes apart                 vector, subarray, contiguous
 *     AT      count times the body, at displs[i]                       indexed_block
 *     PIECES  count pieces of different length, at displs[i]           indexed, struct
 *     LIST    count different things                                   struct of derived types
 *
 *     subarray of 4 x 3 doubles out of 10 x 100:   LOOP 4 x 800 ── BYTES 24
 *     vector of 1000 floats out of 8000:           LOOP 1000 x 32 ── BYTES 4
 *
 * The order of a tree's leaves is the order of the type map, hence of the packed bytes.  Memory is
 * O(1) for nests of regular types and O(blocks) for irregular ones.
 *
 * Invariants:
 *   1  size > 0, unless kind is NOTHING; a body or part is never NOTHING; a body's offset is 0;
 *   2  count >= 2 for all kinds with a count, and neighbours that touch have been merged;
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
    MPI_Count offset; /* from the origin of whoever holds it, in bytes */
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

#endif
