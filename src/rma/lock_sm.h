/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_sm.h – the lock of a window's part: words in shared memory that a process may leave at any instruction.
 *
 * There is no queue and no ticket, because a process that waits in one and dies would hold up all behind it.
 *
 *   excl        a word per target    FREE ──CAS──> TRYING(i) ──CAS──> HELD(i) ──CAS──> FREE       by origin i
 *                                    HELD(dead) ──CAS──> POISONED, TRYING(dead) ──CAS──> FREE     by whoever sees it
 *   shared[i]   a byte per target and origin, which i writes: 0, trying, holding
 *   any[i]      a byte per window, which i writes: it has or wants an exclusive lock of some target
 *   all[i]      a byte per window, which i writes: lock_all: 0, trying, holding
 *
 *   exclusive   any[me] = 1; excl FREE -> TRYING(me); fence; until no shared[i] of the target and no all[i] is set;
 *               excl -> HELD(me)
 *   shared      shared[me] = trying; fence; is excl FREE?  then holding; else shared[me] = 0, and again later
 *   lock_all    all[me] = trying; fence; is no any[i] set?  then holding; else all[me] = 0, and again later
 *
 * Both sides store first and look then, with a fence between, so at least one of two that exclude each other sees the
 * other.  Who wants the exclusive lock stays at TRYING and the others step back, so they do not hold up each other for
 * ever; two that want it meet at the compare-and-swap, and one of them gets it.
 *
 * Deaths.  A holder's death poisons the lock of that target for the window's life (S0-48, R9), an exclusive one's and a
 * shared one's; the other holders of a shared lock learn of it as they unlock (R32).  lock_all is access, not ownership:
 * its holder's death poisons nothing (R39), and neither does that of one that waited.  Each step that a death asks for
 * is one compare-and-swap from an exact value, so any number of processes may take it, and may die in it.
 *
 * Pure: a step looks at the words and never waits; the caller sleeps and calls again.  The words may be shared, or
 * those of a target that acts for origins which it hears of by messages: `me` is the origin, whoever calls.  A step
 * costs the compare-and-swap, and a look at n bytes with an exclusive lock or lock_all.
 *
 * Invariants, of living members:
 *   1  HELD(i): no shared[j] of the target and no all[j] is `holding`;
 *   2  a lock that somebody held as it died is never held again, but by those that held it then;
 *   3  a member that is not in a call, and holds nothing, has 0 in all its bytes. */
#ifndef MEND_RMA_LOCK_SM_H
#define MEND_RMA_LOCK_SM_H

#include "base/atomic.h"

#include <stdbool.h>

/* The simulator gives another process the processor before each access. */
#ifndef MEND_LOCK_STOP
#define MEND_LOCK_STOP() ((void)0)
#endif

enum mend_lock_kind { MEND_LOCK_EXCLUSIVE, MEND_LOCK_SHARED, MEND_LOCK_ALL, MEND_LOCK_KINDS };

enum mend_lock_result { MEND_LOCK_WAIT, MEND_LOCK_HELD, MEND_LOCK_POISONED };

/* Bytes of origins. */
enum { MEND_LOCK_NONE, MEND_LOCK_TRIES, MEND_LOCK_HOLDS };

/* Values of excl. */
#define MEND_LOCK_FREE       0u
#define MEND_LOCK_DEAD       3u
#define MEND_LOCK_TRYING(i)  ((uint32_t)((i) + 1) << 2 | 1u)
#define MEND_LOCK_HELD_BY(i) ((uint32_t)((i) + 1) << 2 | 2u)
#define MEND_LOCK_WHO(v)     ((int)((v) >> 2) - 1)

struct mend_lock_words {
    mend_atomic_u32 *excl;                /* of the target */
    mend_atomic_u8 *shared, *any, *all;   /* by origin */
    int n, me;
    uint32_t *wanted;                     /* private to `me`: how many exclusive locks it has or wants */
    bool bereaved;                        /* a member is dead: only then are the dead looked for */
    bool (*is_dead)(const void *of, int rank);
    const void *of;
};

