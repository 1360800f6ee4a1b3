/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.c – the transport within a node: one single-producer ring per ordered pair of ranks.
 *
 *   sender j                                           receiver i
 *   ring j->i  | slot | slot | slot | ... 256 x 32 B    head of i for j: slots consumed
 *              | bulk 256 KiB: payloads > 40 B          bell[j]: low byte of j's slot counter
 *
 *   send:  write payload, write header, release slot.seq = index + 1, store bell, wake if asleep
 *   poll:  slot[head].seq == head + 1 ?  deliver in place, head += slots of the message, release head
 *
 * A sender that is killed leaves at most one slot unpublished, which is never read.  A receiver that is
 * killed leaves a ring that fills up; the sender then learns of the death where it waits.
 *
 * Invariants:
 *   1  slot k of a ring is written only while tail - consumed < SLOTS, and never are all of them in use;
 *   2  a bulk range is written only after the slot that last named it was consumed;
 *   3  bell[j] == low byte of heads[j] in receiver i exactly if nothing is waiting (fewer than 256 slots);
 *   4  after sever(j) neither ring j->i nor i->j is touched again.  Their memory is given back when
 *      new memory is requested: not at once, because a death must be reported fast.
 *
 *   5  the second slot of a line holds a header only if the first one does; before the first is published as a
 *      slot alone, the second is marked as not published, for payload of an older message may lie there.
 *
 * Cost of a small message: one cache line from core to core, of up to 8 bytes half a line where messages queue up;
 * no lock, no allocation, no system call. */
#include "net/shm/shm.h"

#include "base/choice.h"
#include "base/copy.h"
#include "base/time.h"
#include "net/shm/area.h"
#include "net/shm/reach.h"
#include "net/shm/ring.h"
#include "node/node.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#define SLOT_MASK   (MEND_SHM_SLOTS - 1)
#define SLOTS_ASKED 3u  /* a pad, and a message of two */
#define DRAIN_MAX   64u /* frames of one peer per poll */
#define BELLS_EVERY 64u /* polls with a hint between two looks at all bells */
#define WALK_BYTES                                                                                 \
    (128u * 1024) /* bulk sent between two looks at the receiver's head: more than the
                                     first-level cache, which these lines would have to leave again */
#define WALK_CROWDED                                                                               \
    (32u * 1024) /* the same with more ranks than cores: a rank need not be fast alone */
#define RINGS_BYTES (UINT64_C(8) << 20) /* of all ranks, with more ranks than cores */
#define CHOSEN_BYTES                                                                               \
    1024u /* longer payloads are worth a choice of their place, and of how to store them */
#define BUSY_TURNS 64u /* payloads without a look whether the ring is idle, after it was not */
#define READERS_SHARE                                                                              \
    3 /* what is past the caches takes the reader so much longer that it must be stored as much faster */
#define TOUCH_BYTES    (64u * 1024) /* bulk reserved at once */
#define PAYLOAD_MAX    (MEND_SHM_BULK_BYTES / 4)
#define PREFETCH_BYTES 4096u

/* Sender's side of one ring, private. */
struct out {
    struct mend_shm_slot *slots;
    char *bulk;
    const mend_atomic_u32 *consumed;
    const mend_atomic_u32 *core; /* of the receiver; NULL: there is one for each rank */
    mend_atomic_u8 *bell;
    struct mend_node_rank *to;
    mend_place place; /* of the receiver */
    uint32_t tail, head_seen;
    uint64_t bulk_tail,
        bulk_head;        /* positions that only grow; position % bulk_bytes is the place */
    uint64_t bulk_looked; /* bulk_tail at the last look at the receiver's head */
    uint32_t bulk_touched, walk_bytes, bulk_bytes;
    uint32_t reserved_at, reserved_len;
    uint64_t bulk_end[MEND_SHM_SLOTS]; /* bulk_tail after slot k was sent */
    struct mend_choice where;          /* enum place */
    struct mend_choice stores;         /* of long payloads; way 1: past the caches */
    mend_time_ns since; /* when the last payload was placed, if that is timed; else 0 */
    uint32_t busy;      /* payloads still without a look */
    enum mend_lay lay;
};

/* Where the next payload goes when the ring is idle, as between two processes that answer each other: further
 * on, or to the same few lines again.  Either is half as fast again as the other on some processor. */
enum place { PLACE_FURTHER, PLACE_AGAIN, PLACES };

