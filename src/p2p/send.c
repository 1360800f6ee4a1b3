/* SPDX-License-Identifier: BSD-3-Clause */
/* send.c – sends: eager, by RTS, in fragments.
 *
 *   begin ── small ──> pushed into the ring ──> done
 *     │        └ no room: outbox, in order
 *     └── large or synchronous ──> RTS ──> transfer ── CTS ──> fragments (DATA) ──> done
 *                                                  └── CTS(done): the receiver pulled it ──> done
 *
 * The order of a sender's messages is the order of their EAGER and RTS frames, which the outbox keeps.
 * DATA names its receive, so its order relative to other frames does not matter. */
#include "p2p/internal.h"

#include "p2p/match.h"
#include "proc/news.h"
#include "rt/rt.h"

#include <stdio.h>
#include <string.h>

#define FRAGMENTS_PER_POLL 64 /* more than a ring holds */

#define SHARED_CORES 2 /* so many ranks for each core */
#define LONG_FACTOR  4

static const void *dense_at(const struct mend_p2p_request *r, MPI_Count at)
{
    return mend_type_dense_at(r->type, r->send_buf, at);
}

/* One frame with packed bytes [at, at + len) of the request's data. */
static enum mend_status push_bytes(struct mend_proc *self, struct mend_p2p_request *r,
                                   const struct mend_frame *f, MPI_Count at)
{
    void *room;

    if (mend_likely(r->type->dense))
        return mend_net_of(self, r->peer)->send(self, r->peer, f, dense_at(r, at));
    if (mend_peer_is_dead(self, r->peer))
        return MEND_ERR_PEER;
    room = mend_net_of(self, r->peer)->reserve(self, r->peer, mend_frame_len(f));
    if (!room)
        return MEND_AGAIN;
    mend_type_pack(r->type, r->send_buf, r->count, at, room, mend_frame_len(f));
    mend_net_of(self, r->peer)->commit(self, r->peer, f);
    return MEND_OK;
}

static enum mend_status push_eager(struct mend_proc *self, struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_frame f = mend_frame_make(MEND_FRAME_EAGER, c->ctx | r->channel, r->want_tag,
                                          c->rank, (uint32_t)r->total_bytes);

    return push_bytes(self, r, &f, 0);
}

static enum mend_status push_rts(struct mend_proc *self, struct mend_p2p_request *r)
{
    const struct mend_net *net = mend_net_of(self, r->peer);
    const struct mend_near *near = mend_near_of(self, r->peer);
    struct mend_comm *c = r->base.comm;
    struct mend_rts rts = {.total_bytes = (uint64_t)r->total_bytes,
                           .address = r->type->dense ? (uintptr_t)dense_at(r, 0) : 0,
                           .id = r->id,
                           .stamp = near->rts_stamp ? near->rts_stamp(self) : 0};
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_RTS, c->ctx | r->channel, r->want_tag, c->rank, sizeof(rts));
    enum mend_status st = net->send(self, r->peer, &f, &rts);

    if (st == MEND_OK) {
        mend_event(self, MEND_EV_P2P_SEND_RTS);
        mend_single_copy_rts_sent(self->p2p, r->peer);
    }
    return st;
}

/* On another node an RTS and its CTS take as long as twice the bytes. */
static MPI_Count eager_max(const struct mend_p2p_request *r)
{
    const struct mend_proc *self = r->base.comm->self;

    if (r->peer == self->me || mend_net_of(self, r->peer)->near)
        return self->p2p->eager_max;
    return self->p2p->eager_far_max < mend_net_of(self, r->peer)->payload_max_bytes
               ? self->p2p->eager_far_max
               : mend_net_of(self, r->peer)->payload_max_bytes;
}

static bool is_small(const struct mend_p2p_request *r)
{
    return r->mode != MEND_SEND_SYNC && r->total_bytes <= eager_max(r);
}

/* It goes at once, and not by RTS, for which it would have a name on the wire. */
static bool is_eager(const struct mend_p2p_request *r)
{
    return r->id == 0;
}

