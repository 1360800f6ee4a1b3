/* SPDX-License-Identifier: BSD-3-Clause */
/* buffer.c – memory for buffered sends (MPI-5.0 3.6).
 *
 * A buffer belongs to the process (MPI_Buffer_*), to a session or to one communicator; a buffered send uses its
 * communicator's, or that of its session, if there is one.  MPI_BUFFER_AUTOMATIC: the library takes
 * memory of its own for every message.
 *
 * None is collective.  Detaching and flushing block until the messages in the buffer are out of it:
 * received, or given up because their receiver is dead (an error of theirs is the send's, not this
 * call's).  A death can therefore only make these calls shorter. */
#include "comm/errhandler.h"
#include "comm/session.h"
#include "mpi/check.h"

#include <limits.h>

/* The communicator of the Comm_ forms. */
static int on_comm(MPI_Comm comm, const char *fn, struct mend_comm **c_p)
{
    int err = mend_enter(fn);

    return err ? err : mend_check_comm(comm, c_p);
}

static int attach(struct mend_p2p_buffer **slot, void *buffer, MPI_Count size)
{
    if (buffer == MPI_BUFFER_AUTOMATIC)
        return mend_p2p_buffer_attach(mend_self, slot, NULL, 0);
    if (size < 0 || (!buffer && size > 0))
        return MPI_ERR_ARG;
    return mend_p2p_buffer_attach(mend_self, slot, buffer, size);
}

/* buffer_addr is a void ** in disguise. */
static int detach(struct mend_p2p_buffer **slot, void *buffer_addr, MPI_Count *size_p)
{
    void *buffer = NULL;
    MPI_Count size = 0;
    int err = buffer_addr && size_p ? MPI_SUCCESS : MPI_ERR_ARG;

    if (!err)
        err = mend_p2p_buffer_detach(mend_self, slot, &buffer, &size);
    if (err)
        return err;
    *(void **)buffer_addr = buffer ? buffer : MPI_BUFFER_AUTOMATIC;
    *size_p = size;
    return MPI_SUCCESS;
}

/* The int forms: a size that an int cannot hold is MPI_UNDEFINED. */
static int detach_int(struct mend_p2p_buffer **slot, void *buffer_addr, int *size_p)
{
    MPI_Count size = 0;
    int err = size_p ? detach(slot, buffer_addr, &size) : MPI_ERR_ARG;

    if (!err)
        *size_p = size > INT_MAX ? MPI_UNDEFINED : (int)size;
    return err;
}

MEND_API(MPI_Buffer_attach);
int MPI_Buffer_attach(void *buffer, int size)
{
    int err = mend_enter(__func__);

    if (!err)
        err = attach(mend_p2p_buffer_slot(mend_self), buffer, size);
    return mend_report(err, __func__);
}

MEND_API(MPI_Buffer_attach_c);
int MPI_Buffer_attach_c(void *buffer, MPI_Count size)
{
    int err = mend_enter(__func__);

    if (!err)
        err = attach(mend_p2p_buffer_slot(mend_self), buffer, size);
    return mend_report(err, __func__);
}

MEND_API(MPI_Buffer_detach);
int MPI_Buffer_detach(void *buffer_addr, int *size)
{
    int err = mend_enter(__func__);

    if (!err)
        err = detach_int(mend_p2p_buffer_slot(mend_self), buffer_addr, size);
    return mend_report(err, __func__);
}

MEND_API(MPI_Buffer_detach_c);
int MPI_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
    int err = mend_enter(__func__);

    if (!err)
        err = detach(mend_p2p_buffer_slot(mend_self), buffer_addr, size);
    return mend_report(err, __func__);
}

MEND_API(MPI_Comm_attach_buffer);
int MPI_Comm_attach_buffer(MPI_Comm comm, void *buffer, int size)
{
    struct mend_comm *c = NULL;
    int err = on_comm(comm, __func__, &c);

    if (!err)
        err = attach(&c->buffer, buffer, size);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_attach_buffer_c);
int MPI_Comm_attach_buffer_c(MPI_Comm comm, void *buffer, MPI_Count size)
{
    struct mend_comm *c = NULL;
    int err = on_comm(comm, __func__, &c);

    if (!err)
        err = attach(&c->buffer, buffer, size);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_detach_buffer);
