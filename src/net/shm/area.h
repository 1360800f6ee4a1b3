/* SPDX-License-Identifier: BSD-3-Clause */
/* area.h – where a sender puts pieces of large messages, and long payloads of a stream, instead of the bulk of a ring.
 *
 *   area of rank j, written by j:   | block | block | ... 256 x 16 KiB      slots of rings j -> i say where
 *                                       └ in use until the slot that named it was consumed
 *
 * A sender has one area for all receivers, larger than a second-level cache, and uses its blocks round robin: a line
 * that another core has read recently takes long to write.  Where the cores are far from each other, stores past the
 * caches can help, which a few blocks are enough to try.  p2p/single_copy.c measures which way is the fastest, and for
 * payloads in a stream the transport does.  A long one takes several blocks.
 *
 * A new page costs as much as many messages, so the area grows with the data that is sent: by one block for each
 * GROW_PART times as much data, and less by messages that go through the ring as fast, or not at all (p2p/single_copy.c,
 * send.c).
 *
 * Cost: one load for each block. */
#ifndef MEND_NET_SHM_AREA_H
#define MEND_NET_SHM_AREA_H

#include "node/layout.h"
#include "proc/proc.h"

#define MEND_AREA_BLOCK  (16u * 1024)
#define MEND_AREA_BLOCKS (MEND_NODE_AREA_BYTES / MEND_AREA_BLOCK)
#define MEND_AREA_PAST   16u /* blocks from which on stores past the caches are worth a try */
#define MEND_AREA_FEW                                                                              \
    128u /* blocks from which on it is worth a try to walk it: they leave the caches of both cores */

/* The sender's side, private. */
struct mend_area {
    char *base; /* NULL: not used yet */
    uint32_t next;
    uint32_t ready_n; /* blocks whose pages are there */
    uint64_t due;     /* bytes that it is to grow by, less than a block */
    bool first;       /* what was taken last was not in use before */
    struct {
        const mend_atomic_u32 *consumed; /* of the ring whose slot names the block; NULL: of none */
        uint32_t slot;                   /* number of that slot */
    } block[MEND_AREA_BLOCKS];
};

/* So many bytes more are on their way to other ranks: as many blocks as that is worth.  Without memory it stays as it is. */
void mend_area_grow(struct mend_proc *self, struct mend_area *a, uint64_t bytes);

/* Bits 1 << enum mend_lay: what the area is large enough for. */
unsigned mend_area_lays(const struct mend_area *a);

/* Free blocks for len bytes that the next slot of a ring names, as an offset in the area; UINT32_MAX: none are free. */
uint32_t mend_area_take(struct mend_area *a, uint32_t len, const mend_atomic_u32 *consumed,
                        uint32_t slot);

/* Nobody will consume the slots of that ring any more. */
void mend_area_forget(struct mend_area *a, const mend_atomic_u32 *consumed);

/* As memcpy, into a block; past_caches: its lines are in no cache afterwards, where the processor can do that. */
void mend_area_copy(void *to, const void *from, size_t n, bool past_caches);

#endif