bool mend_send_is_under_way(const struct mend_p2p *p, mend_peer to)
{
    const struct mend_p2p_request *last = mend_hash_get(&p->large, p->last_rts);

    return last && last->is_send && last->peer == to;
}

static void go_by_rts(struct mend_p2p_request *r)
{
    struct mend_p2p *p = r->base.comm->self->p2p;

    mend_memory_press(r->base.comm->self); /* perhaps from the outbox: the call is over */
    r->id = p->last_rts = mend_p2p_name(p, r);
    mend_memory_relax(r->base.comm->self);
}

/* It found no room.  Without memory for its data an RTS is sent, which takes little; without any it fails, but not one
 * that its receiver counts on: a step of a collective waits in the outbox, as frames of the library do. */
static enum mend_status push_scarce(struct mend_proc *self, struct mend_p2p_request *r)
{
    uint32_t len = is_eager(r) ? (uint32_t)r->total_bytes : sizeof(struct mend_rts);
    int32_t max = mend_net_memory_for(self, r->peer, len);

    if (max == (int32_t)len)
        return MEND_AGAIN;
    if (is_eager(r) && max >= (int32_t)sizeof(struct mend_rts)) {
        go_by_rts(r);
        return push_rts(self, r);
    }
    return r->channel == MEND_CHANNEL_COLL ? mend_out_starves(self, r->peer, len) : MEND_ERR_MEM;
}

static enum mend_status push_first(struct mend_proc *self, struct mend_p2p_request *r)
{
    enum mend_status st = is_eager(r) ? push_eager(self, r) : push_rts(self, r);

    return mend_likely(st != MEND_AGAIN) ? st : push_scarce(self, r);
}

static void drop_from_outbox(struct mend_proc *self, struct mend_out *out)
{
    mend_transfer_end(MEND_CONTAINER_OF(out, struct mend_p2p_request, out), MEND_CLASS_PROC_FAILED);
}

static enum mend_status push_rest(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    struct mend_p2p_request *r = MEND_CONTAINER_OF(out, struct mend_p2p_request, out);

    if (!mend_net_has_left(self, to, &r->end))
        return MEND_AGAIN;
    mend_transfer_end(r, MPI_SUCCESS);
    return MEND_OK;
}

/* Else the program would go on and compute, while the receiver waits for what only a call of this process sends. */
void mend_send_taken(struct mend_p2p_request *r)
{
    struct mend_proc *self = r->base.comm->self;

    if (mend_likely(mend_net_has_left(self, r->peer, &r->end))) {
        mend_transfer_end(r, MPI_SUCCESS);
        return;
    }
    r->stage = MEND_STAGE_MATCHED; /* cannot be cancelled any more */
    r->out.push = push_rest;
    r->out.drop = drop_from_outbox;
    mend_out_append(self, r->peer, &r->out);
}

/* What the push of a request's first frame means for it. */
static void pushed_first(struct mend_p2p_request *r, enum mend_status st)
{
    if (mend_unlikely(st == MEND_ERR_PEER || st == MEND_ERR_MEM))
        mend_transfer_end(r, st == MEND_ERR_MEM ? MPI_ERR_NO_MEM : MEND_CLASS_PROC_FAILED);
    else if (is_eager(r))
        mend_send_taken(r);
}

static enum mend_status push_from_outbox(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    struct mend_p2p_request *r = MEND_CONTAINER_OF(out, struct mend_p2p_request, out);
    enum mend_status st;

    if (r->waits)
        mend_burst_over(self, to);
    r->waits = false;
    if (is_eager(r) && mend_credit_holds(self, to))
        go_by_rts(r);
    st = push_first(self, r);
    if (st != MEND_AGAIN)
        pushed_first(r, st);
    return st;
}

