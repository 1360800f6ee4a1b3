/* SPDX-License-Identifier: BSD-3-Clause */
/* p2p.c – the calls of p2p.h, and the frames that carry them.
 *
 * The blocking calls try without a request first: a small dense message goes straight into the ring,
 * and from there into the buffer of a receive, if no older message or receive comes before it.  Otherwise a blocking
 * call keeps its request on the stack. */
#include "p2p/internal.h"

#include "p2p/match.h"

#include <string.h>

/* Messages sent, or taken from one peer, without a request between two looks at what all others say. */
#define CALLS_PER_LOOK 64u

/* With more ranks than cores, but at most EAGER_RANKS: EAGER_FACTOR times as long messages go without an RTS. */
#define EAGER_RANKS  16
#define EAGER_FACTOR 8
#define EAGER_MOST   ((MPI_Count)64 * 1024)
#define FAR_FACTOR   2 /* to another node */

struct mend_comm *mend_p2p_comm(struct mend_proc *self, mend_ctx ctx)
{
    mend_ctx key = ctx & ~MEND_CTX_CHANNEL_MASK;
    struct mend_comm *c = self->p2p->last_comm;

    if (mend_likely(c && c->ctx == key))
        return c;
    c = mend_hash_get(&self->comms, key);
    if (c)
        self->p2p->last_comm = c;
    return c;
}

/* The communicator of a frame whose sender's rank and channel make sense; NULL: parked or refused. */
static struct mend_comm *frame_comm(struct mend_proc *self, mend_peer from,
                                    const struct mend_frame *f, const void *payload)
{
    struct mend_comm *c = mend_p2p_comm(self, f->ctx);

    if (mend_unlikely(!c || !c->match)) {
        mend_park(self, from, f, payload);
        return NULL;
    }
    if (mend_unlikely(f->src < 0 || f->src >= c->peers_n ||
                      (f->ctx & MEND_CTX_CHANNEL_MASK) > MEND_CHANNEL_COLL ||
                      mend_comm_peer(c, f->src) != from)) {
        self->on_damage(self, from);
        return NULL;
    }
    return c;
}

void mend_p2p_on_eager(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                       const void *payload)
{
    struct mend_comm *c = frame_comm(self, from, f, payload);
    struct mend_space *space;
    struct mend_p2p_request *r;

    if (mend_unlikely(!c))
        return;
    mend_traffic_came(self->p2p, f->ctx & MEND_CTX_CHANNEL_MASK, mend_frame_len(f));
    space = mend_p2p_space(c, f->ctx & MEND_CTX_CHANNEL_MASK);
    r = mend_match_arrived(c, space, f->src, f->tag);
    if (mend_likely(r != NULL))
        mend_recv_eager(r, f->src, f->tag, payload, mend_frame_len(f));
    else if (!c->revoked)
        mend_match_keep_eager(c, space, from, f->src, f->tag, payload, mend_frame_len(f));
}

void mend_p2p_on_decline(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                         const void *payload)
{
    struct mend_comm *c = frame_comm(self, from, f, payload);
    struct mend_space *space;
    struct mend_p2p_request *r;

    if (!c || c->revoked)
        return;
    space = mend_p2p_space(c, f->ctx & MEND_CTX_CHANNEL_MASK);
    r = mend_match_arrived(c, space, f->src, f->tag);
    if (!r) {
        mend_match_keep_declined(c, space, from, f->src, f->tag);
        return;
    }
    mend_recv_matched(r, f->src, f->tag);
    mend_request_complete(&r->base, MPI_ERR_NO_MEM);
}

