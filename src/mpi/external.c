/* SPDX-License-Identifier: BSD-3-Clause */
/* external.c – external interfaces (MPI-5.0 chapter 13): generalized requests, and the parts of a
 * status; also the numbers of requests and messages (20.4).  MPI_Status_set_elements is in pack.c.
 *
 * None is collective, none blocks, and no death is noticed here.  Errors that belong to no
 * communicator go to the handler of MPI_COMM_SELF. */
#include "comm/handle.h"
#include "mpi/check.h"
#include "req/grequest.h"

/* 13.2.  The caller's functions may be NULL; they run in a call that completes the request. */
MEND_API(MPI_Grequest_start);
int MPI_Grequest_start(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                       MPI_Grequest_cancel_function *cancel_fn, void *extra_state,
                       MPI_Request *request)
{
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        r = mend_grequest_start(mend_self, query_fn, free_fn, cancel_fn, extra_state);
        err = r ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report(err, __func__);
}

/* From any thread.  MPI_ERR_REQUEST: not a generalized request, or complete already. */
MEND_API(MPI_Grequest_complete);
int MPI_Grequest_complete(MPI_Request request)
{
    struct mend_request *r = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_request(request, &r);
    if (!err && (!r || !mend_grequest_is(r) || !mend_request_is_active(r)))
        err = MPI_ERR_REQUEST;
    if (!err)
        mend_grequest_complete(r);
    return mend_report(err, __func__);
}

/* --------------------------------------------------------------------------
 * Statuses.  These may be called at any time, also inside a query function.
 * -------------------------------------------------------------------------- */

/* Enters for a function on a status with one output (or any non-NULL pointer in its place). */
static int enter_status(const MPI_Status *status, const void *out, const char *fn)
{
    int err = mend_enter_any(fn);

    return !err && (status == MPI_STATUS_IGNORE || !out) ? MPI_ERR_ARG : err;
}

MEND_API(MPI_Status_get_source);
int MPI_Status_get_source(const MPI_Status *status, int *source)
{
    int err = enter_status(status, source, __func__);

    if (!err)
        *source = status->MPI_SOURCE;
    return mend_report(err, __func__);
}

MEND_API(MPI_Status_get_tag);
int MPI_Status_get_tag(const MPI_Status *status, int *tag)
{
    int err = enter_status(status, tag, __func__);

    if (!err)
        *tag = status->MPI_TAG;
    return mend_report(err, __func__);
}

MEND_API(MPI_Status_get_error);
int MPI_Status_get_error(const MPI_Status *status, int *error)
{
    int err = enter_status(status, error, __func__);

    if (!err)
        *error = status->MPI_ERROR;
    return mend_report(err, __func__);
}

MEND_API(MPI_Status_set_source);
int MPI_Status_set_source(MPI_Status *status, int source)
{
    int err = enter_status(status, status, __func__);

    if (!err)
        status->MPI_SOURCE = source;
    return mend_report(err, __func__);
}

MEND_API(MPI_Status_set_tag);
int MPI_Status_set_tag(MPI_Status *status, int tag)
{
    int err = enter_status(status, status, __func__);

    if (!err)
        status->MPI_TAG = tag;
    return mend_report(err, __func__);
}

MEND_API(MPI_Status_set_error);
int MPI_Status_set_error(MPI_Status *status, int error)
{
    int err = enter_status(status, status, __func__);

    if (!err)
        status->MPI_ERROR = error;
    return mend_report(err, __func__);
}

MEND_API(MPI_Status_set_cancelled);
int MPI_Status_set_cancelled(MPI_Status *status, int flag)
{
    int err = enter_status(status, status, __func__);

    if (!err)
        mend_status_set(status, status->MPI_SOURCE, status->MPI_TAG, mend_status_bytes(status),
                        flag);
    return mend_report(err, __func__);
}

/* --------------------------------------------------------------------------
 * Numbers of handles (20.4)
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Request_toint);
int MPI_Request_toint(MPI_Request request)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, request);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Request_fromint);
MPI_Request MPI_Request_fromint(int request)
{
    MPI_Request handle =
        mend_enter_any(__func__) ? NULL : (MPI_Request)mend_handle_fromint(mend_self, request);

    mend_leave(MPI_SUCCESS);
    return handle;
}

MEND_API(MPI_Message_toint);
int MPI_Message_toint(MPI_Message message)
{
    int n = mend_enter_any(__func__) ? 0 : mend_handle_toint(mend_self, message);

    mend_leave(MPI_SUCCESS);
    return n;
}

MEND_API(MPI_Message_fromint);
MPI_Message MPI_Message_fromint(int message)
{
    MPI_Message handle =
        mend_enter_any(__func__) ? NULL : (MPI_Message)mend_handle_fromint(mend_self, message);

    mend_leave(MPI_SUCCESS);
    return handle;
}
