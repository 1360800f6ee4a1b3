/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks_test.c – sets of ranks in words, and that they end with the room. */
#include "base/ranks.h"
#include "base/test.h"

static char text[64];
static uint64_t set[4];

static const char *words(void)
{
    mend_ranks_text(set, 200, text, sizeof(text));
    return text;
}

static void put(int a, int b)
{
    for (int i = a; i <= b; i++)
        set[i / 64] |= UINT64_C(1) << i % 64;
}

MEND_TEST(one_some_and_ranges)
{
    CHECK_STR(words(), "");
    put(7, 7);
    CHECK_STR(words(), "rank 7");
    put(0, 0);
    CHECK_STR(words(), "ranks 0, 7");
    put(62, 66);
    put(199, 199);
    CHECK_STR(words(), "ranks 0, 7, 62-66, 199");
    CHECK_EQ(mend_ranks_text(set, 200, text, sizeof(text)), 8);
}

MEND_TEST(what_has_no_room_is_said_to_be_more)
{
    for (int i = 100; i < 200; i += 2)
        put(i, i);
    for (size_t max = 32; max <= sizeof(text); max++) {
        memset(text, 'x', sizeof(text));
        mend_ranks_text(set, 200, text, max);
        CHECK(strlen(text) < max);
        CHECK_STR(text + strlen(text) - 3, "...");
    }
}

MEND_TEST_MAIN()
