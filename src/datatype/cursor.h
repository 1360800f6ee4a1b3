/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor.h – the contiguous pieces of `count` elements of a type, one after the other.
 *
 * For copies from one layout to another, and for what is done to bytes where they lie.  Pieces come in the order of the type map, hence of the packed bytes.
 *
 *     packed position     0       8       16      24      32      40        at
 *     piece               |-------|-------|-------|-------|-------|
 *     row                 |                       |                  <- what the cursor has in hand
 *     rows                |                       |               |     left in the loop around it
 *
 * A cursor is a value: no memory hangs from it, a copy of it goes on by itself.  It points into the type and
 * into the buffer, and both must outlive it.  A row is an innermost loop over pieces; behind its end the
 * cursor goes to the next turn of the loop around it, or looks for its position from the root again. */
#ifndef MEND_DATATYPE_CURSOR_H
#define MEND_DATATYPE_CURSOR_H

#include "datatype/datatype.h"

struct mend_cursor {
    MPI_Count at, end; /* packed position of what comes next, and behind the last byte */

    const struct mend_type *type;
    char *buf;
    MPI_Count count;

    /* The row, of which piece i comes next, without its first `within` bytes; i == n: none. */
    char *mem;
    MPI_Count i, n, within;
    MPI_Count len, stride;           /* of each piece, from one to the next; unless there are */
    const MPI_Count *displs;         /* places of their own, or */
    const MPI_Count *starts;         /* lengths of their own */
    MPI_Count rows_left, row_stride; /* turns of the loop around it */
};

/* `at`: the packed position to begin at.  The type is committed, and the caller has looked whether the places
 * are numbers (mend_type_fits()).  buf may be MPI_BOTTOM.  O(1). */
void mend_cursor_begin(struct mend_cursor *k, const struct mend_type *t, const void *buf,
                       MPI_Count count, MPI_Count at);

/* The next piece, at most max > 0 bytes of it: the next call goes on behind them.  False at the end, and
 * then both outputs are as before.  O(1) inside of a row and at the end of most; else the depth of the
 * type, and the logarithm of the length of an irregular level. */
bool mend_cursor_next(struct mend_cursor *k, size_t max, char **at_p, size_t *len_p);

/* Where the next piece begins; the cursor stays there.  False at the end.  O() as next. */
bool mend_cursor_peek(struct mend_cursor *k, char **at_p);

/* Copies what is left of `from` to where `to` is, up to the shorter end, and moves both on by the bytes copied.
 * Where both buffers have no byte in common, small pieces go through a buffer on the stack, many at a time: that is
 * faster.  Else each piece is copied by itself, in order, and arrives whole if it overlaps the place it goes to. */
void mend_cursor_copy(struct mend_cursor *to, struct mend_cursor *from);

#endif