int MPI_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, int *size)
{
    struct mend_comm *c = NULL;
    int err = on_comm(comm, __func__, &c);

    if (!err)
        err = detach_int(&c->buffer, buffer_addr, size);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Comm_detach_buffer_c);
int MPI_Comm_detach_buffer_c(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
    struct mend_comm *c = NULL;
    int err = on_comm(comm, __func__, &c);

    if (!err)
        err = detach(&c->buffer, buffer_addr, size);
    return mend_report_comm(c, err, __func__);
}

/* 3.6.  Blocks until the messages that are in the buffer now are out of it. */
MEND_API(MPI_Buffer_flush);
int MPI_Buffer_flush(void)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_p2p_buffer_flush(mend_self, mend_p2p_buffer_slot(mend_self));
    return mend_report(err, __func__);
}

MEND_API(MPI_Comm_flush_buffer);
int MPI_Comm_flush_buffer(MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    int err = on_comm(comm, __func__, &c);

    if (!err)
        err = mend_p2p_buffer_flush(mend_self, &c->buffer);
    return mend_report_comm(c, err, __func__);
}

static int iflush(struct mend_comm *c, uint32_t session, MPI_Request *request)
{
    struct mend_request *r = NULL;
    int err = mend_check_pointer(request);

    if (!err)
        err = mend_p2p_buffer_iflush(mend_self, c, session, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return err;
}

MEND_API(MPI_Buffer_iflush);
int MPI_Buffer_iflush(MPI_Request *request)
{
    int err = mend_enter(__func__);

    if (!err)
        err = iflush(NULL, 0, request);
    return mend_report(err, __func__);
}

MEND_API(MPI_Comm_iflush_buffer);
int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
    struct mend_comm *c = NULL;
    int err = on_comm(comm, __func__, &c);

    if (!err)
        err = iflush(c, 0, request);
    return mend_report_comm(c, err, __func__);
}

/* --------------------------------------------------------------------------
 * Of a session: for its communicators that have no buffer of their own.
 * -------------------------------------------------------------------------- */

static int on_session(MPI_Session session, const char *fn, struct mend_session **s_p)
{
    int err = mend_enter_any(fn);

    return err ? err : mend_check_session(session, s_p);
}

static int report_session(struct mend_session *s, int err, const char *fn)
{
    if (!err)
        return mend_leave(MPI_SUCCESS);
    return s ? mend_raise_session(mend_self, s->errhandler, s, err, fn) : mend_report(err, fn);
}

MEND_API(MPI_Session_attach_buffer);
int MPI_Session_attach_buffer(MPI_Session session, void *buffer, int size)
{
    struct mend_session *s = NULL;
    int err = on_session(session, __func__, &s);

    if (!err)
        err = attach(&s->buffer, buffer, size);
    return report_session(s, err, __func__);
}

MEND_API(MPI_Session_attach_buffer_c);
int MPI_Session_attach_buffer_c(MPI_Session session, void *buffer, MPI_Count size)
{
    struct mend_session *s = NULL;
    int err = on_session(session, __func__, &s);

    if (!err)
        err = attach(&s->buffer, buffer, size);
    return report_session(s, err, __func__);
}

MEND_API(MPI_Session_detach_buffer);
int MPI_Session_detach_buffer(MPI_Session session, void *buffer_addr, int *size)
{
    struct mend_session *s = NULL;
    int err = on_session(session, __func__, &s);

    if (!err)
        err = detach_int(&s->buffer, buffer_addr, size);
    return report_session(s, err, __func__);
}

MEND_API(MPI_Session_detach_buffer_c);
int MPI_Session_detach_buffer_c(MPI_Session session, void *buffer_addr, MPI_Count *size)
{
    struct mend_session *s = NULL;
    int err = on_session(session, __func__, &s);

    if (!err)
        err = detach(&s->buffer, buffer_addr, size);
    return report_session(s, err, __func__);
}

MEND_API(MPI_Session_flush_buffer);
int MPI_Session_flush_buffer(MPI_Session session)
{
    struct mend_session *s = NULL;
    int err = on_session(session, __func__, &s);

    if (!err)
        err = mend_p2p_buffer_flush(mend_self, &s->buffer);
    return report_session(s, err, __func__);
}

MEND_API(MPI_Session_iflush_buffer);
int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
    struct mend_session *s = NULL;
    int err = on_session(session, __func__, &s);

    if (!err)
        err = iflush(NULL, s->number, request);
    return report_session(s, err, __func__);
}
