/* SPDX-License-Identifier: BSD-3-Clause */
/* winlock_words.h – the words of a window's lock, and what a death does to them.
 *
 *   excl        a word per target    FREE ──CAS──> TRYING(i) ──CAS──> HELD(i) ──CAS──> FREE       by origin i
 *                                    HELD(dead) ──CAS──> POISONED, TRYING(dead) ──CAS──> FREE     by any process
 *   shared[i]   a byte per target and origin, which i writes: 0, trying, holding
 *   any[i]      a byte per window, which i writes: it has or wants an exclusive lock of some target; in a line of its own
 *               if the caller has laid them apart, because every exclusive lock writes it
 *   all[i]      a byte per window, which i writes: lock_all: 0, trying, holding
 *
 * The words may be in shared memory, or those of a target that acts for origins which it hears of by messages: `me` is
 * the origin, and not necessarily the caller.  Each step that a death asks for is one compare-and-swap from an exact
 * value, so any number of processes may take it, and may die in it. */
#ifndef MEND_RMA_WINLOCK_WORDS_H
#define MEND_RMA_WINLOCK_WORDS_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

/* The simulator gives another process the processor before each access. */
#ifndef MEND_WINLOCK_STOP
#define MEND_WINLOCK_STOP() ((void)0)
#endif

/* Bytes of origins. */
enum { MEND_WINLOCK_NONE, MEND_WINLOCK_TRIES, MEND_WINLOCK_HOLDS };

/* Values of excl. */
#define MEND_WINLOCK_FREE       0u
#define MEND_WINLOCK_DEAD       3u
#define MEND_WINLOCK_TRYING(i)  ((uint32_t)((i) + 1) << 2 | 1u)
#define MEND_WINLOCK_HELD_BY(i) ((uint32_t)((i) + 1) << 2 | 2u)
#define MEND_WINLOCK_WHO(v)     ((int)((v) >> 2) - 1)

struct mend_winlock_words {
    mend_atomic_u32 *excl;              /* of the target */
    mend_atomic_u8 *shared, *any, *all; /* by origin */
    uint32_t any_apart;                 /* bytes from one any[i] to the next */
    int n, me;
    uint32_t *wanted; /* private to `me`: how many exclusive locks it has or wants */
    bool bereaved;    /* a member is dead: only then are the dead looked for */
    bool (*is_dead)(const void *of, int rank);
    const void *of;
};

static inline bool mend_winlock_swap(mend_atomic_u32 *word, uint32_t from, uint32_t to)
{
    MEND_WINLOCK_STOP();
    return atomic_compare_exchange_strong(word, &from, to);
}

static inline uint32_t mend_winlock_look(mend_atomic_u32 *word)
{
    MEND_WINLOCK_STOP();
    return mend_load_acquire(word);
}

static inline uint8_t mend_winlock_look_byte(mend_atomic_u8 *byte)
{
    MEND_WINLOCK_STOP();
    return mend_load_acquire(byte);
}

static inline void mend_winlock_set_byte(mend_atomic_u8 *byte, uint8_t value)
{
    MEND_WINLOCK_STOP();
    mend_store_release(byte,
                       value); /* release: pairs with the acquire in mend_winlock_look_byte() */
}

static inline bool mend_winlock_is_dead(const struct mend_winlock_words *w, int rank)
{
    return w->bereaved && w->is_dead(w->of, rank);
}

/* A shared holder is dead: poisons the lock, whatever excl says; it cannot be HELD. */
static inline void mend_winlock_poison(const struct mend_winlock_words *w)
{
    uint32_t v = mend_winlock_look(w->excl);

    while (v != MEND_WINLOCK_DEAD && !mend_winlock_swap(w->excl, v, MEND_WINLOCK_DEAD))
        v = mend_winlock_look(w->excl);
}

/* What the death of a member means for the lock of this target. */
static inline void mend_winlock_bury(const struct mend_winlock_words *w, int dead)
{
    mend_winlock_swap(w->excl, MEND_WINLOCK_HELD_BY(dead), MEND_WINLOCK_DEAD);
    mend_winlock_swap(w->excl, MEND_WINLOCK_TRYING(dead), MEND_WINLOCK_FREE);
    if (mend_winlock_look_byte(&w->shared[dead]) == MEND_WINLOCK_HOLDS)
        mend_winlock_poison(w);
}

static inline void mend_winlock_bury_all(const struct mend_winlock_words *w)
{
    for (int i = 0; w->bereaved && i < w->n; i++)
        if (i != w->me && w->is_dead(w->of, i))
            mend_winlock_bury(w, i);
}

/* True if a living origin but `me` has its byte set. */
static inline bool mend_winlock_is_set(const struct mend_winlock_words *w, mend_atomic_u8 *bytes,
                                       uint32_t apart)
{
    for (int i = 0; i < w->n; i++)
        if (i != w->me && mend_winlock_look_byte(&bytes[(uint32_t)i * apart]) &&
            !mend_winlock_is_dead(w, i))
            return true;
    return false;
}

static inline mend_atomic_u8 *mend_winlock_any(const struct mend_winlock_words *w, int rank)
{
    return &w->any[(uint32_t)rank * w->any_apart];
}

#endif
