/* SPDX-License-Identifier: BSD-3-Clause */
/* array.h – what the completion calls do with an array of requests (MPI-5.0 3.7.5); take.h has the
 * states of one.
 *
 *              any                       all                       some
 *     wait     MPI_Waitany               MPI_Waitall               MPI_Waitsome
 *     test     MPI_Testany               MPI_Testall               MPI_Testsome
 *     peek     MPI_Request_get_status_any, _all, _some: nothing is taken
 *
 * None is collective.  The waits block until what they wait for is done or pending; what a death does,
 * take.h says.
 *
 * 1. One failed request makes the call return MPI_ERR_IN_STATUS, with an MPI_ERROR in each status:
 *    MPI_SUCCESS, the class, or MPI_ERR_PENDING for pending and open ones (3.7.5, S0-26).  Its text
 *    names a request, and goes on with the text of that one's error.
 * 2. When a death or a revocation has failed one request of an array, the wait for all does not wait for
 *    the others: they may never finish (S0-1).  What has arrived by then is still taken.
 * 3. The peeks return only MPI_ERR_PENDING.
 *
 * Handles and outputs have been checked.  b: whose error handler gets which code. */
#ifndef MEND_REQ_ARRAY_H
#define MEND_REQ_ARRAY_H

#include "req/take.h"

/* Of the first request that has failed; if none has, of the first that is pending; else of the first open one. */
struct mend_blame {
    struct mend_comm *comm; /* to whose error handler the error goes; NULL: it has none */
    int code; /* what the handler gets: that of the request, where the call returns MPI_ERR_IN_STATUS (R43) */
    enum { MEND_BLAME_NOBODY, MEND_BLAME_OPEN, MEND_BLAME_PENDING, MEND_BLAME_FAILED } why;
    int noted; /* class of the last failure whose text was noted */
};

/* *index_p: the one taken, MPI_UNDEFINED if all are idle. */
int mend_requests_wait_any(struct mend_proc *self, int count, MPI_Request requests[], int *index_p,
                           MPI_Status *status, struct mend_blame *b);
/* *flag_p is true, with *index_p, also for a pending request. */
int mend_requests_test_any(struct mend_proc *self, int count, MPI_Request requests[], int *index_p,
                           int *flag_p, MPI_Status *status, struct mend_blame *b);
int mend_requests_peek_any(struct mend_proc *self, int count, const MPI_Request requests[],
                           int *index_p, int *flag_p, MPI_Status *status, struct mend_blame *b);

/* What the wait for all waits for now: one request, or something in the array that ends the call.  That
 * is a failure at the start, a death, or, if there are several communicators, the revocation of
 * another one, which nothing announces: then the array is looked through now and then, and the wait
 * does not sleep. */
struct mend_requests_turn {
    const struct mend_request *r;
    int count;
    const MPI_Request *requests;
    uint32_t deaths_seen, turns;
    bool several, broken;
};

/* The first look at a request of the array, by the code that checks the handles: so there is one pass. */
static inline void mend_requests_note(struct mend_requests_turn *t, const struct mend_request *r)
{
    if (mend_request_is_idle(r))
        return;
    t->broken |= mend_request_is_broken(r);
    t->several |= t->r && r->comm != t->r->comm; /* that of a generalized one is NULL */
    t->r = r;
}

/* t: count, requests, and each request noted. */
int mend_requests_wait_all(struct mend_proc *self, struct mend_requests_turn *t,
                           MPI_Request requests[], MPI_Status statuses[], struct mend_blame *b);
/* *flag_p is true if all are finished.  Takes nothing otherwise, unless one of them was failed by a
 * death or a revocation: then those that are finished are taken, as by the wait. */
int mend_requests_test_all(struct mend_proc *self, int count, MPI_Request requests[], int *flag_p,
                           MPI_Status statuses[], struct mend_blame *b);
int mend_requests_peek_all(struct mend_proc *self, int count, const MPI_Request requests[],
                           int *flag_p, MPI_Status statuses[], struct mend_blame *b);

/* Takes every done request and names every pending one; indices and statuses are packed at the front.
 * *n_p: MPI_UNDEFINED if all are idle. */
int mend_requests_wait_some(struct mend_proc *self, int count, MPI_Request requests[], int *n_p,
                            int indices[], MPI_Status statuses[], struct mend_blame *b);
int mend_requests_test_some(struct mend_proc *self, int count, MPI_Request requests[], int *n_p,
                            int indices[], MPI_Status statuses[], struct mend_blame *b);
int mend_requests_peek_some(struct mend_proc *self, int count, const MPI_Request requests[],
                            int *n_p, int indices[], MPI_Status statuses[], struct mend_blame *b);

#endif
