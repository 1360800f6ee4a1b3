/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c – the ring of a stream and its loans; its picture is in stream.h. */
#include "net/tcp/stream.h"

#include <string.h>

static struct mend_tcp_loan *loan_of(const struct mend_tcp_out *out, uint32_t i)
{
    return &out->loans->loan[(out->loans->first + i) % MEND_TCP_LOANS];
}

static uint32_t loans_n(const struct mend_tcp_out *out)
{
    return out->loans ? out->loans->n : 0;
}

uint64_t mend_tcp_lent_behind(const struct mend_tcp_out *out, uint64_t position)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < loans_n(out); i++) {
        const struct mend_tcp_loan *l = loan_of(out, i);
        uint64_t begin = l->at > position ? l->at : position;

        if (l->at + l->len > begin)
            sum += l->at + l->len - begin;
    }
    return sum;
}

/* len bytes to the end of the ring's content. */
static void put(struct mend_tcp_out *out, const void *bytes, uint32_t len)
{
    uint32_t at = (uint32_t)((out->tail - out->lent_n) % MEND_TCP_RING_BYTES),
             rest = MEND_TCP_RING_BYTES - at, first = len < rest ? len : rest;

    if (first)
        memcpy(out->ring + at, bytes, first);
    if (len > first)
        memcpy(out->ring, (const char *)bytes + first, len - first);
}

static void pad(struct mend_tcp_out *out, uint32_t len)
{
    for (out->tail += len; out->tail % 8; out->tail++)
        *mend_tcp_end(out, 0) = 0;
}

void mend_tcp_put(struct mend_tcp_out *out, const void *bytes, uint32_t len)
{
    put(out, bytes, len);
    pad(out, len);
}

void mend_tcp_put_there(struct mend_tcp_out *out, uint32_t len)
{
    uint32_t at = (uint32_t)((out->tail - out->lent_n) % MEND_TCP_RING_BYTES);

    if (at + len > MEND_TCP_RING_BYTES)
        memcpy(out->ring, out->ring + MEND_TCP_RING_BYTES, at + len - MEND_TCP_RING_BYTES);
    pad(out, len);
}

void mend_tcp_lend(struct mend_tcp_out *out, const void *bytes, uint32_t len)
{
    *loan_of(out, out->loans->n++) = (struct mend_tcp_loan){out->tail, bytes, len};
    out->tail += len;
    out->lent_n += len;
    out->lent_end = out->tail;
}

void mend_tcp_recall(struct mend_tcp_out *out)
{
    for (uint32_t i = 0; i < loans_n(out); i++) {
        struct mend_tcp_loan *l = loan_of(out, i);
        char *kept = out->loans->kept[l - out->loans->loan];

        if (l->bytes != kept)
            memcpy(kept, l->bytes, l->len);
        l->bytes = kept;
    }
    out->lent_end = 0;
}

/* Those that the peer has. */
static void end_loans(struct mend_tcp_out *out)
{
    while (loans_n(out) && loan_of(out, 0)->at + loan_of(out, 0)->len <= out->acked) {
        out->loans->first++;
        out->loans->n--;
    }
}

/* Bytes of the ring, whose position is `at` without all loans; adds one piece or two. */
static int add_ring(const struct mend_tcp_out *out, uint64_t at, uint64_t len, struct iovec *piece)
{
    uint64_t rest = MEND_TCP_RING_BYTES - at % MEND_TCP_RING_BYTES, first = len < rest ? len : rest;

    piece[0] = (struct iovec){out->ring + at % MEND_TCP_RING_BYTES, (size_t)first};
    piece[1] = (struct iovec){out->ring, (size_t)(len - first)};
    return len == 0 ? 0 : len == first ? 1 : 2;
}

int mend_tcp_unwritten(const struct mend_tcp_out *out, struct iovec piece[MEND_TCP_PIECES])
{
    uint64_t at = out->written, ring = at - (out->lent_n - mend_tcp_lent_behind(out, at));
    int n = 0;

    for (uint32_t i = 0; i < loans_n(out); i++) {
        const struct mend_tcp_loan *l = loan_of(out, i);
        uint64_t end = l->at + l->len, before = l->at > at ? l->at - at : 0;

        if (end <= at)
            continue;
        n += add_ring(out, ring, before, piece + n);
        ring += before;
        at += before;
        piece[n++] = (struct iovec){(char *)(uintptr_t)l->bytes + (at - l->at), (size_t)(end - at)};
        at = end;
    }
    return n + add_ring(out, ring, out->tail - at, piece + n);
}

/* Older words come behind newer ones where a connection is made again.  What this connection has not carried stays: it is to
 * follow all the same, since the peer counts from where the connection began. */
bool mend_tcp_acknowledge(struct mend_tcp_out *out, uint32_t low)
{
    int32_t more = (int32_t)(low - (uint32_t)out->acked);
    uint64_t all;

    if (more <= 0)
        return more > -(int32_t)MEND_TCP_UNACKED_MAX;
    all = out->acked + (uint64_t)more;
    if (all > out->tail)
        return false;
    out->acked = (all < out->written ? all : out->written) & ~UINT64_C(7);
    end_loans(out);
    return true;
}
