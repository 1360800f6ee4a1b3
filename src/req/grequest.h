/* SPDX-License-Identifier: BSD-3-Clause */
/* grequest.h – generalized requests: operations of the user's that wait and test like ours
 * (MPI-5.0 13.2).
 *
 *     start ──> active ──mend_grequest_complete()──> done ──query──> status ──free──> gone
 *
 * 1. query_fn runs once per completing call, then free_fn, exactly once; both in the thread that
 *    completes (a wait or test), or free_fn alone in the one that completes a request which the
 *    user has freed.
 * 2. The user's functions run without the library's lock: they may call MPI.
 * 3. A generalized request belongs to no communicator: deaths and revocations do not touch it. */
#ifndef MEND_REQ_GREQUEST_H
#define MEND_REQ_GREQUEST_H

#include "req/request.h"

/* A new active request.  NULL: no memory. */
struct mend_request *mend_grequest_start(struct mend_proc *self,
                                         MPI_Grequest_query_function *query_fn,
                                         MPI_Grequest_free_function *free_fn,
                                         MPI_Grequest_cancel_function *cancel_fn,
                                         void *extra_state);

/* True for requests made by mend_grequest_start(). */
bool mend_grequest_is(const struct mend_request *r);

/* The operation is over.  The request must be active (MPI_Grequest_complete checks). */
void mend_grequest_complete(struct mend_request *r);

/* Calls cancel_fn, also on a request that is done (13.2).  Returns what it returns. */
int mend_grequest_cancel(struct mend_request *r);

/* Calls free_fn.  Returns what it returns; the release that follows does not call it again. */
int mend_grequest_free(struct mend_request *r);

#endif
