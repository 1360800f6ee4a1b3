/* SPDX-License-Identifier: BSD-3-Clause */
/* send.c – the sender's side of a ring: where a payload goes, and how it is stored; the picture and the invariants are in
 * shm.c. */
#include "net/shm/internal.h"

#include "base/copy.h"

#include <string.h>

#define SLOTS_ASKED 3u    /* a pad, and a message of two */
#define SLOTS_AHEAD 8u    /* what a stream of messages asks for before it writes there */
#define AREA_AHEAD  2048u /* payloads up to this length do the same for the next one */
#define WALK_BYTES                                                                                 \
    (128u * 1024) /* payload sent between two looks at the receiver's head: more than the
                                     first-level cache, which these lines would have to leave again */
#define WALK_OVERSUBSCRIBED                                                                        \
    (32u * 1024) /* the same with more ranks than cores: a rank need not be fast alone */
#define RINGS_BYTES      (UINT64_C(8) << 20) /* of all ranks, with more ranks than cores */
#define TOUCH_BYTES      (64u * 1024)        /* payload area reserved at once */
#define PAIR_TOUCH_BYTES (16u * 1024)
#define MAPPED_BYTES     (8u * 1024) /* longer payloads will fill what is reserved for them */
#define TRAY_LEAST                                                                                 \
    4096u /* shorter ones go through the ring as fast, and do not wear out the trays */

/* Ranks that take turns fill their rings in each turn, and rings that fill the cache drive the messages out of it. */
static uint32_t area_bytes(const struct mend_proc *self)
{
    uint64_t rings_n = (uint64_t)self->peers_n * (uint64_t)(self->peers_n - 1);

    return self->oversubscribed && rings_n * MEND_SHM_AREA_BYTES > RINGS_BYTES
               ? MEND_SHM_AREA_BYTES / 2
               : MEND_SHM_AREA_BYTES;
}

/* Of two ranks of this job. */
static bool fbox_map(struct mend_proc *self, mend_place mine, struct mend_shm_out *o)
{
    struct mend_shm_slot *fbox = mend_node_fbox_of(self->shm->header, mine, o->place);

    if (!mend_node_touch(self, fbox, MEND_CACHE_LINE))
        return false;
    o->fbox = fbox;
    o->fbox_adds = mend_shm_fbox_adds(mine, o->place);
    o->trays = mend_shm_trays_of(self->shm->header, mine, o->place);
    return true;
}

/* Where the ring lies: in the segment of the receiver's job.  False: this process has no place there yet. */
static bool out_map(struct mend_proc *self, mend_peer to, struct mend_shm_out *o)
{
    struct mend_abroad *job = mend_peer_job(self, to);
    struct mend_node_header *h = job ? job->header : self->shm->header;
    mend_place mine = job ? job->mine : mend_node_place_of(self, self->me);
    struct mend_node_head *head;

    if (mine.at == MEND_PLACE_NONE.at)
        return false;
    o->abroad = job;
    o->place = mend_peer_entry(self, to)->where.place;
    o->slots = mend_node_ring_of(h, o->place, mine);
    o->area = (char *)(o->slots + MEND_SHM_SLOTS);
    head = mend_node_head_of(h, o->place, mine);
    o->consumed = &head->consumed;
    o->bell = mend_node_bells(h, o->place) + mine.at;
    o->to = mend_node_rank_of(h, o->place);
    mend_shm_give_back_gone(self);
    return mend_shm_touch(self, o, o->slots, MEND_SHM_SLOTS * MEND_SHM_SLOT_BYTES) &&
           mend_shm_touch(self, o, head, sizeof(*head)) && (o->abroad || fbox_map(self, mine, o));
}

/* A rank that has not come yet finds what this process has sent, also when this one is dead. */
static void note_early(struct mend_proc *self, mend_peer to)
{
    if (!mend_peer_job(self, to) && mend_presence_of(self, to) == MEND_PRESENCE_NONE)
        mend_store_relaxed(&self->shm->me->sent_early, 1);
}

#define EVEN_TRAYS 0x5u

/* The fast box is first that of the rank at the lower place, and so is every other tray. */
static void begin_turns(struct mend_shm_in *in, bool lower)
{
    in->turn |= lower;
    if (!in->trays_had)
        in->tray_last = !lower;
    in->trays_had |= (uint8_t)(EVEN_TRAYS << !lower);
}