void mend_p2p_on_rts(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                     const void *payload)
{
    struct mend_comm *c = frame_comm(self, from, f, payload);
    struct mend_space *space;
    struct mend_p2p_request *r;
    struct mend_rts rts;

    if (!c || c->revoked || mend_frame_len(f) != sizeof(rts))
        return;
    memcpy(&rts, payload, sizeof(rts));
    mend_traffic_came(self->p2p, f->ctx & MEND_CTX_CHANNEL_MASK, rts.total_bytes);
    if (mend_unlikely(self->p2p->told_n))
        mend_credit_look(self, from);
    space = mend_p2p_space(c, f->ctx & MEND_CTX_CHANNEL_MASK);
    r = mend_match_arrived(c, space, f->src, f->tag);
    if (r) {
        mend_recv_rts(r, from, f->src, f->tag, &rts);
    } else {
        struct mend_message *m;

        mend_memory_press(self); /* its sender waits */
        m = mend_match_keep(c, space, MEND_FRAME_RTS, from, f->src, f->tag, NULL, 0);
        mend_memory_relax(self);
        m->rts = rts;
        m->bytes = (MPI_Count)rts.total_bytes;
    }
}

static void answer_cancel(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                          int rank, const struct mend_cancel *body)
{
    struct mend_frame reply =
        mend_frame_make(MEND_FRAME_CANCEL_REPLY, f->ctx, 0, rank, sizeof(*body));

    mend_post(self, from, &reply, body);
}

static bool is_rts(const struct mend_frame *f, const void *payload, void *arg)
{
    const struct mend_cancel *body = arg;
    struct mend_rts rts;

    if (mend_frame_kind(f) != MEND_FRAME_RTS || mend_frame_len(f) != sizeof(rts))
        return false;
    memcpy(&rts, payload, sizeof(rts));
    return rts.id == body->id;
}

/* Without its communicator no receive has matched the RTS: one that has holds the communicator until it ends, and has
 * said so before.  The RTS is parked here, or was dropped. */
bool mend_p2p_on_homeless_cancel(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                                 const void *payload, bool gone)
{
    struct mend_cancel body;

    (void)gone;
    if (mend_frame_len(f) != sizeof(body))
        return false;
    memcpy(&body, payload, sizeof(body));
    mend_parked_drop(self, from, f->ctx, is_rts, &body);
    body.found = 1;
    answer_cancel(self, from, f, 0, &body);
    return true;
}

void mend_p2p_on_cancel(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                        const void *payload)
{
    struct mend_comm *c = frame_comm(self, from, f, payload);
    struct mend_cancel body;

    if (!c || mend_frame_len(f) != sizeof(body))
        return;
    memcpy(&body, payload, sizeof(body));
    body.found = 0;
    mend_list_foreach (l, next, &mend_p2p_space(c, f->ctx & MEND_CTX_CHANNEL_MASK)->any_messages) {
        struct mend_message *m = mend_list_entry(l, struct mend_message, by_arrival);

        if (m->kind == MEND_FRAME_RTS && m->peer == from && m->rts.id == body.id) {
            mend_match_take(m);
            mend_message_free(self, m);
            body.found = 1;
        }
    }
    answer_cancel(self, from, f, c->rank, &body);
}

void mend_p2p_on_cancel_reply(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                              const void *payload)
{
    struct mend_cancel body;
    struct mend_p2p_request *r;

    if (mend_frame_len(f) != sizeof(body))
        return;
    memcpy(&body, payload, sizeof(body));
    r = mend_hash_get(&self->p2p->large, body.id);
    if (!r || !r->is_send || r->peer != from)
        return;
    if (r->stage == MEND_STAGE_CANCELLING)
        mend_send_answered(r, MEND_STAGE_ALONE);
    if (!body.found)
        return;
    r->base.cancelled = true;
    mend_transfer_end(r, MPI_SUCCESS);
}

static void keep(struct mend_request *r)
{
    (void)r;
}

static const struct mend_request_ops sent_ops = {
    .name = "send", .cause = MEND_WAIT_MESSAGES, .release = keep};

struct mend_request *mend_p2p_sent(struct mend_proc *self)
{
    return &self->p2p->sent;
}

/* An RTS, its CTS and the end need turns of both ends.  With more ranks than cores these are waited for, so
 * longer messages go without; not in large jobs, where the rings of all pairs would be much memory. */
