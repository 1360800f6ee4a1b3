/* SPDX-License-Identifier: BSD-3-Clause */
/* persistent.c – operations that are described once and started many times (MPI-5.0 3.9).
 *
 *                  MPI_Start                 done                    MPI_Wait, MPI_Test, ...
 *     inactive ───────────────> active ───────────────> complete ───────────────> inactive
 *
 * The _init calls and MPI_Start are not collective (MPI_Start of a persistent collective is) and do
 * not block.  A death never shows here: the completion call tells, every time the request is
 * started (S0-15, S0-16). */
#include "mpi/message.h"

static int send_init(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                     MPI_Comm comm, MPI_Request *request, enum mend_send_mode mode, const char *fn)
{
    struct mend_comm *c = NULL;
    const struct mend_type *t = NULL;
    struct mend_p2p_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_send(comm, type, count, buf, dest, tag, &c, &t);
    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        r = mend_p2p_request_create(mend_self);
        err = r ? mend_p2p_send_init(r, c, mode, buf, count, t, dest, tag) : MPI_ERR_NO_MEM;
    }
    mend_mpi_request_give(r, err, request);
    return mend_report_comm(c, err, fn);
}

static int recv_init(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
                     MPI_Comm comm, MPI_Request *request, const char *fn)
{
    struct mend_comm *c = NULL;
    const struct mend_type *t = NULL;
    struct mend_p2p_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_recv(comm, type, count, buf, source, tag, &c, &t);
    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        r = mend_p2p_request_create(mend_self);
        err = r ? mend_p2p_recv_init(r, c, buf, count, t, source, tag) : MPI_ERR_NO_MEM;
    }
    mend_mpi_request_give(r, err, request);
    return mend_report_comm(c, err, fn);
}

/* A request that may be started; *c_p is set as soon as there is one to report on. */
static int check_startable(MPI_Request request, struct mend_request **r_p, struct mend_comm **c_p)
{
    struct mend_request *r = NULL;
    int err = mend_check_request(request, &r);

    if (err)
        return err;
    if (!r)
        return MPI_ERR_REQUEST;
    if (!*c_p)
        *c_p = r->comm;
    if (!r->persistent || r->state != MEND_REQUEST_INACTIVE)
        return MPI_ERR_REQUEST;
    *r_p = r;
    return MPI_SUCCESS;
}

/* MPI-5.0 3.9.  These make an inactive request and send nothing. */
MEND_API(MPI_Send_init);
int MPI_Send_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_STANDARD, __func__);
}

MEND_API(MPI_Send_init_c);
int MPI_Send_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_STANDARD, __func__);
}

MEND_API(MPI_Ssend_init);
int MPI_Ssend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_SYNC, __func__);
}

MEND_API(MPI_Ssend_init_c);
int MPI_Ssend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_SYNC, __func__);
}

MEND_API(MPI_Bsend_init);
int MPI_Bsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_BUFFERED, __func__);
}

MEND_API(MPI_Bsend_init_c);
int MPI_Bsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_BUFFERED, __func__);
}

MEND_API(MPI_Rsend_init);
int MPI_Rsend_init(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_READY, __func__);
}

MEND_API(MPI_Rsend_init_c);
int MPI_Rsend_init_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request *request)
{
    return send_init(buf, count, datatype, dest, tag, comm, request, MEND_SEND_READY, __func__);
}

MEND_API(MPI_Recv_init);
int MPI_Recv_init(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    return recv_init(buf, count, datatype, source, tag, comm, request, __func__);
}

MEND_API(MPI_Recv_init_c);
int MPI_Recv_init_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                    MPI_Comm comm, MPI_Request *request)
{
    return recv_init(buf, count, datatype, source, tag, comm, request, __func__);
}

/* Begins an inactive persistent request of any kind.  MPI_ERR_REQUEST: it is active, or of another
 * kind.  Neither a death nor a revoked communicator is an error here (S0-15, R1). */
MEND_API(MPI_Start);
int MPI_Start(MPI_Request *request)
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = check_startable(*request, &r, &c);
    if (!err)
        err = mend_request_start(r);
    return mend_report_comm(c, err, __func__);
}

/* Begins many; if one of them may not be started, none is. */
MEND_API(MPI_Startall);
int MPI_Startall(int count, MPI_Request array_of_requests[])
{
    struct mend_request *r = NULL;
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_count(count);
    if (!err && count > 0)
        err = mend_check_pointer(array_of_requests);
    for (int i = 0; !err && i < count; i++)
        err = check_startable(array_of_requests[i], &r, &c);
    for (int i = 0; !err && i < count; i++) {
        mend_check_request(array_of_requests[i], &r);
        c = r->comm;
        err = mend_request_start(r);
    }
    return mend_report_comm(c, err, __func__);
}
