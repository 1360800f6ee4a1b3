/* SPDX-License-Identifier: BSD-3-Clause */
/* move.c – the bytes of partitions.
 *
 *   push ── small run ──> BYTES frames, straight from the program's buffer ──> deliver: into the program's buffer
 *     └──── large run ──> LARGE, then a message of p2p/, whose way p2p/ chooses (single copy, fragments, ...)
 *
 * A run consists of all neighbouring partitions that are marked when it is taken, so partitions that several threads
 * mark at about the same time go together.  A run that finds no room goes on from the outbox (`cut`). */
#include "part/internal.h"

#include "datatype/predefined.h"

#include <string.h>

#define LARGE_BYTES   196608 /* a run of so many is a message of p2p/; less fits into a ring */
#define FRAGMENT_MOST 16384  /* of a run that goes in frames */
#define PACK_BYTES    8192   /* of one to this process that is packed */

static const struct mend_type *bytes_type(void)
{
    return mend_type_predefined((uintptr_t)MPI_BYTE);
}

static void count(struct mend_part *p, uint64_t at, uint64_t len)
{
    mend_arrivals_add(&p->arrivals, at, len);
    mend_event(p->base.comm->self, MEND_EV_PART_ARRIVED);
}

/* All has come, or gone. */
static void settle(struct mend_part *p)
{
    if (!mend_request_is_active(&p->base) || !mend_list_empty(&p->messages))
        return;
    if (p->is_send) {
        if (!mend_marks_all_taken(&p->marks) || p->cut_bytes < p->cut_end || !p->nothing)
            return;
        p->starts_n--;
        mend_part_end(p, MPI_SUCCESS);
        return;
    }
    if (p->arrivals.got_bytes < p->other_bytes || !(p->other_bytes || p->nothing))
        return;
    mend_arrivals_finish(&p->arrivals);
    p->base.source = p->rank;
    p->base.tag = p->tag;
    p->base.bytes = (MPI_Count)(p->other_bytes < p->total_bytes ? p->other_bytes : p->total_bytes);
    mend_part_end(p, p->other_bytes > p->total_bytes ? MPI_ERR_TRUNCATE : p->error);
}

void mend_part_deliver(struct mend_part *p, uint64_t at, const void *bytes, uint64_t len)
{
    uint64_t room = at < p->total_bytes ? p->total_bytes - at : 0;
    uint64_t n = len < room ? len : room;

    if (!mend_request_is_active(&p->base) || p->over)
        return;
    if (n && p->type->dense)
        memcpy(mend_type_dense_at(p->type, p->buf, (MPI_Count)at), bytes, n);
    else if (n)
        mend_type_unpack(p->type, p->buf, p->count, (MPI_Count)at, bytes, n);
    if (len)
        count(p, at, len);
    else
        p->nothing = true;
    settle(p);
}

/* A message of p2p/ for bytes [at, at + len); NULL: no memory. */
static struct mend_part_message *add_message(struct mend_part *p, uint64_t at, uint64_t len)
{
    struct mend_proc *self = p->base.comm->self;
    struct mend_part_message *m = mend_alloc(self, sizeof(*m));

    if (!m)
        return NULL;
    m->at = at;
    m->len = len;
    m->r.embedded = true;
    if (mend_list_empty(&p->messages))
        mend_list_append(&self->active, &p->base.link);
    mend_list_append(&p->messages, &m->link);
    return m;
}

void mend_part_receive_large(struct mend_part *p, uint64_t at, uint64_t len)
{
    struct mend_comm *c = p->base.comm;
    uint64_t room = at < p->total_bytes ? p->total_bytes - at : 0;
    struct mend_part_message *m;

    if (!mend_request_is_active(&p->base) || p->over)
        return;
    mend_memory_press(c->self); /* the sender waits */
    m = add_message(p, at, len);
    mend_memory_relax(c->self);
    mend_p2p_irecv(&m->r, c, MEND_CHANNEL_COLL,
                   mend_type_dense_at(p->type, p->buf, (MPI_Count)(room ? at : 0)),
                   (MPI_Count)(len < room ? len : room), bytes_type(), p->rank,
                   MEND_PART_TAG(p->id));
}