static MPI_Count eager_max(const struct mend_proc *self)
{
    MPI_Count bytes = (MPI_Count)self->params.eager_max_bytes;

    if (!self->oversubscribed || self->peers_n > EAGER_RANKS)
        return bytes;
    return bytes < EAGER_MOST / EAGER_FACTOR ? bytes * EAGER_FACTOR : EAGER_MOST;
}

int mend_p2p_init(struct mend_proc *self)
{
    struct mend_p2p *p = mend_zalloc(self, 1, sizeof(*p));

    if (!p)
        return MPI_ERR_NO_MEM;
    mend_hash_init(&p->large, self->arena);
    mend_request_init(&p->sent, &sent_ops, NULL);
    p->sent.state = MEND_REQUEST_DONE;
    p->eager_max = p->at_once_max = eager_max(self);
    p->eager_far_max =
        p->eager_max < EAGER_MOST / FAR_FACTOR ? p->eager_max * FAR_FACTOR : EAGER_MOST;
    p->last_name = mend_params_first(&self->params, 1);
    self->p2p = p;
    mend_burst_init(self);
    if (!mend_credit_set_aside(self))
        return MPI_ERR_NO_MEM;
    self->on_frame[MEND_FRAME_EAGER] = mend_p2p_on_eager;
    self->on_frame[MEND_FRAME_DECLINE] = mend_p2p_on_decline;
    self->on_frame[MEND_FRAME_RTS] = mend_p2p_on_rts;
    self->on_frame[MEND_FRAME_CTS] = mend_p2p_on_cts;
    self->on_frame[MEND_FRAME_DATA] = mend_p2p_on_data;
    self->on_frame[MEND_FRAME_CANCEL] = mend_p2p_on_cancel;
    self->place = mend_p2p_place;
    self->on_homeless[MEND_FRAME_CANCEL] = mend_p2p_on_homeless_cancel;
    self->on_frame[MEND_FRAME_CANCEL_REPLY] = mend_p2p_on_cancel_reply;
    self->on_frame[MEND_FRAME_CREDIT] = mend_p2p_on_credit;
    self->on_frame[MEND_FRAME_SHARE] = mend_p2p_on_share;
    p->may_share = mend_share_possible(self);
    p->single_copy = mend_single_copy_at_first(self, self->params.single_copy);
    return MPI_SUCCESS;
}

uint32_t mend_p2p_name(struct mend_p2p *p, struct mend_p2p_request *r)
{
    do
        p->last_name++;
    while (!p->last_name || mend_hash_get(&p->large, p->last_name));
    mend_hash_put(&p->large, p->last_name, r);
    return p->last_name;
}

void mend_transfer_add(struct mend_p2p_request *r)
{
    mend_list_append(&r->base.comm->match->transfers, &r->queue);
}

void mend_transfer_end(struct mend_p2p_request *r, int error)
{
    struct mend_proc *self = r->base.comm->self;

    if (mend_unlikely(r->stage == MEND_STAGE_COMING && mend_share_holds(self, r))) {
        r->over = r->over ? r->over : error;
        return;
    }
    if (mend_unlikely(r->over))
        error = r->over;
    r->over = 0;
    mend_list_remove(&r->queue);
    mend_recv_leaves(self, r);
    if (error)
        self->p2p->timed.since = 0;
    if (r->id) {
        if (!r->is_send || !mend_net_has_left(self, r->peer, &r->end))
            mend_net_displace(self, r->peer);
        mend_hash_remove(&self->p2p->large, r->id);
        r->id = 0;
    }
    if (mend_list_linked(&r->out.link))
        mend_out_remove(self, r->peer, &r->out);
    if (error == MEND_CLASS_PROC_FAILED && !r->staging) /* of a buffered send nobody is told */
        mend_match_source_failed(r->base.comm, mend_p2p_space(r->base.comm, r->channel),
                                 r->is_send ? r->rank : r->base.source);
    mend_request_complete(&r->base, r->staging ? MPI_SUCCESS : error);
}

