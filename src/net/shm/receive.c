/* SPDX-License-Identifier: BSD-3-Clause */
/* receive.c – the receiver's side of a ring: looking at the bells, delivering in place, and the end of a ring whose sender
 * is dead; the picture and the invariants are in shm.c. */
#include "net/shm/internal.h"

#include <string.h>
#include <unistd.h>

#define DRAIN_MAX      64u /* frames of one peer per poll */
#define BELLS_EVERY    64u /* polls with a hint between two looks at all bells */
#define PREFETCH_BYTES 4096u
#define PAGE_BYTES     4096u
#define READY_AHEAD    4u /* slots; two have a line in common */

static inline void publish_head(struct mend_shm_in *in)
{
    in->published = in->head;
    /* release: pairs with the acquire in out_refresh() */
    mend_store_release(in->consumed, in->head);
}

/* The ring of a sender that has rung: it reserved the pages before. */
static void in_open(struct mend_proc *self, mend_peer from, struct mend_shm_in *in)
{
    mend_place here = mend_node_place_of(self, self->me), there = mend_node_place_of(self, from);
    struct mend_shm *s = self->shm;
    struct mend_node_head *head = mend_node_head_of(s->header, here, there);

    in->slots = mend_node_ring_of(s->header, here, there);
    if (!mend_peer_job(self, from)) {
        in->fbox = mend_node_fbox_of(s->header, here, there);
        in->trays = mend_shm_trays_of(s->header, here, there);
    }
    in->head = in->published = mend_shm_first(self, mend_peer_job(self, from));
    in->fbox_adds = mend_shm_fbox_adds(there, here);
    in->consumed = &head->consumed;
    in->seen = &s->seen[there.at];
}

/* True: the ring may be looked at.  One of a peer that has sent nothing yet has no memory. */
static bool open_if_rung(struct mend_proc *self, mend_peer from, struct mend_shm_in *in)
{
    const mend_atomic_u8 *bell = &self->shm->bells[mend_node_place_of(self, from).at];

    if (in->severed || mend_load_acquire(bell) == 0) /* pairs with the release in ring_bell() */
        return false;
    in_open(self, from, in);
    return true;
}

static bool is_within(uint32_t at, uint32_t len, uint32_t bytes)
{
    return at < bytes && len <= bytes - at;
}

/* On a tray that was the sender's? */
static bool is_on_tray(const struct mend_shm_in *in, uint32_t payload_at, uint32_t len)
{
    uint32_t k = mend_shm_tray_at(payload_at), at = payload_at % MEND_SHM_TRAY_BYTES;

    return k < MEND_SHM_TRAYS && in->trays && !(in->trays_had >> k & 1) &&
           !(at % MEND_CACHE_LINE & ~MEND_SHM_KEPT) && is_within(at, len, MEND_SHM_TRAY_BYTES);
}

/* A payload that has no room in the header's line. */
static bool lies_within(const struct mend_shm_in *in, const struct mend_shm_slot *slot,
                        uint32_t len)
{
    uint32_t at = slot->payload_at;

    return is_within(at, len, MEND_SHM_AREA_BYTES) || is_on_tray(in, at, len);
}

/* A frame that no correct sender writes: the memory is damaged. */
static inline bool frame_is_sound(const struct mend_shm_in *in, const struct mend_shm_slot *slot)
{
    uint32_t len = mend_frame_len(&slot->f), kind = mend_frame_kind(&slot->f);

    return kind > MEND_FRAME_SKIP && kind < MEND_FRAME_KINDS_USED &&
           (!(in->head & 1) || mend_shm_slots_of(len) == 1) &&
           (len <= MEND_SHM_INLINE_MAX || lies_within(in, slot, len));
}

/* Where a tray begins is not computed from the header, which has only just come: a core that guesses that a message is there
 * fetches its payload meanwhile. */
static inline const char *on_tray(const struct mend_shm_in *in, uint32_t payload_at)
{
    for (uint32_t k = 0; k < MEND_SHM_TRAYS; k++) {
        const char *first = in->trays + k * MEND_SHM_TRAY_BYTES;

        if (payload_at == MEND_SHM_ON_TRAY(k)) {
            __asm__ volatile("" : "+r"(first)); /* keeps the branch: the sum is the same */
            return first;
        }
    }
    return in->trays + (payload_at - MEND_SHM_ON_TRAYS) / MEND_CACHE_LINE * MEND_CACHE_LINE;
}

static inline const void *payload_of(const struct mend_shm_in *in, const struct mend_shm_slot *slot)
{
    if (mend_frame_len(&slot->f) <= MEND_SHM_INLINE_MAX)
        return mend_shm_inline_of(slot);
    if (slot->payload_at >= MEND_SHM_ON_TRAYS)
        return on_tray(in, slot->payload_at);
    return (const char *)(in->slots + MEND_SHM_SLOTS) + slot->payload_at;
}

static inline bool has_seq(const struct mend_shm_slot *slot, uint32_t seq)
{
    /* acquire: pairs with the releases in out_publish(), fbox_publish() and out_pad() */
    return __atomic_load_n(&slot->f.seq, __ATOMIC_ACQUIRE) == seq;
}

/* The tray on which the payload lay, if it did, is this process's from now on, unless the sender keeps it. */
static inline void take_tray(struct mend_shm_in *in, const struct mend_shm_slot *slot, uint32_t len)
{
    uint32_t k = mend_shm_tray_at(slot->payload_at);
    uint32_t at = slot->payload_at % MEND_SHM_TRAY_BYTES & ~MEND_SHM_KEPT;
    uint32_t end = (at + len + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);

    if (k >= MEND_SHM_TRAYS)
        return;
    if (in->tray_touched[k] < end)
        in->tray_touched[k] = end;
    if (slot->payload_at & MEND_SHM_KEPT)
        return;
    in->tray_last = (uint8_t)k;
    in->trays_had |= (uint8_t)(1u << k);
}