/* A message that fails because of a death or a revocation ends all; any other error is told at the end. */
static void account(struct mend_part *p, struct mend_part_message *m)
{
    int error = m->r.base.error;

    if (error == MEND_CLASS_PROC_FAILED || error == MEND_CLASS_INVALIDATED) {
        p->over = p->over ? p->over : error;
        return;
    }
    p->error = p->error ? p->error : error;
    if (!p->is_send)
        count(p, m->at, m->len);
}

void mend_part_poll(struct mend_request *base)
{
    struct mend_part *p = MEND_CONTAINER_OF(base, struct mend_part, base);
    struct mend_proc *self = base->comm->self;

    mend_list_foreach (l, next, &p->messages) {
        struct mend_part_message *m = mend_list_entry(l, struct mend_part_message, link);

        if (!mend_request_is_done(&m->r.base))
            continue;
        mend_list_remove(l);
        account(p, m);
        mend_free(self, m);
    }
    if (!mend_list_empty(&p->messages))
        return;
    if (mend_list_linked(&base->link))
        mend_list_remove(&base->link);
    if (p->over)
        mend_part_end(p, p->over);
    else
        settle(p);
}

/* Sending. */

static enum mend_status send_fragment(struct mend_part *p, uint64_t at, uint64_t len)
{
    struct mend_comm *c = p->base.comm;
    const struct mend_net *net = mend_net_of(c->self, p->peer);
    struct mend_part_frame body = {.what = MEND_PART_BYTES, .id = p->other_id, .at = at};
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_PART, c->ctx, p->tag, c->rank, (uint32_t)(sizeof(body) + len));
    char *room = net->reserve(c->self, p->peer, (uint32_t)(sizeof(body) + len));

    if (!room)
        return MEND_AGAIN;
    memcpy(room, &body, sizeof(body));
    if (p->type->dense && len)
        memcpy(room + sizeof(body), mend_type_dense_at(p->type, p->send_buf, (MPI_Count)at), len);
    else if (len)
        mend_type_pack(p->type, p->send_buf, p->count, (MPI_Count)at, room + sizeof(body), len);
    net->commit(c->self, p->peer, &f);
    mend_event(c->self, MEND_EV_PART_SENT);
    return MEND_OK;
}

/* A fragment of at most *len_p bytes: without memory for more, of a few. */
static enum mend_status send_some(struct mend_part *p, uint64_t at, uint64_t *len_p)
{
    struct mend_proc *self = p->base.comm->self;
    const int32_t head = sizeof(struct mend_part_frame);
    enum mend_status st = send_fragment(p, at, *len_p);
    int32_t len = head + (int32_t)*len_p, max;

    if (mend_likely(st == MEND_OK))
        return st;
    max = mend_net_memory_for(self, p->peer, (uint32_t)len);
    if (max < len && max > head) {
        *len_p = (uint64_t)(max - head);
        len = max;
        st = send_fragment(p, at, *len_p);
    }
    return st == MEND_AGAIN ? mend_out_starves(self, p->peer, (uint32_t)len) : st;
}

/* To a receive of this process. */
static void copy_fragment(struct mend_part *p, uint64_t at, uint64_t len)
{
    struct mend_part *to = mend_hash_get(&p->base.comm->self->parts->by_id, p->other_id);
    char packed[PACK_BYTES];

    if (!to)
        return;
    if (p->type->dense) {
        mend_part_deliver(to, at, mend_type_dense_at(p->type, p->send_buf, (MPI_Count)at), len);
        return;
    }
    mend_type_pack(p->type, p->send_buf, p->count, (MPI_Count)at, packed, len);
    mend_part_deliver(to, at, packed, len);
}

static enum mend_status send_large(struct mend_part *p, uint64_t at, uint64_t len)
{
    struct mend_comm *c = p->base.comm;
    struct mend_part_frame body = {
        .what = MEND_PART_LARGE, .id = p->other_id, .at = at, .len = len};
    struct mend_frame f = mend_frame_make(MEND_FRAME_PART, c->ctx, p->tag, c->rank, sizeof(body));
    struct mend_part_message *m = add_message(p, at, len);
    enum mend_status st =
        m ? mend_net_of(c->self, p->peer)->send(c->self, p->peer, &f, &body) : MEND_ERR_MEM;

