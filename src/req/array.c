/* SPDX-License-Identifier: BSD-3-Clause */
/* array.c – requests by the array: any, all, some. */
#include "req/array.h"

#include "comm/errcode.h"
#include "comm/objects.h"

#include <stdio.h>

/* Turns between two looks through an array of several communicators. */
#define TURNS_PER_LOOK   128
#define NAMED_IN_REPORTS 4

static void blame(struct mend_proc *self, struct mend_blame *b, int why, struct mend_comm *c,
                  int err, int i, const char *what)
{
    mend_error_detail(self, MPI_ERR_IN_STATUS, err, "array_of_requests[%d], %s", i, what);
    b->why = why;
    b->comm = c;
    b->code = err;
}

/* The request is about to be taken, and has failed: its error, the text of which the statuses do not
 * have, and which request it is. */
static __attribute__((noinline)) void accuse(struct mend_proc *self, struct mend_blame *b,
                                             const struct mend_request *r, int i)
{
    int why = mend_request_is_done(r) ? MEND_BLAME_FAILED
              : r->pending            ? MEND_BLAME_PENDING
                                      : MEND_BLAME_OPEN;
    int err = mend_request_is_done(r) ? r->error : MPI_ERR_PENDING;
    char what[160];

    if (why > MEND_BLAME_OPEN && r->comm && b->noted != err) {
        mend_failure_note(r->comm, err);
        b->noted = err;
    }
    if (mend_request_is_broken(r) && r->comm && err != MEND_CLASS_INVALIDATED)
        mend_failure_told(r->comm, self->deaths_n);
    if (why <= (int)b->why)
        return;
    snprintf(what, sizeof(what), "%s", r->ops->name);
    if (r->ops->describe)
        r->ops->describe(r, what, sizeof(what));
    blame(self, b, why, r->comm, err, i, what);
}

/* mend_request_take() for arrays: the error goes into the status as well. */
static int take_into(struct mend_proc *self, MPI_Request requests[], int i, MPI_Status *status,
                     struct mend_blame *b)
{
    struct mend_request *r = mend_request_of(requests[i]);
    bool bad = !mend_request_is_idle(r) && (!mend_request_is_done(r) || r->error);
    int err;

    if (mend_unlikely(bad))
        accuse(self, b, r, i);
    err = mend_request_take(&requests[i], r, status);
    if (mend_unlikely(err && !bad && b->why < MEND_BLAME_FAILED)) /* what its functions return */
        blame(self, b, MEND_BLAME_FAILED, NULL, err, i, "generalized request");
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = err;
    return err;
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
        const struct mend_request *r = mend_request_of(a->requests[i]);

