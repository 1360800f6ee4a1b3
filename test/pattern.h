/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern.h – buffers whose bytes depend on (seed, index), so that a byte at the wrong place or of the
 * wrong message is seen. */
#ifndef TEST_PATTERN_H
#define TEST_PATTERN_H

#include <stddef.h>

#define GUARD 0xC5

static inline unsigned char pattern(unsigned seed, size_t i)
{
    return (unsigned char)((i * 2654435761u + seed * 40503u + (i >> 11)) >> 3);
}

static inline void fill(void *buf, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)buf)[i] = pattern(seed, i);
}

/* Index of the first wrong byte, or -1. */
static inline long long wrong(const void *buf, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)buf)[i] != pattern(seed, i))
            return (long long)i;
    return -1;
}

/* Index of the first byte that is not GUARD, or -1. */
static inline long long touched(const void *buf, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const unsigned char *)buf)[i] != GUARD)
            return (long long)i;
    return -1;
}

#endif
