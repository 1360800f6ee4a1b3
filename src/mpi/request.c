/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c – completion calls (MPI-5.0 3.7.3 to 3.7.6) and what else is done with a request.
 *
 * All of them are built from two things: wait until enough is finished, and take() a finished
 * request, which fills its status, gives the handle back and tells the error.
 *
 *              one           any                  all                    some
 *     wait     MPI_Wait      MPI_Waitany          MPI_Waitall            MPI_Waitsome
 *     test     MPI_Test      MPI_Testany          MPI_Testall            MPI_Testsome
 *     look     MPI_Request_get_status, _any, _all, _some: nothing is taken
 *
 * A request is in one of these states:
 *     null, inactive   nothing to wait for, empty status
 *     done             finished, with or without an error
 *     pending          a receive from anyone that a death may keep from ever matching (S0-20):
 *                      counts as an answer, MPI_ERR_PENDING, and stays as it is
 *     open             everything else
 *
 * None is collective.  The waits block until what they wait for is done or pending.  What a death
 * does: it makes the requests that need the dead process done, with MPI_ERR_PROC_FAILED (S0-16,
 * S0-17), and unmatched receives from anyone pending.  The error goes to the error handler of the
 * (first failed) request's communicator.
 *
 * 1. Arrays: one failed request makes the call return MPI_ERR_IN_STATUS, with an MPI_ERROR in each
 *    status: MPI_SUCCESS, the class, or MPI_ERR_PENDING for pending and open ones (3.7.5, S0-26).
 *    Its text names a request, and goes on with the text of that one's error.
 * 2. When a death or a revocation has failed one request of an array, MPI_Waitall does not wait for
 *    the others: they may never finish (S0-1).  What has arrived by then is still taken.
 * 3. A handle is changed only when its request is taken. */
#include "comm/errcode.h"
#include "comm/objects.h"
#include "mpi/check.h"
#include "req/grequest.h"

#include <sched.h>
#include <stdio.h>

/* Turns between two looks through an array of several communicators. */
#define TURNS_PER_LOOK   128
#define NAMED_IN_REPORTS 4

static inline bool is_open(const struct mend_request *r)
{
    return r && r->active && !r->pending;
}

/* Null and inactive requests are not waited for. */
static inline bool is_idle(const struct mend_request *r)
{
    return !r || (!r->active && !r->done);
}

/* Done because of a death or a revocation, or kept from going on by one. */
static inline bool is_broken(const struct mend_request *r)
{
    return r && (r->pending || (r->done && (r->error == MEND_CLASS_PROC_FAILED ||
                                            r->error == MEND_CLASS_INVALIDATED)));
}

/* The request of a handle that has been checked. */
static inline struct mend_request *of(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : (struct mend_request *)handle;
}

static int check_one(const MPI_Request *request, struct mend_request **r_p)
{
    int err = mend_check_pointer(request);

    return err ? err : mend_check_request(*request, r_p);
}

static int check_array(int count, const MPI_Request requests[])
{
    struct mend_request *r;
    int err = mend_check_count(count);

    if (!err && count > 0)
        err = mend_check_pointer(requests);
    for (int i = 0; !err && i < count; i++)
        err = mend_check_request(requests[i], &r);
    return err;
}

/* One round of progress for the calls that do not block.  A program may call them in a loop: without
 * news others get the core, if they need it, and the lock. */
static void look(struct mend_proc *self, const struct mend_request *r)
{
    if (mend_progress(self, r ? r->hint : MEND_PEER_NONE) || mend_interrupt_check(self))
        return;
    if (self->yield) {
        self->yield(self);
    } else if (mend_unlikely(self->crowded || self->threaded)) {
        mend_unlock(self);
        sched_yield();
        mend_lock(self);
    }
}

/* Fills the status of a finished request and returns its error. */
static int result(struct mend_request *r, MPI_Status *status)
{
    int err = r->ops->query ? r->ops->query(r) : r->error;

    mend_request_status(r, status);
    return err;
}

/* Takes one request out of the caller's hands: see the states above.  The error of an open one is
 * MPI_ERR_PENDING too, which only array functions meet. */
