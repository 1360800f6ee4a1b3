/* SPDX-License-Identifier: BSD-3-Clause */
/* internal.h – common declarations of the files of part/. */
#ifndef MEND_PART_INTERNAL_H
#define MEND_PART_INTERNAL_H

#include "p2p/p2p.h"
#include "part/ledger.h"
#include "part/part.h"
#include "part/wire.h"

/* Of a process. */
struct mend_parts {
    struct mend_list all;   /* every request: struct mend_part.all */
    struct mend_hash by_id; /* name -> request */
    uint32_t last_id;
};

/* Of a communicator, from the first use on. */
struct mend_part_comm {
    struct mend_list wanted; /* receives without a partner, in the order of the init calls */
    struct mend_list offers; /* the same of sends of others */
};

/* A send of another process that no receive has matched. */
struct mend_part_offer {
    struct mend_list link;
    int rank, tag;
    uint32_t id;
    uint64_t bytes;
};

/* One end of a partitioned message.
 *
 * Invariants:
 *   1  it is in `all`, and its name leads to it, from its creation to its release;
 *   2  a receive is in its communicator's `wanted` exactly as long as it has no partner; if the program frees it
 *      then, it stays there (`freed`), without its ledger, and takes the offer that it would have matched;
 *   3  other_id is not 0 exactly if it has a partner;
 *   4  bytes of a message are accepted only while it is active, and sent only if the receiver has started as often;
 *   5  it is in self->active exactly while messages of p2p/ are under way for it; they end before it does. */
struct mend_part {
    struct mend_request base;
    struct mend_list all;
    struct mend_list queue;    /* in `wanted` */
    struct mend_list messages; /* of p2p/ under way: struct mend_part_message.link */
    struct mend_out out;       /* a send that waits for room */
    bool is_send, freed;
    bool other_dense; /* of a send: large runs may go as messages of p2p/ */
    bool
        nothing; /* a message without bytes has gone, or come; of a send with bytes: all are taken */
    int rank, tag, partitions_n;
    mend_peer peer;
    uint32_t id, other_id;
    uint32_t starts_n; /* of a send: starts of the receiver that no message has used */
    union {
        void *buf;
        const void *send_buf;
    };
    const struct mend_type *type;
    MPI_Count count;             /* elements of all partitions */
    uint64_t each_bytes;         /* of one partition */
    uint64_t total_bytes;        /* of all */
    uint64_t other_bytes;        /* of a receive: what the sender sends */
    uint64_t cut_bytes, cut_end; /* of a send: what is left of the run that was taken last */
    int over;                    /* it has ended with this error, except for messages under way */
    int error;                   /* of a message that was too long */
    struct mend_marks marks;
    struct mend_arrivals arrivals;
};

struct mend_part_message {
    struct mend_list link;
    uint64_t at, len;
    struct mend_p2p_request r;
};

/* Ends the message, as soon as nothing of p2p/ is under way for it. */
void mend_part_end(struct mend_part *p, int error);

/* match.c.  A frame without partitions to the other end; to this process itself without a transport. */
void mend_part_tell(struct mend_part *p, enum mend_part_what what);
/* A receive looks for its partner among the offers; MPI_ERR_NO_MEM. */
int mend_part_match(struct mend_part *p);

/* move.c.  Bytes [at, at + len) have come; they follow as a message of p2p/. */
void mend_part_deliver(struct mend_part *p, uint64_t at, const void *bytes, uint64_t len);
void mend_part_receive_large(struct mend_part *p, uint64_t at, uint64_t len);
void mend_part_init_out(struct mend_part *p);
/* self->active: looks after the messages of p2p/. */
void mend_part_poll(struct mend_request *base);

mend_frame_handler mend_part_on_frame;

#endif