static void to_self(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_space *space = mend_p2p_space(c, r->channel);
    struct mend_p2p_request *receive = mend_match_arrived(c, space, r->rank, r->want_tag);
    struct mend_message *m;

    mend_transfer_add(r);
    if (receive) {
        mend_recv_local(receive, r);
        return;
    }
    if (!is_small(r)) {
        m = mend_match_keep(c, space, MEND_FRAME_RTS, r->peer, r->rank, r->want_tag, NULL, 0);
        if (!m) {
            mend_transfer_end(r, MPI_ERR_NO_MEM);
            return;
        }
        m->local_sender = r;
        m->bytes = r->total_bytes;
        return;
    }
    m = mend_match_keep(c, space, MEND_FRAME_EAGER, r->peer, r->rank, r->want_tag, NULL,
                        (size_t)r->total_bytes);
    if (m)
        mend_type_pack(r->type, r->send_buf, r->count, 0, m->payload, (size_t)r->total_bytes);
    mend_transfer_end(r, m ? MPI_SUCCESS : MPI_ERR_NO_MEM);
}

void mend_send_begin(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_proc *self = c->self;
    enum mend_status st = MEND_AGAIN;

    if (mend_unlikely(c->revoked || r->rank == MPI_PROC_NULL)) {
        r->base.source = MPI_ANY_SOURCE;
        mend_request_complete(&r->base, c->revoked ? MEND_CLASS_INVALIDATED : MPI_SUCCESS);
        return;
    }
    r->peer = r->base.hint = mend_comm_peer(c, r->rank);
    if (mend_unlikely(mend_peer_is_dead(self, r->peer))) {
        mend_match_source_failed(c, mend_p2p_space(c, r->channel), r->rank); /* S0-18 */
        mend_request_complete(&r->base, MEND_CLASS_PROC_FAILED);
        return;
    }
    mend_traffic_sent(self->p2p, r->channel, (uint64_t)r->total_bytes);
    if (r->peer == self->me) {
        mend_traffic_came(self->p2p, r->channel, (uint64_t)r->total_bytes);
        to_self(r);
        return;
    }
    mend_transfer_add(r);
    r->moved_bytes = 0;
    r->end = 0;
    if (!is_small(r) || mend_credit_holds(self, r->peer))
        go_by_rts(r);
    if (!r->waits && mend_out_empty(self, r->peer))
        st = push_first(self, r);
    if (st != MEND_AGAIN) {
        pushed_first(r, st);
        return;
    }
    r->out.push = push_from_outbox;
    r->out.drop = drop_from_outbox;
    mend_out_append(self, r->peer, &r->out);
}

void mend_p2p_decline(struct mend_comm *c, int dest, int tag)
{
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_DECLINE, c->ctx | MEND_CHANNEL_COLL, tag, c->rank, 0);

    mend_post(c->self, mend_comm_peer(c, dest), &f, NULL);
}

static enum mend_status push_fragment(struct mend_proc *self, struct mend_p2p_request *r,
                                      MPI_Count n)
{
    struct mend_comm *c = r->base.comm;
    struct mend_frame f = mend_frame_make(MEND_FRAME_DATA, c->ctx | r->channel, (int)r->remote_id,
                                          c->rank, (uint32_t)n);

    return push_bytes(self, r, &f, r->moved_bytes);
}

/* Long fragments take both less time; short ones let the receiver begin earlier.  So they are long where there is more than
 * it can wait for: a long message, or one behind which another RTS was sent; or ranks that share a core and fill their
 * rings in each turn; and to another node, where all of them leave together. */
static bool goes_in_long_fragments(const struct mend_p2p_request *r)
{
    const struct mend_proc *self = r->base.comm->self;

    if (!mend_net_of(self, r->peer)->near)
        return true;
    if (self->oversubscribed)
        return self->ranks_per_core >= SHARED_CORES;
    return (r->total_bytes >= MEND_LONG_BYTES || r->id != self->p2p->last_rts) &&
           !mend_single_copy_crosses(self->p2p, r->peer);
}

static MPI_Count fragment_bytes(const struct mend_p2p_request *r)
{
    const struct mend_proc *self = r->base.comm->self;
    MPI_Count bytes = (MPI_Count)self->params.fragment_bytes,
              max = (MPI_Count)mend_net_of(self, r->peer)->payload_max_bytes;

    if (goes_in_long_fragments(r))
        bytes *= LONG_FACTOR;
    return bytes < max ? bytes : max;
}

