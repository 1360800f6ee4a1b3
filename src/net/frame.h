/* SPDX-License-Identifier: BSD-3-Clause */
/* frame.h – one message on a transport: the header and its kinds.
 *
 * The layout is that of the first 24 bytes of a shared-memory slot; other transports send the same
 * 24 bytes.  `seq` belongs to the transport. */
#ifndef MEND_NET_FRAME_H
#define MEND_NET_FRAME_H

#include "base/status.h"

enum mend_frame_kind {
    MEND_FRAME_SKIP = 0,     /* transport's own */
    MEND_FRAME_EAGER,        /* p2p/: the whole message */
    MEND_FRAME_RTS,          /* p2p/: request to send a large message */
    MEND_FRAME_CTS,          /* p2p/: send it */
    MEND_FRAME_DATA,         /* p2p/: one fragment of it */
    MEND_FRAME_CANCEL,       /* p2p/: take an unmatched message back */
    MEND_FRAME_CANCEL_REPLY, /* p2p/: whether it was still there */
    MEND_FRAME_AGREE,        /* decide/: a message of ft/agree_sm */
    MEND_FRAME_CREATE,       /* create/: among processes that have no communicator in common yet */
    MEND_FRAME_CREDIT,       /* p2p/: small messages have to wait, or need not any more */
    MEND_FRAME_SHARE,        /* p2p/: help to copy fragments of large messages */
    MEND_FRAME_RMA,          /* rma/: between the members of a window */
    MEND_FRAME_DECLINE,      /* p2p/: instead of a message, for which the sender has no memory */
    MEND_FRAME_PART,         /* part/: partitioned messages */
    MEND_FRAME_NOTIFY,       /* notify/: a callback is to run */
    MEND_FRAME_KINDS_USED,
};

/* Context ids: never reused.  Bits 63..44 the world index of the proposer, 43..4 its counter,
 * 3..0 the channel within the communicator.  Bit 63 is set in those that nobody proposed
 * (create/meet.c).  Bit 62 is set in those of communicators with members of several jobs: bits 61..31 are the name of
 * the proposer that all jobs understand (node/abroad.h), 30..4 its counter. */
typedef uint64_t mend_ctx;
enum mend_channel {
    MEND_CHANNEL_P2P = 0,
    MEND_CHANNEL_COLL = 1, /* collectives' own point-to-point traffic */
    MEND_CHANNEL_FT = 2,   /* agreement, meetings */
    MEND_CHANNEL_RMA = 3,  /* of a window's communicator: rma/ */
};
#define MEND_CTX_CHANNEL_MASK UINT64_C(15)
/* Counters below 16 are never proposed. */
#define MEND_CTX_WORLD                MEND_CTX_WORLD_OF(0)
#define MEND_CTX_WORLD_OF(first)      MEND_CTX_MAKE(first, 1) /* first: a world's first member */
#define MEND_CTX_SELF(peer)           MEND_CTX_MAKE(peer, 2)
#define MEND_CTX_FIRST                16
#define MEND_CTX_MAKE(index, counter) ((mend_ctx)(index) << 44 | (mend_ctx)(counter) << 4)
#define MEND_CTX_INDEX(ctx)           ((uint32_t)((ctx) >> 44))
#define MEND_CTX_COUNTER(ctx)         ((ctx) >> 4 & ((UINT64_C(1) << 40) - 1))
#define MEND_CTX_MEETS                (UINT64_C(1) << 63)
#define MEND_CTX_SPANS                (UINT64_C(1) << 62) /* several jobs */
#define MEND_CTX_SPAN(name, counter)                                                               \
    (MEND_CTX_SPANS | (mend_ctx)(uint32_t)(name) << 31 | (mend_ctx)(counter) << 4)
#define MEND_CTX_SPAN_MAX       (UINT64_C(1) << 27) /* counters */
#define MEND_CTX_SPAN_NAME(ctx) ((int32_t)((ctx) >> 31 & 0x7fffffff))

struct mend_frame {
    uint32_t seq;      /* transport */
    uint32_t kind_len; /* kind in bits 31..24, payload bytes in 23..0 */
    mend_ctx ctx;      /* communicator and channel */
    int32_t tag;
    int32_t src; /* sender's rank in the communicator (in its own group) */
};

#define MEND_FRAME_LEN_MAX ((1u << 24) - 1)

static inline enum mend_frame_kind mend_frame_kind(const struct mend_frame *f)
{
    return (enum mend_frame_kind)(f->kind_len >> 24);
}

static inline uint32_t mend_frame_len(const struct mend_frame *f)
{
    return f->kind_len & MEND_FRAME_LEN_MAX;
}

static inline struct mend_frame mend_frame_make(enum mend_frame_kind kind, mend_ctx ctx, int tag,
                                                int src, uint32_t len)
{
    return (struct mend_frame){0, (uint32_t)kind << 24 | len, ctx, tag, src};
}

#endif