/* In tests a ring begins as if all its slots had been used.  The receiver looks at it once its bell has rung, so its counter
 * is this process's to set now. */
static void begin_ring(struct mend_proc *self, struct mend_shm_out *o)
{
    uint32_t first = mend_shm_first(self, o->abroad);

    if (mend_likely(!first))
        return;
    for (uint32_t k = 0; k < MEND_SHM_SLOTS; k++)
        o->slots[k].f.seq = first - MEND_SHM_SLOTS + k + 1;
    o->tail = o->head_seen = first;
    mend_store_relaxed((mend_atomic_u32 *)(uintptr_t)o->consumed, first);
}

static struct mend_shm_out *out_create(struct mend_proc *self, mend_peer to)
{
    struct mend_shm *s = self->shm;
    struct mend_shm_out *o = s->in[to].severed ? NULL : mend_zalloc(self, 1, sizeof(*o));

    if (!o)
        return NULL;
    if (!out_map(self, to, o)) {
        mend_free(self, o);
        return NULL;
    }
    note_early(self, to);
    begin_ring(self, o);
    o->walk_bytes = self->oversubscribed ? WALK_OVERSUBSCRIBED : WALK_BYTES;
    o->area_bytes = area_bytes(self);
    o->open.tray = MEND_SHM_TRAYS;
    begin_turns(&s->in[to], mend_node_place_of(self, self->me).at < o->place.at);
    return s->out[to] = o;
}

static inline struct mend_shm_out *out_of(struct mend_proc *self, mend_peer to)
{
    struct mend_shm *s = self->shm;

    return mend_likely(s->out[to] != NULL) ? s->out[to] : out_create(self, to);
}

/* How far the payload area was used before slot `head`, which is 0 at the beginning and whenever the counter has come round.
 * At the beginning the slot before it has not been used (invariant 1). */
static uint64_t area_end_of(const struct mend_shm_out *o, uint32_t head)
{
    return o->area_end[(head - 1) & MEND_SHM_SLOT_MASK];
}

/* The receiver has read all that lies in the payload area.  Of short messages it does not tell at once, so some of them may
 * seem to be left: fewer than MEND_SHM_TOLD_SLOTS, if it has read all. */
static bool area_is_read(const struct mend_shm_out *o)
{
    uint32_t left = o->tail - o->head_seen;

    return left == 0 ||
           (left < MEND_SHM_TOLD_SLOTS && area_end_of(o, o->head_seen) == o->area_tail);
}

/* The payload area is idle: it starts over at its beginning. */
static void area_restart(struct mend_shm_out *o)
{
    o->area_tail = o->area_head = o->area_looked = 0;
    for (uint32_t i = o->head_seen; i != o->tail + 1; i++)
        o->area_end[(i - 1) & MEND_SHM_SLOT_MASK] = 0;
}

/* Looks how far the receiver is.  Where it has walked far enough an idle payload area starts over. */
static void out_refresh(struct mend_shm_out *o)
{
    o->head_seen = mend_load_acquire(o->consumed); /* pairs with the release in publish_head() */
    if (o->area_tail >= o->walk_bytes && area_is_read(o))
        area_restart(o);
    else
        o->area_head = area_end_of(o, o->head_seen);
    o->area_looked = o->area_tail;
}

/* Room for any message; one slot stays free (invariant 3). */
static inline bool out_has_slots(struct mend_shm_out *o)
{
    if (mend_likely(o->tail - o->head_seen < MEND_SHM_SLOTS - SLOTS_ASKED))
        return true;
    out_refresh(o);
    return o->tail - o->head_seen < MEND_SHM_SLOTS - SLOTS_ASKED;
}

/* The next message takes a line: the second half of the last one stays empty.  The bell tells of both. */
static void out_pad(struct mend_shm_out *o)
{
    struct mend_shm_slot *slot = &o->slots[o->tail & MEND_SHM_SLOT_MASK];

    slot->f.kind_len = 0;
    o->area_end[o->tail & MEND_SHM_SLOT_MASK] = o->area_tail;
    o->tail++;
    /* release: pairs with the acquire in has_seq() */
    __atomic_store_n(&slot->f.seq, o->tail, __ATOMIC_RELEASE);
}

