/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c – the ring of a stream; its picture is in stream.h. */
#include "net/tcp/stream.h"

#include <string.h>

/* Bytes from a position to the end of the ring, len at most. */
static uint32_t until_end(uint64_t position, uint32_t len)
{
    uint32_t rest = MEND_TCP_RING_BYTES - (uint32_t)(position % MEND_TCP_RING_BYTES);

    return len < rest ? len : rest;
}

static void pad(struct mend_tcp_out *out, uint32_t len)
{
    for (out->tail += len; out->tail % 8; out->tail++)
        *mend_tcp_at(out, out->tail) = 0;
}

void mend_tcp_put(struct mend_tcp_out *out, const void *bytes, uint32_t len)
{
    uint32_t first = until_end(out->tail, len);

    if (first)
        memcpy(mend_tcp_at(out, out->tail), bytes, first);
    if (len > first)
        memcpy(out->ring, (const char *)bytes + first, len - first);
    pad(out, len);
}

void mend_tcp_put_there(struct mend_tcp_out *out, uint32_t len)
{
    uint32_t first = until_end(out->tail, len);

    memcpy(out->ring, out->ring + MEND_TCP_RING_BYTES, len - first);
    pad(out, len);
}

int mend_tcp_unwritten(const struct mend_tcp_out *out, struct iovec piece[2])
{
    uint32_t len = (uint32_t)(out->tail - out->written), first = until_end(out->written, len);

    piece[0] = (struct iovec){mend_tcp_at(out, out->written), first};
    piece[1] = (struct iovec){out->ring, len - first};
    return len == 0 ? 0 : len == first ? 1 : 2;
}

/* Older words come behind newer ones where a connection is made again.  What this connection has not carried stays: it is to
 * follow all the same, since the peer counts from where the connection began. */
bool mend_tcp_acknowledge(struct mend_tcp_out *out, uint32_t low)
{
    int32_t more = (int32_t)(low - (uint32_t)out->acked);
    uint64_t all;

    if (more <= 0)
        return more > -2 * (int32_t)MEND_TCP_RING_BYTES;
    all = out->acked + (uint64_t)more;
    if (all > out->tail)
        return false;
    out->acked = (all < out->written ? all : out->written) & ~UINT64_C(7);
    return true;
}
