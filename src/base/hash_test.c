/* SPDX-License-Identifier: BSD-3-Clause */
/* hash_test.c – the table against a plain array, with insertions and removals mixed. */
#include "base/hash.h"
#include "base/test.h"

MEND_TEST(behaves_like_an_array)
{
    struct mend_arena *a = mend_arena_create();
    struct mend_hash h;
    static char present[4096], cell[4096];
    uint32_t x = 1, pos = 0, n = 0, live = 0;
    uint64_t key;
    void *value;

    mend_hash_init(&h, a);
    for (int step = 0; step < 200000; step++) {
        uint32_t k;

        x = x * 1664525 + 1013904223;
        k = (x >> 8) % 4096;
        if (x & 1) {
            CHECK_EQ(mend_hash_put(&h, (uint64_t)k << 36, &cell[k]), MEND_OK);
            present[k] = 1;
        } else {
            CHECK(mend_hash_remove(&h, (uint64_t)k << 36) == (present[k] ? &cell[k] : NULL));
            present[k] = 0;
        }
    }
    for (int k = 0; k < 4096; k++) {
        CHECK(mend_hash_get(&h, (uint64_t)k << 36) == (present[k] ? &cell[k] : NULL));
        live += present[k] != 0;
    }
    while (mend_hash_next(&h, &pos, &key, &value))
        n += present[key >> 36] != 0;
    CHECK_EQ(n, live);
    mend_hash_fini(&h);
    mend_arena_destroy(a);
}

MEND_TEST_MAIN()