/* Fills in everything but the state, `embedded`, and what is set before it is read. */
static inline void set_up(struct mend_p2p_request *r, struct mend_comm *c,
                          enum mend_channel channel, bool is_send, enum mend_send_mode mode,
                          const void *buf, MPI_Count count, const struct mend_type *t, int rank,
                          int tag)
{
    mend_request_init(&r->base, is_send ? &mend_send_ops : &mend_recv_ops, c);
    r->channel = channel;
    r->mode = mode;
    r->is_send = is_send;
    r->stage = MEND_STAGE_ALONE;
    r->rank = rank;
    r->want_tag = tag;
    r->send_buf = buf;
    r->count = count;
    r->total_bytes = count * t->size;
    r->moved_bytes = 0;
    r->type = t;
    r->id = r->remote_id = 0;
    r->way = MEND_WAY_FRAGMENTS;
    r->waits = false;
    r->over = 0;
    r->queue.next = NULL;
    r->out.link.next = NULL;
    r->staging = NULL;
}

/* What release() gives back.  Embedded requests rely on their owner's references. */
static void own(struct mend_p2p_request *r)
{
    if (r->channel != MEND_CHANNEL_P2P)
        r->embedded = true;
    if (r->embedded)
        return;
    mend_comm_get(r->base.comm);
    mend_type_get(r->type);
}

static void activate(struct mend_p2p_request *r)
{
    mend_request_begin(&r->base);
    r->stage = MEND_STAGE_ALONE;
    r->base.cancelled = false;
    r->base.source = MPI_ANY_SOURCE;
    r->base.tag = MPI_ANY_TAG;
    r->base.bytes = 0;
}

/* The copy of a buffered send goes on as a request of its own, which nobody waits for. */
static int begin_buffered(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_proc *self = c->self;
    const struct mend_type *bytes = mend_type_predefined((uintptr_t)MPI_BYTE);
    struct mend_p2p_request *copy;
    void *room;
    int err;

    if (self->outbox_n) /* a program that only buffers waits for nothing: look here, or never (S0-56) */
        mend_progress(self, MEND_PEER_NONE);
    mend_interrupt_check(self);
    if (c->revoked || r->rank == MPI_PROC_NULL ||
        mend_peer_is_dead(self, mend_comm_peer(c, r->rank))) {
        mend_send_begin(r);
        return MPI_SUCCESS;
    }
    err = mend_buffer_take(c, (size_t)r->total_bytes, &room);
    copy = err ? NULL : mend_p2p_request_create(self);
    if (!copy) {
        if (!err)
            mend_buffer_give_back(self, room);
        return err ? err : MPI_ERR_NO_MEM;
    }
    mend_type_pack(r->type, r->send_buf, r->count, 0, room, (size_t)r->total_bytes);
    set_up(copy, c, r->channel, true, MEND_SEND_STANDARD, room, r->total_bytes, bytes, r->rank,
           r->want_tag);
    copy->staging = room;
    own(copy);
    activate(copy);
    mend_request_detach(&copy->base);
    mend_send_begin(copy);
    mend_request_complete(&r->base, MPI_SUCCESS);
    return MPI_SUCCESS;
}

static int begin(struct mend_p2p_request *r)
{
    int err = MPI_SUCCESS;

    activate(r);
    if (!r->is_send)
        mend_recv_begin(r);
    else if (r->mode == MEND_SEND_BUFFERED)
        err = begin_buffered(r);
    else
        mend_send_begin(r);
    if (err)
        mend_request_complete(&r->base, err);
    return MPI_SUCCESS;
}

int mend_p2p_start(struct mend_request *r)
{
    return begin(mend_p2p_of(r));
}

struct mend_p2p_request *mend_p2p_request_create(struct mend_proc *self)
{
    struct mend_p2p_request *r = self->p2p->spare;

    if (mend_likely(r != NULL))
        self->p2p->spare = r->next_spare;
    else if (!(r = mend_alloc(self, sizeof(*r))))
        return NULL;
    r->embedded = false;
    return r;
}

void mend_p2p_request_destroy(struct mend_proc *self, struct mend_p2p_request *r)
{
    r->base.magic = 0;
    r->next_spare = self->p2p->spare;
    self->p2p->spare = r;
}

