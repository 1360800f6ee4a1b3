/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.h – sets of ranks as arrays of 64-bit words.
 *
 * Bits at and above n are always zero, so whole words may be compared and counted. */
#ifndef MEND_FT_BITS_H
#define MEND_FT_BITS_H

#include "base/status.h"

static inline size_t mend_bits_words(int32_t n)
{
    return ((size_t)n + 63) / 64;
}

static inline bool mend_bits_test(const uint64_t *set, int32_t i)
{
    return set[(uint32_t)i / 64] >> ((uint32_t)i % 64) & 1;
}

static inline void mend_bits_set(uint64_t *set, int32_t i)
{
    set[(uint32_t)i / 64] |= UINT64_C(1) << ((uint32_t)i % 64);
}

/* The first member from rank i on; -1: there is none. */
static inline int32_t mend_bits_next(const uint64_t *set, int32_t n, int32_t i)
{
    while (i < n && !mend_bits_test(set, i))
        i = set[(uint32_t)i / 64] >> ((uint32_t)i % 64) ? i + 1 : (i / 64 + 1) * 64;
    return i < n ? i : -1;
}

/* Adds the members of `more` to `set` and returns how many members `set` has now. */
static inline int32_t mend_bits_union(uint64_t *set, const uint64_t *more, size_t words)
{
    int32_t n = 0;

    for (size_t w = 0; w < words; w++) {
        set[w] |= more[w];
        n += __builtin_popcountll(set[w]);
    }
    return n;
}

static inline int32_t mend_bits_count(const uint64_t *set, size_t words)
{
    int32_t n = 0;

    for (size_t w = 0; w < words; w++)
        n += __builtin_popcountll(set[w]);
    return n;
}

/* True if a bit at or above n is set: then the set did not come from us. */
static inline bool mend_bits_overflow(const uint64_t *set, int32_t n)
{
    return n % 64 && set[n / 64] >> (n % 64);
}

#endif