static int take(MPI_Request *request, struct mend_request *r, MPI_Status *status)
{
    int err, err_free;

    if (mend_likely(r && r->done && !r->persistent && !r->ops->query)) { /* the common case */
        err = r->error;
        mend_request_status(r, status);
        *request = MPI_REQUEST_NULL;
        mend_request_detach(r);
        return err;
    }
    if (is_idle(r)) {
        mend_status_empty(status);
        return MPI_SUCCESS;
    }
    if (!r->done)
        return MPI_ERR_PENDING;
    err = result(r, status);
    if (r->persistent) {
        r->done = false;
        return err;
    }
    if (mend_grequest_is(r)) {
        err_free = mend_grequest_free(r);
        err = err ? err : err_free;
    }
    *request = MPI_REQUEST_NULL;
    mend_request_detach(r);
    return err;
}

/* What MPI_ERR_IN_STATUS is raised for, and on which communicator: the first request that has failed;
 * if none has, the first that is pending; else the first open one. */
struct blame {
    struct mend_comm *comm; /* NULL: a generalized request, or nobody */
    enum { BLAME_NOBODY, BLAME_OPEN, BLAME_PENDING, BLAME_FAILED } why;
    int noted; /* class of the last failure whose text was noted */
};

/* The request is about to be taken, and is no success: its error, the text of which the statuses do not
 * have, and which request it is. */
static __attribute__((noinline)) void accuse(struct blame *b, const struct mend_request *r, int i)
{
    int why = r->done ? BLAME_FAILED : r->pending ? BLAME_PENDING : BLAME_OPEN;
    int err = r->done ? r->error : MPI_ERR_PENDING;
    char what[160];

    if (why > BLAME_OPEN && r->comm && b->noted != err) {
        mend_failure_note(r->comm, err);
        b->noted = err;
    }
    if (is_broken(r) && r->comm && err != MEND_CLASS_INVALIDATED)
        mend_failure_told(r->comm, mend_self->deaths_n);
    if (why <= (int)b->why)
        return;
    snprintf(what, sizeof(what), "%s", r->ops->name);
    if (r->ops->describe)
        r->ops->describe(r, what, sizeof(what));
    mend_error_detail(mend_self, MPI_ERR_IN_STATUS, err, "array_of_requests[%d], %s", i, what);
    b->why = why;
    b->comm = r->comm;
}

/* take() for arrays: the error goes into the status as well. */
static int take_into(MPI_Request requests[], int i, MPI_Status *status, struct blame *b)
{
    struct mend_request *r = of(requests[i]);
    int err;

    if (mend_unlikely(!is_idle(r) && (!r->done || r->error)))
        accuse(b, r, i);
    err = take(&requests[i], r, status);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = err;
    return err;
}

/* --------------------------------------------------------------------------
 * One request
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Wait);
int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_one(request, &r);
    if (err)
        return mend_report(err, __func__);
    if (!is_idle(r)) {
        c = r->comm;
        mend_wait(mend_self, r);
    }
    err = take(request, r, status);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Test);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_one(request, &r);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    if (r && r->active)
        look(mend_self, r);
    *flag = is_idle(r) || r->done;
    if (r)
        c = r->comm;
    if (*flag || r->pending)
        err = take(request, r, status);
    return mend_report_comm(c, err, __func__);
}

/* 3.7.6.  As MPI_Test, but takes nothing and does not raise the request's own error; a pending one
 * does raise MPI_ERR_PENDING, so that a loop over this call ends. */
MEND_API(MPI_Request_get_status);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_request(request, &r);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    if (r && r->active)
        look(mend_self, r);
    *flag = is_idle(r) || r->done;
    if (is_idle(r)) {
        mend_status_empty(status);
    } else {
        c = r->comm;
        if (r->done)
            result(r, status);
        else
            err = r->pending;
    }
    return mend_report_comm(c, err, __func__);
}

/* 3.7.3.  Local.  The operation goes on without a handle; an error of it is fatal (S4-2). */
MEND_API(MPI_Request_free);
int MPI_Request_free(MPI_Request *request)
{
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_one(request, &r);
    if (!err && !r)
        err = MPI_ERR_REQUEST;
    if (!err) {
        if (mend_grequest_is(r) && r->done)
            err = mend_grequest_free(r);
        *request = MPI_REQUEST_NULL;
        mend_request_detach(r);
    }
    return mend_report(err, __func__);
}

/* 3.8.4.  Local.  Marks the operation; a wait or test tells whether it was cancelled. */
MEND_API(MPI_Cancel);
int MPI_Cancel(MPI_Request *request)
{
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_one(request, &r);
    if (!err && is_idle(r))
        err = MPI_ERR_REQUEST;
    if (!err) {
        if (mend_grequest_is(r))
            err = mend_grequest_cancel(r);
        else if (!r->done && r->ops->cancel)
            r->ops->cancel(r);
    }
    return mend_report(err, __func__);
}