/* Where long payloads and messages of a line alternate, as requests and replies do, the next message will want a line of
 * its own.  So the rest of this one is a pad from the beginning, which need not come in another transfer of the line. */
static void pad_behind(struct mend_shm_out *o, struct mend_shm_slot *slot,
                       const struct mend_frame *f)
{
    if (!(o->tail & 1) || mend_frame_len(f) <= MEND_SHM_INLINE_MAX)
        return;
    slot[1].f.kind_len = 0;
    o->area_end[o->tail & MEND_SHM_SLOT_MASK] = o->area_tail;
    o->tail++;
    /* The message before it is published with release, and is read before it. */
    __atomic_store_n(&slot[1].f.seq, o->tail, __ATOMIC_RELAXED);
}

/* Where the header of a message of len bytes goes. */
static inline struct mend_shm_slot *out_slot(struct mend_shm_out *o, uint32_t len)
{
    if (mend_unlikely(o->tail & 1) && mend_shm_slots_of(len) == 2)
        out_pad(o);
    return &o->slots[o->tail & MEND_SHM_SLOT_MASK];
}

/* For a payload of len bytes that ends there. */
static bool area_touch(struct mend_proc *self, struct mend_shm_out *o, uint32_t end, uint32_t len)
{
    if (o->area_touched < end)
        mend_shm_give_back_gone(self);
    while (o->area_touched < end) {
        if (!mend_shm_touch(self, o, o->area + o->area_touched, TOUCH_BYTES))
            return false;
        if (len >= MAPPED_BYTES)
            mend_node_map_pages(o->area + o->area_touched, TOUCH_BYTES);
        o->area_touched += TOUCH_BYTES;
    }
    return true;
}

/* The first len bytes of a tray have pages, of which so many had some before. */
static bool pair_touch(struct mend_proc *self, const char *at, uint32_t *touched, uint32_t len)
{
    uint32_t end = (len + PAIR_TOUCH_BYTES - 1) & ~(PAIR_TOUCH_BYTES - 1);

    if (mend_likely(len <= *touched))
        return true;
    mend_shm_give_back_gone(self);
    if (!mend_node_touch(self, at + *touched, end - *touched))
        return false;
    if (len >= MAPPED_BYTES)
        mend_node_map_pages(at + *touched, end - *touched);
    *touched = end;
    return true;
}

static char *tray_of(const struct mend_shm_out *o, uint32_t k)
{
    return o->trays + k * MEND_SHM_TRAY_BYTES;
}

/* The tray for a payload of len bytes: of ours the one that came last, whose lines are in this core's cache.
 * MEND_SHM_TRAYS: none. */
static uint32_t tray_for(struct mend_proc *self, struct mend_shm_in *in,
                         const struct mend_shm_out *o, uint32_t len)
{
    uint32_t k = in->trays_had >> in->tray_last & 1
                     ? in->tray_last
                     : (uint32_t)__builtin_ctz(in->trays_had | 1u << MEND_SHM_TRAYS);

    return in->trays_had && o->trays && len <= MEND_SHM_TRAY_BYTES &&
                   pair_touch(self, tray_of(o, k), &in->tray_touched[k], len)
               ? k
               : MEND_SHM_TRAYS;
}

static void give_tray(struct mend_shm_in *in, uint32_t k)
{
    in->trays_had &= (uint8_t) ~(1u << k);
}

/* There is no memory for all of the payload area: from now on it is as long as what there is, once nothing lies in it. */
static void area_shrink(struct mend_shm_out *o)
{
    if (!area_is_read(o) || o->area_touched == 0)
        return;
    o->area_bytes = o->area_touched;
    o->walk_bytes = 0; /* an idle ring always starts over, so that there is room for any payload */
    area_restart(o);
}

/* Where in the area a payload of len bytes can go: an offset, or UINT32_MAX for no room. */
static uint32_t area_room(struct mend_proc *self, struct mend_shm_out *o, uint32_t len)
{
    uint32_t need = (len + MEND_CACHE_LINE - 1) & ~(uint32_t)(MEND_CACHE_LINE - 1), at;
    uint64_t pos;

    for (int look = o->area_tail - o->area_looked >= o->walk_bytes; look < 2; look++) {
        if (look == 1)
            out_refresh(o);
        pos = o->area_tail;
        at = (uint32_t)(pos % o->area_bytes);
        if (at + need > o->area_bytes) {
            pos += o->area_bytes - at;
            at = 0;
        }
        if (pos + need - o->area_head > o->area_bytes)
            continue;
        if (mend_unlikely(!area_touch(self, o, at + need, len))) {
            if (look == 0)
                continue;
            area_shrink(o);
            if (o->area_bytes != o->area_touched || o->area_tail)
                return UINT32_MAX;
            pos = at = 0;
        }
        o->area_tail = pos;
        return at;
    }
    return UINT32_MAX;
}