/* Receiver's side, private. */
struct in {
    struct mend_shm_slot *slots; /* NULL until first looked at */
    const char *area;            /* of the sender */
    mend_atomic_u32 *consumed;
    mend_atomic_u32 *core; /* ours, for the sender; NULL: it does not ask */
    uint8_t *seen;         /* of the bell */
    uint32_t head, published;
    bool severed;
    mend_peer next_gone; /* of the list state.gone */
    struct mend_reach reach;
};

struct mend_shm {
    struct mend_area area;
    struct mend_node *node;
    struct mend_node_header *header;
    struct mend_node_rank *me;
    struct out **out; /* by peer */
    struct in *in;    /* by peer */
    mend_atomic_u8 *bells;
    uint8_t *seen; /* low bytes of heads, same shape as the row of bells */
    uint32_t polls;
    mend_peer gone;  /* list of severed peers whose rings have not been given back yet */
    uint64_t cookie; /* by which others see whose memory they read */
};

static void give_back_ring(struct mend_proc *self, mend_peer to, mend_peer from)
{
    mend_node_give_back(self,
                        mend_node_ring_of(self->node->header, mend_node_place_of(self, to),
                                          mend_node_place_of(self, from)),
                        MEND_NODE_RING_BYTES);
}

/* Nobody but we could look at the rings between us and a dead process. */
static void give_back_rings(struct mend_proc *self, mend_peer dead)
{
    struct mend_shm *s = self->shm;

    if (s->out[dead])
        give_back_ring(self, dead, self->me);
    if (s->in[dead].slots)
        give_back_ring(self, self->me, dead);
    if (s->out[dead])
        mend_area_forget(&s->area, s->out[dead]->consumed);
    mend_free(self, s->out[dead]);
    s->out[dead] = NULL;
    s->in[dead].slots = NULL;
}

static void give_back_gone(struct mend_proc *self)
{
    struct mend_shm *s = self->shm;

    while (s->gone != MEND_PEER_NONE) {
        mend_peer dead = s->gone;

        s->gone = s->in[dead].next_gone;
        give_back_rings(self, dead);
    }
}

/* Its bell begins at 0, whatever a process that had its place before has rung. */
static void shm_meet(struct mend_proc *self, mend_peer peer)
{
    self->shm->seen[mend_node_place_of(self, peer).at] = 0;
}

static void shm_forget(struct mend_proc *self, mend_peer dead)
{
    struct mend_shm *s = self->shm;
    mend_peer *p = &s->gone;

    s->in[dead].severed = true;

    while (*p != MEND_PEER_NONE && *p != dead)
        p = &s->in[*p].next_gone;
    if (*p == MEND_PEER_NONE)
        return;
    *p = s->in[dead].next_gone;
    give_back_rings(self, dead);
}

/* Reserves the slots and the head of the ring from -> to. */
static bool touch_ring(struct mend_proc *self, mend_peer to, mend_peer from)
{
    struct mend_node_header *h = self->shm->header;

    give_back_gone(self);
    return mend_node_touch(
               self,
               mend_node_ring_of(h, mend_node_place_of(self, to), mend_node_place_of(self, from)),
               MEND_SHM_SLOTS * MEND_SHM_SLOT_BYTES) &&
           mend_node_touch(
               self,
               mend_node_head_of(h, mend_node_place_of(self, to), mend_node_place_of(self, from)),
               sizeof(struct mend_node_head));
}

/* Ranks that take turns fill their rings in each turn, and rings that fill the cache drive the messages out of it. */
static uint32_t bulk_bytes(const struct mend_proc *self)
{
    uint64_t rings_n = (uint64_t)self->peers_n * (uint64_t)(self->peers_n - 1);

    return self->crowded && rings_n * MEND_SHM_BULK_BYTES > RINGS_BYTES ? MEND_SHM_BULK_BYTES / 2
                                                                        : MEND_SHM_BULK_BYTES;
}

static struct out *out_create(struct mend_proc *self, mend_peer to)
{
    struct mend_shm *s = self->shm;
    struct out *o = s->in[to].severed ? NULL : mend_zalloc(self, 1, sizeof(*o));
    struct mend_node_head *head;

