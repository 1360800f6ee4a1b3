/* SPDX-License-Identifier: BSD-3-Clause */
/* winlock_sm.h – the lock of a window's part: words in shared memory that a process may leave at any instruction.
 *
 * There is no queue and no ticket, because a process that waits in one and dies would hold up all behind it.
 *
 *   excl        a word per target    FREE ──CAS──> TRYING(i) ──CAS──> HELD(i) ──CAS──> FREE       by origin i
 *                                    HELD(dead) ──CAS──> POISONED, TRYING(dead) ──CAS──> FREE     by any process
 *   shared[i]   a byte per target and origin, which i writes: 0, trying, holding
 *   any[i]      a byte per window, which i writes: it has or wants an exclusive lock of some target; in a line of its own
 *               if the caller has laid them apart, because every exclusive lock writes it
 *   all[i]      a byte per window, which i writes: lock_all: 0, trying, holding
 *
 *   exclusive   any[me] = 1; excl FREE -> TRYING(me); fence; until no shared[i] of the target and no all[i] is set;
 *               excl -> HELD(me)
 *   shared      shared[me] = trying; fence; is excl FREE?  then holding; else shared[me] = 0, and again later
 *   lock_all    all[me] = trying; fence; any[i] set?  no: holding; else all[me] = 0, and again later
 *
 * Both sides store first and look then, with a fence between, so at least one of two that exclude each other sees the
 * other.  A process that wants the exclusive lock stays at TRYING and the others step back, so they do not hold up each
 * other for ever; two that want it meet at the compare-and-swap, and one of them gets it.
 *
 * Deaths.  A holder's death poisons the lock of that target for the window's life (S0-48, R9), an exclusive one's and a
 * shared one's; the other holders of a shared lock learn of it as they unlock (R32).  lock_all is access, not ownership:
 * its holder's death poisons nothing (R39), and neither does that of one that waited.  Each step that a death asks for
 * is one compare-and-swap from an exact value, so any number of processes may take it, and may die in it.
 *
 * Pure: a step looks at the words and never waits; the caller sleeps and calls again.  The words may be shared, or
 * those of a target that acts for origins which it hears of by messages: `me` is the origin, and not necessarily the
 * caller.  A step costs the compare-and-swap, and a look at n bytes with an exclusive lock or lock_all.
 *
 * Invariants, of living members:
 *   1  HELD(i): no shared[j] of the target and no all[j] is `holding`;
 *   2  a lock that somebody held as it died is never held again, but by those that held it then;
 *   3  a member that is not in a call, and holds nothing, has 0 in all its bytes. */
#ifndef MEND_RMA_WINLOCK_SM_H
#define MEND_RMA_WINLOCK_SM_H

#include "base/atomic.h"

#include <stdbool.h>

/* The simulator gives another process the processor before each access. */
#ifndef MEND_WINLOCK_STOP
#define MEND_WINLOCK_STOP() ((void)0)
#endif

enum mend_winlock_kind {
    MEND_WINLOCK_EXCLUSIVE,
    MEND_WINLOCK_SHARED,
    MEND_WINLOCK_ALL,
    MEND_WINLOCK_KINDS
};

enum mend_winlock_result { MEND_WINLOCK_WAIT, MEND_WINLOCK_HELD, MEND_WINLOCK_POISONED };

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

struct mend_winlock {
    enum mend_winlock_kind kind;
    enum { MEND_WINLOCK_OUTSIDE, MEND_WINLOCK_WANTS, MEND_WINLOCK_INSIDE, MEND_WINLOCK_OWNS } state;
};

static inline void mend_winlock_begin(struct mend_winlock *l, enum mend_winlock_kind kind)
{
    l->kind = kind;
    l->state = MEND_WINLOCK_OUTSIDE;
}

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

static inline void mend_winlock_want(const struct mend_winlock_words *w, int more)
{
    *w->wanted += (uint32_t)more;
    mend_winlock_set_byte(mend_winlock_any(w, w->me), *w->wanted != 0);
}

static inline enum mend_winlock_result mend_winlock_refuse(struct mend_winlock *l,
                                                           const struct mend_winlock_words *w)
{
    if (l->kind == MEND_WINLOCK_EXCLUSIVE)
        mend_winlock_want(w, -1);
    l->state = MEND_WINLOCK_OUTSIDE;
    return MEND_WINLOCK_POISONED;
}

static inline enum mend_winlock_result
mend_winlock_step_exclusive(struct mend_winlock *l, const struct mend_winlock_words *w)
{
    uint32_t mine = MEND_WINLOCK_TRYING(w->me), v;

    if (l->state == MEND_WINLOCK_OUTSIDE) {
        mend_winlock_want(w, 1);
        l->state = MEND_WINLOCK_WANTS;
    }
    if (l->state == MEND_WINLOCK_WANTS) {
        if (!mend_winlock_swap(w->excl, MEND_WINLOCK_FREE, mine))
            return mend_winlock_look(w->excl) == MEND_WINLOCK_DEAD ? mend_winlock_refuse(l, w)
                                                                   : MEND_WINLOCK_WAIT;
        l->state = MEND_WINLOCK_INSIDE;
    }
    atomic_thread_fence(memory_order_seq_cst); /* pairs with those of the other two */
    if (mend_winlock_is_set(w, w->shared, 1) || mend_winlock_is_set(w, w->all, 1)) {
        v = mend_winlock_look(w->excl); /* poisoned meanwhile, or once more this one's turn */
        return v == MEND_WINLOCK_DEAD ? mend_winlock_refuse(l, w) : MEND_WINLOCK_WAIT;
    }
    if (!mend_winlock_swap(w->excl, mine, MEND_WINLOCK_HELD_BY(w->me)))
        return mend_winlock_refuse(l, w);
    l->state = MEND_WINLOCK_OWNS;
    return MEND_WINLOCK_HELD;
}