static void wake(struct mend_shm *s, const struct mend_shm_out *o)
{
    if (o->abroad)
        mend_abroad_wake(o->abroad, o->place);
    else
        mend_node_wake(s->node, o->place);
}

static inline void ring_bell(struct mend_shm *s, struct mend_shm_out *o)
{
    mend_store_release(o->bell, (uint8_t)o->tail);
    /* A fence for the compiler only: the receiver's membarrier in arm() orders this load behind the
     * stores above. */
    atomic_signal_fence(memory_order_seq_cst);
    if (mend_unlikely(mend_load_relaxed(&o->to->armed)))
        wake(s, o);
}

static inline void fill_header(struct mend_shm_slot *slot, const struct mend_frame *f)
{
    slot->f.kind_len = f->kind_len;
    slot->f.ctx = f->ctx;
    slot->f.tag = f->tag;
    slot->f.src = f->src;
}

/* The message in the fast box: in the ring a line is left out for it. */
static inline void fbox_publish(struct mend_shm *s, struct mend_shm_in *in, struct mend_shm_out *o,
                                const struct mend_frame *f)
{
    uint32_t seq;

    if (mend_unlikely(o->tail & 1))
        out_pad(o);
    seq = o->tail + o->fbox_adds;
    fill_header(o->fbox, f);
    in->turn = false;
    o->took_line = false;
    o->area_end[(o->tail + 1) & MEND_SHM_SLOT_MASK] = o->area_tail;
    o->tail += 2;
    /* release: pairs with the acquire in has_seq() */
    __atomic_store_n(&o->fbox->f.seq, seq, __ATOMIC_RELEASE);
    ring_bell(s, o);
}

/* The receiver's core has the lines of the ring from the last time that it read them.  With far cores each takes as long to
 * come back as several messages take to be sent. */
static inline void fetch_slots(const struct mend_shm_out *o)
{
    if (!(o->tail & 1))
        mend_fetch_to_write(&o->slots[(o->tail + SLOTS_AHEAD) & MEND_SHM_SLOT_MASK]);
}

static inline void fetch_area(const struct mend_shm_out *o, uint32_t len)
{
    uint32_t at = (uint32_t)(o->area_tail % o->area_bytes);

    for (uint32_t i = 0; len <= AREA_AHEAD && i < len && at + i < o->area_bytes;
         i += MEND_CACHE_LINE)
        mend_fetch_to_write(o->area + at + i);
}

static inline void out_publish(struct mend_shm *s, struct mend_shm_out *o,
                               struct mend_shm_slot *slot, const struct mend_frame *f)
{
    uint32_t seq = o->tail + 1, slots = mend_shm_slots_of(mend_frame_len(f));

    fetch_slots(o);
    fill_header(slot, f);
    if (slots == 1 && !(o->tail & 1))
        __atomic_store_n(&slot[1].f.seq, seq, __ATOMIC_RELAXED); /* not its own: invariant 5 */
    o->tail += slots;
    o->area_end[(o->tail - 1) & MEND_SHM_SLOT_MASK] = o->area_tail;
    if (mend_unlikely(o->took_line && slots == 1))
        pad_behind(o, slot, f);
    o->took_line = slots == 2;
    /* release: pairs with the acquire in has_seq() */
    __atomic_store_n(&slot->f.seq, seq, __ATOMIC_RELEASE);
    ring_bell(s, o);
}

/* False: there is no room. */
static bool lay_in_ring(struct mend_proc *self, struct mend_shm_out *o, struct mend_shm_slot *slot,
                        const void *payload, uint32_t len)
{
    uint32_t at = area_room(self, o, len);

    if (at == UINT32_MAX)
        return false;
    memcpy(o->area + at, payload, len);
    slot->payload_at = at;
    o->area_tail += (len + MEND_CACHE_LINE - 1) & ~(uint64_t)(MEND_CACHE_LINE - 1);
    fetch_area(o, len);
    return true;
}