struct mend_lock {
    enum mend_lock_kind kind;
    enum { MEND_LOCK_OUTSIDE, MEND_LOCK_WANTS, MEND_LOCK_INSIDE, MEND_LOCK_OWNS } state;
};

static inline void mend_lock_begin(struct mend_lock *l, enum mend_lock_kind kind)
{
    l->kind = kind;
    l->state = MEND_LOCK_OUTSIDE;
}

static inline bool mend_lock_swap(mend_atomic_u32 *word, uint32_t from, uint32_t to)
{
    MEND_LOCK_STOP();
    return atomic_compare_exchange_strong(word, &from, to);
}

static inline uint32_t mend_lock_look(mend_atomic_u32 *word)
{
    MEND_LOCK_STOP();
    return mend_load_acquire(word);
}

static inline uint8_t mend_lock_look_byte(mend_atomic_u8 *byte)
{
    MEND_LOCK_STOP();
    return mend_load_acquire(byte);
}

static inline void mend_lock_set_byte(mend_atomic_u8 *byte, uint8_t value)
{
    MEND_LOCK_STOP();
    mend_store_release(byte, value); /* release: pairs with the acquire in mend_lock_look_byte() */
}

static inline bool mend_lock_is_dead(const struct mend_lock_words *w, int rank)
{
    return w->bereaved && w->is_dead(w->of, rank);
}

/* A shared holder is dead: whatever excl says but for a holder, who cannot be. */
static inline void mend_lock_poison(const struct mend_lock_words *w)
{
    uint32_t v = mend_lock_look(w->excl);

    while (v != MEND_LOCK_DEAD && !mend_lock_swap(w->excl, v, MEND_LOCK_DEAD))
        v = mend_lock_look(w->excl);
}

/* What the death of a member means for the lock of this target. */
static inline void mend_lock_bury(const struct mend_lock_words *w, int dead)
{
    mend_lock_swap(w->excl, MEND_LOCK_HELD_BY(dead), MEND_LOCK_DEAD);
    mend_lock_swap(w->excl, MEND_LOCK_TRYING(dead), MEND_LOCK_FREE);
    if (mend_lock_look_byte(&w->shared[dead]) == MEND_LOCK_HOLDS)
        mend_lock_poison(w);
}

static inline void mend_lock_bury_all(const struct mend_lock_words *w)
{
    for (int i = 0; w->bereaved && i < w->n; i++)
        if (i != w->me && w->is_dead(w->of, i))
            mend_lock_bury(w, i);
}

/* True if a living origin but `me` has its byte set. */
static inline bool mend_lock_is_set(const struct mend_lock_words *w, mend_atomic_u8 *bytes)
{
    for (int i = 0; i < w->n; i++)
        if (i != w->me && mend_lock_look_byte(&bytes[i]) && !mend_lock_is_dead(w, i))
            return true;
    return false;
}

static inline void mend_lock_want(const struct mend_lock_words *w, int more)
{
    *w->wanted += (uint32_t)more;
    mend_lock_set_byte(&w->any[w->me], *w->wanted != 0);
}

static inline enum mend_lock_result mend_lock_refuse(struct mend_lock *l, const struct mend_lock_words *w)
{
    if (l->kind == MEND_LOCK_EXCLUSIVE)
        mend_lock_want(w, -1);
    l->state = MEND_LOCK_OUTSIDE;
    return MEND_LOCK_POISONED;
}