    if (st == MEND_OK) {
        mend_event(c->self, MEND_EV_PART_SENT);
        mend_p2p_isend(&m->r, c, MEND_CHANNEL_COLL, MEND_SEND_STANDARD,
                       mend_type_dense_at(p->type, p->send_buf, (MPI_Count)at), (MPI_Count)len,
                       bytes_type(), p->rank, MEND_PART_TAG(p->other_id));
        return MEND_OK;
    }
    if (m) {
        mend_list_remove(&m->link);
        mend_free(c->self, m);
        if (mend_list_empty(&p->messages))
            mend_list_remove(&p->base.link);
    }
    return st;
}

static bool goes_as_message(const struct mend_part *p, uint64_t len)
{
    return len >= LARGE_BYTES && p->type->dense && p->other_dense &&
           p->peer != p->base.comm->self->me;
}

/* What is left of the run that was taken last; MEND_AGAIN: no room. */
static enum mend_status send_run(struct mend_part *p)
{
    while (p->cut_bytes < p->cut_end) {
        uint64_t len = p->cut_end - p->cut_bytes;
        enum mend_status st =
            goes_as_message(p, len) ? send_large(p, p->cut_bytes, len) : MEND_ERR_MEM;

        if (st == MEND_ERR_MEM) {
            bool here = p->peer == p->base.comm->self->me;
            uint64_t max = here ? PACK_BYTES : FRAGMENT_MOST;

            len = len < max ? len : max;
            st = MEND_OK;
            if (here)
                copy_fragment(p, p->cut_bytes, len);
            else
                st = send_some(p, p->cut_bytes, &len);
        }
        if (st == MEND_AGAIN)
            return st;
        p->cut_bytes += len;
    }
    return MEND_OK;
}

/* A message without bytes is one frame, when all is marked. */
static enum mend_status send_nothing(struct mend_part *p)
{
    enum mend_status st = MEND_OK;

    if (p->nothing || !mend_marks_all_taken(&p->marks))
        return MEND_OK;
    if (p->total_bytes == 0 && p->peer == p->base.comm->self->me)
        copy_fragment(p, 0, 0);
    else if (p->total_bytes == 0)
        st = send_some(p, 0, &(uint64_t){0});
    p->nothing = st == MEND_OK;
    return st;
}

static enum mend_status send_marked(struct mend_part *p)
{
    enum mend_status st = send_run(p);
    int n = 0;

    for (int i = mend_marks_next(&p->marks, 0, &n); st == MEND_OK && i < p->partitions_n;
         i = mend_marks_next(&p->marks, i + n, &n)) {
        mend_marks_take(&p->marks, i, n);
        p->cut_bytes = (uint64_t)i * p->each_bytes;
        p->cut_end = p->cut_bytes + (uint64_t)n * p->each_bytes;
        st = send_run(p);
    }
    return st == MEND_OK ? send_nothing(p) : st;
}

static bool may_send(const struct mend_part *p)
{
    return mend_request_is_active(&p->base) && !p->over && p->starts_n > 0 &&
           p->rank != MPI_PROC_NULL && !mend_peer_is_dead(p->base.comm->self, p->peer);
}

void mend_part_push(struct mend_part *p)
{
    struct mend_proc *self = p->base.comm->self;

    mend_marks_calm(&p->marks);
    if (mend_request_is_active(&p->base) && !p->starts_n) {
        mend_marks_hurry(
            &p->marks); /* the receiver's START brings us here again: no thread need come before */
        return;
    }
    if (!may_send(p) || mend_list_linked(&p->out.link))
        return;
    if (!mend_out_empty(self, p->peer) || send_marked(p) == MEND_AGAIN)
        mend_out_append(self, p->peer, &p->out);
    else
        settle(p);
}

static enum mend_status push_out(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    struct mend_part *p = MEND_CONTAINER_OF(out, struct mend_part, out);
    enum mend_status st = may_send(p) ? send_marked(p) : MEND_OK;

    if (st == MEND_OK)
        settle(p);
    return st;
}

/* The death ends the request: mend_part_on_deaths(). */
static void drop_out(struct mend_proc *self, struct mend_out *out)
{
}

void mend_part_init_out(struct mend_part *p)
{
    p->out.push = push_out;
    p->out.drop = drop_out;
}
