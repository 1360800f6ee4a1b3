/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.h – work that two processes share: pieces that both of them take until none is left.
 *
 *   receiver (owner)                         sender (helper), called by a frame that names the turn
 *   write pieces, release the turn ───────>  take: compare-and-swap of the turn, next + 1
 *   take, copy                               copy
 *                                  <───────  release done[k]: piece k of this turn is there, or refused
 *   stop: no piece can be taken any more     a call for another turn takes nothing
 *
 * A turn is over when each piece that was taken is done; only then does the owner write the sheet again, so
 * the description of a taken piece does not change.  A helper that is called late finds another turn and takes nothing.
 *
 * When a process dies: the owner of a sheet whose helper is dead counts the helper's pieces as lost; a helper
 * never writes into a dead process. */
#ifndef MEND_NET_SHEET_H
#define MEND_NET_SHEET_H

#include "base/atomic.h"
#include "base/status.h"

#include <stdbool.h>

#define MEND_SHEET_PIECES 32u

struct mend_sheet_piece {
    uint64_t at; /* in the message */
    uint64_t to; /* in the receiver's memory */
    uint32_t id; /* the sender's name for the message */
    uint32_t len;
};

enum mend_sheet_done { MEND_SHEET_UNDER_WAY, MEND_SHEET_HERE, MEND_SHEET_REFUSED };

struct mend_sheet {
    /* Written by the owner, and by the process that takes a piece, by one compare-and-swap: the number of the turn, the
     * number of pieces in the next 8 bits, the next piece to take in the last. */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 turn;
    /* Entry k is written by the helper that took piece k: the turn, and below it how that went. */
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 done[MEND_SHEET_PIECES];
    struct mend_sheet_piece piece[MEND_SHEET_PIECES]; /* written by the owner */
};

static inline uint64_t mend_sheet_number(uint64_t turn)
{
    return turn >> 16;
}

/* The owner: everything of the last turn is done; the pieces are written.  Returns the number. */
static inline uint64_t mend_sheet_open(struct mend_sheet *s, unsigned pieces_n)
{
    uint64_t number = mend_sheet_number(mend_load_relaxed(&s->turn)) + 1;

    /* release: pairs with the acquire in mend_sheet_take() */
    mend_store_release(&s->turn, number << 16 | pieces_n << 8);
    return number;
}

/* Takes the next piece of a turn, of whose number the caller knows the lower half; *number_p is the number.  -1: none is
 * left, or it is another turn.  What a damaged sheet says of the number of pieces is not believed. */
static inline int mend_sheet_take(struct mend_sheet *s, uint32_t low, uint64_t *number_p)
{
    uint64_t turn = mend_load_relaxed(&s->turn);

    while ((uint32_t)mend_sheet_number(turn) == low && (turn & 0xff) < (turn >> 8 & 0xff) &&
           (turn & 0xff) < MEND_SHEET_PIECES)
        /* acquire: pairs with the release in mend_sheet_open() */
        if (atomic_compare_exchange_weak_explicit(&s->turn, &turn, turn + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            *number_p = mend_sheet_number(turn);
            return (int)(turn & 0xff);
        }
    return -1;
}

/* The owner: nobody takes any more.  Returns how many had been taken. */
static inline unsigned mend_sheet_stop(struct mend_sheet *s)
{
    uint64_t turn = mend_load_relaxed(&s->turn);

    while (!atomic_compare_exchange_weak_explicit(&s->turn, &turn, turn & ~UINT64_C(0xff00),
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
    return (unsigned)(turn & 0xff);
}

/* The helper: what came of piece k, after the last store of it. */
static inline void mend_sheet_tell(struct mend_sheet *s, uint64_t number, unsigned k,
                                   enum mend_sheet_done done)
{
    /* release: pairs with the acquire in mend_sheet_look() */
    mend_store_release(&s->done[k], number << 8 | (uint64_t)done);
}

/* The owner: what came of a piece that the helper took. */
static inline enum mend_sheet_done mend_sheet_look(const struct mend_sheet *s, uint64_t number,
                                                   unsigned k)
{
    uint64_t done =
        mend_load_acquire(&s->done[k]); /* pairs with the release in mend_sheet_tell() */

    return done >> 8 == number ? (enum mend_sheet_done)(done & 0xff) : MEND_SHEET_UNDER_WAY;
}

#endif
