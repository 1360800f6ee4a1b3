/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.c – looking at messages before they are received (MPI-5.0 3.8).
 *
 *     MPI_Probe  MPI_Iprobe      tell about the message; it stays in the queue
 *     MPI_Mprobe MPI_Improbe     take it out of the queue: an MPI_Message ...
 *     MPI_Mrecv  MPI_Imrecv      ... which only these can receive
 *
 * None is collective.  What a death does: a failure is an answer.  A probe of a dead rank, or of
 * MPI_ANY_SOURCE while a possible sender is dead and not acknowledged, and nothing that matches has
 * arrived: MPI_ERR_PROC_FAILED from all of them, with *flag true from the nonblocking ones (S0-12,
 * S0-13, S0-14).  Communicator revoked: MPI_ERR_INVALIDATED, likewise. */
#include "comm/handle.h"
#include "mpi/message.h"

static int check_probe(MPI_Comm comm, int source, int tag, struct mend_comm **c_p)
{
    int err = mend_check_comm(comm, c_p);

    if (!err)
        err = mend_check_source(*c_p, source);
    if (!err)
        err = mend_check_recv_tag(tag);
    return err;
}

/* The answer for MPI_PROC_NULL (3.10): at once, an empty message from nobody. */
static int probe_nobody(const struct mend_comm *c, MPI_Status *status)
{
    if (c->revoked)
        return MEND_CLASS_INVALIDATED;
    mend_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    return MPI_SUCCESS;
}

static MPI_Message message_handle(struct mend_message *m)
{
    return (MPI_Message)m;
}

/* *m_p is NULL for MPI_MESSAGE_NO_PROC. */
static int check_message(const MPI_Message *message, struct mend_message **m_p)
{
    struct mend_message *m;

    if (!message)
        return MPI_ERR_ARG;
    m = (struct mend_message *)*message;
    if (*message == MPI_MESSAGE_NO_PROC)
        m = NULL;
    else if (!mend_handle_is_object(m) || !mend_message_check(m))
        return MPI_ERR_REQUEST;
    *m_p = m;
    return MPI_SUCCESS;
}

/* Blocks until there is a matching message. */
MEND_API(MPI_Probe);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_probe(comm, source, tag, &c);
    if (!err)
        err = source == MPI_PROC_NULL ? probe_nobody(c, status)
                                      : mend_p2p_probe(c, source, tag, status);
    return mend_report_comm(c, err, __func__);
}

/* Local.  An error that is an answer comes with *flag true (S0-12). */
MEND_API(MPI_Iprobe);
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    struct mend_comm *c = NULL;
    bool found = true;
    int err = mend_enter(__func__);

    if (!err)
        err = check_probe(comm, source, tag, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (err)
        return mend_report_comm(c, err, __func__);
    err = source == MPI_PROC_NULL ? probe_nobody(c, status)
                                  : mend_p2p_iprobe(c, source, tag, &found, status);
    *flag = err || found;
    return mend_report_comm(c, err, __func__);
}

/* Blocks until there is a matching message, which nobody else can receive from then on. */
MEND_API(MPI_Mprobe);
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    struct mend_comm *c = NULL;
    struct mend_message *m = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_probe(comm, source, tag, &c);
    if (!err)
        err = mend_check_pointer(message);
    if (!err)
        err = source == MPI_PROC_NULL ? probe_nobody(c, status)
                                      : mend_p2p_mprobe(c, source, tag, &m, status);
    if (!err)
        *message = m ? message_handle(m) : MPI_MESSAGE_NO_PROC;
    return mend_report_comm(c, err, __func__);
}

/* Local.  An error that is an answer comes with *flag true and no message (S0-14). */
MEND_API(MPI_Improbe);
int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    struct mend_comm *c = NULL;
    struct mend_message *m = NULL;
    bool found = true;
    int err = mend_enter(__func__);

    if (!err)
        err = check_probe(comm, source, tag, &c);
    if (!err)
        err = mend_check_pointer(flag);
    if (!err)
        err = mend_check_pointer(message);
    if (err)
        return mend_report_comm(c, err, __func__);
    err = source == MPI_PROC_NULL ? probe_nobody(c, status)
                                  : mend_p2p_improbe(c, source, tag, &found, &m, status);
    *flag = err || found;
    if (!err && found)
        *message = m ? message_handle(m) : MPI_MESSAGE_NO_PROC;
    return mend_report_comm(c, err, __func__);
}

static int mrecv(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message,
                 MPI_Status *status, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_message *m = NULL;
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check_message(message, &m);
    if (!err && m)
        c = mend_message_comm(m);
    if (!err)
        err = mend_check_data(type, count, buf, &t);
    if (err)
        return mend_report_comm(c, err, fn);
    *message = MPI_MESSAGE_NULL;
    if (m)
        err = mend_p2p_mrecv(m, buf, count, t, status);
    else
        mend_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, false);
    return mend_report_comm(c, err, fn);
}

static int imrecv(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message,
                  MPI_Request *request, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_message *m = NULL;
    const struct mend_type *t = NULL;
    struct mend_p2p_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check_message(message, &m);
    if (!err && m)
        c = mend_message_comm(m);
    if (!err)
        err = mend_check_data(type, count, buf, &t);
    if (!err)
        err = mend_check_pointer(request);
    if (!err) {
        r = mend_p2p_request_create(mend_self);
        err = r ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err && m)
        err = mend_p2p_imrecv(r, m, buf, count, t);
    else if (!err)
        err = mend_p2p_irecv(r, mend_self->comm_self, MEND_CHANNEL_P2P, buf, count, t,
                             MPI_PROC_NULL, MPI_ANY_TAG);
    if (!err)
        *message = MPI_MESSAGE_NULL;
    mend_mpi_request_give(r, err, request);
    return mend_report_comm(c, err, fn);
}

/* 3.8.3.  Blocks until the message is in buf.  The message is used up, whatever is returned.
 * Sender dead before all of it was here: MPI_ERR_PROC_FAILED. */
MEND_API(MPI_Mrecv);
int MPI_Mrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    return mrecv(buf, count, datatype, message, status, __func__);
}

MEND_API(MPI_Mrecv_c);
int MPI_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                MPI_Status *status)
{
    return mrecv(buf, count, datatype, message, status, __func__);
}

MEND_API(MPI_Imrecv);
int MPI_Imrecv(void *buf, int count, MPI_Datatype datatype, MPI_Message *message,
               MPI_Request *request)
{
    return imrecv(buf, count, datatype, message, request, __func__);
}

MEND_API(MPI_Imrecv_c);
int MPI_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
                 MPI_Request *request)
{
    return imrecv(buf, count, datatype, message, request, __func__);
}
