/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h – the contents of the ring from one rank to another: slots, then room for payloads too long for a slot.
 *
 *   | slot 0 | slot 1 | ... slot 255 | payload area 256 KiB |      written by the sender (node/layout.h)
 *
 * Two slots are a cache line.  A message of up to 8 bytes takes one, and so does one whose payload lies in the area; what is
 * between the two takes a line, from its beginning:
 *
 *   | header  8 B | header  8 B |        two short messages
 *   | header  8 B | header at   |        a short one, and one that lies at `at`
 *   | header  payload of 9..40  |        one message
 *   | header  8 B | pad         |        the next one takes a line
 *
 * Two ranks that answer each other leave the ring out: each pair has a fast box, one more line, to which they write in turns;
 * the turn is that of the rank that has taken the last message there, and first that of the rank at the lower place:
 *
 *   | header  payload of 0..40  |        seq: index + 1 from the lower rank, which is odd, index + 2 from the upper one
 *   | header  on a tray         |
 *
 * A core that has read a line which another core has just written owns it, and answers without asking for it: a message
 * takes one transfer from core to core where lines of a direction of their own take one and a half.  The message counts
 * as one in the ring, as a line of it that stays as it was, so all keep their order.
 *
 * For the same reason payloads lie on trays, of which each pair has four, if the line that they come with has no room for
 * them, if they are of more than 4 KiB, or if their sender writes them in place, as those of puts and of replies to gets: a
 * message, wherever it is, hands the tray with its payload over to the receiver.  At first each rank has two, so two that
 * send at the same time exchange them, and while one end copies from a tray the other one copies to another.  A rank that
 * has none left goes on in the payload area of the ring.
 *
 * Fragments of a large message lie on a tray one behind the other.  The tray is handed over with the fragment that fills it, or
 * with the last fragment of the message, which is shorter than the one before it.  Until then the rank that fills the tray puts
 * nothing else there. */
#ifndef MEND_NET_SHM_RING_H
#define MEND_NET_SHM_RING_H

#include "net/frame.h"
#include "node/layout.h"

#define MEND_SHM_SLOTS      256u
#define MEND_SHM_SLOT_BYTES 32u
#define MEND_SHM_SHORT_MAX  8u            /* payload within a slot */
#define MEND_SHM_INLINE_MAX 40u           /* payload within a line */
#define MEND_SHM_AREA_BYTES (256u * 1024) /* payloads that do not fit into a line */
#define MEND_SHM_TOLD_SLOTS                                                                        \
    (MEND_SHM_SLOTS / 4) /* a receiver says at the latest that it has read so many */
#define MEND_SHM_TRAYS      4u
#define MEND_SHM_TRAY_BYTES (MEND_NODE_PAIR_BYTES / MEND_SHM_TRAYS)
/* Of so many slots the last MEND_SHM_SLOTS go through the ring: a line of it that stayed as it was until the counter comes
 * round would look like news. */
#define MEND_SHM_LAP (1u << 20)
_Static_assert(MEND_SHM_SLOTS *MEND_SHM_SLOT_BYTES + MEND_SHM_AREA_BYTES == MEND_NODE_RING_BYTES,
               "the layout has this room for it");

/* What payload_at says of a payload that is not in the area. */
#define MEND_SHM_ON_TRAYS   (3u << 30) /* and more: there, counted from the first tray */
#define MEND_SHM_ON_TRAY(k) (MEND_SHM_ON_TRAYS + (k)*MEND_SHM_TRAY_BYTES)
#define MEND_SHM_KEPT       1u /* added to one on a tray that stays with the sender */

struct mend_shm_slot {
    struct mend_frame f; /* f.seq == index + 1: published; written last, with release */
    union {
        unsigned char
            inline_bytes[MEND_SHM_SHORT_MAX]; /* of a longer one: those of the next slot, too */
        uint32_t
            payload_at; /* payloads longer than MEND_SHM_INLINE_MAX: offset in the payload area, or below */
    };
};
_Static_assert(sizeof(struct mend_shm_slot) == MEND_SHM_SLOT_BYTES &&
                   2 * MEND_SHM_SLOT_BYTES == MEND_CACHE_LINE &&
                   offsetof(struct mend_shm_slot, inline_bytes) + MEND_SHM_INLINE_MAX ==
                       MEND_CACHE_LINE,
               "two slots are a line");

/* Slots that a message with a payload of len bytes takes. */
static inline uint32_t mend_shm_slots_of(uint32_t len)
{
    return len > MEND_SHM_SHORT_MAX && len <= MEND_SHM_INLINE_MAX ? 2 : 1;
}

/* What a message in a fast box has as its seq, above its index. */
static inline uint32_t mend_shm_fbox_adds(mend_place from, mend_place to)
{
    return from.at < to.at ? 1 : 2;
}

/* The tray that payload_at means; MEND_SHM_TRAYS or more: none. */
static inline uint32_t mend_shm_tray_at(uint32_t payload_at)
{
    return payload_at < MEND_SHM_ON_TRAYS ? MEND_SHM_TRAYS
                                          : (payload_at - MEND_SHM_ON_TRAYS) / MEND_SHM_TRAY_BYTES;
}

static inline unsigned char *mend_shm_inline_of(const struct mend_shm_slot *slot)
{
    return (unsigned char *)(uintptr_t)slot + offsetof(struct mend_shm_slot, inline_bytes);
}

/* Where their trays begin; NULL: they have none. */
static inline char *mend_shm_trays_of(struct mend_node_header *h, mend_place a, mend_place b)
{
    return a.at < b.at ? mend_node_pair_of(h, a, b) : mend_node_pair_of(h, b, a);
}

#endif
