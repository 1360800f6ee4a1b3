/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.h – the contents of the ring from one rank to another: slots, then room for payloads too long for a slot.
 *
 *   | slot 0 | slot 1 | ... slot 127 | bulk 256 KiB |      written by the sender (node/layout.h)
 *
 * A slot is one cache line: a frame's header, and the payload or where it is. */
#ifndef MEND_NET_SHM_RING_H
#define MEND_NET_SHM_RING_H

#include "net/frame.h"
#include "node/layout.h"

#define MEND_SHM_SLOTS      128u /* at most 256: the doorbell is 8 bits of a counter */
#define MEND_SHM_SLOT_BYTES 64u
#define MEND_SHM_INLINE_MAX 40u           /* payload within the slot */
#define MEND_SHM_BULK_BYTES (256u * 1024) /* payloads that do not fit into a slot */
_Static_assert(MEND_SHM_SLOTS *MEND_SHM_SLOT_BYTES + MEND_SHM_BULK_BYTES == MEND_NODE_RING_BYTES,
               "the layout has this room for it");

/* The frame's first 24 bytes, then the payload or where it is. */
struct mend_shm_slot {
    struct mend_frame f; /* f.seq == index + 1: published; written last, with release */
    union {
        unsigned char inline_bytes[MEND_SHM_INLINE_MAX];
        uint32_t bulk_at; /* payloads longer than MEND_SHM_INLINE_MAX: offset in the bulk area;
                             from MEND_SHM_BULK_BYTES on in the sender's area (net/shm/area.h), behind that */
    };
};
_Static_assert(sizeof(struct mend_shm_slot) == MEND_SHM_SLOT_BYTES, "one cache line");

#endif