    if (!o)
        return NULL;
    if (!touch_ring(self, to, self->me)) {
        mend_free(self, o);
        return NULL;
    }
    o->slots = mend_node_ring_of(s->header, mend_node_place_of(self, to),
                                 mend_node_place_of(self, self->me));
    o->bulk = (char *)(o->slots + MEND_SHM_SLOTS);
    head = mend_node_head_of(s->header, mend_node_place_of(self, to),
                             mend_node_place_of(self, self->me));
    o->consumed = &head->consumed;
    o->core = self->crowded ? &head->core : NULL;
    o->bell = mend_node_bells(s->header, mend_node_place_of(self, to)) +
              mend_node_place_of(self, self->me).at;
    o->to = mend_node_rank_of(s->header, mend_node_place_of(self, to));
    o->place = mend_node_place_of(self, to);
    o->walk_bytes = self->crowded ? WALK_CROWDED : WALK_BYTES;
    o->bulk_bytes = bulk_bytes(self);
    o->where.ways_n = self->crowded ? 1 : PLACES;
    o->stores.ways_n = 2;
    return s->out[to] = o;
}

static inline struct out *out_of(struct mend_proc *self, mend_peer to)
{
    struct mend_shm *s = self->shm;

    return mend_likely(s->out[to] != NULL) ? s->out[to] : out_create(self, to);
}

/* The ring is idle: its bulk starts over at its beginning. */
static void bulk_restart(struct out *o)
{
    o->bulk_tail = o->bulk_head = o->bulk_looked = o->bulk_end[(o->tail - 1) & SLOT_MASK] = 0;
}

/* Looks how far the receiver is.  Where it has walked far enough an idle ring starts over. */
static void out_refresh(struct out *o)
{
    o->head_seen = mend_load_acquire(o->consumed); /* pairs with the release in publish_head() */
    if (o->head_seen == o->tail && o->bulk_tail >= o->walk_bytes)
        bulk_restart(o);
    else if (o->head_seen)
        o->bulk_head = o->bulk_end[(o->head_seen - 1) & SLOT_MASK];
    o->bulk_looked = o->bulk_tail;
}

/* The time from one payload to the next but one, with an answer between them, is the figure. */
static void time_place(struct out *o, unsigned place)
{
    mend_time_ns now = mend_time_monotonic_ns();

    if (o->since)
        mend_choice_tell(&o->where, place, (uint64_t)MEND_NS_PER_S / (uint64_t)(now - o->since + 1),
                         1);
    o->since = o->since ? 0 : now;
}

/* Before a payload of some KiB. */
static void choose_place(struct out *o)
{
    unsigned place = mend_choice_way(&o->where);
    bool timed = o->since || (!o->busy && mend_choice_timed(&o->where));

    o->busy -= o->busy != 0;
    if (place == PLACE_FURTHER && !timed)
        return;
    out_refresh(o);
    if (o->head_seen != o->tail) {
        o->since = 0;
        o->busy = BUSY_TURNS;
        return;
    }
    if (timed)
        time_place(o, place);
    if (place == PLACE_AGAIN)
        bulk_restart(o);
}

/* Room for any message; one slot stays free (invariant 3). */
static inline bool out_has_slots(struct out *o)
{
    if (mend_likely(o->tail - o->head_seen < MEND_SHM_SLOTS - SLOTS_ASKED))
        return true;
    out_refresh(o);
    return o->tail - o->head_seen < MEND_SHM_SLOTS - SLOTS_ASKED;
}

/* The next message takes a line: the second half of the last one stays empty.  The bell tells of both. */
static void out_pad(struct out *o)
{
    struct mend_shm_slot *slot = &o->slots[o->tail & SLOT_MASK];

    slot->f.kind_len = 0;
    o->bulk_end[o->tail & SLOT_MASK] = o->bulk_tail;
    o->tail++;
    /* release: pairs with the acquire in is_published() */
    __atomic_store_n(&slot->f.seq, o->tail, __ATOMIC_RELEASE);
}

/* Where the header of a message of len bytes goes. */
static inline struct mend_shm_slot *out_slot(struct out *o, uint32_t len)
{
    if (mend_unlikely(o->tail & 1) && mend_shm_slots_of(len) == 2)
        out_pad(o);
    return &o->slots[o->tail & SLOT_MASK];
}

static bool bulk_touch(struct mend_proc *self, struct out *o, uint32_t end)
{
    if (o->bulk_touched < end)
        give_back_gone(self);
    while (o->bulk_touched < end) {
        if (!mend_node_touch(self, o->bulk + o->bulk_touched, TOUCH_BYTES))
            return false;
        o->bulk_touched += TOUCH_BYTES;
    }
    return true;
}

/* There is no memory for all of the bulk: from now on it is as long as what there is, once nothing lies in it. */
static void bulk_shrink(struct out *o)
{
    if (o->head_seen != o->tail || o->bulk_touched == 0)
        return;
    o->bulk_bytes = o->bulk_touched;
    o->walk_bytes = 0; /* an idle ring always starts over, so that there is room for any payload */
    bulk_restart(o);
}