MEND_API(MPI_Test_cancelled);
int MPI_Test_cancelled(const MPI_Status *status, int *flag)
{
    int err = mend_enter_any(__func__);

    if (!err && (!status || !flag))
        err = MPI_ERR_ARG;
    if (!err)
        *flag = mend_status_cancelled(status);
    return mend_report(err, __func__);
}

/* --------------------------------------------------------------------------
 * Any of an array
 * -------------------------------------------------------------------------- */

struct array {
    int count;
    const MPI_Request *requests;
    int found; /* index of a done one, else of a pending one, or MPI_UNDEFINED */
    int idle;  /* null and inactive ones */
};

/* Looks for a request to take; done ones go before pending ones.  Also the end of the wait. */
static bool find_any(struct mend_proc *self, void *arg)
{
    struct array *a = arg;

    (void)self;
    a->idle = 0;
    a->found = MPI_UNDEFINED;
    for (int i = 0; i < a->count; i++) {
        const struct mend_request *r = of(a->requests[i]);

        if (is_idle(r)) {
            a->idle++;
        } else if (r->done) {
            a->found = i;
            return true;
        } else if (r->pending && a->found == MPI_UNDEFINED) {
            a->found = i;
        }
    }
    return a->found != MPI_UNDEFINED || a->idle == a->count;
}

/* "2 of 5 requests: receive from ...; send to ..., ...": the first that are open. */
static void describe_requests(int count, const MPI_Request requests[], const char *which,
                              char *text, size_t max)
{
    char one[320];
    int open = 0, named = 0, at;

    for (int i = 0; i < count; i++)
        open += is_open(of(requests[i]));
    at = snprintf(text, max, "%s of %d requests, %d open", which, count, open);
    for (int i = 0; i < count && named < NAMED_IN_REPORTS; i++) {
        const struct mend_request *r = of(requests[i]);

        if (!is_open(r) || at < 0 || (size_t)at >= max)
            continue;
        snprintf(one, sizeof(one), "%s", r->ops->name);
        if (r->ops->describe)
            r->ops->describe(r, one, sizeof(one));
        at += snprintf(text + at, max - (size_t)at, "%s%s", named++ ? "; " : ": ", one);
    }
    if (open > named && at > 0 && (size_t)at < max)
        snprintf(text + at, max - (size_t)at, "; ...");
}

static void describe_any(const void *arg, char *text, size_t max)
{
    const struct array *a = arg;

    describe_requests(a->count, a->requests, "any", text, max);
}

static void wait_any(struct array *a)
{
    struct mend_wait w = {.until = find_any,
                          .arg = a,
                          .what = "any of several requests",
                          .describe = describe_any,
                          .hint = MEND_PEER_NONE,
                          .rings = true};

    mend_wait_until(mend_self, &w);
}

/* Takes what find_any() found. */
static int take_found(const struct array *a, MPI_Request requests[], MPI_Status *status,
                      struct mend_comm **blame_p)
{
    struct mend_request *r = a->found == MPI_UNDEFINED ? NULL : of(requests[a->found]);

    if (!r) {
        mend_status_empty(status);
        return MPI_SUCCESS;
    }
    *blame_p = r->comm;
    return take(&requests[a->found], r, status);
}

MEND_API(MPI_Waitany);
int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status)
{
    struct array a = {.count = count, .requests = array_of_requests};
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(indx);
    if (err)
        return mend_report(err, __func__);
    wait_any(&a);
    *indx = a.found;
    err = take_found(&a, array_of_requests, status, &c);
    return mend_report_comm(c, err, __func__);
}

/* *flag is true, with *indx, also for a pending request. */
MEND_API(MPI_Testany);
int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag,
                MPI_Status *status)
{
    struct array a = {.count = count, .requests = array_of_requests};
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(indx);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    look(mend_self, NULL);
    find_any(mend_self, &a);
    *flag = a.found != MPI_UNDEFINED || a.idle == count;
    *indx = a.found;
    if (*flag)
        err = take_found(&a, array_of_requests, status, &c);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Request_get_status_any);
