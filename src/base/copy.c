/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – copies of long data: by wide registers where the processor has them, and in pieces. */
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