void mend_p2p_release(struct mend_request *base)
{
    struct mend_p2p_request *r = mend_p2p_of(base);
    struct mend_proc *self = base->comm->self;

    if (r->embedded)
        return;
    if (r->staging)
        mend_buffer_give_back(self, r->staging);
    mend_type_put(self, r->type);
    mend_comm_put(base->comm);
    mend_p2p_request_destroy(self, r);
}

int mend_p2p_isend(struct mend_p2p_request *r, struct mend_comm *c, enum mend_channel channel,
                   enum mend_send_mode mode, const void *buf, MPI_Count count,
                   const struct mend_type *t, int dest, int tag)
{
    set_up(r, c, channel, true, mode, buf, count, t, dest, tag);
    own(r);
    return begin(r);
}

/* Begins a receive.  The common case is done here: a living source of which nothing waits. */
static inline void begin_recv(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_source *s;

    mend_request_begin(&r->base);
    if (mend_likely(r->rank >= 0 && !c->revoked)) {
        r->peer = r->base.hint = mend_comm_peer(c, r->rank);
        s = mend_match_source(c, mend_p2p_space(c, r->channel), r->rank);
        if (mend_likely(s && mend_list_empty(&s->unexpected) &&
                        !mend_peer_is_dead(c->self, r->peer))) {
            r->seq = c->match->seq++;
            mend_list_append(&s->posted, &r->queue);
            return;
        }
    }
    mend_recv_begin(r);
}

int mend_p2p_irecv(struct mend_p2p_request *r, struct mend_comm *c, enum mend_channel channel,
                   void *buf, MPI_Count count, const struct mend_type *t, int source, int tag)
{
    set_up(r, c, channel, false, MEND_SEND_STANDARD, buf, count, t, source, tag);
    own(r);
    begin_recv(r);
    return MPI_SUCCESS;
}

static inline void look_often_enough(struct mend_proc *self)
{
    if (mend_unlikely(++self->p2p->sent_n % CALLS_PER_LOOK == 0))
        mend_progress(self, MEND_PEER_NONE);
}

/* soon: it does not block, and may leave with others (burst.c). */
static inline bool send_at_once(struct mend_comm *c, enum mend_send_mode mode, const void *buf,
                                MPI_Count count, const struct mend_type *t, int dest, int tag,
                                bool soon)
{
    struct mend_proc *self = c->self;
    MPI_Count bytes = count * t->size;
    struct mend_frame f;
    mend_peer to;

    if (mend_unlikely((mode != MEND_SEND_STANDARD && mode != MEND_SEND_READY) || dest < 0 ||
                      !t->dense || bytes > self->p2p->at_once_max || c->revoked))
        return false;
    to = mend_comm_peer(c, dest);
    if (soon && mend_unlikely(mend_net_of(self, to)->gather != NULL))
        return false;
    look_often_enough(self);
    if (mend_unlikely(to == self->me || mend_peer_is_dead(self, to) || !mend_out_empty(self, to)))
        return false;
    f = mend_frame_make(MEND_FRAME_EAGER, c->ctx, tag, c->rank, (uint32_t)bytes);
    if (mend_unlikely(mend_net_of(self, to)->send(self, to, &f, mend_type_dense_at(t, buf, 0)) !=
                      MEND_OK))
        return false;
    mend_traffic_sent(self->p2p, MEND_CHANNEL_P2P, (uint64_t)bytes);
    return true;
}

/* Where it may wait for others that follow, one that does not takes along those that have waited. */
static void begin_soon(struct mend_p2p_request *r)
{
    struct mend_proc *self = r->base.comm->self;
    mend_peer to = r->rank >= 0 ? mend_comm_peer(r->base.comm, r->rank) : self->me;

    if (mend_likely(!mend_net_of(self, to)->gather)) {
        begin(r);
        return;
    }
    r->waits = mend_burst_waits(r, to);
    if (r->waits) {
        begin(r);
        return;
    }
    look_often_enough(self);
    begin(r);
    if (!self->in_progress)
        mend_out_flush(self);
}