/* False: we have none, or there is no memory. */
static bool lay_on_tray(struct mend_proc *self, struct mend_shm_in *in, struct mend_shm_out *o,
                        struct mend_shm_slot *slot, const void *payload, uint32_t len)
{
    uint32_t k = tray_for(self, in, o, len);

    if (k == MEND_SHM_TRAYS)
        return false;
    memcpy(tray_of(o, k), payload, len);
    slot->payload_at = MEND_SHM_ON_TRAY(k);
    give_tray(in, k);
    return true;
}

/* A tray on which fragments lie already that has room for this one, or another one.  False: we have none. */
static bool open_tray(struct mend_proc *self, struct mend_shm_in *in, struct mend_shm_out *o,
                      uint32_t len)
{
    uint32_t k = o->open.tray;

    if (k < MEND_SHM_TRAYS)
        return len <= MEND_SHM_TRAY_BYTES - o->open.used &&
               pair_touch(self, tray_of(o, k), &in->tray_touched[k], o->open.used + len);
    o->open.tray = tray_for(self, in, o, len);
    if (o->open.tray == MEND_SHM_TRAYS)
        return false;
    give_tray(in, o->open.tray);
    o->open.used = o->open.last = 0;
    return true;
}

/* Behind the fragments that lie on a tray already.  False: we have none, or there is no memory. */
static bool lay_fragment(struct mend_proc *self, struct mend_shm_in *in, struct mend_shm_out *o,
                         struct mend_shm_slot *slot, const void *payload, uint32_t len)
{
    if (!open_tray(self, in, o, len))
        return false;
    memcpy(tray_of(o, o->open.tray) + o->open.used, payload, len);
    slot->payload_at = MEND_SHM_ON_TRAY(o->open.tray) + o->open.used;
    o->open.used += (len + MEND_CACHE_LINE - 1) & ~(uint32_t)(MEND_CACHE_LINE - 1);
    if (len >= o->open.last && len <= MEND_SHM_TRAY_BYTES - o->open.used)
        slot->payload_at += MEND_SHM_KEPT;
    else
        o->open.tray = MEND_SHM_TRAYS;
    o->open.last = len;
    return true;
}

/* A payload that is too long for the slot.  False: there is no room.
 *
 * What is read on a tray is written next by the core that has read it, and so goes from core to core once for each payload; a
 * line of the ring comes back each time that it is written.  Fragments of many ranks that take turns go through the
 * ring, which is shorter then: with what lies on trays they would not stay in the caches.  With more ranks than cores a short
 * payload goes through the ring also in turn: ranks that share cores seldom answer each other at once. */
static bool lay_payload(struct mend_proc *self, struct mend_shm_in *in, struct mend_shm_out *o,
                        struct mend_shm_slot *slot, const struct mend_frame *f, const void *payload)
{
    uint32_t len = mend_frame_len(f);
    bool is_laid = false;

    if (mend_frame_kind(f) == MEND_FRAME_DATA)
        is_laid =
            o->area_bytes == MEND_SHM_AREA_BYTES && lay_fragment(self, in, o, slot, payload, len);
    else if (len > TRAY_LEAST || (slot == o->fbox && !self->oversubscribed))
        is_laid = lay_on_tray(self, in, o, slot, payload, len);
    return is_laid || lay_in_ring(self, o, slot, payload, len);
}

/* It is our turn to write to the fast box, and the message is not one of several that go one behind the other.  Behind half a
 * line of the ring a pad fills that up: messages that go through the ring because of it would leave the other one half a
 * line, and so on. */
static inline bool goes_by_fbox(const struct mend_shm_in *in, const struct mend_shm_out *o,
                                const struct mend_frame *f)
{
    return in->turn && o->fbox && (o->tail + 1) % MEND_SHM_LAP < MEND_SHM_LAP - MEND_SHM_SLOTS &&
           (mend_frame_len(f) <= MEND_SHM_INLINE_MAX || mend_frame_kind(f) != MEND_FRAME_DATA);
}

enum mend_status mend_shm_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                               const void *payload)
{
    struct mend_shm_out *o = out_of(self, to);
    uint32_t len = mend_frame_len(f);
    struct mend_shm *s = self->shm;
    struct mend_shm_in *in = &s->in[to];
    struct mend_shm_slot *slot;
    bool by_fbox;

