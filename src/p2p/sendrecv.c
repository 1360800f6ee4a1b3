/* SPDX-License-Identifier: BSD-3-Clause */
/* sendrecv.c – a send and a receive as one operation (MPI-5.0 3.10), blocking and nonblocking.
 *
 *     blocking       two requests on the stack, both are waited for
 *     replace        the outgoing data is packed first, and sent as packed bytes
 *     nonblocking    one request that owns two; it is polled, and done when both are
 *
 * What a death does: the half that needs the dead process fails; the other half goes on to its own end, so
 * that a failure here is not passed on to a living partner (S0-2: its call does not involve the dead process).
 * The error of the whole is that of the receive, else that of the send.
 *
 * A blocking receive from MPI_ANY_SOURCE that no message has matched when a possible sender is
 * dead: MPI_ERR_PROC_FAILED, and it is taken back (R11).  A nonblocking one stays pending (S0-20).
 *
 * 1. A pair's own request is active exactly as long as one of its halves is.
 * 2. `pending` of a pair is that of its receive. */
#include "p2p/p2p.h"

/* Packed copies up to this size live on the stack. */
#define SMALL_BYTES 512

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
static int begin(struct mend_comm *c, struct mend_p2p_request *send,
                 const struct mend_p2p_side *out, struct mend_p2p_request *recv,
                 const struct mend_p2p_side *in)
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

static int exchange(struct mend_comm *c, const struct mend_p2p_side *out,
                    const struct mend_p2p_side *in, MPI_Status *status)
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
static int pack(struct mend_proc *self, struct mend_p2p_side *out, void *small, void **packed_p)
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

static int exchange_packed(struct mend_comm *c, struct mend_p2p_side out,
                           const struct mend_p2p_side *in, MPI_Status *status)
{
    char small[SMALL_BYTES];
    void *packed = NULL;
    int err = pack(c->self, &out, small, &packed);

    if (!err)
        err = exchange(c, &out, in, status);
    if (packed && packed != small)
        mend_free(c->self, packed);
    return err;
}

int mend_p2p_sendrecv(struct mend_comm *c, const struct mend_p2p_side *out,
                      const struct mend_p2p_side *in, bool replace, MPI_Status *status)
{
    return replace ? exchange_packed(c, *out, in, status) : exchange(c, out, in, status);
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
    .cause = MEND_WAIT_MESSAGES,
    .poll = pair_poll,
    .release = pair_release,
    .describe = pair_describe,
};

int mend_p2p_isendrecv(struct mend_comm *c, const struct mend_p2p_side *out,
                       const struct mend_p2p_side *in, bool replace, struct mend_request **r_p)
{
    struct mend_proc *self = c->self;
    struct mend_p2p_side sent = *out;
    struct pair *p = mend_zalloc(self, 1, sizeof *p);
    int err = p ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (!err && replace)
        err = pack(self, &sent, NULL, &p->packed);
    if (!err)
        err = begin(c, &p->send, &sent, &p->recv, in);
    if (err)
        goto give_back;
    p->self = self;
    mend_request_init(&p->base, &pair_ops, c);
    mend_comm_get(c);
    mend_type_get(sent.t);
    mend_type_get(in->t);
    p->base.hint = p->recv.base.hint;
    p->base.rings = true; /* both halves end by a frame or a death */
    mend_request_begin(&p->base);
    mend_list_append(&self->active, &p->base.link);
    pair_poll(&p->base);
    *r_p = &p->base;
    return MPI_SUCCESS;

give_back:
    if (p && p->packed)
        mend_free(self, p->packed);
    if (p)
        mend_free(self, p);
    return err;
}