int mend_p2p_isend_new(struct mend_comm *c, enum mend_send_mode mode, const void *buf,
                       MPI_Count count, const struct mend_type *t, int dest, int tag,
                       struct mend_request **r_p)
{
    struct mend_p2p_request *r;

    if (mend_likely(send_at_once(c, mode, buf, count, t, dest, tag, true))) {
        *r_p = mend_p2p_sent(c->self);
        return MPI_SUCCESS;
    }
    r = mend_p2p_request_create(c->self);
    if (!r)
        return MPI_ERR_NO_MEM;
    set_up(r, c, MEND_CHANNEL_P2P, true, mode, buf, count, t, dest, tag);
    own(r);
    begin_soon(r);
    *r_p = &r->base;
    return MPI_SUCCESS;
}

int mend_p2p_irecv_new(struct mend_comm *c, void *buf, MPI_Count count, const struct mend_type *t,
                       int source, int tag, struct mend_request **r_p)
{
    struct mend_p2p_request *r = mend_p2p_request_create(c->self);

    if (mend_unlikely(!r))
        return MPI_ERR_NO_MEM;
    *r_p = &r->base;
    return mend_p2p_irecv(r, c, MEND_CHANNEL_P2P, buf, count, t, source, tag);
}

static void prepare(struct mend_p2p_request *r)
{
    own(r);
    r->base.persistent = true;
}

int mend_p2p_send_init(struct mend_p2p_request *r, struct mend_comm *c, enum mend_send_mode mode,
                       const void *buf, MPI_Count count, const struct mend_type *t, int dest,
                       int tag)
{
    set_up(r, c, MEND_CHANNEL_P2P, true, mode, buf, count, t, dest, tag);
    prepare(r);
    return MPI_SUCCESS;
}

int mend_p2p_recv_init(struct mend_p2p_request *r, struct mend_comm *c, void *buf, MPI_Count count,
                       const struct mend_type *t, int source, int tag)
{
    set_up(r, c, MEND_CHANNEL_P2P, false, MEND_SEND_STANDARD, buf, count, t, source, tag);
    prepare(r);
    return MPI_SUCCESS;
}

static int send_slow(struct mend_comm *c, enum mend_send_mode mode, const void *buf,
                     MPI_Count count, const struct mend_type *t, int dest, int tag)
{
    struct mend_p2p_request r;

    set_up(&r, c, MEND_CHANNEL_P2P, true, mode, buf, count, t, dest, tag);
    r.embedded = true;
    begin(&r);
    mend_wait(c->self, &r.base);
    return r.base.error;
}

/* The message was taken, but has not left yet. */
static int send_rest(struct mend_comm *c, enum mend_send_mode mode, const void *buf,
                     MPI_Count count, const struct mend_type *t, int dest, int tag)
{
    struct mend_p2p_request r;

    set_up(&r, c, MEND_CHANNEL_P2P, true, mode, buf, count, t, dest, tag);
    r.embedded = true;
    activate(&r);
    r.peer = r.base.hint = mend_comm_peer(c, dest);
    mend_transfer_add(&r);
    r.end = 0;
    mend_send_taken(&r);
    mend_wait(c->self, &r.base);
    return r.base.error;
}

int mend_p2p_send(struct mend_comm *c, enum mend_send_mode mode, const void *buf, MPI_Count count,
                  const struct mend_type *t, int dest, int tag)
{
    uint64_t end = 0;

    if (mend_likely(send_at_once(c, mode, buf, count, t, dest, tag, false)))
        return mend_likely(mend_net_has_left(c->self, mend_comm_peer(c, dest), &end))
                   ? MPI_SUCCESS
                   : send_rest(c, mode, buf, count, t, dest, tag);
    return send_slow(c, mode, buf, count, t, dest, tag);
}

/* May the next frame of `from` be this receive's message, with nothing older on either side, and
 * nothing else to move on? */
