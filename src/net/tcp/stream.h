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
 * Room: other frames leave SPARE bytes of the ring for those that only acknowledge, which a receiver sends after every TELL
 * bytes.  Two processes whose rings are both full so free each other's: a full ring is TELL bytes, four times. */
#ifndef MEND_NET_TCP_STREAM_H
#define MEND_NET_TCP_STREAM_H

#include "net/frame.h"

#include <sys/uio.h>

#define MEND_TCP_RING_BYTES  (256u * 1024)
#define MEND_TCP_PAYLOAD_MAX (MEND_TCP_RING_BYTES / 4)
#define MEND_TCP_TELL_BYTES  (MEND_TCP_RING_BYTES / 4)
#define MEND_TCP_SPARE_BYTES 1024u
#define MEND_TCP_HEADER      ((uint32_t)sizeof(struct mend_frame))

/* Positions count bytes since the first one; `acked` is a multiple of 8, as that is where a connection begins. */
struct mend_tcp_out {
    char *ring; /* and room behind it for one payload in one piece; NULL: nothing was ever sent */
    uint64_t acked, written, tail;
    uint64_t needed; /* behind the last frame that does more than acknowledge */
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

/* Is there room for a frame of so many bytes?  spare: it only acknowledges. */
static inline bool mend_tcp_has_room(const struct mend_tcp_out *out, uint32_t bytes, bool spare)
{
    return out->tail - out->acked + bytes + (spare ? 0 : MEND_TCP_SPARE_BYTES) <=
           MEND_TCP_RING_BYTES;
}

/* Where a position lies. */
static inline char *mend_tcp_at(const struct mend_tcp_out *out, uint64_t position)
{
    return out->ring + position % MEND_TCP_RING_BYTES;
}

/* Appends len bytes, for which there is room, and what pads them. */
void mend_tcp_put(struct mend_tcp_out *out, const void *bytes, uint32_t len);

/* The same, where the payload of a frame lies there already, in one piece, which may reach beyond the end of the ring. */
void mend_tcp_put_there(struct mend_tcp_out *out, uint32_t len);

/* What is to be written, in one piece or two; returns how many pieces. */
int mend_tcp_unwritten(const struct mend_tcp_out *out, struct iovec piece[2]);

/* The peer has all bytes up to a position whose low half this is.  False: it cannot. */
bool mend_tcp_acknowledge(struct mend_tcp_out *out, uint32_t low);

#endif
