/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – messages between the members of a window: kind MEND_FRAME_RMA; the tag says which.
 *
 *   frame    head, block ...                       no block in a message that only notifies
 *   block    where, n [, n units of data, filled up to 8 bytes]
 *
 * `where` counts bytes from the beginning of the target's part, or is an address (dynamic windows).  A unit is a byte, or
 * with accumulates an element of the type in the head: in memory one extent behind the other, in the frame one size
 * behind the other.  Each frame says all that is needed to carry it out, so nothing is kept between two; frames of one
 * origin are carried out in the order in which it sent them.
 *
 *   origin → target    PUT GET ACC GET_ACC SWAP     carry out; GET, GET_ACC, SWAP are answered by a REPLY each
 *                      FLUSH                        all before it is done: answered by FLUSHED; where there are no control
 *                                                   words, which say the same (control.h)
 *                      LOCK TAKEN UNLOCK DONE
 *                      DEAD                         ranks of members that the origin knows to be dead, before a LOCK or an
 *                                                   UNLOCK of a shared lock: the answer is right by what the origin knows,
 *                                                   which the target may hear later
 *   target → origin    REPLY FLUSHED LOCKED POSTED
 *                      FAULT                        could not be carried out; `at` is the error class */
#ifndef MEND_RMA_WIRE_H
#define MEND_RMA_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum mend_rma_kind {
    MEND_RMA_PUT = 1,
    MEND_RMA_GET,
    MEND_RMA_ACC,
    MEND_RMA_GET_ACC,
    MEND_RMA_SWAP, /* one element, and what to compare with */
    MEND_RMA_FLUSH,
    MEND_RMA_LOCK,  /* at: enum mend_winlock_kind */
    MEND_RMA_TAKEN, /* the origin has heard that it holds the lock */
    MEND_RMA_UNLOCK,
    MEND_RMA_DONE,
    MEND_RMA_DEAD,  /* the ranks follow the head, as uint32_t */
    MEND_RMA_REPLY, /* at: packed position in the result; the data follows the head */
    MEND_RMA_FLUSHED,
    MEND_RMA_LOCKED, /* at: enum mend_winlock_result; POISONED: id: deaths that the target knows of */
    MEND_RMA_UNLOCKED, /* the same */
    MEND_RMA_POSTED,
    MEND_RMA_FAULT,
    MEND_RMA_KINDS
};

struct mend_rma_head {
    uint32_t id;   /* of the operation, for the answer */
    uint16_t type; /* handle of the element's type; 0: bytes */
    uint8_t op;    /* code of the operator */
    uint8_t unused;
    uint64_t at;
};

struct mend_rma_block {
    int64_t where;
    uint64_t n;
};

/* The length of a block's data in a frame: the next block is aligned. */
static inline size_t mend_rma_padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* Payload of one frame at most: of any operation, and of one that is not long. */
#define MEND_RMA_FRAME_MAX       65536u
#define MEND_RMA_FRAME_SHORT_MAX (MEND_RMA_LONG + 64u)

/* Ranks in one frame of them. */
#define MEND_RMA_DEAD_MAX 256

/* A frame with so much is a long one: two processes that send them to each other take turns (link.c). */
#define MEND_RMA_LONG 16384

#endif
