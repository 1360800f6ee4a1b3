/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h – the bytes from one process to another, whatever connections carry them.
 *
 *   out   ring   |.....|=========|#########|.....|        in    received: bytes that have come, for ever
 *                      acked     written   tail                 told: what the sender knows of that
 *
 * A stream is a sequence of frames: each is its header, its payload, and padding to a multiple of 8 bytes.  The sender keeps
 * every byte in its ring until the receiver has said that it has it; each frame says so of the other stream (frame.seq: the
 * low half of `received`), and a frame without payload of kind SKIP says nothing else.  A connection may end anywhere, also
 * between two living processes: the next one begins with a byte that the sender still keeps, and the receiver skips what it
 * has.  So a byte is lost only with a process, and none comes twice.
 *
 * Loans: a long payload may stay in memory of the program's, between two pieces of the ring.  It is written from there, up to
 * LOANS of them with one call, and the program gets its memory back when the receiver has it.  If that takes long, or the
 * program wants it sooner, the payload is copied to memory of the pair's, which is there from the first loan on.
 *
 * Room: a sender asks what has come after every ASK bytes that it has put into the ring, and after every ASK_LOANS loans.  Other
 * frames leave SPARE bytes of the ring for those that only ask or acknowledge.  Two processes whose rings are both full so free
 * each other's: a full ring is ASK bytes, four times. */
#ifndef MEND_NET_TCP_STREAM_H
#define MEND_NET_TCP_STREAM_H

#include "net/frame.h"

#include <sys/uio.h>

#define MEND_TCP_RING_BYTES  (256u * 1024)
#define MEND_TCP_PAYLOAD_MAX (MEND_TCP_RING_BYTES / 4)
#define MEND_TCP_ASK_BYTES   (MEND_TCP_RING_BYTES / 4)
#define MEND_TCP_SPARE_BYTES 1024u
#define MEND_TCP_HEADER      ((uint32_t)sizeof(struct mend_frame))
#define MEND_TCP_LOANS       64u
#define MEND_TCP_ASK_LOANS   (MEND_TCP_LOANS / 2)
#define MEND_TCP_PIECES                                                                            \
    (2 * MEND_TCP_LOANS + 3) /* of what is to be written, at most, and one more */
#define MEND_TCP_UNACKED_MAX (2 * (MEND_TCP_RING_BYTES + MEND_TCP_LOANS * MEND_TCP_PAYLOAD_MAX))

/* A payload that is written, and written again, from memory of the program's, or from `kept`. */
struct mend_tcp_loan {
    uint64_t at; /* its position */
    const char *bytes;
    uint32_t len;
};

struct mend_tcp_loans {
    uint32_t first, n; /* those that are not acknowledged: loan[first % LOANS], and what follows */
    struct mend_tcp_loan loan[MEND_TCP_LOANS];
    char kept[MEND_TCP_LOANS][MEND_TCP_PAYLOAD_MAX]; /* loan i is copied to kept[i] */
};

/* Positions count bytes since the first one; `acked` is a multiple of 8, as that is where a connection begins. */
struct mend_tcp_out {
    char *ring; /* and room behind it for one payload in one piece; NULL: nothing was ever sent */
    uint64_t acked, written, tail;
    uint64_t needed;              /* behind the last frame that does more than acknowledge */
    uint64_t lent_n;              /* bytes of all loans ever, which are not in the ring */
    uint64_t lent_end;            /* behind the last loan in memory of the program's */
    struct mend_tcp_loans *loans; /* NULL: there was none yet */
};

struct mend_tcp_in {
    uint64_t received, told;
};

/* The receiver has all that it needs. */
static inline bool mend_tcp_is_acknowledged(const struct mend_tcp_out *out)
{
    return out->acked >= out->needed;
}

/* Bytes of a stream that a frame with a payload of len bytes takes. */
static inline uint32_t mend_tcp_bytes_of(uint32_t len)
{
    return MEND_TCP_HEADER + ((len + 7) & ~7u);
}

/* Bytes of loans behind a position that is not acknowledged yet. */
uint64_t mend_tcp_lent_behind(const struct mend_tcp_out *out, uint64_t position);

/* Bytes that the ring holds. */
static inline uint64_t mend_tcp_held(const struct mend_tcp_out *out)
{
    uint64_t all = out->tail - out->acked;

    return out->loans && out->loans->n ? all - mend_tcp_lent_behind(out, out->acked) : all;
}

/* Is there room for a frame of so many bytes?  spare: it only acknowledges. */
static inline bool mend_tcp_has_room(const struct mend_tcp_out *out, uint32_t bytes, bool spare)
{
    return mend_tcp_held(out) + bytes + (spare ? 0 : MEND_TCP_SPARE_BYTES) <= MEND_TCP_RING_BYTES;
}

/* Where what is put next lies, and what follows it. */
static inline char *mend_tcp_end(const struct mend_tcp_out *out, uint32_t more)
{
    return out->ring + (out->tail - out->lent_n + more) % MEND_TCP_RING_BYTES;
}

/* All loans are acknowledged, or copied. */
static inline bool mend_tcp_owes_nothing(const struct mend_tcp_out *out)
{
    return out->acked >= out->lent_end;
}

/* Appends len bytes, for which there is room, and what pads them. */
void mend_tcp_put(struct mend_tcp_out *out, const void *bytes, uint32_t len);

/* The same, where the payload of a frame lies there already, in one piece, which may reach beyond the end of the ring. */
void mend_tcp_put_there(struct mend_tcp_out *out, uint32_t len);

/* The payload of a frame stays where it lies; its length is a multiple of 8, and there are fewer than LOANS. */
void mend_tcp_lend(struct mend_tcp_out *out, const void *bytes, uint32_t len);

/* Copies all loans. */
void mend_tcp_recall(struct mend_tcp_out *out);

/* What is to be written; returns how many pieces. */
int mend_tcp_unwritten(const struct mend_tcp_out *out, struct iovec piece[MEND_TCP_PIECES]);

/* The peer has all bytes up to a position whose low half this is.  False: it cannot. */
bool mend_tcp_acknowledge(struct mend_tcp_out *out, uint32_t low);

#endif
