/* SPDX-License-Identifier: BSD-3-Clause */
/* recv.c – receives: posting, and the arrival of a matching message.
 *
 *   begin ── a message waits ──> meet ── EAGER ──> done
 *     │                            └──── RTS ───> transfer ── last DATA / last fragment copied ──> done
 *     └── none ──> posted ── a frame arrives ──> the same
 *
 * A receive ends early when its source dies (PROC_FAILED), when its communicator is revoked
 * (INVALIDATED), or when it is cancelled; an unmatched wildcard receive only becomes pending when a source dies. */
#include "p2p/internal.h"

#include "p2p/match.h"

#include <stdio.h>
#include <string.h>

#define MIXED_TURNS 8 /* messages of one sender after which it counts as the only one */

static void send_cts(struct mend_proc *self, struct mend_p2p_request *r, bool done)
{
    struct mend_cts cts = {.id = r->remote_id, .recv_id = r->id, .done = done};
    struct mend_frame f = mend_frame_make(MEND_FRAME_CTS, r->base.comm->ctx | r->channel, 0,
                                          r->base.comm->rank, sizeof(cts));

    mend_post(self, r->peer, &f, &cts);
    mend_event(self, MEND_EV_P2P_RECV_CTS);
}

bool mend_p2p_discard(struct mend_comm *c, int tag)
{
    struct mend_space *space = mend_p2p_space(c, MEND_CHANNEL_COLL);
    struct mend_message *m = mend_match_find(c, space, MPI_ANY_SOURCE, tag);
    struct mend_cts cts = {.done = 1};
    struct mend_frame f;

    if (!m)
        return false;
    mend_match_take(m);
    if (m->kind == MEND_FRAME_RTS) {
        cts.id = m->rts.id;
        f = mend_frame_make(MEND_FRAME_CTS, c->ctx | MEND_CHANNEL_COLL, 0, c->rank, sizeof(cts));
        mend_post(c->self, m->peer, &f, &cts);
    }
    mend_message_free(c->self, m);
    return true;
}

static uint32_t new_id(struct mend_proc *self, struct mend_p2p_request *r)
{
    uint32_t id;

    mend_memory_press(self); /* the sender has been promised to be heard */
    id = mend_p2p_name(self->p2p, r);
    mend_memory_relax(self);
    return id;
}

