/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h – memcpy for data that nearly always has only a few bytes, where a call would cost more than the copy; and for data that
 * may be long.  Lines asked for before they are written. */
#ifndef MEND_BASE_COPY_H
#define MEND_BASE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Asks for a line that this core will write, and another one has: it comes while other work goes on. */
static inline void mend_fetch_to_write(const void *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* As memcpy.  Up to 16 bytes are copied in place, as two pieces that may overlap. */
static inline void mend_copy(void *to, const void *from, size_t n)
{
    const char *f = from;
    char *t = to;

    if (n > 16) {
        memcpy(to, from, n);
    } else if (n >= 8) {
        uint64_t first, last;

        memcpy(&first, f, 8);
        memcpy(&last, f + n - 8, 8);
        memcpy(t, &first, 8);
        memcpy(t + n - 8, &last, 8);
    } else if (n >= 4) {
        uint32_t first, last;

        memcpy(&first, f, 4);
        memcpy(&last, f + n - 4, 4);
        memcpy(t, &first, 4);
        memcpy(t + n - 4, &last, 4);
    } else if (n) {
        char first = f[0], middle = f[n / 2], last = f[n - 1];

        t[0] = first;
        t[n / 2] = middle;
        t[n - 1] = last;
    }
}

/* As memcpy, for data that fit in the first-level cache twice.  From 4 KiB on the C library takes the instruction that copies
 * strings; AMD's processors with registers of 64 bytes are faster with these: on Zen 5 4 KiB take 18 to 29 ns instead of
 * 33 to 46, and 16 KiB 71 instead of 114.  Other processors have the C library's way. */
#define MEND_COPY_WIDE_MIN ((size_t)4096)
#define MEND_COPY_WIDE_MAX ((size_t)16 * 1024)
void mend_copy_wide(void *to, const void *from, size_t n);

/* As memcpy.  Where it is longer than the second-level cache the C library leaves the instruction that copies strings, which
 * is the fastest way up to there and beyond: on AMD's Zen 4 by 15 % at 1 MiB.  So it gets pieces. */
#define MEND_COPY_PIECE ((size_t)256 * 1024)
__attribute__((cold)) void mend_copy_pieces(void *to, const void *from, size_t n);

static inline void mend_copy_any(void *to, const void *from, size_t n)
{
    if (__builtin_expect(n > 2 * MEND_COPY_PIECE, 0))
        mend_copy_pieces(to, from, n);
    else if (n - MEND_COPY_WIDE_MIN <= MEND_COPY_WIDE_MAX - MEND_COPY_WIDE_MIN)
        mend_copy_wide(to, from, n);
    else
        memcpy(to, from, n);
}

#endif
