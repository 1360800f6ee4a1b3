/* SPDX-License-Identifier: BSD-3-Clause */
/* winlock_sm.h – the lock of a window's part, which a process may leave at any instruction.
 *
 * There is no queue and no ticket, because a process that waits in one and dies would hold up all behind it.
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
 * its holder's death poisons nothing (R39), and neither does that of one that waited.
 *
 * Pure: a step looks at the words (winlock_words.h) and never waits; the caller sleeps and calls again.  A step costs
 * the compare-and-swap, and a look at n bytes with an exclusive lock or lock_all.
 *
 * Invariants, of living members:
 *   1  HELD(i): no shared[j] of the target and no all[j] is `holding`;
 *   2  a lock that somebody held as it died is never held again, but by those that held it then;
 *   3  a member that is not in a call, and holds nothing, has 0 in all its bytes. */
#ifndef MEND_RMA_WINLOCK_SM_H
#define MEND_RMA_WINLOCK_SM_H

#include "rma/winlock_words.h"

#include <stdbool.h>

enum mend_winlock_kind {
    MEND_WINLOCK_EXCLUSIVE,
    MEND_WINLOCK_SHARED,
    MEND_WINLOCK_ALL,
    MEND_WINLOCK_KINDS
};

enum mend_winlock_result { MEND_WINLOCK_WAIT, MEND_WINLOCK_HELD, MEND_WINLOCK_POISONED };

struct mend_winlock {
    enum mend_winlock_kind kind;
    enum { MEND_WINLOCK_OUTSIDE, MEND_WINLOCK_WANTS, MEND_WINLOCK_INSIDE, MEND_WINLOCK_OWNS } state;
};

static inline void mend_winlock_begin(struct mend_winlock *l, enum mend_winlock_kind kind)
{
    l->kind = kind;
    l->state = MEND_WINLOCK_OUTSIDE;
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
