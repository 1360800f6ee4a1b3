/* SPDX-License-Identifier: BSD-3-Clause */
/* take.h – what the completion calls do with one request (MPI-5.0 3.7.3); array.h: with several.
 *
 * All of them consist of two parts: wait until enough is finished, and take a finished request,
 * which fills its status, gives the handle back and returns the error.
 *
 * A request is in one of these states:
 *     null, inactive   nothing to wait for, empty status
 *     done             finished, with or without an error
 *     pending          a receive from MPI_ANY_SOURCE that may never match because of a death (S0-20):
 *                      counts as an answer, MPI_ERR_PENDING, and stays pending
 *     open             everything else
 *
 * A handle is changed only when its request is taken.  Handles have been checked. */
#ifndef MEND_REQ_TAKE_H
#define MEND_REQ_TAKE_H

#include "req/request.h"

static inline bool mend_request_is_open(const struct mend_request *r)
{
    return r && mend_request_is_active(r) && !r->pending;
}

/* Null and inactive requests are not waited for. */
static inline bool mend_request_is_idle(const struct mend_request *r)
{
    return !r || r->state == MEND_REQUEST_INACTIVE;
}

/* Neither freed nor cancelled now: a partitioned message or a collective that has begun and not been waited for. */
static inline bool mend_request_is_bound(const struct mend_request *r)
{
    return r->ops->whole && !mend_request_is_idle(r);
}

/* Done because of a death or a revocation, or kept from going on by one. */
static inline bool mend_request_is_broken(const struct mend_request *r)
{
    return r && (r->pending || (mend_request_is_done(r) && (r->error == MEND_CLASS_PROC_FAILED ||
                                                            r->error == MEND_CLASS_INVALIDATED)));
}

static inline struct mend_request *mend_request_of(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : (struct mend_request *)handle;
}

/* One round of progress for the calls that do not block; r NULL: for several requests.  A program may
 * call them in a loop: without news others get the core, if they need it, and the lock. */
void mend_request_look(struct mend_proc *self, const struct mend_request *r);

/* Fills the status of a finished request and returns its error. */
int mend_request_result(struct mend_request *r, MPI_Status *status);

/* Takes the request out of the caller's hands and returns its error: see the states above.  The error
 * of an open one is MPI_ERR_PENDING too, which only array functions meet. */
int mend_request_take_slow(MPI_Request *request, struct mend_request *r, MPI_Status *status);
static inline int mend_request_take(MPI_Request *request, struct mend_request *r,
                                    MPI_Status *status)
{
    int err;

    if (mend_unlikely(!r || !mend_request_is_done(r) || r->persistent || r->ops->query))
        return mend_request_take_slow(request, r, status);
    err = r->error;
    mend_request_status(r, status);
    *request = MPI_REQUEST_NULL;
    mend_request_detach(r);
    return err;
}

/* Waits until the request is done or pending, and takes it.  Blocks; a death completes a request that
 * needs the dead process (S0-16, S0-17) and makes an unmatched receive from anyone pending. */
static inline int mend_request_wait(struct mend_proc *self, MPI_Request *request,
                                    struct mend_request *r, MPI_Status *status)
{
    if (!mend_request_is_idle(r))
        mend_wait(self, r);
    return mend_request_take(request, r, status);
}

/* The same without blocking: *flag_p is true if there was nothing left to wait for.  A pending request
 * reports MPI_ERR_PENDING with *flag_p false. */
int mend_request_test(struct mend_proc *self, MPI_Request *request, struct mend_request *r,
                      int *flag_p, MPI_Status *status);

/* As mend_request_test(), but takes nothing and does not return the request's own error; a pending one
 * does return MPI_ERR_PENDING, so that a loop over this call ends. */
int mend_request_peek(struct mend_proc *self, struct mend_request *r, int *flag_p,
                      MPI_Status *status);

/* MPI_Request_free: the operation goes on without a handle; an error of it is fatal (S4-2).  Not of one
 * that is bound.  Returns the error of a generalized request's free_fn. */
int mend_request_free(MPI_Request *request, struct mend_request *r);

/* Marks the operation; a wait or test tells whether it was cancelled.  Not of one that is
 * bound. */
int mend_request_cancel(struct mend_request *r);

#endif
