/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h – the frames of part/.
 *
 *   sender                                      receiver
 *   MPI_Psend_init   OFFER tag, id, bytes --->  matched with the MPI_Precv_init calls, in the order of both
 *                                         <---  MATCH id, recv id
 *                                         <---  START id           MPI_Start: its buffer is free for one message
 *   MPI_Pready       BYTES recv id, at, data ->                    small: a run of partitions, or a part of one
 *                    LARGE recv id, at, len --> posts a receive    large: the bytes follow as a message of p2p/
 *
 * The receiver starts again only when it has everything, so a START belongs to the next message that the sender has not
 * finished.  Names are never pointers: a frame for a request that is gone is dropped. */
#ifndef MEND_PART_WIRE_H
#define MEND_PART_WIRE_H

#include "net/frame.h"

enum mend_part_what {
    MEND_PART_OFFER,
    MEND_PART_MATCH,
    MEND_PART_START,
    MEND_PART_BYTES,
    MEND_PART_LARGE,
};

struct mend_part_frame {
    uint32_t what; /* enum mend_part_what */
    uint32_t id;   /* the receiving process's name of its request; OFFER: the sender's own */
    uint32_t from; /* MATCH: the receiver's name of its request */
    uint32_t
        dense;    /* MATCH: 1: its elements lie without gaps, so large runs may come as messages */
    uint64_t at;  /* BYTES, LARGE: packed position */
    uint64_t len; /* LARGE, and OFFER: of all partitions */
};

/* Tag of the messages of p2p/ for a receive, on the collectives' channel, whose own tags are not negative. */
#define MEND_PART_TAG(id) (INT32_MIN + (int32_t)((id)&INT32_MAX))

#endif