static int result(const struct mend_p2p_request *r, uint64_t total)
{
    return total <= (uint64_t)mend_recv_capacity(r) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

static void ask(struct mend_proc *self, struct mend_p2p_request *r)
{
    r->moved_bytes = 0;
    r->id = new_id(self, r);
    send_cts(self, r, false);
}

/* All that there is room for is here, and not by frames: the sender may go on. */
static void have_all(struct mend_proc *self, struct mend_p2p_request *r)
{
    send_cts(self, r, true);
    mend_transfer_end(r, result(r, r->announced_bytes));
}

void mend_recv_copied(struct mend_proc *self, struct mend_p2p_request *r)
{
    mend_recv_leaves(self, r);
    mend_single_copy_end(self->p2p);
    have_all(self, r);
}

/* Not possible, or the RTS may have been withdrawn: ask for the data instead. */
void mend_recv_unpullable(struct mend_proc *self, struct mend_p2p_request *r, enum mend_status st)
{
    if (st == MEND_ERR_PEER)
        self->on_trouble(self, r->peer);
    mend_single_copy_failed(self->p2p, r->peer, r->channel, r->announced_bytes);
    r->way = MEND_WAY_FRAGMENTS;
    if (mend_list_linked(&r->base.link))
        mend_list_remove(&r->base.link);
    ask(self, r);
}

/* Each rank has something to copy whenever it has a core, and so has the sender of this message: it waits in MPI. */
static bool is_exchange(struct mend_proc *self, const struct mend_p2p_request *r)
{
    const struct mend_near *near = mend_near_of(self, r->peer);

    return mend_single_copy_exchanges(self, r->channel) && near->attends &&
           near->attends(self, r->peer);
}

static enum mend_way way_of(struct mend_proc *self, const struct mend_p2p_request *r,
                            const struct mend_rts *rts)
{
    if (!mend_near_of(self, r->peer)->pull || !rts->address || !r->type->dense)
        return MEND_WAY_FRAGMENTS;
    if (is_exchange(self, r))
        return mend_core_is_alone(self) ? MEND_WAY_COPY : MEND_WAY_FRAGMENTS;
    return mend_single_copy_way(self->p2p, r->peer, r->channel, r->announced_bytes);
}

/* The copy waits for its neighbours, whose RTSs come with it. */
static void begin_copy(struct mend_proc *self, struct mend_p2p_request *r,
                       const struct mend_rts *rts)
{
    r->is_helped = mend_single_copy_is_helped(self->p2p, r->peer, r->channel);
    r->pull_at = rts->address;
    r->pull_stamp = rts->stamp;
    r->unpullable = MEND_OK;
    mend_list_append(&self->active, &r->base.link);
}

static void count_coming(struct mend_p2p *p, const struct mend_p2p_request *r)
{
    p->receiving_n++;
    p->mixed_n = r->peer != p->last_from ? MIXED_TURNS : p->mixed_n - (p->mixed_n != 0);
    p->last_from = r->peer;
}

void mend_recv_rts(struct mend_p2p_request *r, mend_peer peer, int source, int tag,
                   const struct mend_rts *rts)
{
    struct mend_proc *self = r->base.comm->self;
    uint64_t room = (uint64_t)mend_recv_capacity(r);

    mend_recv_matched(r, source, tag);
    r->peer = r->base.hint = peer;
    r->remote_id = rts->id;
    r->announced_bytes = rts->total_bytes;
    r->moved_bytes = 0;
    r->base.bytes = (MPI_Count)(rts->total_bytes < room ? rts->total_bytes : room);
    mend_single_copy_begin(self, peer, r->channel, rts->total_bytes);
    count_coming(self->p2p, r);
    r->way = way_of(self, r, rts);
    if (self->p2p->timed.way != (unsigned)r->way) /* of a type with holes, for example */
        self->p2p->timed.since = 0;
    r->stage = MEND_STAGE_COMING;
    mend_transfer_add(r);
    if (r->base.bytes == 0)
        have_all(self, r);
    else if (r->way == MEND_WAY_COPY)
        begin_copy(self, r, rts);
    else
        ask(self, r);
}

void *mend_p2p_place(struct mend_proc *self, mend_peer from, const struct mend_frame *f)
{
    struct mend_p2p_request *r;

    if (mend_frame_kind(f) != MEND_FRAME_DATA)
        return NULL;
    r = mend_hash_get(&self->p2p->large, (uint32_t)f->tag);
    return r && !r->is_send && r->peer == from && r->type->dense &&
                   (MPI_Count)mend_frame_len(f) <= mend_recv_capacity(r) - r->moved_bytes
               ? mend_recv_dense_at(r, r->moved_bytes)
               : NULL;
}

void mend_p2p_on_data(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                      const void *payload)
{
    struct mend_p2p_request *r = mend_hash_get(&self->p2p->large, (uint32_t)f->tag);
    uint32_t len = mend_frame_len(f);
    MPI_Count room;

    if (!r || r->is_send || r->peer != from) /* its receive ended early */
        return;
    room = mend_recv_capacity(r) - r->moved_bytes;
    if (room > 0) {
        size_t n = (MPI_Count)len < room ? len : (size_t)room;

        if (r->type->dense && payload != mend_recv_dense_at(r, r->moved_bytes))
            memcpy(mend_recv_dense_at(r, r->moved_bytes), payload, n);
        else if (!r->type->dense)
            mend_type_unpack(r->type, r->buf, r->count, r->moved_bytes, payload, n);
    }
    r->moved_bytes += len;
    self->p2p->moved_bytes += len;
    if (self->waits && !self->oversubscribed && !mend_list_empty(&self->active))
        self->sated = true; /* a fragment of ours may be due */
    if ((uint64_t)r->moved_bytes < r->announced_bytes)
        return;
    mend_recv_leaves(self, r);
    mend_single_copy_end(self->p2p);
    mend_transfer_end(r, result(r, r->announced_bytes));
}

void mend_recv_local(struct mend_p2p_request *r, struct mend_p2p_request *sender)
{
    MPI_Count n =
        sender->total_bytes < mend_recv_capacity(r) ? sender->total_bytes : mend_recv_capacity(r);

    mend_recv_matched(r, sender->base.comm->rank, sender->want_tag);
    mend_type_copy(sender->type, sender->send_buf, sender->count, r->type, r->buf, r->count);
    r->base.bytes = n;
    mend_request_complete(&r->base, result(r, (uint64_t)sender->total_bytes));
    mend_transfer_end(sender, MPI_SUCCESS);
}

void mend_recv_meet(struct mend_p2p_request *r, struct mend_message *m)
{
    struct mend_proc *self = r->base.comm->self;

    if (m->local_sender) {
        mend_recv_local(r, m->local_sender);
    } else if (mend_unlikely(m->lost)) {
        mend_recv_matched(r, m->source, m->tag);
        mend_request_complete(&r->base, MPI_ERR_NO_MEM);
    } else if (m->kind == MEND_FRAME_EAGER) {
        mend_recv_eager(r, m->source, m->tag, m->payload, (size_t)m->bytes);
    } else if (m->broken || mend_peer_is_dead(self, m->peer)) {
        /* not broken: it was parked when its sender died, because there was no communicator yet */
        mend_recv_matched(r, m->source, m->tag);
        mend_match_source_failed(r->base.comm, mend_p2p_space(r->base.comm, r->channel), m->source);
        mend_request_complete(&r->base, MEND_CLASS_PROC_FAILED);
    } else {
        mend_recv_rts(r, m->peer, m->source, m->tag, &m->rts);
    }
    mend_message_free(self, m);
}

/* Can a receive that found no message still hope?  Sets `pending` or completes it if not. */
static bool may_post(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;

    if (r->rank == MPI_ANY_SOURCE) {
        if (r->channel == MEND_CHANNEL_P2P && mend_match_unacked(c))
            r->base.pending = MPI_ERR_PENDING;
        return true;
    }
    if (mend_likely(!mend_peer_is_dead(c->self, r->peer)))
        return true;
    mend_match_source_failed(c, mend_p2p_space(c, r->channel), r->rank);
    mend_request_complete(&r->base, MEND_CLASS_PROC_FAILED);
    return false;
}

void mend_recv_begin(struct mend_p2p_request *r)
{
    struct mend_comm *c = r->base.comm;
    struct mend_message *m;

    if (mend_unlikely(c->revoked)) {
        mend_request_complete(&r->base, MEND_CLASS_INVALIDATED);
        return;
    }
    if (mend_unlikely(r->rank == MPI_PROC_NULL)) {
        r->base.source = MPI_PROC_NULL;
        mend_request_complete(&r->base, MPI_SUCCESS);
        return;
    }
    r->peer = r->base.hint =
        r->rank == MPI_ANY_SOURCE ? MEND_PEER_NONE : mend_comm_peer(c, r->rank);
    m = mend_match_find(c, mend_p2p_space(c, r->channel), r->rank, r->want_tag);
    if (m) {
        mend_match_take(m);
        mend_recv_meet(r, m);
    } else if (may_post(r)) {
        mend_match_post(r);
    }
}

static void describe(const struct mend_request *base, char *text, size_t max)
{
    const struct mend_p2p_request *r = (const struct mend_p2p_request *)base;
    char from[48] = "any rank", tag[32] = "any tag", comm[MEND_COMM_TEXT] = "no communicator";

    if (base->comm)
        mend_comm_describe(base->comm, comm, sizeof(comm));
    if (r->rank != MPI_ANY_SOURCE && base->comm)
        mend_comm_describe_rank(base->comm, r->rank, from, sizeof(from));
    if (r->want_tag != MPI_ANY_TAG)
        snprintf(tag, sizeof(tag), "tag %d", r->want_tag);
    snprintf(text, max, "receive from %s, %s, on %s%s", from, tag, comm,
             r->stage >= MEND_STAGE_MATCHED ? " (matched: its data is on the way)" : "");
}

static void cancel(struct mend_request *base)
{
    struct mend_p2p_request *r = mend_p2p_of(base);

    if (r->stage >= MEND_STAGE_MATCHED)
        return;
    mend_list_remove(&r->queue);
    base->cancelled = true;
    mend_request_complete(base, MPI_SUCCESS);
}

const struct mend_request_ops mend_recv_ops = {
    .name = "receive",
    .cause = MEND_WAIT_MESSAGES,
    .start = mend_p2p_start,
    .cancel = cancel,
    .poll = mend_share_turn,
    .release = mend_p2p_release,
    .describe = describe,
};
