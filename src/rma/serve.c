/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.c – messages of other members, at the target.
 *
 * Each frame is checked before anything of it is carried out: what lies outside of the part is answered by FAULT, and
 * what no correct process sends is damage. */
#include "rma/serve.h"

#include "net/net.h"
#include "proc/post.h"
#include "rma/control.h"
#include "rma/grant.h"
#include "rma/link.h"

/* ---- operations ---- */

struct parsed {
    const struct mend_rma_head *head;
    const char *at, *end;
    const struct mend_type *type; /* NULL: bytes */
    const struct mend_op *op;
    size_t unit;
};

/* Data that follows a block. */
static size_t data_bytes(enum mend_rma_kind kind, const struct parsed *p, uint64_t n)
{
    size_t len = (size_t)n * p->unit;

    if (kind == MEND_RMA_GET)
        return 0;
    return mend_rma_padded(kind == MEND_RMA_SWAP ? 2 * len : len);
}

/* The next block and its data; false: the end, or nonsense, which *sound_p tells. */
static bool next_block(struct parsed *p, enum mend_rma_kind kind, struct mend_rma_block *b,
                       const char **data_p, bool *sound_p)
{
    size_t left = (size_t)(p->end - p->at), len;

    *sound_p = left == 0;
    if (left < sizeof(*b))
        return false;
    memcpy(b, p->at, sizeof(*b));
    left -= sizeof(*b);
    if (b->n == 0 || b->n > MEND_FRAME_LEN_MAX || (kind == MEND_RMA_SWAP && b->n != 1))
        return false;
    len = data_bytes(kind, p, b->n);
    if (len > left)
        return false;
    *data_p = p->at + sizeof(*b);
    p->at = *data_p + len;
    return *sound_p = true;
}

/* Bytes that a block covers in memory: elements lie an extent apart. */
static uint64_t covered(const struct parsed *p, const struct mend_rma_block *b)
{
    if (!p->type)
        return b->n;
    return (b->n - 1) * (uint64_t)p->type->extent + (uint64_t)p->type->true_extent;
}

/* Is all of it sound, and within the part?  MPI_SUCCESS, MPI_ERR_RMA_RANGE; -1: damage. */
static int look_through(struct mend_win *w, struct parsed p, enum mend_rma_kind kind,
                        size_t *answer_p)
{
    struct mend_rma_block b;
    const char *data;
    int err = MPI_SUCCESS;
    bool sound, accumulates = kind != MEND_RMA_PUT && kind != MEND_RMA_GET;

    *answer_p = 0;
    if (accumulates && !mend_rma_is_alone(w, w->me)) /* every origin changes these by itself */
        return -1;
    while (next_block(&p, kind, &b, &data, &sound)) {
        if (!mend_win_own_bytes(w, b.where, covered(&p, &b)))
            err = MPI_ERR_RMA_RANGE;
        *answer_p += (size_t)b.n * p.unit;
    }
    return sound && *answer_p + sizeof(struct mend_rma_head) <= MEND_RMA_FRAME_MAX ? err : -1;
}

/* One block; old values go to `answer`. */
static void carry_out(struct mend_win *w, const struct parsed *p, enum mend_rma_kind kind,
                      const struct mend_rma_block *b, const char *data, char *answer)
{
    char *at = mend_win_own_bytes(w, b->where, covered(p, b));
    _Alignas(32) char in[64], compare[64];

    switch (kind) {
    case MEND_RMA_PUT:
        memcpy(at, data, b->n);
        break;
    case MEND_RMA_GET:
        memcpy(answer, at, b->n);
        break;
    case MEND_RMA_SWAP:
        memcpy(in, data, p->unit);
        memcpy(compare, data + p->unit, p->unit);
        mend_rma_swap(w, w->me, p->type, compare, in, at, answer);
        break;
    default:
        mend_rma_apply(w, w->me, p->op, p->type, data, at, (MPI_Count)b->n, answer);
    }
}

static void operate(struct mend_win *w, struct parsed *p, enum mend_rma_kind kind, char *answer)
{
    struct mend_rma_block b;
    const char *data;
    bool sound;

    while (next_block(p, kind, &b, &data, &sound)) {
        carry_out(w, p, kind, &b, data, answer);
        if (answer)
            answer += (size_t)b.n * p->unit;
    }
}

static struct mend_frame reply_of(const struct mend_win *w, size_t len)
{
    return mend_frame_make(MEND_FRAME_RMA, w->comm->ctx | MEND_CHANNEL_RMA, MEND_RMA_REPLY, w->me,
                           (uint32_t)(sizeof(struct mend_rma_head) + len));
}

/* Room in the transport for a reply with so many bytes, which a commit must follow.  NULL: not now. */
static struct mend_rma_head *room_for_reply(struct mend_win *w, int to, size_t len)
{
    struct mend_proc *self = w->self;
    mend_peer peer = mend_comm_peer(w->comm, to);
    const struct mend_net *net = mend_net_of(self, peer);

    len += sizeof(struct mend_rma_head);
    if (to == w->me || len > net->payload_max_bytes || mend_peer_is_dead(self, peer) ||
        !mend_out_empty(self, peer))
        return NULL;
    return net->reserve(self, peer, (uint32_t)len);
}

static void reply(struct mend_win *w, int to, const struct mend_rma_head *h, size_t len)
{
    struct mend_frame f = reply_of(w, len);

    if (to == w->me)
        mend_serve(w, w->me, MEND_RMA_REPLY, h, sizeof(*h) + len);
    else
        mend_post(w->self, mend_comm_peer(w->comm, to), &f, h);
}

