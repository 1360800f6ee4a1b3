/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.h – the library's own memory, apart from the program's heap.
 *
 * Roll-back of the program's memory (seed 001) must not touch the library, so the library never
 * calls malloc: it takes whole mappings from the kernel and cuts them into size classes.
 *
 *   chunk (256 KiB mapping) -> block = 16-byte header + payload, payload 16-byte aligned
 *   class c holds payloads of 16, 32, 48, 64, 96, 128, 192, 256, ... bytes (two steps per octave)
 *   payloads above 64 KiB are mappings of their own
 *
 * Cost: allocation and release are O(1), one list operation.  Invariants:
 *   1  a block's header says its class as long as the block exists (checked at release);
 *   2  a free block is in exactly one free list, the one of its class;
 *   3  memory of small blocks is returned to the kernel only by mend_arena_destroy().
 * Not thread safe: the caller holds the library's lock. */
#ifndef MEND_BASE_ARENA_H
#define MEND_BASE_ARENA_H

#include "base/list.h"
#include "base/status.h"

#define MEND_ARENA_CLASSES 26

struct mend_arena {
    void *free[MEND_ARENA_CLASSES]; /* singly linked through the payload */
    char *chunk_next, *chunk_end;   /* uncut rest of the newest chunk */
    struct mend_list chunks;        /* all chunks */
    struct mend_list large;         /* blocks with a mapping of their own */
    size_t in_use_bytes;
};

/* Takes a first chunk from the kernel and puts the arena itself into it.  NULL: no memory. */
struct mend_arena *mend_arena_create(void);

/* Gives everything back to the kernel, the arena included. */
void mend_arena_destroy(struct mend_arena *arena);

/* n bytes, 16-byte aligned, not cleared; n == 0 gives a unique pointer.  NULL: no memory. */
void *mend_arena_alloc(struct mend_arena *arena, size_t n);

/* Releases p (NULL does nothing). */
void mend_arena_free(struct mend_arena *arena, void *p);

#endif