/* Where messages cross, each process has something to send and something to copy: one that waits sends one fragment between
 * two looks, so that the other one need not wait for its answer until all of them have come.  One that computes looks seldom. */
static int fragments_per_poll(const struct mend_p2p_request *r)
{
    const struct mend_proc *self = r->base.comm->self;

    return self->waits && !self->oversubscribed && mend_single_copy_crosses(self->p2p, r->peer)
               ? 1
               : FRAGMENTS_PER_POLL;
}

/* Sends fragments while there is room, small ones if there is no memory for others.  MEND_OK: so far; MEND_ERR_PEER. */
static enum mend_status push_fragments(struct mend_p2p_request *r)
{
    struct mend_proc *self = r->base.comm->self;
    MPI_Count max = fragment_bytes(r);

    for (int i = fragments_per_poll(r); i > 0 && r->moved_bytes < r->total_bytes; i--) {
        MPI_Count left = r->total_bytes - r->moved_bytes, n = left < max ? left : max;
        enum mend_status st = push_fragment(self, r, n);

        if (mend_unlikely(st == MEND_AGAIN)) {
            max = mend_net_memory_for(self, r->peer, (uint32_t)n);
            if (max == n || max <= 0)
                return MEND_OK;
            n = max;
            st = push_fragment(self, r, n);
        }
        if (st == MEND_AGAIN)
            return MEND_OK;
        if (st == MEND_ERR_PEER)
            return st;
        r->moved_bytes += n;
        mend_event(self, MEND_EV_P2P_DATA_SENT);
    }
    return MEND_OK;
}

static bool has_more(const struct mend_p2p_request *r)
{
    return r->moved_bytes < r->total_bytes;
}

/* What is sent to one process goes one message after the other, in the order in which they may: what both copy then lies one behind
 * the other, and the first is complete early.  The request before this one in self->active has its turn.  Messages
 * to several processes by turns are not told apart so; they share the room. */
static bool is_behind_another(const struct mend_proc *self, const struct mend_p2p_request *r)
{
    struct mend_list *l = r->base.link.prev;
    struct mend_request *before = mend_list_entry(l, struct mend_request, link);

    return l != &self->active && before->ops == &mend_send_ops &&
           mend_p2p_of(before)->peer == r->peer &&
           mend_p2p_of(before)->stage == MEND_STAGE_MATCHED && has_more(mend_p2p_of(before));
}

static enum mend_status push_together(struct mend_p2p_request *r)
{
    struct mend_proc *self = r->base.comm->self;
    enum mend_status st;

    mend_net_gather(self, r->peer, MEND_GATHER_LENT);
    st = push_fragments(r);
    mend_net_gather(self, r->peer, MEND_GATHER_END);
    return st;
}

/* It ends when its memory is the program's again. */
static void stream(struct mend_request *base)
{
    struct mend_p2p_request *r = mend_p2p_of(base);
    struct mend_proc *self = base->comm->self;

    if (has_more(r)) {
        if (is_behind_another(self, r))
            return;
        if (push_together(r) == MEND_ERR_PEER) {
            mend_transfer_end(r, MEND_CLASS_PROC_FAILED);
            return;
        }
        if (has_more(r))
            return;
        mend_event(self, MEND_EV_P2P_DATA_ALL);
    }
    if (mend_net_has_left(self, r->peer, &r->end))
        mend_transfer_end(r, MPI_SUCCESS);
}

void mend_p2p_on_cts(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                     const void *payload)
{
    struct mend_cts cts;
    struct mend_p2p_request *r;

    if (mend_frame_len(f) != sizeof(cts))
        return;
    memcpy(&cts, payload, sizeof(cts));
    r = mend_hash_get(&self->p2p->large, cts.id);
    if (!r || !r->is_send || r->peer != from)
        return;
    mend_send_answered(r, MEND_STAGE_MATCHED);
    if (cts.done) {
        mend_transfer_end(r, MPI_SUCCESS);
        return;
    }
    r->remote_id = cts.recv_id;
    r->end = MEND_NET_LENT;
    mend_list_append(&self->active, &r->base.link);
    stream(&r->base);
}

