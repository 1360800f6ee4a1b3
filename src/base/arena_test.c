/* SPDX-License-Identifier: BSD-3-Clause */
/* arena_test.c – sizes, alignment, reuse and large blocks. */
#include "base/arena.h"
#include "base/test.h"

#include <string.h>

MEND_TEST(every_size_fits_and_is_aligned)
{
    struct mend_arena *a = mend_arena_create();

    for (size_t n = 0; n < 200000; n += n < 300 ? 1 : 997) {
        char *p = mend_arena_alloc(a, n);

        CHECK(p != NULL);
        CHECK_EQ((uintptr_t)p % 16, 0);
        memset(p, 0xa5, n);
        if (n % 3)
            mend_arena_free(a, p);
    }
    mend_arena_destroy(a);
}

MEND_TEST(a_freed_block_is_used_again)
{
    struct mend_arena *a = mend_arena_create();
    void *p = mend_arena_alloc(a, 100), *q;

    mend_arena_free(a, p);
    q = mend_arena_alloc(a, 97);
    CHECK(p == q);
    mend_arena_free(a, q);
    CHECK_EQ(a->in_use_bytes, 0);
    mend_arena_destroy(a);
}

MEND_TEST(no_block_overlaps_another)
{
    struct mend_arena *a = mend_arena_create();
    unsigned char *p[500];

    for (int i = 0; i < 500; i++) {
        p[i] = mend_arena_alloc(a, (size_t)(i * 37 % 3000));
        memset(p[i], i & 0xff, (size_t)(i * 37 % 3000));
    }
    for (int i = 0; i < 500; i++)
        for (size_t k = 0; k < (size_t)(i * 37 % 3000); k++)
            CHECK_EQ(p[i][k], i & 0xff);
    mend_arena_destroy(a);
}

MEND_TEST_MAIN()
