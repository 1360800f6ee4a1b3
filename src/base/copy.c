/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – copies of long data: in pieces, and past the caches where the processor can do that. */
#include "base/copy.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LINE ((size_t)64)

void mend_copy_pieces(void *to, const void *from, size_t n)
{
    for (size_t at = 0, k; at < n; at += k) {
        k = n - at < MEND_COPY_PIECE ? n - at : MEND_COPY_PIECE;
        memcpy((char *)to + at, (const char *)from + at, k);
    }
}

#ifdef __x86_64__
void mend_copy_strings(void *to, const void *from, size_t n)
{
    while (n) {
        size_t left = n < MEND_COPY_STRING ? n : MEND_COPY_STRING;

        n -= left;
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(left)::"memory");
    }
}
#else
void mend_copy_strings(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

void mend_copy_past_caches(void *to, const void *from, size_t n)
{
    size_t done = 0;

#ifdef __SSE2__
    done = -(uintptr_t)to % LINE < n ? -(uintptr_t)to % LINE : n;
    memcpy(to, from, done);
    for (; done + LINE <= n; done += LINE) {
        const __m128i *f = (const void *)((const char *)from + done);
        __m128i *t = (void *)((char *)to + done);
        __m128i a = _mm_loadu_si128(f), b = _mm_loadu_si128(f + 1), c = _mm_loadu_si128(f + 2),
                d = _mm_loadu_si128(f + 3);

        _mm_stream_si128(t, a);
        _mm_stream_si128(t + 1, b);
        _mm_stream_si128(t + 2, c);
        _mm_stream_si128(t + 3, d);
    }
    _mm_sfence(); /* what publishes them is an ordinary store, which does not wait for these */
#endif
    memcpy((char *)to + done, (const char *)from + done, n - done);
}
