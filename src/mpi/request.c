/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c – completion calls (MPI-5.0 3.7.3 to 3.7.6) and what else is done with a request.
 *
 *              one           any                  all                    some
 *     wait     MPI_Wait      MPI_Waitany          MPI_Waitall            MPI_Waitsome
 *     test     MPI_Test      MPI_Testany          MPI_Testall            MPI_Testsome
 *     peek     MPI_Request_get_status, _any, _all, _some: nothing is taken
 *
 * None is collective.  What they wait for and what a death does, req/take.h and req/array.h say.  The error
 * handler of the (first failed) request's communicator gets the error of that request. */
#include "mpi/check.h"
#include "req/array.h"

static int check_one(const MPI_Request *request, struct mend_request **r_p)
{
    int err = mend_check_pointer(request);

    return err ? err : mend_check_request(*request, r_p);
}

static struct mend_comm *comm_of(const struct mend_request *r)
{
    return r ? r->comm : NULL;
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
    c = comm_of(r);
    err = mend_request_wait(mend_self, request, r, status);
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
    c = comm_of(r);
    err = mend_request_test(mend_self, request, r, flag, status);
    return mend_report_comm(c, err, __func__);
}

/* 3.7.6 */
MEND_API(MPI_Request_get_status);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_request(request, &r);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report(err, __func__);
    err = mend_request_peek(mend_self, r, flag, status);
    return mend_report_comm(comm_of(r), err, __func__);
}

/* 3.7.3.  Local. */
static void free_request(struct mend_proc *self, void *request)
{
    (void)self;
    mend_request_detach(request);
}

static int free_now_or_later(MPI_Request *request, struct mend_request *r)
{
    if (!mend_undo_later(mend_self, free_request, r, !mend_undo_is_old(mend_self, r)))
        return mend_request_free(request, r);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* One that the program may not part with yet is left alone, and the handler of its communicator hears of it. */
static int check_not_bound(const struct mend_request *r, struct mend_comm **c_p)
{
    if (!mend_request_is_bound(r))
        return MPI_SUCCESS;
    *c_p = comm_of(r);
    return MPI_ERR_REQUEST;
}

MEND_API(MPI_Request_free);
int MPI_Request_free(MPI_Request *request)
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_one(request, &r);
    if (!err && !r)
        err = MPI_ERR_REQUEST;
    if (!err)
        err = check_not_bound(r, &c);
    if (!err)
        err = free_now_or_later(request, r);
    return mend_report_comm(c, err, __func__);
}

/* 3.8.4.  Local. */
MEND_API(MPI_Cancel);
int MPI_Cancel(MPI_Request *request)
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_one(request, &r);
    if (!err && mend_request_is_idle(r))
        err = MPI_ERR_REQUEST;
    if (!err)
        err = check_not_bound(r, &c);
    if (!err)
        err = mend_request_cancel(r);
    return mend_report_comm(c, err, __func__);
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

/* The error handler hears of the request that is to blame, the caller that it is in the statuses (R43). */
static int report_array(const struct mend_blame *b, int err, const char *fn)
{
    if (mend_unlikely(err == MPI_ERR_IN_STATUS))
        return mend_report_blamed(b->comm, err, b->code, fn);
    return mend_report_comm(b->comm, err, fn);
}

MEND_API(MPI_Waitany);
int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status)
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(indx);
    if (!err)
        err = mend_requests_wait_any(mend_self, count, array_of_requests, indx, status, &b);
    return report_array(&b, err, __func__);
}

MEND_API(MPI_Testany);
int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag,
                MPI_Status *status)
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(indx);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_requests_test_any(mend_self, count, array_of_requests, indx, flag, status, &b);
    return report_array(&b, err, __func__);
}

MEND_API(MPI_Request_get_status_any);
int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int *indx,
                               int *flag, MPI_Status *status)
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(indx);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_requests_peek_any(mend_self, count, array_of_requests, indx, flag, status, &b);
    return report_array(&b, err, __func__);
}

/* One pass over the array: its handles, and what the wait has to know of them. */
static int check_all(struct mend_requests_turn *t)
{
    struct mend_request *r;
    int err = mend_check_count(t->count);

    if (!err && t->count > 0)
        err = mend_check_pointer(t->requests);
    for (int i = 0; !err && i < t->count; i++) {
        err = mend_check_request(t->requests[i], &r);
        if (!err)
            mend_requests_note(t, r);
    }
    return err;
}

MEND_API(MPI_Waitall);
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    struct mend_requests_turn t = {.count = count, .requests = array_of_requests};
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_all(&t);
    if (!err)
        err = mend_requests_wait_all(mend_self, &t, array_of_requests, array_of_statuses, &b);
    return report_array(&b, err, __func__);
}

MEND_API(MPI_Testall);
int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag,
                MPI_Status *array_of_statuses)
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_requests_test_all(mend_self, count, array_of_requests, flag, array_of_statuses,
                                     &b);
    return report_array(&b, err, __func__);
}

MEND_API(MPI_Request_get_status_all);
int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int *flag,
                               MPI_Status *array_of_statuses)
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_array(count, array_of_requests);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_requests_peek_all(mend_self, count, array_of_requests, flag, array_of_statuses,
                                     &b);
    return report_array(&b, err, __func__);
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
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_some(incount, array_of_requests, outcount, array_of_indices);
    if (!err)
        err = mend_requests_wait_some(mend_self, incount, array_of_requests, outcount,
                                      array_of_indices, array_of_statuses, &b);
    return report_array(&b, err, __func__);
}

MEND_API(MPI_Testsome);
int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                 int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_some(incount, array_of_requests, outcount, array_of_indices);
    if (!err)
        err = mend_requests_test_some(mend_self, incount, array_of_requests, outcount,
                                      array_of_indices, array_of_statuses, &b);
    return report_array(&b, err, __func__);
}

MEND_API(MPI_Request_get_status_some);
int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int *outcount,
                                int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct mend_blame b = {.comm = NULL};
    int err = mend_enter(__func__);

    if (!err)
        err = check_some(incount, array_of_requests, outcount, array_of_indices);
    if (!err)
        err = mend_requests_peek_some(mend_self, incount, array_of_requests, outcount,
                                      array_of_indices, array_of_statuses, &b);
    return report_array(&b, err, __func__);
}
