/* SPDX-License-Identifier: BSD-3-Clause */
/* p2p.c – sends and receives (MPI-5.0 3.2 to 3.7), in both widths.
 *
 * Every function is one line: the static function behind it does the same for all of its kind.
 *
 *                    blocking                         request
 *     standard       MPI_Send  ┐                      MPI_Isend   ┐
 *     synchronous    MPI_Ssend │ blocking_send()      MPI_Issend  │ isend()
 *     buffered       MPI_Bsend │                      MPI_Ibsend  │
 *     ready          MPI_Rsend ┘                      MPI_Irsend  ┘
 *                    MPI_Recv    blocking_recv()      MPI_Irecv     irecv()
 *
 * None is collective.  What the death of a process does to them:
 *   - blocking: MPI_ERR_PROC_FAILED if the rank is dead or dies before the call could complete
 *     (S0-8, S0-17, S0-18); a receive from MPI_ANY_SOURCE also if any possible sender is dead, is
 *     not acknowledged, and nothing has matched (S0-9, S0-21);
 *   - nonblocking: the call succeeds, the completion call tells (S0-15, S0-16);
 *   - communicator revoked: MPI_ERR_INVALIDATED, also for MPI_PROC_NULL (S0-65, R1). */
#include "mpi/message.h"

static int blocking_send(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                         MPI_Comm comm, enum mend_send_mode mode, const char *fn)
{
    struct mend_comm *c = NULL;
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_send(comm, type, count, buf, dest, tag, &c, &t);
    if (!err)
        err = mend_p2p_send(c, mode, buf, count, t, dest, tag);
    return mend_report_comm(c, err, fn);
}

static int blocking_recv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag,
                         MPI_Comm comm, MPI_Status *status, const char *fn)
{
    struct mend_comm *c = NULL;
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_recv(comm, type, count, buf, source, tag, &c, &t);
    if (!err)
        err = mend_p2p_recv(c, buf, count, t, source, tag, status);
    return mend_report_comm(c, err, fn);
}

static int isend(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                 MPI_Comm comm, MPI_Request *request, enum mend_send_mode mode, const char *fn)
{
    struct mend_comm *c = NULL;
    const struct mend_type *t = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_send(comm, type, count, buf, dest, tag, &c, &t);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = mend_p2p_isend_new(c, mode, buf, count, t, dest, tag, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, fn);
}

static int irecv(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request *request, const char *fn)
{
    struct mend_comm *c = NULL;
    const struct mend_type *t = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_recv(comm, type, count, buf, source, tag, &c, &t);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = mend_p2p_irecv_new(c, buf, count, t, source, tag, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, fn);
}

/* MPI-5.0 3.2.1.  Returns when buf may be used again: at once if the message is small enough to be
 * kept elsewhere, else when the receiver has it (S4-15). */
MEND_API(MPI_Send);
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_STANDARD, __func__);
}

MEND_API(MPI_Send_c);
int MPI_Send_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_STANDARD, __func__);
}

/* 3.4.  Returns when a receive has matched. */
MEND_API(MPI_Ssend);
int MPI_Ssend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_SYNC, __func__);
}

MEND_API(MPI_Ssend_c);
int MPI_Ssend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_SYNC, __func__);
}

/* 3.4.  Local: copies into the attached buffer.  MPI_ERR_BUFFER: no room there. */
MEND_API(MPI_Bsend);
int MPI_Bsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_BUFFERED, __func__);
}

MEND_API(MPI_Bsend_c);
int MPI_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_BUFFERED, __func__);
}

/* 3.4.  As MPI_Send; the caller knows that the receive is posted. */
MEND_API(MPI_Rsend);
int MPI_Rsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_READY, __func__);
}

MEND_API(MPI_Rsend_c);
int MPI_Rsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm)
{
    return blocking_send(buf, count, datatype, dest, tag, comm, MEND_SEND_READY, __func__);
}

/* 3.2.4.  Blocks until a matching message is in buf.  MPI_ERR_TRUNCATE: it was longer than buf. */
MEND_API(MPI_Recv);
int MPI_Recv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return blocking_recv(buf, count, datatype, source, tag, comm, status, __func__);
}

MEND_API(MPI_Recv_c);
int MPI_Recv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
               MPI_Comm comm, MPI_Status *status)
{
    return blocking_recv(buf, count, datatype, source, tag, comm, status, __func__);
}

/* 3.7.2.  These do not block; the request completes when the blocking form would return.  The
 * caller must not touch buf before. */
MEND_API(MPI_Isend);
int MPI_Isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_STANDARD, __func__);
}

MEND_API(MPI_Isend_c);
int MPI_Isend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm, MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_STANDARD, __func__);
}

MEND_API(MPI_Issend);
int MPI_Issend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_SYNC, __func__);
}

MEND_API(MPI_Issend_c);
int MPI_Issend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_SYNC, __func__);
}

MEND_API(MPI_Ibsend);
int MPI_Ibsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_BUFFERED, __func__);
}

MEND_API(MPI_Ibsend_c);
int MPI_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_BUFFERED, __func__);
}

MEND_API(MPI_Irsend);
int MPI_Irsend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_READY, __func__);
}

MEND_API(MPI_Irsend_c);
int MPI_Irsend_c(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request *request)
{
    return isend(buf, count, datatype, dest, tag, comm, request, MEND_SEND_READY, __func__);
}

MEND_API(MPI_Irecv);
int MPI_Irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return irecv(buf, count, datatype, source, tag, comm, request, __func__);
}

MEND_API(MPI_Irecv_c);
int MPI_Irecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                MPI_Comm comm, MPI_Request *request)
{
    return irecv(buf, count, datatype, source, tag, comm, request, __func__);
}
