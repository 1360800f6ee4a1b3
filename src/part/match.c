/* SPDX-License-Identifier: BSD-3-Clause */
/* match.c – frames, and which send matches which receive.
 *
 * A send offers itself when it is initialized. Offers and receives with the same communicator, source and tag match in
 * the order of the init calls, once for all messages (MPI-5.0 4.2.1), and never with other messages. */
#include "part/internal.h"

#include <string.h>

static struct mend_part_comm *of_comm(struct mend_comm *c)
{
    if (!c->part) {
        c->part = mend_zalloc(c->self, 1, sizeof(*c->part));
        if (!c->part)
            return NULL;
        mend_list_init(&c->part->wanted);
        mend_list_init(&c->part->offers);
    }
    return c->part;
}

static void handle(struct mend_comm *c, mend_peer from, int rank, int tag,
                   const struct mend_part_frame *body, const void *bytes, uint64_t len);

void mend_part_tell(struct mend_part *p, enum mend_part_what what)
{
    struct mend_comm *c = p->base.comm;
    struct mend_proc *self = c->self;
    bool offer = what == MEND_PART_OFFER;
    struct mend_part_frame body = {.what = what,
                                   .id = offer ? p->id : p->other_id,
                                   .from = p->id,
                                   .dense = p->type->dense,
                                   .len = p->total_bytes};
    struct mend_frame f = mend_frame_make(MEND_FRAME_PART, c->ctx, p->tag, c->rank, sizeof(body));

    if (p->peer == self->me)
        handle(c, p->peer, c->rank, p->tag, &body, NULL, 0);
    else
        mend_post(self, p->peer, &f, &body);
    if (what == MEND_PART_START)
        mend_event(self, MEND_EV_PART_STARTED);
}

static void become_partners(struct mend_part *p, uint32_t id, uint64_t bytes)
{
    p->other_id = id;
    p->other_bytes = bytes;
    mend_event(p->base.comm->self, MEND_EV_PART_MATCHED);
    mend_part_tell(p, MEND_PART_MATCH);
    if (mend_request_is_active(&p->base))
        mend_part_tell(p, MEND_PART_START);
}

int mend_part_match(struct mend_part *p)
{
    struct mend_proc *self = p->base.comm->self;
    struct mend_part_comm *k = of_comm(p->base.comm);

    if (!k)
        return MPI_ERR_NO_MEM;
    mend_list_foreach (l, next, &k->offers) {
        struct mend_part_offer o = *mend_list_entry(l, struct mend_part_offer, link);

        if (o.rank != p->rank || o.tag != p->tag)
            continue;
        mend_list_remove(l);
        mend_free(self, mend_list_entry(l, struct mend_part_offer, link));
        become_partners(p, o.id, o.bytes);
        return MPI_SUCCESS;
    }
    mend_list_append(&k->wanted, &p->queue);
    return MPI_SUCCESS;
}

/* Its sender may wait for an answer: the memory comes from the reserve if need be. */
static void keep(struct mend_comm *c, int rank, int tag, const struct mend_part_frame *body)
{
    struct mend_part_offer *o;

    mend_memory_press(c->self);
    of_comm(c);
    o = mend_alloc(c->self, sizeof(*o));
    mend_memory_relax(c->self);
    *o = (struct mend_part_offer){.rank = rank, .tag = tag, .id = body->id, .bytes = body->len};
    mend_list_append(&c->part->offers, &o->link);
}

static void on_offer(struct mend_comm *c, int rank, int tag, const struct mend_part_frame *body)
{
    if (c->part)
        mend_list_foreach (l, next, &c->part->wanted) {
            struct mend_part *p = mend_list_entry(l, struct mend_part, queue);

            if (p->rank != rank || p->tag != tag)
                continue;
            mend_list_remove(&p->queue);
            if (p->freed)
                mend_free(c->self, p);
            else
                become_partners(p, body->id, body->len);
            return;
        }
    keep(c, rank, tag, body);
}

static void handle(struct mend_comm *c, mend_peer from, int rank, int tag,
                   const struct mend_part_frame *body, const void *bytes, uint64_t len)
{
    struct mend_part *p;

    if (body->what == MEND_PART_OFFER) {
        on_offer(c, rank, tag, body);
        return;
    }
    p = mend_hash_get(&c->self->parts->by_id, body->id);
    if (!p || p->peer != from || p->base.comm != c) /* the program has freed it */
        return;
    if (body->what == MEND_PART_MATCH && p->is_send) {
        p->other_id = body->from;
        p->other_dense = body->dense;
    } else if (body->what == MEND_PART_START && p->is_send) {
        p->starts_n++;
        mend_part_push(p);
    } else if (body->what == MEND_PART_BYTES && !p->is_send) {
        mend_part_deliver(p, body->at, bytes, len);
    } else if (body->what == MEND_PART_LARGE && !p->is_send) {
        mend_part_receive_large(p, body->at, body->len);
    }
}

void mend_part_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                        const void *payload)
{
    struct mend_comm *c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);
    struct mend_part_frame body;

    if (!c) {
        mend_park(self, from, f, payload);
        return;
    }
    if (f->src < 0 || f->src >= c->peers_n || mend_comm_peer(c, f->src) != from ||
        mend_frame_len(f) < sizeof(body)) {
        self->on_damage(self, from);
        return;
    }
    memcpy(&body, payload, sizeof(body));
    if (!c->revoked)
        handle(c, from, f->src, f->tag, &body, (const char *)payload + sizeof(body),
               mend_frame_len(f) - sizeof(body));
}
