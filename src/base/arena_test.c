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

static int allocate(struct mend_arena *a, int n, size_t bytes)
{
    int got = 0;

    while (n-- > 0)
        got += mend_arena_alloc(a, bytes) != NULL;
    return got;
}

MEND_TEST(one_allocation_fails)
{
    struct mend_arena *a = mend_arena_create();

    mend_arena_set_faults(a, 3, false);
    CHECK_EQ(allocate(a, 2, 100), 2);
    CHECK_EQ(allocate(a, 1, 100), 0);
    CHECK_EQ(allocate(a, 10, 100000), 10);
    CHECK_EQ(a->faults.denied_n, 1);
    CHECK(!a->strained);
    mend_arena_destroy(a);
}

MEND_TEST(the_reserve_stands_in)
{
    struct mend_arena *a = mend_arena_create();
    size_t before = a->in_use_bytes;
    void *p;

    mend_arena_set_faults(a, 1, true);
    CHECK_EQ(allocate(a, 5, 100), 0);
    mend_arena_press(a);
    p = mend_arena_alloc(a, 100);
    CHECK(p && (char *)p < a->reserve_next && (uintptr_t)p % 16 == 0);
    memset(p, 0xa5, 100);
    mend_arena_relax(a);
    mend_arena_free(a, p);
    CHECK_EQ(a->in_use_bytes, before);
    CHECK(a->strained);
    mend_arena_set_faults(a, 0, false);
    CHECK(!a->strained);
    mend_arena_destroy(a);
}

static void count(void *of)
{
    ++*(int *)of;
}

/* Nothing that can be reported uses it up. */
MEND_TEST(a_reserve_that_is_low_is_filled_up_first)
{
    struct mend_arena *a = mend_arena_create();
    int exhausted_n = 0;
    char *end;

    a->exhausted = count;
    a->exhausted_of = &exhausted_n;
    mend_arena_set_faults(a, 1, true);
    mend_arena_press(a);
    CHECK(allocate(a, 300, 1000) < 300);
    mend_arena_relax(a);
    CHECK(exhausted_n > 0);
    end = a->reserve_end;
    mend_arena_set_faults(a, 0, false);
    CHECK(a->strained);
    CHECK_EQ(allocate(a, 1, 1000), 1);
    CHECK(!a->strained && a->reserve_end != end);
    mend_arena_destroy(a);
}

/* The kernel gives nothing any more; a released page serves what is pressed, and many of them are a reserve. */
MEND_TEST(released_blocks_are_a_reserve)
{
    struct mend_arena *a = mend_arena_create();
    void *page[64], *small;
    size_t mapped;

    for (int i = 0; i < 64; i++)
        page[i] = mend_arena_alloc(a, 4096);
    mend_arena_set_faults(a, 1, true);
    mend_arena_press(a);
    while (!mend_arena_is_low(a))
        CHECK(mend_arena_alloc(a, 1000));
    CHECK_EQ(allocate(a, 10, 1000), 10);
    mapped = a->mapped_bytes;
    mend_arena_free(a, page[0]);
    small = mend_arena_alloc(a, 500);
    CHECK(small == page[0]);
    mend_arena_relax(a);
    mend_arena_free(a, small);
    CHECK(mend_arena_is_low(a));
    for (int i = 1; i < 64; i++)
        mend_arena_free(a, page[i]);
    CHECK(!mend_arena_is_low(a));
    CHECK_EQ(a->mapped_bytes, mapped);
    mend_arena_destroy(a);
}

#define LARGE 1000000

MEND_TEST(a_large_block_is_used_again_and_cleared_when_it_must_be)
{
    struct mend_arena *a = mend_arena_create();
    unsigned char *p = mend_arena_alloc(a, LARGE), *q;

    memset(p, 0xa5, LARGE);
    mend_arena_free(a, p);
    CHECK_EQ(a->in_use_bytes, 0);
    q = mend_arena_zalloc(a, LARGE - 100000);
    CHECK(p == q);
    for (int i = 0; i < LARGE - 100000; i += 1000)
        CHECK_EQ(q[i], 0);
    mend_arena_free(a, q);
    q = mend_arena_alloc(a, LARGE / 3); /* too little for so large a block */
    CHECK(p != q);
    mend_arena_free(a, q);
    mend_arena_destroy(a);
}

MEND_TEST(few_large_blocks_are_kept)
{
    struct mend_arena *a = mend_arena_create();
    void *p[10];

    for (int i = 0; i < 10; i++)
        p[i] = mend_arena_alloc(a, LARGE);
    for (int i = 0; i < 10; i++)
        mend_arena_free(a, p[i]);
    CHECK_EQ(a->spare_n, 4);
    CHECK(a->spare_bytes >= 4 * LARGE && a->spare_bytes <= MEND_ARENA_SPARE_MAX);
    CHECK(mend_arena_alloc(a, LARGE) == p[9]);
    mend_arena_free(a, mend_arena_alloc(a, 2 * MEND_ARENA_SPARE_MAX)); /* too large to be kept */
    CHECK_EQ(a->spare_n, 3);
    mend_arena_destroy(a);
}

static void add(void *bytes, const void *at, size_t n)
{
    (void)at;
    *(size_t *)bytes += n;
}

/* What is kept belongs to the library like the rest. */
MEND_TEST(what_is_kept_is_told)
{
    struct mend_arena *a = mend_arena_create();
    size_t before = 0, after = 0;
    void *p = mend_arena_alloc(a, LARGE);

    mend_arena_each(a, add, &before);
    mend_arena_free(a, p);
    mend_arena_each(a, add, &after);
    CHECK_EQ(before, after);
    mend_arena_destroy(a);
}

/* No address space has room for so large a block; a limit (RLIMIT_AS) would be one for a sanitizer's memory, too. */
MEND_TEST(what_is_kept_is_given_back_when_the_kernel_has_no_more)
{
    struct mend_arena *a = mend_arena_create();
    void *p = mend_arena_alloc(a, 3 * LARGE);

    mend_arena_free(a, p);
    CHECK_EQ(a->spare_n, 1);
    CHECK(!mend_arena_alloc(a, (size_t)1 << 60));
    CHECK_EQ(a->spare_n, 0);
    mend_arena_destroy(a);
}

MEND_TEST_MAIN()
