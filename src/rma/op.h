/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h – put, get, accumulate and their like: what is asked for, and which way it goes. */
#ifndef MEND_RMA_OP_H
#define MEND_RMA_OP_H

#include "rma/element.h"
#include "rma/wire.h"
#include "rma/win.h"

/* One side of an operation. */
struct mend_rma_data {
    union {
        const void *from;
        void *to;
    };
    MPI_Count count;
    const struct mend_type *type;
};

/* Arguments have been checked.  The target's data has a displacement in place of an address. */
struct mend_rma_op {
    enum mend_rma_kind kind; /* PUT, GET, ACC, GET_ACC or SWAP */
    int target;
    MPI_Aint disp; /* in units of the target */
    struct mend_rma_data origin, result,
        there;                     /* origin: not of GET; result: of GET, GET_ACC, SWAP */
    const void *compare;           /* SWAP */
    const struct mend_op *op;      /* ACC, GET_ACC */
    const struct mend_type *basic; /* ACC, GET_ACC, SWAP: the element's type */
};

/* Begins it.  request_p NULL: an end of the epoch completes it; else *request_p is its request.  Waits
 * as mend_rma_apply() does, and for room (link.h), which ends with the death of the target or a revocation.
 * MPI_ERR_RMA_SYNC: no epoch allows it; MPI_ERR_RMA_RANGE: not within the target's part; MPI_ERR_NO_MEM;
 * MPI_ERR_INVALIDATED.  A dead target: MPI_SUCCESS, and nothing happens (S0-40). */
int mend_rma_begin(struct mend_win *w, const struct mend_rma_op *op,
                   struct mend_request **request_p);

/* Carries out an accumulate of n elements at `at`, in the target's part, in order.  in and old are packed; old may be
 * NULL.  Waits if another process changes elements of the part under its lock: that one's release or death ends the wait,
 * or a revocation: MPI_ERR_INVALIDATED. */
int mend_rma_apply(struct mend_win *w, int target, const struct mend_op *op,
                   const struct mend_type *basic, const void *in, char *at, MPI_Count n, void *old);
/* The same for the sum of one element of a type of mend_element_can_sum(). */
int mend_rma_add(struct mend_win *w, int target, const struct mend_type *basic, const void *in,
                 char *at, void *old);
int mend_rma_swap(struct mend_win *w, int target, const struct mend_type *basic,
                  const void *compare, const void *in, char *at, void *old);

/* True if only the member itself changes elements of its part: others cannot reach it. */
static inline bool mend_rma_is_alone(const struct mend_win *w, int rank)
{
    return !w->shared || !w->part[rank].at;
}

/* What keeps two accumulates apart that meet at an element: they have to take the same path, so nothing but the kind of
 * window, the type and the address has a say in it: no operator, no count, no origin.  Asserted where elements change. */
enum mend_rma_path {
    MEND_RMA_PATH_ALONE,  /* only the member itself changes elements of its part */
    MEND_RMA_PATH_ATOMIC, /* one atomic instruction for each element */
    MEND_RMA_PATH_LOCKED  /* the part's lock of elements */
};

static inline enum mend_rma_path mend_rma_path_of(const struct mend_win *w, int target,
                                                  const struct mend_type *basic, const void *at)
{
    if (mend_rma_is_alone(w, target))
        return MEND_RMA_PATH_ALONE;
    return mend_element_is_atomic(basic, at) ? MEND_RMA_PATH_ATOMIC : MEND_RMA_PATH_LOCKED;
}

/* MPI_REPLACE and MPI_NO_OP, which are defined for all types. */
bool mend_rma_op_is_special(const struct mend_op *op);

/* The named type that a type's elements are of; NULL: they are not all of one. */
const struct mend_type *mend_rma_basic(const struct mend_type *t);

#endif
