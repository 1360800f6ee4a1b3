/* SPDX-License-Identifier: BSD-3-Clause */
/* copypage.h – work that two processes share: fragments that both of them take until none is left.
 *
 *   receiver (owner)                         sender (helper), called by a frame that names the turn
 *   write fragments, release the turn ────>  take: compare-and-swap of the turn, next + 1
 *   take, copy                               copy
 *                                  <───────  release done[k]: fragment k of this turn is there, or refused
 *   stop: no fragment can be taken any more  a call for another turn takes nothing
 *
 * A turn is over when each fragment that was taken is done; only then does the owner write the copy page again, so
 * the description of a taken fragment does not change.  A helper that is called late finds another turn and takes nothing.
 *
 * When a process dies: the owner of a copy page whose helper is dead counts the helper's fragments as lost; a helper
 * never writes into a dead process. */
#ifndef MEND_NET_COPYPAGE_H
#define MEND_NET_COPYPAGE_H

#include "base/atomic.h"
#include "base/status.h"

#include <stdbool.h>

#define MEND_COPYPAGE_FRAGMENTS 32u

struct mend_copypage_fragment {
    uint64_t at; /* in the message */
    uint64_t to; /* in the receiver's memory */
    uint32_t id; /* the sender's name for the message */
    uint32_t len;
};

enum mend_copypage_done { MEND_COPYPAGE_UNDER_WAY, MEND_COPYPAGE_HERE, MEND_COPYPAGE_REFUSED };

struct mend_copypage {
    /* Written by the owner, and by the process that takes a fragment, by one compare-and-swap: the number of the turn, the
     * number of fragments in the next 8 bits, the next fragment to take in the last. */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 turn;
    /* Entry k is written by the helper that took fragment k: the turn, and below it how that went. */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 done[MEND_COPYPAGE_FRAGMENTS];
    struct mend_copypage_fragment fragment[MEND_COPYPAGE_FRAGMENTS]; /* written by the owner */
};

static inline uint64_t mend_copypage_number(uint64_t turn)
{
    return turn >> 16;
}

/* The owner: everything of the last turn is done; the fragments are written.  Returns the number. */
static inline uint64_t mend_copypage_open(struct mend_copypage *p, unsigned fragments_n)
{
    uint64_t number = mend_copypage_number(mend_load_relaxed(&p->turn)) + 1;

    /* release: pairs with the acquire in mend_copypage_take() */
    mend_store_release(&p->turn, number << 16 | fragments_n << 8);
    return number;
}

/* Takes the next fragment of a turn, of whose number the caller knows the lower half; *number_p is the number.  -1: none is
 * left, or it is another turn.  What a damaged copy page says of the number of fragments is not believed. */
static inline int mend_copypage_take(struct mend_copypage *p, uint32_t low, uint64_t *number_p)
{
    uint64_t turn = mend_load_relaxed(&p->turn);

    while ((uint32_t)mend_copypage_number(turn) == low && (turn & 0xff) < (turn >> 8 & 0xff) &&
           (turn & 0xff) < MEND_COPYPAGE_FRAGMENTS)
        /* acquire: pairs with the release in mend_copypage_open() */
        if (atomic_compare_exchange_weak_explicit(&p->turn, &turn, turn + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            *number_p = mend_copypage_number(turn);
            return (int)(turn & 0xff);
        }
    return -1;
}

/* The owner: nobody takes any more.  Returns how many had been taken. */
static inline unsigned mend_copypage_stop(struct mend_copypage *p)
{
    uint64_t turn = mend_load_relaxed(&p->turn);

    while (!atomic_compare_exchange_weak_explicit(&p->turn, &turn, turn & ~UINT64_C(0xff00),
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    return (unsigned)(turn & 0xff);
}

/* The helper: what came of fragment k, after the last store of it. */
static inline void mend_copypage_tell(struct mend_copypage *p, uint64_t number, unsigned k,
                                      enum mend_copypage_done done)
{
    /* release: pairs with the acquire in mend_copypage_look() */
    mend_store_release(&p->done[k], number << 8 | (uint64_t)done);
}

/* The owner: what came of a fragment that the helper took. */
static inline enum mend_copypage_done mend_copypage_look(const struct mend_copypage *p,
                                                         uint64_t number, unsigned k)
{
    uint64_t done =
        mend_load_acquire(&p->done[k]); /* pairs with the release in mend_copypage_tell() */

    return done >> 8 == number ? (enum mend_copypage_done)(done & 0xff) : MEND_COPYPAGE_UNDER_WAY;
}

#endif
