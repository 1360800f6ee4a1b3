/* SPDX-License-Identifier: BSD-3-Clause */
/* array.h – what subarray and darray take of each dimension.
 *
 *     first   blocks times `block` indices, `cycle` apart, then `rest` more
 *       │
 *     ..xxx.....xxx.....xxx.....xx         block 3, blocks 3, cycle 8, rest 2
 *
 *     subarray, and a block distribution: one block; cyclic(k): many blocks of k, and a rest. */
#ifndef MEND_DATATYPE_ARRAY_H
#define MEND_DATATYPE_ARRAY_H

#include "datatype/envelope.h"

struct mend_slice {
    MPI_Count whole; /* indices that there are */
    MPI_Count first, block, blocks, cycle, rest;
};

/* Indices that a slice takes. */
static inline MPI_Count mend_slice_count(const struct mend_slice *s)
{
    return s->block * s->blocks + s->rest;
}

/* Index behind the full blocks, where the rest begins. */
static inline MPI_Count mend_slice_rest_at(const struct mend_slice *s)
{
    return s->first + s->blocks * s->cycle;
}

/* The last index that a slice with at least one takes. */
static inline MPI_Count mend_slice_last(const struct mend_slice *s)
{
    return s->rest ? mend_slice_rest_at(s) + s->rest - 1
                   : mend_slice_rest_at(s) - s->cycle + s->block - 1;
}

/* Dimensions of a subarray or darray, and one of them: i counts from the one whose neighbours are
 * neighbours in memory (the last for MPI_ORDER_C). */
int mend_array_dims(const struct mend_envelope *e);
struct mend_slice mend_array_slice(const struct mend_envelope *e, int i);

/* MPI_SUCCESS, or MPI_ERR_ARG for arguments that MPI-5.0 5.1.3 and 5.1.4 do not allow. */
int mend_array_check(const struct mend_envelope *e);

#endif
