/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h – the elements of a datatype, run by run: what accumulates work on.
 *
 * A run is a number of elements of one named type, one extent behind the other.  Types whose elements have gaps
 * (MPI_SHORT_INT) come one element at a time where they are parts of a larger type. */
#ifndef MEND_RMA_RUN_H
#define MEND_RMA_RUN_H

#include "datatype/cursor.h"

struct mend_runs {
    const struct mend_type *basic;
    bool named; /* the type is the element's: one run */
    bool gaps;
    char *at;
    MPI_Count left; /* elements, of a named type */
    struct mend_cursor cursor;
};

/* buf may be a displacement in place of an address. */
static inline void mend_runs_begin(struct mend_runs *r, const struct mend_type *basic,
                                   const struct mend_type *t, const void *buf, MPI_Count count)
{
    r->basic = basic;
    r->named = t->size == basic->size && t->extent == basic->extent && t->predefined;
    r->gaps = basic->size != basic->extent || !basic->dense;
    r->at = (char *)(uintptr_t)buf;
    r->left = count;
    if (!r->named)
        mend_cursor_begin(&r->cursor, t, buf, count, 0);
}

static inline bool mend_runs_next(struct mend_runs *r, MPI_Count max, char **at_p, MPI_Count *n_p)
{
    size_t len, seen;
    char *more;

    if (r->named) {
        *at_p = r->at;
        *n_p = r->left < max ? r->left : max;
        r->at += *n_p * r->basic->extent;
        r->left -= *n_p;
        return *n_p > 0;
    }
    if (max <= 0 ||
        !mend_cursor_next(&r->cursor, (size_t)(r->gaps ? 1 : max) * (size_t)r->basic->size, at_p,
                          &len))
        return false;
    for (seen = len; r->gaps && seen < (size_t)r->basic->size; seen += len)
        if (!mend_cursor_next(&r->cursor, (size_t)r->basic->size - seen, &more, &len))
            return false;
    *n_p = r->gaps ? 1 : (MPI_Count)len / r->basic->size;
    return true;
}

#endif