static inline enum mend_lock_result mend_lock_step_exclusive(struct mend_lock *l,
                                                             const struct mend_lock_words *w)
{
    uint32_t mine = MEND_LOCK_TRYING(w->me), v;

    if (l->state == MEND_LOCK_OUTSIDE) {
        mend_lock_want(w, 1);
        l->state = MEND_LOCK_WANTS;
    }
    if (l->state == MEND_LOCK_WANTS) {
        if (!mend_lock_swap(w->excl, MEND_LOCK_FREE, mine))
            return mend_lock_look(w->excl) == MEND_LOCK_DEAD ? mend_lock_refuse(l, w)
                                                              : MEND_LOCK_WAIT;
        l->state = MEND_LOCK_INSIDE;
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with those of the other two */
    if (mend_lock_is_set(w, w->shared) || mend_lock_is_set(w, w->all)) {
        v = mend_lock_look(w->excl); /* poisoned meanwhile, or once more this one's turn */
        return v == MEND_LOCK_DEAD ? mend_lock_refuse(l, w) : MEND_LOCK_WAIT;
    }
    if (!mend_lock_swap(w->excl, mine, MEND_LOCK_HELD_BY(w->me)))
        return mend_lock_refuse(l, w);
    l->state = MEND_LOCK_OWNS;
    return MEND_LOCK_HELD;
}

static inline enum mend_lock_result mend_lock_step_shared(struct mend_lock *l,
                                                          const struct mend_lock_words *w)
{
    uint32_t v;

    mend_lock_set_byte(&w->shared[w->me], MEND_LOCK_TRIES);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with that of mend_lock_step_exclusive() */
    v = mend_lock_look(w->excl);
    if (v == MEND_LOCK_FREE) {
        mend_lock_set_byte(&w->shared[w->me], MEND_LOCK_HOLDS);
        l->state = MEND_LOCK_OWNS;
        return MEND_LOCK_HELD;
    }
    mend_lock_set_byte(&w->shared[w->me], MEND_LOCK_NONE);
    return v == MEND_LOCK_DEAD ? MEND_LOCK_POISONED : MEND_LOCK_WAIT;
}

static inline enum mend_lock_result mend_lock_step_all(struct mend_lock *l,
                                                       const struct mend_lock_words *w)
{
    mend_lock_set_byte(&w->all[w->me], MEND_LOCK_TRIES);
    atomic_thread_fence(memory_order_seq_cst); /* pairs with that of mend_lock_step_exclusive() */
    if (mend_lock_is_set(w, w->any)) {
        mend_lock_set_byte(&w->all[w->me], MEND_LOCK_NONE);
        return MEND_LOCK_WAIT;
    }
    mend_lock_set_byte(&w->all[w->me], MEND_LOCK_HOLDS);
    l->state = MEND_LOCK_OWNS;
    return MEND_LOCK_HELD;
}

/* Goes on with a lock that was begun.  WAIT: when a word may have changed, or somebody died, call again.
 * POISONED: it is held by nobody, and never will be; the machine is as before its beginning. */
static inline enum mend_lock_result mend_lock_step(struct mend_lock *l, const struct mend_lock_words *w)
{
    mend_lock_bury_all(w);
    switch (l->kind) {
    case MEND_LOCK_EXCLUSIVE:
        return mend_lock_step_exclusive(l, w);
    case MEND_LOCK_SHARED:
        return mend_lock_step_shared(l, w);
    default:
        return mend_lock_step_all(l, w);
    }
}

/* Gives back what is held.  POISONED: somebody died who held it as well, or in its place. */
static inline enum mend_lock_result mend_lock_release(struct mend_lock *l, const struct mend_lock_words *w)
{
    bool poisoned = false;

    if (l->kind == MEND_LOCK_EXCLUSIVE) {
        poisoned = !mend_lock_swap(w->excl, MEND_LOCK_HELD_BY(w->me), MEND_LOCK_FREE);
        mend_lock_want(w, -1);
    } else if (l->kind == MEND_LOCK_SHARED) {
        mend_lock_bury_all(w);
        poisoned = mend_lock_look(w->excl) == MEND_LOCK_DEAD;
        mend_lock_set_byte(&w->shared[w->me], MEND_LOCK_NONE);
    } else {
        mend_lock_set_byte(&w->all[w->me], MEND_LOCK_NONE);
    }
    l->state = MEND_LOCK_OUTSIDE;
    return poisoned ? MEND_LOCK_POISONED : MEND_LOCK_HELD;
}

/* A waiter gives up. */
static inline void mend_lock_abandon(struct mend_lock *l, const struct mend_lock_words *w)
{
    if (l->state == MEND_LOCK_INSIDE)
        mend_lock_swap(w->excl, MEND_LOCK_TRYING(w->me), MEND_LOCK_FREE);
    if (l->kind == MEND_LOCK_EXCLUSIVE && l->state != MEND_LOCK_OUTSIDE)
        mend_lock_want(w, -1);
    l->state = MEND_LOCK_OUTSIDE;
}

#endif
