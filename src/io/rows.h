/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h – lists of pieces of a file, as members tell them to each other, and the order of several lists.
 *
 *   row      |##|  |##|  |##|  |##|           n pieces of `len` bytes, `stride` bytes from one to the next
 *            at
 *
 *   lane     the rows of one member in the order of the file, with the memory of their bytes, which is dense
 *   merge    the pieces of several lanes in the order of the file
 *
 * A block of an array is a row for each of its planes, so a list is short where the view is regular.  Pure. */
#ifndef MEND_IO_ROWS_H
#define MEND_IO_ROWS_H

#include "proc/proc.h"

struct mend_row {
    int64_t at, len, stride, n;
};

struct mend_rows {
    struct mend_row *row;
    int64_t n, room;
};

/* One more piece behind those that are there.  False: no memory; then the list is as before. */
bool mend_rows_add(struct mend_proc *self, struct mend_rows *list, int64_t at, int64_t len);
void mend_rows_free(struct mend_proc *self, struct mend_rows *list);

struct mend_lane {
    const struct mend_row *row, *end; /* what comes next, and behind the last one */
    int64_t turn;                     /* of row */
    char *data;                       /* of the next piece */
};

/* lanes[0 .. n): a heap; the lane of the next piece comes first.  Changes the lanes. */
struct mend_merge {
    struct mend_lane *lane;
    int n;
};

/* Lanes without rows are left out.  The memory of the lanes is the caller's. */
void mend_merge_begin(struct mend_merge *m, struct mend_lane *lanes, int n);

/* The next piece of all; of two at the same place any one.  False: there is none. */
bool mend_merge_next(struct mend_merge *m, int64_t *at_p, int64_t *len_p, char **data_p);

#endif
