/* SPDX-License-Identifier: BSD-3-Clause */
/* arena.h – the library's own memory, apart from the program's heap.
 *
 * Rolling back the program's memory (Bronevetsky's proposal) must not affect the library, so the library never
 * calls malloc: it takes whole mappings from the kernel and cuts them into size classes.
 *
 *   chunk (256 KiB mapping) -> block = 16-byte header + payload, payload 16-byte aligned
 *   class c holds payloads of 16, 32, 48, 64, 96, 128, 192, 256, ... bytes (two steps per octave)
 *   each payload above 64 KiB is a separate mapping; a few that were released last are kept for the next ones, because a new
 *   mapping costs a page fault and a cleared page for every 4 KiB
 *
 * A failed allocation returns NULL, which the caller reports.  Some failures cannot be reported, because other
 * processes depend on the operation (a vote, a frame, a death, a decision).  For these the caller *presses* the
 * arena, which then uses a reserve for what the kernel refuses.
 *
 *   mend_arena_press()    from here on allocations may use the reserve; may be nested
 *   mend_arena_relax()    until here
 *
 * The reserve is a chunk taken from the kernel in advance, and the released blocks of 4 KiB and more, which serve smaller
 * requests, too.  Once that is less than half a chunk, every other allocation must refill it first, and fails if it
 * cannot: so operations that have begun find memory for their consequences, and no new ones begin.  If even the reserve
 * is too small, `exhausted` is called.
 *
 * Cost: allocation and release are O(1), one list operation.  Invariants:
 *   1  a block's header holds its class as long as the block exists (checked at release);
 *   2  a free block is in exactly one free list, the one of its class;
 *   3  memory of small blocks is returned to the kernel only by mend_arena_destroy(); of large ones at most four and
 *      MEND_ARENA_SPARE_MAX are kept, and none while the kernel refuses memory;
 *   4  a block of the reserve's chunk that is released goes to the free list of its class, like any other; the chunk itself
 *      is replaced, not filled up again.
 * Not thread safe: the caller holds the library's lock. */
#ifndef MEND_BASE_ARENA_H
#define MEND_BASE_ARENA_H

#include "base/list.h"
#include "base/status.h"

/* Addresses where the kernel puts no mappings of the program: a roll-back needs those that the program had, and it may have
 * given some back (snap/).  The sanitizers have their own memory there. */
#define MEND_APART_ARENA   UINT64_C(0x500000000000)
#define MEND_APART_SEGMENT UINT64_C(0x080000000000)

/* The place to ask the kernel for, `offset` bytes behind one of the two; NULL: any. */
static inline void *mend_apart(uint64_t place, uint64_t offset)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && UINTPTR_MAX > UINT32_MAX
    return (void *)(uintptr_t)(place + offset);
#else
    (void)place;
    (void)offset;
    return NULL;
#endif
}

/* Of a function that reads small blocks which may have been released. */
#ifdef __SANITIZE_ADDRESS__
#define MEND_LOOKS_AT_RELEASED __attribute__((no_sanitize_address))
#else
#define MEND_LOOKS_AT_RELEASED
#endif

#define MEND_ARENA_CLASSES   26
#define MEND_ARENA_SMALL_MAX ((size_t)64 * 1024) /* larger ones are not in the reserve */
#define MEND_ARENA_SPARE_MAX ((size_t)32 * 1024 * 1024)

struct mend_arena {
    void *free[MEND_ARENA_CLASSES]; /* singly linked through the payload */
    char *chunk_next, *chunk_end;   /* uncut rest of the newest chunk */
    struct mend_list chunks;        /* all chunks */
    struct mend_list large;         /* blocks with a mapping of their own */
    struct mend_list spare;         /* the same, released; the one released last is the first */
    unsigned spare_n;
    size_t spare_bytes;
    size_t in_use_bytes;
    size_t mapped_bytes; /* ever, also what has been given back */
    char *reserve_next, *reserve_end;
    unsigned pressed;
    bool strained; /* the chunk of the reserve is half used, or `faults` says something */
    void (*exhausted)(void *of); /* ends the process; NULL: the allocation fails */
    void *exhausted_of;
    struct mend_arena_faults {
        uint32_t fail_at; /* the allocation that fails, counted from now on: 1: the next; 0: none */
        bool ever_after;  /* and all that follow it */
        uint32_t denied_n;
    } faults; /* tests */
};

/* Takes a first chunk from the kernel and puts the arena itself into it.  NULL: no memory. */
struct mend_arena *mend_arena_create(void);

/* Gives everything back to the kernel, the arena included. */
void mend_arena_destroy(struct mend_arena *arena);

/* n bytes, 16-byte aligned, not cleared; n == 0 gives a unique pointer.  NULL: no memory. */
void *mend_arena_alloc(struct mend_arena *arena, size_t n);

/* The same, cleared.  Of a block that is a mapping of its own only those pages exist that are used. */
void *mend_arena_zalloc(struct mend_arena *arena, size_t n);

/* Releases p (NULL does nothing). */
void mend_arena_free(struct mend_arena *arena, void *p);

/* Allocations that nobody can report the failure of, from press to relax. */
void mend_arena_press(struct mend_arena *arena);
void mend_arena_relax(struct mend_arena *arena);

/* The reserve is less than half a chunk, and nothing but what is pressed finds memory for now. */
bool mend_arena_is_low(const struct mend_arena *arena);

/* Calls each() for every mapping that the arena has. */
void mend_arena_each(const struct mend_arena *arena,
                     void (*each)(void *of, const void *at, size_t bytes), void *of);

/* For tests: which allocations fail as if the kernel had refused them.  Counts from 0 again. */
void mend_arena_set_faults(struct mend_arena *arena, uint32_t fail_at, bool ever_after);

#endif