void mend_send_withdraw(struct mend_p2p_request *r)
{
    struct mend_proc *self = r->base.comm->self;

    if (r->is_send && r->id && mend_near_of(self, r->peer)->withdraw)
        mend_near_of(self, r->peer)->withdraw(self);
}

/* False: a receive or a matched probe has the message of this process to itself, or it has left. */
static bool take_back(struct mend_p2p_request *r)
{
    struct mend_space *space = mend_p2p_space(r->base.comm, r->channel);

    mend_list_foreach (l, next, &space->any_messages) {
        struct mend_message *m = mend_list_entry(l, struct mend_message, by_arrival);

        if (m->local_sender == r) {
            mend_match_take(m);
            mend_message_free(r->base.comm->self, m);
            return true;
        }
    }
    return false;
}

static void end_cancelled(struct mend_p2p_request *r)
{
    r->base.cancelled = true;
    mend_transfer_end(r, MPI_SUCCESS);
}

void mend_send_cancel_local(struct mend_p2p_request *r)
{
    take_back(r);
    end_cancelled(r);
}

static void describe(const struct mend_request *base, char *text, size_t max)
{
    const struct mend_p2p_request *r = (const struct mend_p2p_request *)base;

    char to[48] = "", comm[MEND_COMM_TEXT] = "no communicator";

    if (base->comm) {
        mend_comm_describe(base->comm, comm, sizeof(comm));
        mend_comm_describe_rank(base->comm, r->rank, to, sizeof(to));
    }
    snprintf(text, max, "send to %s, tag %d, on %s, %lld of %lld bytes %s", to, r->want_tag, comm,
             (long long)r->moved_bytes, (long long)r->total_bytes,
             r->stage == MEND_STAGE_MATCHED ? "sent" : "sent, nobody receives it yet");
}

/* Not only before it came back and got the message.  What it has said before it left counts. */
static bool has_left(struct mend_proc *self, const struct mend_p2p_request *r)
{
    const struct mend_near *near = mend_near_of(self, r->peer);
    const void *payload;

    return mend_is_outside_since(self, r->peer, r->cancelled_at) &&
           !(near->peek && near->peek(self, r->peer, &payload));
}

/* The question whether it can be withdrawn is under way.  A process that has left answers nothing any more, and nobody
 * tells of it; and what it had not received then it never will. */
static void move_on(struct mend_request *base)
{
    struct mend_p2p_request *r = mend_p2p_of(base);

    if (r->stage == MEND_STAGE_MATCHED)
        stream(base);
    else if (has_left(base->comm->self, r))
        end_cancelled(r);
}

static void cancel(struct mend_request *base)
{
    struct mend_p2p_request *r = mend_p2p_of(base);
    struct mend_proc *self = base->comm->self;
    struct mend_cancel body = {.id = r->id};
    struct mend_frame f = mend_frame_make(MEND_FRAME_CANCEL, base->comm->ctx | r->channel,
                                          r->want_tag, base->comm->rank, sizeof(body));

    if (r->stage != MEND_STAGE_ALONE)
        return;
    if (r->peer == self->me || mend_list_linked(&r->out.link)) {
        if (r->peer != self->me || take_back(r))
            end_cancelled(r);
        return;
    }
    r->stage = MEND_STAGE_CANCELLING;
    r->cancelled_at = mend_news_now(self);
    mend_list_append(&self->active, &base->link);
    mend_post(self, r->peer, &f, &body);
}

const struct mend_request_ops mend_send_ops = {
    .name = "send",
    .cause = MEND_WAIT_MESSAGES,
    .start = mend_p2p_start,
    .cancel = cancel,
    .poll = move_on,
    .release = mend_p2p_release,
    .describe = describe,
};