/* Where a bulk payload of len bytes can go: an offset, or UINT32_MAX for no room. */
static uint32_t bulk_place(struct mend_proc *self, struct out *o, uint32_t len)
{
    uint32_t need = (len + MEND_CACHE_LINE - 1) & ~(uint32_t)(MEND_CACHE_LINE - 1), at;
    uint64_t pos;

    if (len > CHOSEN_BYTES && o->where.ways_n > 1)
        choose_place(o);
    for (int look = o->bulk_tail - o->bulk_looked >= o->walk_bytes; look < 2; look++) {
        if (look == 1)
            out_refresh(o);
        pos = o->bulk_tail;
        at = (uint32_t)(pos % o->bulk_bytes);
        if (at + need > o->bulk_bytes) {
            pos += o->bulk_bytes - at;
            at = 0;
        }
        if (pos + need - o->bulk_head > o->bulk_bytes)
            continue;
        if (mend_unlikely(!bulk_touch(self, o, at + need))) {
            if (look == 0)
                continue;
            bulk_shrink(o);
            if (o->bulk_bytes != o->bulk_touched || o->bulk_tail)
                return UINT32_MAX;
            pos = at = 0;
        }
        o->bulk_tail = pos;
        return at;
    }
    return UINT32_MAX;
}

static inline void out_publish(struct mend_shm *s, struct out *o, struct mend_shm_slot *slot,
                               const struct mend_frame *f)
{
    uint32_t seq = o->tail + 1, slots = mend_shm_slots_of(mend_frame_len(f));

    slot->f.kind_len = f->kind_len;
    slot->f.ctx = f->ctx;
    slot->f.tag = f->tag;
    slot->f.src = f->src;
    if (slots == 1 && !(o->tail & 1))
        __atomic_store_n(&slot[1].f.seq, seq, __ATOMIC_RELAXED); /* not its own: invariant 5 */
    o->tail += slots;
    o->bulk_end[(o->tail - 1) & SLOT_MASK] = o->bulk_tail;
    /* release: pairs with the acquire in is_published() */
    __atomic_store_n(&slot->f.seq, seq, __ATOMIC_RELEASE);
    mend_store_release(o->bell, (uint8_t)o->tail);
    /* No fence but for the compiler: the receiver's membarrier in arm() orders this load behind the
     * stores above. */
    atomic_signal_fence(memory_order_seq_cst);
    if (mend_unlikely(mend_load_relaxed(&o->to->armed)))
        mend_node_wake(s->node, o->place);
}

/* False: it has to go through the ring. */
static bool lay_in_area(struct mend_area *a, struct out *o, struct mend_shm_slot *slot,
                        const void *payload, uint32_t len, uint32_t most, bool past)
{
    uint32_t at =
        len <= MEND_AREA_BLOCK ? mend_area_take(a, most, o->consumed, o->tail) : UINT32_MAX;

    if (at == UINT32_MAX)
        return false;
    mend_area_copy(a->base + at, payload, len, past);
    slot->bulk_at = MEND_SHM_BULK_BYTES + at;
    return true;
}

static void shm_lay(struct mend_proc *self, mend_peer to, enum mend_lay lay)
{
    struct out *o = out_of(self, to);

    if (o)
        o->lay = lay;
}

static unsigned shm_lays(struct mend_proc *self)
{
    return mend_area_lays(&self->shm->area);
}

static void shm_grow(struct mend_proc *self, uint64_t bytes)
{
    mend_area_grow(self, &self->shm->area, bytes);
}

/* The receiver ran here when it last consumed something: what is stored is still in this core's cache when it reads. */
static bool shares_core(const struct out *o)
{
    return o->core && mend_load_relaxed(o->core) == (uint32_t)sched_getcpu() + 1;
}

/* False: there is no room. */
static bool lay_in_ring(struct mend_proc *self, struct out *o, struct mend_shm_slot *slot,
                        const void *payload, uint32_t len, bool past)
{
    uint32_t at = bulk_place(self, o, len);

    if (at == UINT32_MAX)
        return false;
    mend_area_copy(o->bulk + at, payload, len, past);
    slot->bulk_at = at;
    o->bulk_tail += (len + MEND_CACHE_LINE - 1) & ~(uint64_t)(MEND_CACHE_LINE - 1);
    return true;
}

/* With more ranks than cores: the receiver is on another core, and where ordinary stores are the better ones, that is near.
 * Then lines of the area come back faster, for they have left the caches of the receiver's core. */
static bool prefers_area(const struct mend_proc *self, bool near, unsigned past)
{
    return self->crowded && !near && !past && mend_area_lays(&self->shm->area) >> MEND_LAY_AREA & 1;
}

