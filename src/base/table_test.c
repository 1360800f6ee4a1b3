/* SPDX-License-Identifier: BSD-3-Clause */
/* table_test.c – elements stay where they are while the table grows, and cost memory only where they are used. */
#include "base/table.h"
#include "base/test.h"

struct element {
    uint64_t index, filler[6];
};

static struct mend_arena *arena;
static struct mend_table table;

static void begin(void)
{
    arena = mend_arena_create();
    CHECK(arena != NULL);
    mend_table_init(&table, arena, sizeof(struct element));
}

MEND_TEST(elements_begin_as_zero_and_stay)
{
    struct element *first, *e;

    begin();
    first = mend_table_make(&table, 3);
    CHECK(first && first->index == 0);
    first->index = 3;
    for (uint32_t i = 0; i < 5000; i += 7) {
        e = mend_table_make(&table, i);
        CHECK(e && (e->index == 0 || e == first));
        e->index = i;
    }
    for (uint32_t i = 0; i < 5000; i += 7) {
        e = mend_table_get(&table, i);
        CHECK(e && e->index == i && e == MEND_TABLE_AT(&table, struct element, i));
    }
    CHECK(mend_table_get(&table, 3) == first && first->index == 3);
    mend_arena_destroy(arena);
}

MEND_TEST(what_nobody_made_is_not_there)
{
    begin();
    CHECK(mend_table_get(&table, 0) == NULL);
    CHECK(mend_table_make(&table, 1000) != NULL);
    CHECK(mend_table_get(&table, 900) == NULL);
    CHECK(mend_table_get(&table, 1u << 31) == NULL);
    mend_arena_destroy(arena);
}

MEND_TEST(next_finds_each_that_was_made)
{
    uint32_t i = 0, n = 0;

    begin();
    CHECK(mend_table_next(&table, &i) == NULL);
    CHECK(mend_table_make(&table, 20) && mend_table_make(&table, 100));
    for (i = 0; mend_table_next(&table, &i); i++, n++)
        CHECK((i >= 16 && i < 32) || (i >= 96 && i < 112));
    CHECK_EQ(n, 2 * MEND_TABLE_CHUNK);
    mend_arena_destroy(arena);
}

MEND_TEST(memory_is_that_of_the_used_chunks)
{
    size_t chunk = MEND_TABLE_CHUNK * sizeof(struct element), before;

    begin();
    before = arena->in_use_bytes;
    for (uint32_t i = 500; i < 504; i++)
        CHECK(mend_table_make(&table, i) != NULL);
    CHECK(arena->in_use_bytes - before < 2 * chunk + 1024);
    mend_arena_destroy(arena);
}

MEND_TEST_MAIN()
