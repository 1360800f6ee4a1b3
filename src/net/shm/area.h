/* SPDX-License-Identifier: BSD-3-Clause */
/* area.h – where a sender lays pieces of large messages instead of the bulk of a ring.
 *
 *   area of rank j, written by j:   | block | block | ... 256 x 16 KiB      slots of rings j -> i say where
 *                                       └ in use until the slot that named it was consumed
 *
 * One for all receivers of a sender, larger than a second-level cache, and walked round and round: a line that the
 * other core has read lately is dear to write.  Where the cores are far from each other, it helps to store past the
 * caches.  Which of it is the fastest is p2p/'s to find out (single_copy.c).
 *
 * Cost: a look at one word for each block; pages are reserved when they are first used. */
#ifndef MEND_NET_SHM_AREA_H
#define MEND_NET_SHM_AREA_H

#include "node/layout.h"
#include "proc/proc.h"

#define MEND_AREA_BLOCK  (16u * 1024)
#define MEND_AREA_BLOCKS (MEND_NODE_AREA_BYTES / MEND_AREA_BLOCK)

/* The sender's side, private. */
struct mend_area {
    char *base; /* NULL: not used yet */
    uint32_t next, touched;
    struct {
        const mend_atomic_u32 *consumed; /* of the ring whose slot names the block; NULL: of none */
        uint32_t slot;                   /* number of that slot */
    } block[MEND_AREA_BLOCKS];
};

/* A free block for the next slot of a ring, as an offset in the area; UINT32_MAX: none is free, or no memory. */
uint32_t mend_area_take(struct mend_proc *self, struct mend_area *a,
                        const mend_atomic_u32 *consumed, uint32_t slot);

/* Nobody will consume the slots of that ring any more. */
void mend_area_forget(struct mend_area *a, const mend_atomic_u32 *consumed);

/* As memcpy, into a block; past_caches: its lines are in no cache afterwards, where the processor can do that. */
void mend_area_copy(void *to, const void *from, size_t n, bool past_caches);

#endif