/* A line that the receiver has read comes back from its core with an ordinary store.  Where that is far a store past the
 * caches is faster, by so much that it pays although the receiver must read from memory then.  False: there is no
 * room. */
static bool store_long(struct mend_proc *self, struct out *o, struct mend_shm_slot *slot,
                       const void *payload, uint32_t len)
{
    bool near = shares_core(o), timed = !near && mend_choice_timed(&o->stores);
    unsigned past = near ? 0 : mend_choice_way(&o->stores);
    mend_time_ns since = timed ? mend_time_monotonic_ns() : 0;
    uint64_t rate;

    if (!timed && prefers_area(self, near, past) &&
        lay_in_area(&self->shm->area, o, slot, payload, len, MEND_AREA_FEW, false))
        return true;
    if (!lay_in_ring(self, o, slot, payload, len, past))
        return false;
    if (!timed)
        return true;
    rate = (uint64_t)len * 1000 / (uint64_t)(mend_time_monotonic_ns() - since + 1);
    mend_choice_tell(&o->stores, past, past ? rate / READERS_SHARE : rate, 1);
    return true;
}

/* A payload that is too long for the slot, where o->lay says.  False: there is no room. */
static bool lay_payload(struct mend_proc *self, struct out *o, struct mend_shm_slot *slot,
                        const void *payload, uint32_t len)
{
    bool past = o->lay == MEND_LAY_PAST_CACHES;

    if (mend_unlikely(o->lay != MEND_LAY_RING) &&
        lay_in_area(&self->shm->area, o, slot, payload, len,
                    past ? MEND_AREA_PAST : MEND_AREA_BLOCKS, past))
        return true;
    return mend_likely(len <= CHOSEN_BYTES) ? lay_in_ring(self, o, slot, payload, len, false)
                                            : store_long(self, o, slot, payload, len);
}

static enum mend_status shm_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                                 const void *payload)
{
    struct out *o = out_of(self, to);
    uint32_t len = mend_frame_len(f);
    struct mend_shm *s = self->shm;
    struct mend_shm_slot *slot;

    if (mend_unlikely(s->in[to].severed))
        return MEND_ERR_PEER;
    if (mend_unlikely(!o))
        return MEND_AGAIN;
    if (mend_unlikely(!out_has_slots(o)))
        return MEND_AGAIN;
    slot = out_slot(o, len);
    if (mend_likely(len <= MEND_SHM_INLINE_MAX)) {
        mend_copy(mend_shm_inline_of(slot), payload, len);
    } else if (!lay_payload(self, o, slot, payload, len)) {
        return MEND_AGAIN;
    }
    out_publish(s, o, slot, f);
    return MEND_OK;
}

static void *shm_reserve(struct mend_proc *self, mend_peer to, uint32_t len)
{
    struct out *o = out_of(self, to);
    uint32_t at;

    if (!o || self->shm->in[to].severed || !out_has_slots(o))
        return NULL;
    o->reserved_len = len;
    if (len <= MEND_SHM_INLINE_MAX)
        return mend_shm_inline_of(out_slot(o, len));
    at = bulk_place(self, o, len);
    if (at == UINT32_MAX)
        return NULL;
    o->reserved_at = at;
    return o->bulk + at;
}

/* All payloads of one frame fit into what is reserved at once, so there is memory for any or for none. */
static int32_t shm_memory_for(struct mend_proc *self, mend_peer to, uint32_t len)
{
    struct out *o = out_of(self, to);

    _Static_assert(TOUCH_BYTES >= PAYLOAD_MAX, "what is reserved once is enough for each payload");
    if (self->shm->in[to].severed)
        return (int32_t)len;
    if (!o)
        return -1;
    return (int32_t)(len <= MEND_SHM_INLINE_MAX || bulk_touch(self, o, 1) ? len
                                                                          : MEND_SHM_INLINE_MAX);
}

static void shm_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f)
{
    struct mend_shm *s = self->shm;
    struct out *o = s->out[to];
    uint32_t len = mend_frame_len(f);
    struct mend_shm_slot *slot = out_slot(o, len);

    MEND_ASSERT(len <= o->reserved_len);
    if (o->reserved_len > MEND_SHM_INLINE_MAX) {
        if (len <= MEND_SHM_INLINE_MAX) {
            memcpy(mend_shm_inline_of(slot), o->bulk + o->reserved_at, len);
        } else {
            slot->bulk_at = o->reserved_at;
            o->bulk_tail += (len + MEND_CACHE_LINE - 1) & ~(uint64_t)(MEND_CACHE_LINE - 1);
        }
    }
    out_publish(s, o, slot, f);
}