        if (mend_request_is_idle(r)) {
            a->idle++;
        } else if (mend_request_is_done(r)) {
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
        open += mend_request_is_open(mend_request_of(requests[i]));
    at = snprintf(text, max, "%s of %d requests, %d open", which, count, open);
    for (int i = 0; i < count && named < NAMED_IN_REPORTS; i++) {
        const struct mend_request *r = mend_request_of(requests[i]);

        if (!mend_request_is_open(r) || at < 0 || (size_t)at >= max)
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

static void wait_any(struct mend_proc *self, struct array *a)
{
    struct mend_wait w = {.cause = MEND_WAIT_MESSAGES,
                          .until = find_any,
                          .arg = a,
                          .what = "any of several requests",
                          .describe = describe_any,
                          .hint = MEND_PEER_NONE,
                          .rings = true};

    mend_wait_until(self, &w);
}

/* Takes what find_any() found. */
static int take_found(const struct array *a, MPI_Request requests[], MPI_Status *status,
                      struct mend_blame *b)
{
    struct mend_request *r = a->found == MPI_UNDEFINED ? NULL : mend_request_of(requests[a->found]);

    if (!r) {
        mend_status_empty(status);
        return MPI_SUCCESS;
    }
    b->comm = r->comm;
    return mend_request_take(&requests[a->found], r, status);
}

int mend_requests_wait_any(struct mend_proc *self, int count, MPI_Request requests[], int *index_p,
                           MPI_Status *status, struct mend_blame *b)
{
    struct array a = {.count = count, .requests = requests};

    wait_any(self, &a);
    *index_p = a.found;
    return take_found(&a, requests, status, b);
}

/* Progress, and what there is to take; true: something, or nothing is left. */
static bool look_for_any(struct mend_proc *self, struct array *a, int *index_p)
{
    mend_request_look(self, NULL);
    find_any(self, a);
    *index_p = a->found;
    return a->found != MPI_UNDEFINED || a->idle == a->count;
}

int mend_requests_test_any(struct mend_proc *self, int count, MPI_Request requests[], int *index_p,
                           int *flag_p, MPI_Status *status, struct mend_blame *b)
{
    struct array a = {.count = count, .requests = requests};

    *flag_p = look_for_any(self, &a, index_p);
    return *flag_p ? take_found(&a, requests, status, b) : MPI_SUCCESS;
}

int mend_requests_peek_any(struct mend_proc *self, int count, const MPI_Request requests[],
                           int *index_p, int *flag_p, MPI_Status *status, struct mend_blame *b)
{
    struct array a = {.count = count, .requests = requests};
    struct mend_request *r;

    *flag_p = look_for_any(self, &a, index_p);
    if (!*flag_p)
        return MPI_SUCCESS;
    r = a.found == MPI_UNDEFINED ? NULL : mend_request_of(requests[a.found]);
    if (!r) {
        mend_status_empty(status);
        return MPI_SUCCESS;
    }
    b->comm = r->comm;
    if (!mend_request_is_done(r))
        return r->pending;
    mend_request_result(r, status);
    return MPI_SUCCESS;
}

/* --------------------------------------------------------------------------
 * All of an array
 * -------------------------------------------------------------------------- */

static bool any_broken(int count, const MPI_Request requests[])
{
    for (int i = 0; i < count; i++)
        if (mend_request_is_broken(mend_request_of(requests[i])))
            return true;
    return false;
}

static bool turn_over(struct mend_proc *self, void *arg)
{
    struct mend_requests_turn *t = arg;

    if (!mend_request_is_open(t->r))
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

static inline MPI_Status *status_of(MPI_Status statuses[], int i)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* Takes all from number `first` on; MPI_ERR_IN_STATUS if one has an error. */
static int take_all(struct mend_proc *self, int first, int count, MPI_Request requests[],
                    MPI_Status statuses[], struct mend_blame *b)
{
    bool failed = false;

    for (int i = first; i < count; i++)
        failed |= take_into(self, requests, i, status_of(statuses, i), b) != MPI_SUCCESS;
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

static void describe_all(const void *arg, char *text, size_t max)
{
    const struct mend_requests_turn *t = arg;

    describe_requests(t->count, t->requests, "all", text, max);
}

/* Waits for one after the other, and takes each while the next ones are still under way; or takes
 * what there is when waiting has to be given up (rule 2). */
static int wait_each(struct mend_proc *self, struct mend_requests_turn *t, MPI_Request requests[],
                     MPI_Status statuses[], struct mend_blame *b)
{
    struct mend_wait w = {.cause = MEND_WAIT_MESSAGES,
                          .until = turn_over,
                          .arg = t,
                          .what = "all of several requests",
                          .describe = describe_all,
                          .hint = MEND_PEER_NONE,
                          .rings = !t->several};
    bool failed = false;
    int i;

    for (i = 0; i < t->count && !t->broken; i++) {
        t->r = mend_request_of(requests[i]);
        if (mend_request_is_open(t->r)) {
            w.hint = t->r->hint;
            mend_wait_until(self, &w);
        }
        t->broken |= mend_request_is_broken(t->r);
        if (mend_unlikely(t->broken))
            break;
        failed |= take_into(self, requests, i, status_of(statuses, i), b) != MPI_SUCCESS;
    }
    if (mend_unlikely(t->broken)) {
        drain(self);
        failed |= take_all(self, i, t->count, requests, statuses, b) != MPI_SUCCESS;
    }
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int mend_requests_wait_all(struct mend_proc *self, struct mend_requests_turn *t,
                           MPI_Request requests[], MPI_Status statuses[], struct mend_blame *b)
{
    int err;

    self->waits_n++;
    t->deaths_seen = self->deaths_n;
    err = wait_each(self, t, requests, statuses, b);
    return err;
}

/* How many are neither done nor idle. */
static int unfinished(int count, const MPI_Request requests[])
{
    int n = 0;

    for (int i = 0; i < count; i++) {
        const struct mend_request *r = mend_request_of(requests[i]);

        n += r && mend_request_is_active(r);
    }
    return n;
}

int mend_requests_test_all(struct mend_proc *self, int count, MPI_Request requests[], int *flag_p,
                           MPI_Status statuses[], struct mend_blame *b)
{
    int err = MPI_SUCCESS;

    *flag_p = !unfinished(count, requests);
    if (!*flag_p) {
        mend_request_look(self, NULL);
        *flag_p = !unfinished(count, requests);
    }
    if (*flag_p || any_broken(count, requests))
        err = take_all(self, 0, count, requests, statuses, b);
    return err;
}

/* The first pending request decides what a peek reports. */
static int note_pending(const struct mend_request *r, int err, struct mend_blame *b)
{
    if (err || !r || !r->pending)
        return err;
    b->comm = r->comm;
    return r->pending;
}

int mend_requests_peek_all(struct mend_proc *self, int count, const MPI_Request requests[],
                           int *flag_p, MPI_Status statuses[], struct mend_blame *b)
{
    int err = MPI_SUCCESS;

    mend_request_look(self, NULL);
    *flag_p = !unfinished(count, requests);
    for (int i = 0; i < count; i++) {
        struct mend_request *r = mend_request_of(requests[i]);

        if (!*flag_p)
            err = note_pending(r, err, b);
        else if (mend_request_is_idle(r))
            mend_status_empty(status_of(statuses, i));
        else
            mend_request_result(r, status_of(statuses, i));
    }
    return err;
}

/* --------------------------------------------------------------------------
 * Some of an array
 * -------------------------------------------------------------------------- */

/* Takes every done request and names every pending one.  MPI_ERR_IN_STATUS if one of them has an error. */
static int take_some(struct mend_proc *self, int count, MPI_Request requests[], int *n_p,
                     int indices[], MPI_Status statuses[], struct mend_blame *b)
{
    bool failed = false;
    int n = 0;

    for (int i = 0; i < count; i++) {
        const struct mend_request *r = mend_request_of(requests[i]);

        if (mend_request_is_idle(r) || mend_request_is_open(r))
            continue;
        indices[n] = i;
        failed |= take_into(self, requests, i, status_of(statuses, n), b) != MPI_SUCCESS;
        n++;
    }
    *n_p = n;
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

static int take_some_or_none(struct mend_proc *self, const struct array *a, MPI_Request requests[],
                             int *n_p, int indices[], MPI_Status statuses[], struct mend_blame *b)
{
    int err;

    *n_p = MPI_UNDEFINED;
    if (a->idle == a->count)
        return MPI_SUCCESS;
    err = take_some(self, a->count, requests, n_p, indices, statuses, b);
    return err;
}

int mend_requests_wait_some(struct mend_proc *self, int count, MPI_Request requests[], int *n_p,
                            int indices[], MPI_Status statuses[], struct mend_blame *b)
{
    struct array a = {.count = count, .requests = requests};

    wait_any(self, &a);
    return take_some_or_none(self, &a, requests, n_p, indices, statuses, b);
}

int mend_requests_test_some(struct mend_proc *self, int count, MPI_Request requests[], int *n_p,
                            int indices[], MPI_Status statuses[], struct mend_blame *b)
{
    struct array a = {.count = count, .requests = requests};

    mend_request_look(self, NULL);
    find_any(self, &a);
    return take_some_or_none(self, &a, requests, n_p, indices, statuses, b);
}

int mend_requests_peek_some(struct mend_proc *self, int count, const MPI_Request requests[],
                            int *n_p, int indices[], MPI_Status statuses[], struct mend_blame *b)
{
    int err = MPI_SUCCESS, n = 0, idle = 0;

    mend_request_look(self, NULL);
    for (int i = 0; i < count; i++) {
        struct mend_request *r = mend_request_of(requests[i]);

        idle += mend_request_is_idle(r);
        if (mend_request_is_idle(r) || !mend_request_is_done(r)) {
            err = note_pending(r, err, b);
            continue;
        }
        mend_request_result(r, status_of(statuses, n));
        indices[n++] = i;
    }
    *n_p = idle == count ? MPI_UNDEFINED : n;
    return err;
}
