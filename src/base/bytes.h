/* SPDX-License-Identifier: BSD-3-Clause */
/* bytes.h – numbers as bytes between processes, the least significant byte first, whatever machine writes or reads them. */
#ifndef MEND_BASE_BYTES_H
#define MEND_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Writes v as n bytes, at most 8.  Returns what is behind them. */
static inline uint8_t *mend_bytes_put(uint8_t *p, uint64_t v, int n)
{
    for (int i = 0; i < n; i++)
        *p++ = (uint8_t)(v >> (8 * i));
    return p;
}

static inline uint64_t mend_bytes_get(const uint8_t *p, int n)
{
    uint64_t v = 0;

    for (int i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Bytes being read; a read beyond the end makes it bad and gives 0. */
struct mend_bytes {
    const uint8_t *at, *end;
    bool bad;
};

static inline uint64_t mend_bytes_next(struct mend_bytes *r, int n)
{
    uint64_t v;

    if (r->end - r->at < n) {
        r->bad = true;
        return 0;
    }
    v = mend_bytes_get(r->at, n);
    r->at += n;
    return v;
}

#endif