static inline void publish_head(struct in *in)
{
    in->published = in->head;
    if (in->core)
        mend_store_relaxed(in->core, (uint32_t)sched_getcpu() + 1);
    /* release: pairs with the acquire in out_refresh() */
    mend_store_release(in->consumed, in->head);
}

/* The ring of a sender that has rung: it reserved the pages before. */
static void in_open(struct mend_proc *self, mend_peer from, struct in *in)
{
    mend_place here = mend_node_place_of(self, self->me), there = mend_node_place_of(self, from);
    struct mend_shm *s = self->shm;
    struct mend_node_head *head = mend_node_head_of(s->header, here, there);

    in->slots = mend_node_ring_of(s->header, here, there);
    in->area = mend_node_area_of(s->header, there);
    in->consumed = &head->consumed;
    in->core = self->crowded ? &head->core : NULL;
    in->seen = &s->seen[there.at];
}

static bool has_rung(struct mend_proc *self, mend_peer from)
{
    /* acquire: pairs with the release in out_publish() */
    return mend_load_acquire(&self->shm->bells[mend_node_place_of(self, from).at]) != 0;
}

static bool is_within(uint32_t at, uint32_t len, uint32_t bytes)
{
    return at < bytes && len <= bytes - at;
}

/* A frame that no correct sender writes: the memory is damaged. */
static bool frame_is_sound(const struct in *in, const struct mend_shm_slot *slot)
{
    uint32_t len = mend_frame_len(&slot->f), kind = mend_frame_kind(&slot->f);

    return kind > MEND_FRAME_SKIP && kind < MEND_FRAME_KINDS_USED &&
           (!(in->head & 1) || mend_shm_slots_of(len) == 1) &&
           (len <= MEND_SHM_INLINE_MAX || is_within(slot->bulk_at, len, MEND_SHM_BULK_BYTES) ||
            (slot->bulk_at >= MEND_SHM_BULK_BYTES &&
             is_within(slot->bulk_at - MEND_SHM_BULK_BYTES, len, MEND_NODE_AREA_BYTES)));
}

static inline const void *payload_of(const struct in *in, const struct mend_shm_slot *slot)
{
    if (mend_frame_len(&slot->f) <= MEND_SHM_INLINE_MAX)
        return mend_shm_inline_of(slot);
    return slot->bulk_at < MEND_SHM_BULK_BYTES
               ? (const char *)(in->slots + MEND_SHM_SLOTS) + slot->bulk_at
               : in->area + (slot->bulk_at - MEND_SHM_BULK_BYTES);
}

static inline bool is_published(const struct mend_shm_slot *slot, uint32_t index)
{
    /* acquire: pairs with the releases in out_publish() and out_pad() */
    return __atomic_load_n(&slot->f.seq, __ATOMIC_ACQUIRE) == index + 1;
}

/* The frame at the head, of len bytes, is done with. */
static inline void step(struct in *in, uint32_t len)
{
    in->head += mend_shm_slots_of(len);
    *in->seen = (uint8_t)in->head;
    if (len > 1024 || in->head - in->published >= MEND_SHM_SLOTS / 4)
        publish_head(in);
}

/* The second half of a line that holds nothing. */
static inline bool is_pad(const struct in *in, const struct mend_shm_slot *slot)
{
    return mend_unlikely(slot->f.kind_len == 0) && in->head & 1;
}

/* The slot at the head, if a message is published there. */
static inline struct mend_shm_slot *next_slot(struct in *in)
{
    struct mend_shm_slot *slot = &in->slots[in->head & SLOT_MASK];

    if (!is_published(slot, in->head))
        return NULL;
    if (mend_likely(!is_pad(in, slot)))
        return slot;
    step(in, 0);
    slot = &in->slots[in->head & SLOT_MASK];
    return is_published(slot, in->head) ? slot : NULL;
}

/* Delivers up to `max` frames of one peer. */
static unsigned drain(struct mend_proc *self, mend_peer from, unsigned max)
{
    struct in *in = &self->shm->in[from];
    struct mend_shm_slot *slot;
    unsigned n = 0;

    if (mend_unlikely(in->severed || (!in->slots && !has_rung(self, from))))
        return 0;
    if (mend_unlikely(!in->slots))
        in_open(self, from, in);
    while (n < max && (slot = next_slot(in))) {
        uint32_t len = mend_frame_len(&slot->f);

        if (mend_unlikely(!frame_is_sound(in, slot))) {
            self->on_damage(self, from);
            break;
        }
        self->on_frame[mend_frame_kind(&slot->f)](self, from, &slot->f, payload_of(in, slot));
        step(in, len);
        n++;
    }
    return n;
}

