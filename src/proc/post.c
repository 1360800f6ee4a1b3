/* SPDX-License-Identifier: BSD-3-Clause */
/* post.c – outboxes, parked frames, tombstones. */
#include "proc/post.h"

#include "base/time.h"
#include "mpi.h"

#include <string.h>

#define PATIENCE_NS ((mend_time_ns)MEND_NS_PER_S) /* for memory that does not come */
#define TOMBSTONES                                                                                 \
    4096u /* contexts remembered as gone; ids are never reused, so an older one that
                            is forgotten costs the memory of its late frames and nothing else */

_Static_assert(MEND_FRAME_KINDS_USED <= MEND_FRAME_KINDS, "self->on_frame has a place for each");

/* A control frame that waits for room. */
struct posted {
    struct mend_out out;
    struct mend_frame frame;
    unsigned char payload[];
};

struct parked {
    struct mend_list link;
    mend_peer from;
    struct mend_frame frame;
    unsigned char payload[];
};

enum mend_status mend_out_starves(struct mend_proc *self, mend_peer to, uint32_t len)
{
    mend_time_ns now;

    if (mend_net_memory_for(self, to, len) == (int32_t)len) {
        self->starved_since_ns = 0;
        return MEND_AGAIN;
    }
    now = mend_proc_now(self);
    if (!self->starved_since_ns)
        self->starved_since_ns = now;
    else if (now - self->starved_since_ns > PATIENCE_NS)
        self->on_lost_error(self, MPI_ERR_NO_MEM, "shared memory for frames that others wait for");
    return MEND_AGAIN;
}

/* What a transport needs for the first frame to a process may come from the reserve. */
static enum mend_status send_surely(struct mend_proc *self, mend_peer to,
                                    const struct mend_frame *f, const void *payload)
{
    enum mend_status st;

    mend_memory_press(self);
    st = mend_net_of(self, to)->send(self, to, f, payload);
    mend_memory_relax(self);
    return st;
}

static enum mend_status push_posted(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    struct posted *p = MEND_CONTAINER_OF(out, struct posted, out);
    enum mend_status st = send_surely(self, to, &p->frame, p->payload);

    if (st == MEND_AGAIN)
        return mend_out_starves(self, to, mend_frame_len(&p->frame));
    mend_free(self, p);
    return st;
}

static void drop_posted(struct mend_proc *self, struct mend_out *out)
{
    mend_free(self, MEND_CONTAINER_OF(out, struct posted, out));
}

void mend_post(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
               const void *payload)
{
    uint32_t len = mend_frame_len(f);
    struct posted *p;

    if (mend_peer_is_dead(self, to))
        return;
    if (mend_out_empty(self, to) && send_surely(self, to, f, payload) != MEND_AGAIN)
        return;
    mend_memory_press(self);
    p = mend_alloc(self, sizeof(*p) + len);
    mend_memory_relax(self);
    p->out.push = push_posted;
    p->out.drop = drop_posted;
    p->frame = *f;
    if (len)
        memcpy(p->payload, payload, len);
    mend_out_append(self, to, &p->out);
}

/* Makes it on first need. */
static struct mend_list *outbox_of(struct mend_proc *self, mend_peer to)
{
    struct mend_list *box;

    if (!self->outboxes.arena)
        mend_table_init(&self->outboxes, self->arena, sizeof(*box));
    mend_memory_press(self);
    box = mend_table_make(&self->outboxes, (uint32_t)to);
    mend_memory_relax(self);
    if (!box->next)
        mend_list_init(box);
    return box;
}

void mend_out_append(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    mend_list_append(outbox_of(self, to), &out->link);
    self->outbox_n++;
}

void mend_out_remove(struct mend_proc *self, mend_peer to, struct mend_out *out)
{
    (void)to;
    mend_list_remove(&out->link);
    self->outbox_n--;
}

static bool push_all(struct mend_proc *self, mend_peer to)
{
    struct mend_list *box = outbox_of(self, to);
    bool any = false;

    while (!mend_list_empty(box)) {
        struct mend_out *out = mend_list_entry(box->next, struct mend_out, link);

        mend_out_remove(self, to, out);
        if (out->push(self, to, out) == MEND_AGAIN) {
            mend_list_prepend(box, &out->link);
            self->outbox_n++;
            return any;
        }
        any = true;
    }
    return any;
}

static bool flush_peer(struct mend_proc *self, mend_peer to)
{
    const struct mend_net *net = mend_net_of(self, to);
    bool any;

    if (!net->gather)
        return push_all(self, to);
    net->gather(self, MEND_GATHER);
    any = push_all(self, to);
    net->gather(self, MEND_GATHER_END);
    return push_all(self, to) || any; /* what waited until others had left */
}

