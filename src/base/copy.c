/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – copies of long data: by wide registers, in pieces, and past the caches where the processor can do that. */
#include "base/copy.h"

#ifdef __x86_64__
#include <immintrin.h>
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
/* Lines that are whole in the destination; what is before and behind them goes by two copies that overlap these. */
__attribute__((target("avx512f"))) static void copy_wide(char *to, const char *from, size_t n)
{
    size_t done = LINE - (uintptr_t)to % LINE;

    _mm512_storeu_si512(to, _mm512_loadu_si512(from));
    for (; done + 4 * LINE <= n; done += 4 * LINE) {
        __m512i a = _mm512_loadu_si512(from + done), b = _mm512_loadu_si512(from + done + LINE),
                c = _mm512_loadu_si512(from + done + 2 * LINE),
                d = _mm512_loadu_si512(from + done + 3 * LINE);

        _mm512_store_si512(to + done, a);
        _mm512_store_si512(to + done + LINE, b);
        _mm512_store_si512(to + done + 2 * LINE, c);
        _mm512_store_si512(to + done + 3 * LINE, d);
    }
    for (; done + LINE <= n; done += LINE)
        _mm512_store_si512(to + done, _mm512_loadu_si512(from + done));
    _mm512_storeu_si512(to + n - LINE, _mm512_loadu_si512(from + n - LINE));
}

void mend_copy_wide(void *to, const void *from, size_t n)
{
    if (__builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") && n >= LINE)
        copy_wide(to, from, n);
    else
        memcpy(to, from, n);
}
#else
void mend_copy_wide(void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
}
#endif

void mend_copy_past_caches(void *to, const void *from, size_t n)
{
    size_t done = 0;

#ifdef __x86_64__
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