static bool find_type(struct parsed *p, enum mend_rma_kind kind)
{
    bool accumulates = kind == MEND_RMA_ACC || kind == MEND_RMA_GET_ACC;

    p->unit = 1;
    if (!accumulates && kind != MEND_RMA_SWAP)
        return true;
    p->type = mend_type_predefined(p->head->type);
    if (!p->type || p->type->size <= 0 || p->type->extent > 64)
        return false;
    p->unit = (size_t)p->type->size;
    if (accumulates)
        p->op = mend_op_of((MPI_Op)(uintptr_t)(p->head->op + 0x20u));
    return !accumulates ||
           (p->op && (mend_rma_op_is_special(p->op) || !mend_op_check(p->op, p->type)));
}

/* Room for a reply that the transport has none for.  The origin depends on it. */
static struct mend_rma_head *room_that_waits(struct mend_proc *self, size_t len)
{
    struct mend_rma_head *head;

    mend_memory_press(self);
    head = mend_alloc(self, sizeof(*head) + len);
    mend_memory_relax(self);
    return head;
}

/* Old values go to the transport at once, if it has room; else they wait in a copy. */
static void operate_and_reply(struct mend_win *w, int from, struct parsed *p,
                              enum mend_rma_kind kind, size_t answer)
{
    struct mend_rma_head *room = room_for_reply(w, from, answer);
    struct mend_rma_head *head = room ? room : room_that_waits(w->self, answer);
    struct mend_frame f = reply_of(w, answer);
    mend_peer peer = mend_comm_peer(w->comm, from);

    *head = (struct mend_rma_head){.id = p->head->id, .at = p->head->at};
    operate(w, p, kind, (char *)(head + 1));
    mend_event(w->self, MEND_EV_RMA_SERVED);
    if (room) {
        mend_net_of(w->self, peer)->commit(w->self, peer, &f);
        return;
    }
    reply(w, from, head, answer);
    mend_free(w->self, head);
}

static bool on_operation(struct mend_win *w, int from, enum mend_rma_kind kind, struct parsed p)
{
    bool answered = kind != MEND_RMA_PUT && kind != MEND_RMA_ACC;
    bool is_long = p.end - p.at >= MEND_RMA_LONG;
    size_t answer;
    int err;

    if (!find_type(&p, kind))
        return false;
    err = look_through(w, p, kind, &answer);
    if (err < 0)
        return false;
    if (err) {
        mend_rma_link_say(w, from, MEND_RMA_FAULT, answered ? p.head->id : 0, (uint64_t)err);
        return true;
    }
    if (answered) {
        operate_and_reply(w, from, &p, kind, answer);
        return true;
    }
    operate(w, &p, kind, NULL);
    if (is_long)
        mend_rma_link_on_long_frame(w, from);
    mend_event(w->self, MEND_EV_RMA_SERVED);
    mend_win_tell_executed(w, from);
    return true;
}

/* ---- frames ---- */

static bool on_news(struct mend_win *w, int from, enum mend_rma_kind kind, const struct parsed *p)
{
    const struct mend_rma_head *h = p->head;
    struct mend_win_control *k = w->control;

    switch (kind) {
    case MEND_RMA_FLUSH:
        mend_rma_link_say(w, from, MEND_RMA_FLUSHED, h->id, 0);
        return true;
    case MEND_RMA_LOCK:
        return mend_grant_lock(w, from, h->at);
    case MEND_RMA_DEAD:
        return mend_grant_dead(w, from, p->at, (size_t)(p->end - p->at));
    case MEND_RMA_TAKEN:
        return mend_grant_taken(w, from);
    case MEND_RMA_UNLOCK:
        return mend_grant_unlock(w, from);
    case MEND_RMA_POSTED:
        mend_store_relaxed(&k->posted[from], (uint8_t)(mend_load_relaxed(&k->posted[from]) + 1));
        return !k->words;
    case MEND_RMA_DONE:
        mend_store_relaxed(&k->done[from], (uint8_t)(mend_load_relaxed(&k->done[from]) + 1));
        return !k->words;
    default:
        return false;
    }
}

bool mend_serve(struct mend_win *w, int from, enum mend_rma_kind kind, const void *payload,
                size_t len)
{
    struct mend_rma_head h;
    struct parsed p = {
        .head = &h, .at = (const char *)payload + sizeof(h), .end = (const char *)payload + len};

    if (len < sizeof(h))
        return false;
    memcpy(&h, payload, sizeof(h));
    switch (kind) {
    case MEND_RMA_PUT:
    case MEND_RMA_GET:
    case MEND_RMA_ACC:
    case MEND_RMA_GET_ACC:
    case MEND_RMA_SWAP:
        return on_operation(w, from, kind, p);
    case MEND_RMA_REPLY:
    case MEND_RMA_FLUSHED:
    case MEND_RMA_FAULT:
    case MEND_RMA_LOCKED:
    case MEND_RMA_UNLOCKED:
        mend_rma_link_on_answer(w, from, kind, &h, p.at, len - sizeof(h));
        return true;
    default:
        return on_news(w, from, kind, &p);
    }
}

void mend_serve_on_frame(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                         const void *payload)
{
    struct mend_comm *c = mend_hash_get(&self->comms, f->ctx & ~MEND_CTX_CHANNEL_MASK);

    if (!c || (c->win && !c->win->control)) {
        mend_park(self, from, f, payload);
        return;
    }
    if (!c->win || c->closing) /* it was given up here (R30) */
        return;
    if (f->src < 0 || f->src >= c->size || mend_comm_peer(c, f->src) != from ||
        !mend_serve(c->win, f->src, (enum mend_rma_kind)f->tag, payload, mend_frame_len(f)))
        self->on_damage(self, from);
}