bool mend_out_flush(struct mend_proc *self)
{
    bool any = false;

    for (uint32_t to = 0; self->outbox_n && mend_table_next(&self->outboxes, &to); to++)
        if (!mend_out_empty(self, (mend_peer)to))
            any |= flush_peer(self, (mend_peer)to);
    return any;
}

void mend_out_drop_all(struct mend_proc *self, mend_peer dead)
{
    while (!mend_out_empty(self, dead)) {
        struct mend_out *out = mend_list_entry(outbox_of(self, dead)->next, struct mend_out, link);

        mend_out_remove(self, dead, out);
        out->drop(self, out);
    }
}

bool mend_is_buried(const struct mend_proc *self, mend_ctx ctx)
{
    return mend_hash_get(&self->tombs, ctx & ~MEND_CTX_CHANNEL_MASK) != NULL;
}

void mend_park(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
               const void *payload)
{
    mend_homeless_handler *answer = self->on_homeless[mend_frame_kind(f)];
    bool gone = mend_is_buried(self, f->ctx);
    uint32_t len = mend_frame_len(f);
    struct parked *p;

    if ((answer && answer(self, from, f, payload, gone)) || gone)
        return;
    mend_memory_press(self);
    p = mend_alloc(self, sizeof(*p) + len);
    mend_memory_relax(self);
    p->from = from;
    p->frame = *f;
    if (len)
        memcpy(p->payload, payload, len);
    mend_list_append(&self->parked, &p->link);
}

bool mend_parked_drop(struct mend_proc *self, mend_peer from, mend_ctx ctx,
                      bool (*is_it)(const struct mend_frame *f, const void *payload, void *arg),
                      void *arg)
{
    mend_list_foreach (l, next, &self->parked) {
        struct parked *p = mend_list_entry(l, struct parked, link);

        if (p->from != from || p->frame.ctx != ctx || !is_it(&p->frame, p->payload, arg))
            continue;
        mend_list_remove(l);
        mend_free(self, p);
        return true;
    }
    return false;
}

void mend_unpark(struct mend_proc *self, mend_ctx ctx)
{
    struct mend_list mine;

    mend_list_init(&mine);
    mend_list_foreach (l, next, &self->parked) {
        struct parked *p = mend_list_entry(l, struct parked, link);

        if ((p->frame.ctx & ~MEND_CTX_CHANNEL_MASK) != ctx)
            continue;
        mend_list_remove(l);
        mend_list_append(&mine, l);
    }
    while (!mend_list_empty(&mine)) {
        struct parked *p = mend_list_entry(mine.next, struct parked, link);

        mend_list_remove(&p->link);
        self->on_frame[mend_frame_kind(&p->frame)](self, p->from, &p->frame, p->payload);
        mend_free(self, p);
    }
}

/* False: there is none that may be forgotten. */
static bool forget_oldest(struct mend_proc *self)
{
    for (uint32_t i = 0; i < TOMBSTONES; i++) {
        mend_ctx *oldest = &self->tomb_ring[(self->tomb_next + i) % TOMBSTONES];

        if (!*oldest)
            continue;
        mend_hash_remove(&self->tombs, *oldest);
        *oldest = 0;
        return true;
    }
    return false;
}

/* Without memory for it another one is forgotten. */
static void remember(struct mend_proc *self, mend_ctx ctx)
{
    if (!self->tomb_ring)
        self->tomb_ring = mend_zalloc(self, TOMBSTONES, sizeof(*self->tomb_ring));
    if (!self->tomb_ring)
        return;
    if (self->tomb_ring[self->tomb_next])
        mend_hash_remove(&self->tombs, self->tomb_ring[self->tomb_next]);
    self->tomb_ring[self->tomb_next] = 0;
    while (mend_hash_put(&self->tombs, ctx, self) != MEND_OK)
        if (!forget_oldest(self))
            return;
    self->tomb_ring[self->tomb_next] = ctx;
    self->tomb_next = (self->tomb_next + 1) % TOMBSTONES;
}

void mend_bury(struct mend_proc *self, mend_ctx ctx)
{
    if (!mend_is_buried(self, ctx))
        remember(self, ctx);
    if (!mend_list_empty(&self->parked))
        mend_unpark(self, ctx); /* to be answered or dropped */
}

void mend_bury_for_good(struct mend_proc *self, mend_ctx ctx)
{
    if (mend_hash_put(&self->tombs, ctx, self) != MEND_OK)
        remember(self, ctx);
}
