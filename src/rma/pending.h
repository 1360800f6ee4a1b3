/* SPDX-License-Identifier: BSD-3-Clause */
/* pending.h – an operation that goes by messages, from its call to its last reply.
 *
 *   total     bytes that it moves, packed
 *   framed    so many are in frames that were sent, and the cursor stands behind them
 *   got       so many replies have brought
 *
 * It belongs to a link (link.h), which sends its frames in order, and goes with its end; if the program has a request
 * for it, the memory is the request's. */
#ifndef MEND_RMA_PENDING_H
#define MEND_RMA_PENDING_H

#include "datatype/cursor.h"
#include "req/request.h"
#include "rma/op.h"
#include "rma/run.h"

struct mend_rma_link;

struct mend_rma_pending {
    struct mend_request base;
    struct mend_list link;
    struct mend_rma_link *at;
    struct mend_rma_op op;
    bool wanted, answered; /* by a request; by replies */
    bool sending;          /* a frame of it is being carried out here */
    int error;
    uint32_t id;
    MPI_Count total, framed, got; /* packed bytes at the target */
    union {
        struct mend_cursor bytes;
        struct mend_runs elements;
    };
};

/* In no list yet, and with no frame.  wanted: with a request.  NULL: no memory. */
struct mend_rma_pending *mend_rma_pending_make(struct mend_rma_link *l,
                                               const struct mend_rma_op *op, bool wanted);

/* It is over, with this error: it leaves its list, and its request completes. */
void mend_rma_pending_end(struct mend_rma_pending *p, int error);

/* Fills a frame of at most max bytes with the next part of the operation, whose answer takes answer_max at most.  Its
 * length. */
uint32_t mend_rma_pending_fill(struct mend_rma_pending *p, char *room, uint32_t max,
                               uint32_t answer_max);

#endif