/* Asks for all lines of a payload at once, before a copy asks for one after the other. */
static inline void prefetch_bulk(const char *payload, uint32_t len)
{
    for (uint32_t i = 0; i < len && i < PREFETCH_BYTES; i += MEND_CACHE_LINE)
        __builtin_prefetch(payload + i);
}

/* A damaged frame is left for drain(). */
static const struct mend_frame *shm_peek(struct mend_proc *self, mend_peer from,
                                         const void **payload_p)
{
    struct in *in = &self->shm->in[from];
    struct mend_shm_slot *slot;

    if (mend_unlikely(in->severed || !in->slots))
        return NULL;
    slot = next_slot(in);
    if (!slot || mend_unlikely(!frame_is_sound(in, slot)))
        return NULL;
    *payload_p = payload_of(in, slot);
    if (mend_frame_len(&slot->f) > MEND_SHM_INLINE_MAX)
        prefetch_bulk(*payload_p, mend_frame_len(&slot->f));
    return &slot->f;
}

static void shm_take(struct mend_proc *self, mend_peer from)
{
    struct in *in = &self->shm->in[from];

    step(in, mend_frame_len(&in->slots[in->head & SLOT_MASK].f));
}

/* Looks at all doorbells, eight at a time. */
static unsigned drain_bells(struct mend_proc *self)
{
    struct mend_shm *s = self->shm;
    unsigned n = 0;
    mend_peer from;

    for (uint32_t at = 0; at < s->node->places_end; at += 8) {
        uint64_t bells = __atomic_load_n((uint64_t *)(void *)(s->bells + at), __ATOMIC_ACQUIRE);
        uint64_t seen;

        memcpy(&seen, s->seen + at, 8);
        for (uint64_t news = bells ^ seen; news;) {
            unsigned k = (unsigned)__builtin_ctzll(news) / 8;

            news &= ~(UINT64_C(0xff) << (8 * k));
            from = mend_node_peer_at(self, mend_place_at(at + k));
            if (mend_likely(from != MEND_PEER_NONE))
                n += drain(self, from, DRAIN_MAX);
        }
    }
    return n;
}

static unsigned shm_poll(struct mend_proc *self, mend_peer hint)
{
    struct mend_shm *s = self->shm;

    if (hint >= 0) {
        unsigned n = drain(self, hint, DRAIN_MAX);

        if (++s->polls % BELLS_EVERY)
            return n;
        return n + drain_bells(self);
    }
    return drain_bells(self);
}

/* Something may lie in a ring that we have not looked at yet, without a ring of the bell: its pages exist.  A process
 * that joins a job late asks for each of the dead. */
static bool may_hold(struct mend_proc *self, mend_peer from)
{
    char *ring = (char *)mend_node_ring_of(self->node->header, mend_node_place_of(self, self->me),
                                           mend_node_place_of(self, from));
    off_t at = ring - (char *)self->node->header, data = lseek(self->node->fd, at, SEEK_DATA);

    return data >= 0 && data < at + (off_t)MEND_NODE_RING_BYTES;
}

static void shm_sever(struct mend_proc *self, mend_peer dead)
{
    uint32_t place = mend_node_place_of(self, dead).at;
    struct mend_shm *s = self->shm;

    if (!s->in[dead].severed && !s->in[dead].slots && may_hold(self, dead) &&
        touch_ring(self, self->me, dead))
        in_open(self, dead, &s->in[dead]);
    while (drain(self, dead, MEND_SHM_SLOTS))
        ;
    s->seen[place] = mend_load_relaxed(&s->bells[place]);
    if (s->in[dead].severed)
        return;
    s->in[dead].severed = true;
    s->in[dead].next_gone = s->gone;
    s->gone = dead;
}

static struct mend_node_rank *rank_of(struct mend_proc *self, mend_peer peer)
{
    struct mend_shm *s = self->shm;

    return mend_node_rank_of(s->header, mend_node_place_of(self, peer));
}

/* Copy first, look at the stamp then: it tells of the whole time of the copy. */
static enum mend_status shm_pull(struct mend_proc *self, mend_peer from, void *dst, uint64_t remote,
                                 size_t len, uint32_t stamp)
{
    struct mend_node_rank *peer = rank_of(self, from);
    struct mend_shm *s = self->shm;
    enum mend_status st = mend_reach_read(peer, &s->in[from].reach, dst, remote, len);

    atomic_thread_fence(memory_order_acquire); /* pairs with the fence in shm_withdraw() */
    return mend_load_relaxed(&peer->withdrawn) == stamp ? st : MEND_AGAIN;
}