static inline bool may_take_next(struct mend_comm *c, mend_peer from, int source)
{
    const struct mend_proc *self = c->self;
    struct mend_space *space = mend_p2p_space(c, MEND_CHANNEL_P2P);
    const struct mend_source *s;

    if (mend_unlikely(from == self->me || !mend_near_of(self, from)->peek ||
                      mend_peer_is_dead(self, from) || self->in_progress || self->outbox_n ||
                      !mend_list_empty(&self->active) || !mend_list_empty(&space->any_posted)))
        return false;
    s = mend_match_source(c, space, source);
    return mend_likely(s && mend_list_empty(&s->posted) && mend_list_empty(&s->unexpected));
}

/* The common case of a blocking receive: its message is the next frame of its source, and goes from
 * the transport into buf without a request.  False: nothing happened, the long way must be taken. */
static inline bool recv_at_once(struct mend_comm *c, void *buf, MPI_Count count,
                                const struct mend_type *t, int source, int tag, MPI_Status *status)
{
    struct mend_proc *self = c->self;
    const struct mend_frame *f;
    const void *payload;
    mend_peer from;
    uint32_t len;

    if (mend_unlikely(++self->p2p->taken_n % CALLS_PER_LOOK == 0))
        mend_progress(self, MEND_PEER_NONE);
    if (mend_unlikely(source < 0 || !t->dense || c->revoked))
        return false;
    from = mend_comm_peer(c, source);
    if (mend_unlikely(!may_take_next(c, from, source)))
        return false;
    f = mend_wait_frame(self, from, &payload);
    if (mend_unlikely(!f || mend_frame_kind(f) != MEND_FRAME_EAGER || f->ctx != c->ctx ||
                      f->src != source || (tag != f->tag && tag != MPI_ANY_TAG)))
        return false;
    len = mend_frame_len(f);
    if (mend_unlikely((MPI_Count)len > count * t->size))
        return false;
    mend_copy(mend_type_dense_at(t, buf, 0), payload, len);
    mend_status_set(status, source, f->tag, len, false);
    /* before the store to the sender's cache line: after it, it delays the next send by 13 ns */
    mend_traffic_came(self->p2p, MEND_CHANNEL_P2P, len);
    mend_near_of(self, from)->take(self, from);
    mend_event(self, MEND_EV_P2P_RECV_MATCHED);
    return true;
}

static int recv_slow(struct mend_comm *c, void *buf, MPI_Count count, const struct mend_type *t,
                     int source, int tag, MPI_Status *status)
{
    struct mend_p2p_request r;

    set_up(&r, c, MEND_CHANNEL_P2P, false, MEND_SEND_STANDARD, buf, count, t, source, tag);
    r.embedded = true;
    begin_recv(&r);
    mend_wait(c->self, &r.base);
    if (mend_unlikely(
            !mend_request_is_done(&r.base))) { /* S0-21: an unmatched wildcard of a blocking call */
        mend_list_remove(&r.queue);
        mend_request_complete(&r.base, MEND_CLASS_PROC_FAILED);
    }
    mend_request_status(&r.base, status);
    return r.base.error;
}

int mend_p2p_recv(struct mend_comm *c, void *buf, MPI_Count count, const struct mend_type *t,
                  int source, int tag, MPI_Status *status)
{
    if (mend_likely(recv_at_once(c, buf, count, t, source, tag, status)))
        return MPI_SUCCESS;
    return recv_slow(c, buf, count, t, source, tag, status);
}

void mend_p2p_abandon(struct mend_p2p_request *r)
{
    if (!mend_request_is_active(&r->base))
        return;
    r->base.cancelled = true;
    if (!r->is_send && r->stage < MEND_STAGE_MATCHED) {
        mend_list_remove(&r->queue);
        mend_request_complete(&r->base, MPI_SUCCESS);
        return;
    }
    if (r->is_send && r->peer == r->base.comm->self->me) {
        mend_send_cancel_local(r);
    } else {
        mend_send_withdraw(r);
        mend_transfer_end(r, MPI_SUCCESS);
    }
}