/* The frame at the head, of len bytes, is done with.  A payload that was read is room for the sender at once: this process may
 * have nothing left to read and sleep, while what the sender has next fits only if all of the payload area is free. */
static inline void step(struct mend_shm_in *in, const struct mend_shm_slot *slot, uint32_t len)
{
    if (len > MEND_SHM_INLINE_MAX)
        take_tray(in, slot, len);
    if (slot == in->fbox) {
        in->turn = true;
        in->head += 2;
    } else {
        in->head += mend_shm_slots_of(len);
    }
    *in->seen = (uint8_t)in->head;
    if (len > MEND_SHM_INLINE_MAX || in->head - in->published >= MEND_SHM_TOLD_SLOTS)
        publish_head(in);
}

/* The second half of a line that holds nothing. */
static inline bool is_pad(const struct mend_shm_in *in, const struct mend_shm_slot *slot)
{
    return mend_unlikely(slot->f.kind_len == 0) && in->head & 1;
}

/* The fast box, if the message at the head is there.  In our turn it holds what we have taken, else news or our own last
 * message, whose seq is odd if the sender's are even; a fast box that nobody has written has seq 0. */
static inline struct mend_shm_slot *next_in_fbox(const struct mend_shm_in *in)
{
    uint32_t seq = in->head + in->fbox_adds;

    return !in->turn && !(in->head & 1) && in->fbox && seq && has_seq(in->fbox, seq) ? in->fbox
                                                                                     : NULL;
}

/* The slot at the head, if a message is published there. */
static inline struct mend_shm_slot *next_slot(struct mend_shm_in *in)
{
    struct mend_shm_slot *slot = &in->slots[in->head & MEND_SHM_SLOT_MASK];

    if (!has_seq(slot, in->head + 1))
        return next_in_fbox(in);
    if (mend_likely(!is_pad(in, slot)))
        return slot;
    step(in, slot, 0);
    slot = &in->slots[in->head & MEND_SHM_SLOT_MASK];
    return has_seq(slot, in->head + 1) ? slot : next_in_fbox(in);
}

/* Asks for the line of a frame that comes later, which the sender's core has.  Only where frames lie ready behind the head: a
 * line that the sender has not written yet would be taken from it. */
static inline void fetch_ahead(const struct mend_shm_in *in)
{
    if (has_seq(&in->slots[(in->head + READY_AHEAD) & MEND_SHM_SLOT_MASK],
                in->head + READY_AHEAD + 1))
        __builtin_prefetch(&in->slots[(in->head + 2 * READY_AHEAD) & MEND_SHM_SLOT_MASK]);
}

/* Delivers up to `max` frames of one peer; fewer if one of them says that it was waited for. */
static unsigned drain(struct mend_proc *self, mend_peer from, unsigned max)
{
    struct mend_shm_in *in = &self->shm->in[from];
    struct mend_shm_slot *slot;
    unsigned n = 0;

    if (mend_unlikely((in->severed || !in->slots) && !open_if_rung(self, from, in)))
        return 0;
    while (n < max && (slot = next_slot(in))) {
        uint32_t len = mend_frame_len(&slot->f);

        fetch_ahead(in);
        if (mend_unlikely(!frame_is_sound(in, slot))) {
            self->on_damage(self, from);
            break;
        }
        self->on_frame[mend_frame_kind(&slot->f)](self, from, &slot->f, payload_of(in, slot));
        step(in, slot, len);
        n++;
        if (mend_unlikely(self->sated))
            break;
    }
    return n;
}

/* Asks for all lines of a payload at once, before a copy asks for one after the other. */
static inline void prefetch_payload(const char *payload, uint32_t len)
{
    for (uint32_t i = 0; i < len && i < PREFETCH_BYTES; i += MEND_CACHE_LINE)
        __builtin_prefetch(payload + i);
}

/* A damaged frame is left for drain(). */
const struct mend_frame *mend_shm_peek(struct mend_proc *self, mend_peer from,
                                       const void **payload_p)
{
    struct mend_shm_in *in = &self->shm->in[from];
    struct mend_shm_slot *slot;

    if (mend_unlikely((in->severed || !in->slots) && !open_if_rung(self, from, in)))
        return NULL;
    slot = next_slot(in);
    if (!slot || mend_unlikely(!frame_is_sound(in, slot)))
        return NULL;
    in->found = slot;
    *payload_p = payload_of(in, slot);
    if (mend_frame_len(&slot->f) > MEND_SHM_INLINE_MAX)
        prefetch_payload(*payload_p, mend_frame_len(&slot->f));
    return &slot->f;
}

void mend_shm_take(struct mend_proc *self, mend_peer from)
{
    struct mend_shm_in *in = &self->shm->in[from];

    step(in, in->found, mend_frame_len(&in->found->f));
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

unsigned mend_shm_poll(struct mend_proc *self, mend_peer hint)
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

    return data >= 0 && data < at + (off_t)self->node->header->ring_bytes;
}

void mend_shm_sever(struct mend_proc *self, mend_peer dead)
{
    uint32_t place = mend_node_place_of(self, dead).at;
    struct mend_shm *s = self->shm;

    if (!s->in[dead].severed && !s->in[dead].slots && may_hold(self, dead) &&
        mend_shm_touch_ring(self, self->me, dead))
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