    if (mend_unlikely(in->severed))
        return MEND_ERR_PEER;
    if (mend_unlikely(!o))
        return MEND_AGAIN;
    if (mend_unlikely(!out_has_slots(o)))
        return MEND_AGAIN;
    by_fbox = goes_by_fbox(in, o, f);
    slot = by_fbox ? o->fbox : out_slot(o, len);
    if (mend_likely(len <= MEND_SHM_INLINE_MAX)) {
        mend_copy(mend_shm_inline_of(slot), payload, len);
    } else if (!lay_payload(self, in, o, slot, f, payload)) {
        return MEND_AGAIN;
    }
    if (by_fbox)
        fbox_publish(s, in, o, f);
    else
        out_publish(s, o, slot, f);
    return MEND_OK;
}

void *mend_shm_reserve(struct mend_proc *self, mend_peer to, uint32_t len)
{
    struct mend_shm_out *o = out_of(self, to);
    uint32_t at, tray;

    if (!o || self->shm->in[to].severed || !out_has_slots(o))
        return NULL;
    o->reserved_len = len;
    if (len <= MEND_SHM_INLINE_MAX)
        return mend_shm_inline_of(out_slot(o, len));
    tray = tray_for(self, &self->shm->in[to], o, len);
    if (tray != MEND_SHM_TRAYS) {
        o->reserved_at = MEND_SHM_ON_TRAY(tray);
        return tray_of(o, tray);
    }
    at = area_room(self, o, len);
    if (at == UINT32_MAX)
        return NULL;
    o->reserved_at = at;
    return o->area + at;
}

/* With a peer abroad there are no trays.  With more ranks than cores a rank does not wait for one: the other one may have no core. */
bool mend_shm_is_handy(struct mend_proc *self, mend_peer to, uint32_t len)
{
    const struct mend_shm_out *o = out_of(self, to);

    return !o || !o->trays || self->oversubscribed || self->shm->in[to].trays_had ||
           len > MEND_SHM_TRAY_BYTES;
}

/* Its agent will tell from where this process sends to that job. */
static bool awaits_place(const struct mend_proc *self, mend_peer to)
{
    const struct mend_abroad *a = mend_peer_job(self, to);

    return a && a->mine.at == MEND_PLACE_NONE.at;
}

/* All payloads of one frame fit into what is reserved at once, so there is memory for any or for none. */
int32_t mend_shm_memory_for(struct mend_proc *self, mend_peer to, uint32_t len)
{
    struct mend_shm_out *o = out_of(self, to);

    _Static_assert(TOUCH_BYTES >= MEND_SHM_PAYLOAD_MAX,
                   "what is reserved once is enough for each payload");
    if (self->shm->in[to].severed || (!o && awaits_place(self, to)))
        return (int32_t)len;
    if (!o)
        return -1;
    return (int32_t)(len <= MEND_SHM_INLINE_MAX || area_touch(self, o, 1, len)
                         ? len
                         : MEND_SHM_INLINE_MAX);
}

/* What the caller has written into room for more than a line. */
static void lay_reserved(struct mend_shm_in *in, struct mend_shm_out *o, struct mend_shm_slot *slot,
                         uint32_t len)
{
    uint32_t tray = mend_shm_tray_at(o->reserved_at);
    bool on_tray = tray < MEND_SHM_TRAYS;

    if (len <= MEND_SHM_INLINE_MAX) {
        memcpy(mend_shm_inline_of(slot), on_tray ? tray_of(o, tray) : o->area + o->reserved_at,
               len);
        return;
    }
    slot->payload_at = o->reserved_at;
    if (on_tray)
        give_tray(in, tray);
    else
        o->area_tail += (len + MEND_CACHE_LINE - 1) & ~(uint64_t)(MEND_CACHE_LINE - 1);
}

void mend_shm_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f)
{
    struct mend_shm *s = self->shm;
    struct mend_shm_out *o = s->out[to];
    uint32_t len = mend_frame_len(f);
    struct mend_shm_slot *slot = out_slot(o, len);

    MEND_ASSERT(len <= o->reserved_len);
    if (o->reserved_len > MEND_SHM_INLINE_MAX)
        lay_reserved(&s->in[to], o, slot, len);
    out_publish(s, o, slot, f);
}