static enum mend_status shm_fetch(struct mend_proc *self, mend_peer from, void *dst,
                                  uint64_t remote, size_t len)
{
    return mend_reach_read(rank_of(self, from), &self->shm->in[from].reach, dst, remote, len);
}

static enum mend_status shm_push(struct mend_proc *self, mend_peer to, const void *src,
                                 uint64_t remote, size_t len)
{
    return mend_reach_write(rank_of(self, to), &self->shm->in[to].reach, src, remote, len);
}

_Static_assert(sizeof(struct mend_sheet) <= MEND_NODE_SHEET_BYTES, "a sheet is a page");

static struct mend_sheet *shm_sheet(struct mend_proc *self, mend_peer owner)
{
    struct mend_sheet *sheet =
        mend_node_sheet_of(self->node->header, mend_node_place_of(self, owner));

    return owner != self->me || mend_node_touch(self, sheet, sizeof(*sheet)) ? sheet : NULL;
}

static bool shm_attends(struct mend_proc *self, mend_peer peer)
{
    return mend_load_relaxed(&rank_of(self, peer)->attends);
}

static uint32_t shm_offer_stamp(struct mend_proc *self)
{
    return mend_load_relaxed(&rank_of(self, self->me)->withdrawn);
}

static void shm_withdraw(struct mend_proc *self)
{
    struct mend_node_rank *me = rank_of(self, self->me);

    mend_store_relaxed(&me->withdrawn, mend_load_relaxed(&me->withdrawn) + 1);
    /* the memory is written to after this; pairs with the fence in shm_pull() */
    atomic_thread_fence(memory_order_seq_cst);
}

static void shm_hold(struct mend_proc *self)
{
    mend_node_hold(self->node);
}

static void shm_release(struct mend_proc *self)
{
    mend_node_release(self->node);
}

static void shm_close(struct mend_proc *self)
{
    self->shm = NULL;
}

enum mend_status mend_shm_open(struct mend_proc *self)
{
    struct mend_node_header *h = self->node->header;
    struct mend_shm *s = mend_zalloc(self, 1, sizeof(*s));

    if (!s)
        return MEND_ERR_MEM;
    s->node = self->node;
    s->header = h;
    s->me = mend_node_rank_of(h, mend_node_place_of(self, self->me));
    s->bells = mend_node_bells(h, mend_node_place_of(self, self->me));
    s->out = mend_zalloc(self, (size_t)self->peers_max, sizeof(*s->out));
    s->in = mend_zalloc(self, (size_t)self->peers_max, sizeof(*s->in));
    s->seen = mend_zalloc(self, (h->places_n + 7) & ~7u, 1);
    if (!s->out || !s->in || !s->seen)
        return MEND_ERR_MEM;
    s->gone = MEND_PEER_NONE;
    mend_reach_show(s->me, &s->cookie, s->header->job);
    self->shm = s;
    return MEND_OK;
}

const struct mend_net mend_net_shm = {
    .name = "shm",
    .payload_max_bytes = PAYLOAD_MAX,
    .send = shm_send,
    .lay = shm_lay,
    .lays = shm_lays,
    .grow = shm_grow,
    .reserve = shm_reserve,
    .memory_for = shm_memory_for,
    .commit = shm_commit,
    .poll = shm_poll,
    .peek = shm_peek,
    .take = shm_take,
    .sever = shm_sever,
    .forget = shm_forget,
    .meet = shm_meet,
    .pull = shm_pull,
    .fetch = shm_fetch,
    .attends = shm_attends,
    .push = shm_push,
    .sheet = shm_sheet,
    .offer_stamp = shm_offer_stamp,
    .withdraw = shm_withdraw,
    .hold = shm_hold,
    .release = shm_release,
    .close = shm_close,
};

const struct mend_net mend_net_rings = {
    .name = "rings",
    .payload_max_bytes = PAYLOAD_MAX,
    .send = shm_send,
    .reserve = shm_reserve,
    .memory_for = shm_memory_for,
    .commit = shm_commit,
    .poll = shm_poll,
    .peek = shm_peek,
    .take = shm_take,
    .sever = shm_sever,
    .forget = shm_forget,
    .meet = shm_meet,
    .hold = shm_hold,
    .release = shm_release,
    .close = shm_close,
};
