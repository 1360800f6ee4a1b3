/* SPDX-License-Identifier: BSD-3-Clause */
/* acclock_sm.h – a lock for those elements of a part that no atomic instruction can change: a word per part.
 *
 *   FREE ──CAS──> TAKEN_BY(i) ──store──> FREE      by origin i
 *   TAKEN_BY(dead) ──CAS──> TAKEN_BY(i)            by the next process that wants it
 *
 * The death of an origin that has it poisons nothing: an accumulate of a dead process may have changed some elements
 * and others not, with or without a lock.
 *
 * Pure: a try looks at the word and never waits.  Held only while elements are changed, never while a process waits.
 *
 * Invariant: the word is TAKEN_BY(i) from i's successful try to i's release, while i lives; only i stores FREE. */
#ifndef MEND_RMA_ACCLOCK_SM_H
#define MEND_RMA_ACCLOCK_SM_H

#include "base/atomic.h"

#include <stdbool.h>

#define MEND_ACCLOCK_FREE        0u
#define MEND_ACCLOCK_TAKEN_BY(i) ((uint32_t)(i) + 1)

/* True: it was free, and `me` has it. */
static inline bool mend_acclock_take(mend_atomic_u32 *word, int me)
{
    uint32_t was = MEND_ACCLOCK_FREE;

    /* acquire: pairs with the release in mend_acclock_release() */
    return atomic_compare_exchange_strong_explicit(word, &was, MEND_ACCLOCK_TAKEN_BY(me),
                                                   memory_order_acquire, memory_order_relaxed);
}

/* True: `me` has it.  is_dead must not change within a try. */
static inline bool mend_acclock_try(mend_atomic_u32 *word, int me,
                                    bool (*is_dead)(const void *of, int rank), const void *of)
{
    uint32_t was = MEND_ACCLOCK_FREE;

    /* acquire: pairs with the release in mend_acclock_release() */
    if (atomic_compare_exchange_strong_explicit(word, &was, MEND_ACCLOCK_TAKEN_BY(me),
                                                memory_order_acquire, memory_order_relaxed))
        return true;
    return is_dead(of, (int)was - 1) &&
           atomic_compare_exchange_strong_explicit(word, &was, MEND_ACCLOCK_TAKEN_BY(me),
                                                   memory_order_acquire, memory_order_relaxed);
}

static inline bool mend_acclock_has(mend_atomic_u32 *word, int me)
{
    return mend_load_relaxed(word) == MEND_ACCLOCK_TAKEN_BY(me);
}

static inline void mend_acclock_release(mend_atomic_u32 *word)
{
    mend_store_release(word, MEND_ACCLOCK_FREE);
}

#endif