static inline enum mend_winlock_result mend_winlock_step_shared(struct mend_winlock *l,
                                                                const struct mend_winlock_words *w)
{
    uint32_t v;

    mend_winlock_set_byte(&w->shared[w->me], MEND_WINLOCK_TRIES);
    atomic_thread_fence(
        memory_order_seq_cst); /* pairs with that of mend_winlock_step_exclusive() */
    v = mend_winlock_look(w->excl);
    if (v == MEND_WINLOCK_FREE) {
        mend_winlock_set_byte(&w->shared[w->me], MEND_WINLOCK_HOLDS);
        l->state = MEND_WINLOCK_OWNS;
        return MEND_WINLOCK_HELD;
    }
    mend_winlock_set_byte(&w->shared[w->me], MEND_WINLOCK_NONE);
    return v == MEND_WINLOCK_DEAD ? MEND_WINLOCK_POISONED : MEND_WINLOCK_WAIT;
}

static inline enum mend_winlock_result mend_winlock_step_all(struct mend_winlock *l,
                                                             const struct mend_winlock_words *w)
{
    mend_winlock_set_byte(&w->all[w->me], MEND_WINLOCK_TRIES);
    atomic_thread_fence(
        memory_order_seq_cst); /* pairs with that of mend_winlock_step_exclusive() */
    if (mend_winlock_is_set(w, w->any, w->any_apart)) {
        mend_winlock_set_byte(&w->all[w->me], MEND_WINLOCK_NONE);
        return MEND_WINLOCK_WAIT;
    }
    mend_winlock_set_byte(&w->all[w->me], MEND_WINLOCK_HOLDS);
    l->state = MEND_WINLOCK_OWNS;
    return MEND_WINLOCK_HELD;
}

/* Goes on with a lock that was begun.  WAIT: when a word may have changed, or somebody died, call again.
 * POISONED: it is held by nobody, and never will be; the machine is as before its beginning. */
static inline enum mend_winlock_result mend_winlock_step(struct mend_winlock *l,
                                                         const struct mend_winlock_words *w)
{
    mend_winlock_bury_all(w);
    switch (l->kind) {
    case MEND_WINLOCK_EXCLUSIVE:
        return mend_winlock_step_exclusive(l, w);
    case MEND_WINLOCK_SHARED:
        return mend_winlock_step_shared(l, w);
    default:
        return mend_winlock_step_all(l, w);
    }
}

/* After WAIT: a look that comes to nothing sets a byte for a moment, and takes it back.  The first origin from `first` on
 * that may have seen it, and may sleep now though nothing hinders it any more; -1: none.  The caller wakes it. */
static inline int mend_winlock_hindered(const struct mend_winlock *l,
                                        const struct mend_winlock_words *w, int first)
{
    uint32_t v;

    if (l->kind == MEND_WINLOCK_EXCLUSIVE)
        return -1;
    atomic_thread_fence(memory_order_seq_cst); /* the byte is taken back before this look */
    if (l->kind == MEND_WINLOCK_SHARED) {
        v = mend_winlock_look(w->excl);
        return (v & 3) == 1 && MEND_WINLOCK_WHO(v) >= first && MEND_WINLOCK_WHO(v) < w->n
                   ? MEND_WINLOCK_WHO(v)
                   : -1;
    }
    while (first < w->n && (first == w->me || !mend_winlock_look_byte(mend_winlock_any(w, first))))
        first++;
    return first < w->n ? first : -1;
}

/* Gives back what is held.  POISONED: another holder has died. */
static inline enum mend_winlock_result mend_winlock_release(struct mend_winlock *l,
                                                            const struct mend_winlock_words *w)
{
    bool poisoned = false;

    if (l->kind == MEND_WINLOCK_EXCLUSIVE) {
        poisoned = !mend_winlock_swap(w->excl, MEND_WINLOCK_HELD_BY(w->me), MEND_WINLOCK_FREE);
        mend_winlock_want(w, -1);
    } else if (l->kind == MEND_WINLOCK_SHARED) {
        mend_winlock_bury_all(w);
        poisoned = mend_winlock_look(w->excl) == MEND_WINLOCK_DEAD;
        mend_winlock_set_byte(&w->shared[w->me], MEND_WINLOCK_NONE);
    } else {
        mend_winlock_set_byte(&w->all[w->me], MEND_WINLOCK_NONE);
    }
    l->state = MEND_WINLOCK_OUTSIDE;
    return poisoned ? MEND_WINLOCK_POISONED : MEND_WINLOCK_HELD;
}

/* A waiter gives up. */
static inline void mend_winlock_abandon(struct mend_winlock *l, const struct mend_winlock_words *w)
{
    if (l->state == MEND_WINLOCK_INSIDE)
        mend_winlock_swap(w->excl, MEND_WINLOCK_TRYING(w->me), MEND_WINLOCK_FREE);
    if (l->kind == MEND_WINLOCK_EXCLUSIVE && l->state != MEND_WINLOCK_OUTSIDE)
        mend_winlock_want(w, -1);
    l->state = MEND_WINLOCK_OUTSIDE;
}

#endif
