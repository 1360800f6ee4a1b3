/* SPDX-License-Identifier: BSD-3-Clause */
/* sendrecv.c – a send and a receive as one operation (MPI-5.0 3.10), blocking and nonblocking.
 *
 *     MPI_Sendrecv           two requests on the stack, both are waited for
 *     MPI_Sendrecv_replace   the outgoing data is packed first, and sent as packed bytes
 *     MPI_Isendrecv...       one request that owns two; it is polled, and done when both are
 *
 * None is collective.  What a death does: the half that needs the dead process fails; the other
 * half goes on to its own end, so that a failure here is not passed on to a living partner
 * (S0-2: its call does not involve the dead process).  The error of the whole is that of the
 * receive, else that of the send.
 *
 * A blocking receive from MPI_ANY_SOURCE that no message has matched when a possible sender is
 * dead: MPI_ERR_PROC_FAILED, and it is taken back (R11).  A nonblocking one stays pending (S0-20).
 *
 * 1. A pair's own request is active exactly as long as one of its halves is.
 * 2. `pending` of a pair is that of its receive. */
#include "mpi/message.h"

/* Packed copies up to this size live on the stack. */
#define SMALL_BYTES 512

struct side {
    const void *buf; /* of the receive: cast away const */
    MPI_Count count;
    const struct mend_type *t;
    int rank, tag;
};

struct pair {
    struct mend_request base;
    struct mend_p2p_request send, recv;
    struct mend_proc *self;
    void *packed; /* replace: the outgoing data; NULL: none */
};

/* --------------------------------------------------------------------------
 * Both halves
 * -------------------------------------------------------------------------- */

/* Begins both, the receive first so that an exchange of large messages does not wait for it.  The
 * references to communicator and types are the caller's. */
static int begin(struct mend_comm *c, struct mend_p2p_request *send, const struct side *out,
                 struct mend_p2p_request *recv, const struct side *in)
{
    int err;

    send->embedded = recv->embedded = true;
    err = mend_p2p_irecv(recv, c, MEND_CHANNEL_P2P, (void *)in->buf, in->count, in->t, in->rank,
                         in->tag);
    if (err)
        return err;
    err = mend_p2p_isend(send, c, MEND_CHANNEL_P2P, MEND_SEND_STANDARD, out->buf, out->count,
                         out->t, out->rank, out->tag);
    if (err)
        mend_p2p_abandon(recv);
    return err;
}

static int exchange(struct mend_comm *c, const struct side *out, const struct side *in,
                    MPI_Status *status)
{
    struct mend_p2p_request send, recv;
    int err = begin(c, &send, out, &recv, in);

    if (err)
        return err;
    mend_wait(c->self, &recv.base);
    mend_wait(c->self, &send.base);
    if (!mend_request_is_done(&recv.base)) /* was pending: a message may have matched since */
        mend_wait(c->self, &recv.base);
    if (mend_request_is_done(&recv.base)) {
        err = recv.base.error ? recv.base.error : send.base.error;
    } else {
        mend_p2p_abandon(&recv);
        err = MEND_CLASS_PROC_FAILED;
    }
    if (!err)
        mend_request_status(&recv.base, status);
    return err;
}

/* Packs the outgoing half into memory at *packed_p, which is `small` if that is enough. */
static int pack(struct mend_proc *self, struct side *out, void *small, void **packed_p)
{
    MPI_Count bytes = out->t->size * out->count;
    void *p = bytes <= SMALL_BYTES && small ? small : mend_alloc(self, bytes ? (size_t)bytes : 1);

    if (!p)
        return MPI_ERR_NO_MEM;
    mend_type_pack(out->t, out->buf, out->count, 0, p, (size_t)bytes);
    *packed_p = p;
    out->buf = p;
    out->count = bytes;
    out->t = mend_type_of(MPI_PACKED);
    return MPI_SUCCESS;
}

/* --------------------------------------------------------------------------
 * The nonblocking pair
 * -------------------------------------------------------------------------- */

static void pair_poll(struct mend_request *r)
{
    struct pair *p = MEND_CONTAINER_OF(r, struct pair, base);

    r->pending = p->recv.base.pending;
    if (!mend_request_is_done(&p->send.base) || !mend_request_is_done(&p->recv.base))
        return;
    r->source = p->recv.base.source;
    r->tag = p->recv.base.tag;
    r->bytes = p->recv.base.bytes;
    mend_request_complete(r, p->recv.base.error ? p->recv.base.error : p->send.base.error);
}

static void pair_release(struct mend_request *r)
{
    struct pair *p = MEND_CONTAINER_OF(r, struct pair, base);
    struct mend_proc *self = p->self;

    mend_type_put(self, p->send.type);
    mend_type_put(self, p->recv.type);
    mend_comm_put(r->comm);
    if (p->packed)
        mend_free(self, p->packed);
    mend_free(self, p);
}