int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *indx,
                               int *flag, MPI_Status *status)
{
    struct array a = {.count = count, .requests = array_of_requests};
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(indx);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    look(mend_self, NULL);
    find_any(mend_self, &a);
    *flag = a.found != MPI_UNDEFINED || a.idle == count;
    *indx = a.found;
    if (*flag && a.found == MPI_UNDEFINED) {
        mend_status_empty(status);
    } else if (*flag) {
        struct mend_request *r = of(array_of_requests[a.found]);

        c = r->comm;
        if (r->done)
            result(r, status);
        else
            err = r->pending;
    }
    return mend_report_comm(c, err, __func__);
}

/* --------------------------------------------------------------------------
 * All of an array
 * -------------------------------------------------------------------------- */

/* What MPI_Waitall waits for now: one request, or something in the array that ends the call.  That
 * is a failure at the start, a death, or, if there are several communicators, the revocation of
 * another one, which nothing announces: then the array is looked through now and then, and the wait
 * does not sleep. */
struct turn {
    const struct mend_request *r;
    int count;
    const MPI_Request *requests;
    uint32_t deaths_seen, turns;
    bool several, broken;
};

static bool any_broken(int count, const MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (is_broken(of(requests[i])))
            return true;
    return false;
}

static bool turn_over(struct mend_proc *self, void *arg)
{
    struct turn *t = arg;

    if (!is_open(t->r))
        return true;
    if (mend_unlikely(t->deaths_seen != self->deaths_n) ||
        (mend_unlikely(t->several) && ++t->turns % TURNS_PER_LOOK == 0)) {
        t->deaths_seen = self->deaths_n;
        t->broken = any_broken(t->count, t->requests);
    }
    return t->broken;
}

/* Takes in what has arrived already: bounded, and blocks for nothing. */
static void drain(struct mend_proc *self)
{
    for (int i = 0; i < 1000 && mend_progress(self, MEND_PEER_NONE); i++)
        continue;
}

/* The first look through the array: handles that are none, requests that are broken already, and their
 * communicators. */
static int look_over(struct turn *t)
{
    const struct mend_request *last = NULL;
    struct mend_request *r;
    int err = mend_check_count(t->count);

    if (!err && t->count > 0)
        err = mend_check_pointer(t->requests);
    for (int i = 0; !err && i < t->count; i++) {
        err = mend_check_request(t->requests[i], &r);
        if (err || is_idle(r))
            continue;
        t->broken |= is_broken(r);
        t->several |= last && r->comm != last->comm; /* that of a generalized one is NULL */
        last = r;
    }
    return err;
}

static inline MPI_Status *status_of(MPI_Status statuses[], int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Takes all from number `first` on; MPI_ERR_IN_STATUS if one has an error. */
static int take_all(int first, int count, MPI_Request requests[], MPI_Status statuses[],
                    struct blame *b)
{
    bool failed = false;

    for (int i = first; i < count; i++)
        failed |= take_into(requests, i, status_of(statuses, i), b) != MPI_SUCCESS;
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

static void describe_all(const void *arg, char *text, size_t max)
{
    const struct turn *t = arg;

    describe_requests(t->count, t->requests, "all", text, max);
}

/* Waits for one after the other, and takes each while the next ones are still under way; or takes
 * what there is when waiting has to be given up (invariant 2). */
static int wait_all(struct mend_proc *self, struct turn *t, MPI_Request requests[],
                    MPI_Status statuses[], struct blame *b)
{
    struct mend_wait w = {.until = turn_over,
                          .arg = t,
                          .what = "all of several requests",
                          .describe = describe_all,
                          .hint = MEND_PEER_NONE,
                          .rings = !t->several};
    bool failed = false;
    int i;

    for (i = 0; i < t->count && !t->broken; i++) {
        t->r = of(requests[i]);
        if (is_open(t->r)) {
            w.hint = t->r->hint;
            mend_wait_until(self, &w);
        }
        t->broken |= is_broken(t->r);
        if (mend_unlikely(t->broken))
            break;
        failed |= take_into(requests, i, status_of(statuses, i), b) != MPI_SUCCESS;
    }
    if (mend_unlikely(t->broken)) {
        drain(self);
        failed |= take_all(i, t->count, requests, statuses, b) != MPI_SUCCESS;
    }
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

MEND_API(MPI_Waitall);
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct turn t = {.count = count, .requests = array_of_requests};
    struct blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = look_over(&t);
    if (err)
        return mend_report(err, __func__);
    t.deaths_seen = mend_self->deaths_n;
    err = wait_all(mend_self, &t, array_of_requests, array_of_statuses, &b);
    return mend_report_comm(b.comm, err, __func__);
}

/* How many are neither done nor idle. */
static int unfinished(int count, const MPI_Request requests[])
{
    int n = 0;

    for (int i = 0; i < count; i++) {
        const struct mend_request *r = of(requests[i]);

        n += r && r->active;
    }
    return n;
}

/* *flag is true if all are finished.  Takes nothing otherwise, unless one of them was failed by a
 * death or a revocation: then those that are finished are taken, as by MPI_Waitall. */
MEND_API(MPI_Testall);
int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                MPI_Status *array_of_statuses)
{
    struct blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    *flag = !unfinished(count, array_of_requests);
    if (!*flag) {
        look(mend_self, NULL);
        *flag = !unfinished(count, array_of_requests);
    }
    if (*flag || any_broken(count, array_of_requests))
        err = take_all(0, count, array_of_requests, array_of_statuses, &b);
    return mend_report_comm(b.comm, err, __func__);
}

/* As MPI_Testall, but takes nothing, and raises only what is pending. */
MEND_API(MPI_Request_get_status_all);
int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag,
                               MPI_Status *array_of_statuses)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    look(mend_self, NULL);
    *flag = !unfinished(count, array_of_requests);
    for (int i = 0; i < count; i++) {
        struct mend_request *r = of(array_of_requests[i]);
        MPI_Status *status =
            array_of_statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &array_of_statuses[i];

        if (*flag && is_idle(r)) {
            mend_status_empty(status);
        } else if (*flag) {
            result(r, status);
        } else if (!err && r && r->pending) {
            c = r->comm;
            err = r->pending;
        }
    }
    return mend_report_comm(c, err, __func__);
}

