/* SPDX-License-Identifier: BSD-3-Clause */
/* copy_test.c – copies of all lengths and alignments: every byte, and none behind. */
#include "base/copy.h"
#include "base/test.h"

#include <stdlib.h>

#define MOST 700

static unsigned char from[MOST + 64], to[MOST + 128];

static void set_up(void)
{
    for (size_t i = 0; i < sizeof(from); i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    memset(to, 0xEE, sizeof(to));
}

static void expect_copied(size_t at, size_t off, size_t n)
{
    CHECK_EQ(memcmp(to + at, from + off, n), 0);
    CHECK_EQ(to[at - 1], 0xEE);
    CHECK_EQ(to[at + n], 0xEE);
}

MEND_TEST(short_copies)
{
    for (size_t n = 0; n < 40; n++) {
        set_up();
        mend_copy(to + 3, from + 5, n);
        expect_copied(3, 5, n);
    }
}

/* Whatever the processor has: the copy is the C library's or our own. */
MEND_TEST(wide_copies)
{
    for (size_t at = 1; at < 66; at += 3)
        for (size_t off = 0; off < 64; off += 7)
            for (size_t n = 0; n < MOST; n += n < 60 || n > 70 ? 7 : 1) {
                set_up();
                mend_copy_wide(to + at, from + off, n);
                expect_copied(at, off, n);
            }
}

/* Lengths around one, two and three pieces, and one that is none. */
MEND_TEST(long_copies_in_pieces)
{
    const size_t most = 3 * MEND_COPY_PIECE + 64;
    unsigned char *a = malloc(most), *b = malloc(most + 2);

    for (size_t i = 0; i < most; i++)
        a[i] = (unsigned char)(i * 7 + i / 256 + i / 65536);
    for (size_t n = 0; n + 1 < most;
         n += n < MEND_COPY_PIECE ? MEND_COPY_WIDE_MIN : MEND_COPY_PIECE)
        for (size_t k = n ? n - 1 : 0; k <= n + 1; k++) {
            memset(b, 0xEE, most + 2);
            mend_copy_any(b + 1, a, k);
            CHECK(b[0] == 0xEE && b[k + 1] == 0xEE && !memcmp(b + 1, a, k));
        }
    free(a);
    free(b);
}

MEND_TEST_MAIN()