static void pair_describe(const struct mend_request *r, char *text, size_t max)
{
    const struct pair *p = MEND_CONTAINER_OF(r, struct pair, base);
    const struct mend_request *half =
        mend_request_is_done(&p->recv.base) ? &p->send.base : &p->recv.base;

    half->ops->describe(half, text, max);
}

static const struct mend_request_ops pair_ops = {
    .name = "sendrecv",
    .poll = pair_poll,
    .release = pair_release,
    .describe = pair_describe,
};

static int pair_start(struct mend_comm *c, struct side *out, const struct side *in, bool replace,
                      struct mend_request **request_p)
{
    struct mend_proc *self = c->self;
    struct pair *p = mend_zalloc(self, 1, sizeof *p);
    int err = p ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (!err && replace)
        err = pack(self, out, NULL, &p->packed);
    if (!err)
        err = begin(c, &p->send, out, &p->recv, in);
    if (err)
        goto give_back;
    p->self = self;
    mend_request_init(&p->base, &pair_ops, c);
    mend_comm_get(c);
    mend_type_get(out->t);
    mend_type_get(in->t);
    p->base.hint = p->recv.base.hint;
    mend_request_begin(&p->base);
    mend_list_append(&self->active, &p->base.link);
    pair_poll(&p->base);
    *request_p = &p->base;
    return MPI_SUCCESS;

give_back:
    if (p && p->packed)
        mend_free(self, p->packed);
    if (p)
        mend_free(self, p);
    return err;
}

/* --------------------------------------------------------------------------
 * What all functions do
 * -------------------------------------------------------------------------- */

static int check(MPI_Comm comm, MPI_Datatype sendtype, struct side *out, MPI_Datatype recvtype,
                 struct side *in, struct mend_comm **c_p)
{
    int err =
        mend_check_send(comm, sendtype, out->count, out->buf, out->rank, out->tag, c_p, &out->t);

    if (!err)
        err = mend_check_recv(comm, recvtype, in->count, in->buf, in->rank, in->tag, c_p, &in->t);
    return err;
}

static int blocking(MPI_Comm comm, MPI_Datatype sendtype, struct side out, MPI_Datatype recvtype,
                    struct side in, bool replace, MPI_Status *status, const char *fn)
{
    struct mend_comm *c = NULL;
    char small[SMALL_BYTES];
    void *packed = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check(comm, sendtype, &out, recvtype, &in, &c);
    if (!err && replace)
        err = pack(c->self, &out, small, &packed);
    if (!err)
        err = exchange(c, &out, &in, status);
    if (packed && packed != small)
        mend_free(c->self, packed);
    return mend_report_comm(c, err, fn);
}

static int nonblocking(MPI_Comm comm, MPI_Datatype sendtype, struct side out, MPI_Datatype recvtype,
                       struct side in, bool replace, MPI_Request *request, const char *fn)
{
    struct mend_comm *c = NULL;
    struct mend_request *r = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = check(comm, sendtype, &out, recvtype, &in, &c);
    if (!err)
        err = mend_check_pointer(request);
    if (!err)
        err = pair_start(c, &out, &in, replace, &r);
    if (!err)
        *request = mend_mpi_request_handle(r);
    return mend_report_comm(c, err, fn);
}

#define OUT ((struct side){sendbuf, sendcount, NULL, dest, sendtag})
#define IN  ((struct side){recvbuf, recvcount, NULL, source, recvtag})

/* The one buffer of the replace forms, in both directions. */
#define OUT_SAME ((struct side){buf, count, NULL, dest, sendtag})
#define IN_SAME  ((struct side){buf, count, NULL, source, recvtag})

/* --------------------------------------------------------------------------
 * MPI-5.0 3.10.  Blocks until the message is in recvbuf and sendbuf may be used again.
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Sendrecv);
int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, sendtype, OUT, recvtype, IN, false, status, __func__);
}

MEND_API(MPI_Sendrecv_c);
int MPI_Sendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                   int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                   int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, sendtype, OUT, recvtype, IN, false, status, __func__);
}

MEND_API(MPI_Sendrecv_replace);
int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, status, __func__);
}

MEND_API(MPI_Sendrecv_replace_c);
int MPI_Sendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return blocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, status, __func__);
}

/* The same without blocking: the request completes when both messages are through. */
MEND_API(MPI_Isendrecv);
int MPI_Isendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Request *request)
{
    return nonblocking(comm, sendtype, OUT, recvtype, IN, false, request, __func__);
}

MEND_API(MPI_Isendrecv_c);
int MPI_Isendrecv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                    int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return nonblocking(comm, sendtype, OUT, recvtype, IN, false, request, __func__);
}

MEND_API(MPI_Isendrecv_replace);
int MPI_Isendrecv_replace(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return nonblocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, request, __func__);
}

MEND_API(MPI_Isendrecv_replace_c);
int MPI_Isendrecv_replace_c(void *buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int sendtag, int source, int recvtag, MPI_Comm comm,
                            MPI_Request *request)
{
    return nonblocking(comm, datatype, OUT_SAME, datatype, IN_SAME, true, request, __func__);
}