/* --------------------------------------------------------------------------
 * Some of an array
 * -------------------------------------------------------------------------- */

/* Takes every done request and names every pending one; the outputs are packed at the front.
 * Returns MPI_ERR_IN_STATUS if one of them has an error. */
static int take_some(int count, MPI_Request requests[], int *outcount, int indices[],
                     MPI_Status statuses[], struct blame *b)
{
    bool failed = false;
    int n = 0;

    for (int i = 0; i < count; i++) {
        const struct mend_request *r = of(requests[i]);

        if (is_idle(r) || is_open(r))
            continue;
        indices[n] = i;
        failed |= take_into(requests, i, status_of(statuses, n), b) != MPI_SUCCESS;
        n++;
    }
    *outcount = n;
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

static int check_some(int count, const MPI_Request requests[], const int *outcount,
                      const int indices[])
{
    int err = check_array(count, requests);

    if (!err)
        err = mend_check_pointer(outcount);
    if (!err && count > 0)
        err = mend_check_pointer(indices);
    return err;
}

MEND_API(MPI_Waitsome);
int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct array a = {.count = incount, .requests = array_of_requests};
    struct blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_some(incount, array_of_requests, outcount, array_of_indices);
    if (err)
        return mend_report(err, __func__);
    wait_any(&a);
    if (a.idle == incount)
        *outcount = MPI_UNDEFINED;
    else
        err = take_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses,
                        &b);
    return mend_report_comm(b.comm, err, __func__);
}

MEND_API(MPI_Testsome);
int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct array a = {.count = incount, .requests = array_of_requests};
    struct blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_some(incount, array_of_requests, outcount, array_of_indices);
    if (err)
        return mend_report(err, __func__);
    look(mend_self, NULL);
    find_any(mend_self, &a);
    if (a.idle == incount)
        *outcount = MPI_UNDEFINED;
    else
        err = take_some(incount, array_of_requests, outcount, array_of_indices, array_of_statuses,
                        &b);
    return mend_report_comm(b.comm, err, __func__);
}

/* As MPI_Testsome, but takes nothing, and raises only what is pending. */
MEND_API(MPI_Request_get_status_some);
int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount,
                                int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__), n = 0, idle = 0;

    if (!err)
        err = check_some(incount, array_of_requests, outcount, array_of_indices);
    if (err)
        return mend_report(err, __func__);
    look(mend_self, NULL);
    for (int i = 0; i < incount; i++) {
        struct mend_request *r = of(array_of_requests[i]);

        idle += is_idle(r);
        if (is_idle(r) || !r->done) {
            if (!err && r && r->pending) {
                c = r->comm;
                err = r->pending;
            }
            continue;
        }
        result(r, array_of_statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE
                                                           : &array_of_statuses[n]);
        array_of_indices[n++] = i;
    }
    *outcount = idle == incount ? MPI_UNDEFINED : n;
    return mend_report_comm(c, err, __func__);
}
