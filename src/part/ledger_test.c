/* SPDX-License-Identifier: BSD-3-Clause */
/* Which partitions are marked and sent, and which have arrived when the two ends cut the bytes differently. */
#include "part/ledger.h"

#include "base/test.h"

#include <pthread.h>

#define MOST 200

static mend_atomic_u64 marked[MOST / MEND_MARKS_PER_WORD + 1], left[MOST];
static uint64_t taken[MOST / MEND_MARKS_PER_WORD + 1];

static struct mend_marks marks_of(int n)
{
    struct mend_marks m = {.partitions_n = n, .marked = marked, .taken = taken};

    mend_marks_clear(&m);
    return m;
}

MEND_TEST(every_run_is_taken_once)
{
    for (int n = 0; n <= MOST; n++) {
        struct mend_marks m = marks_of(n);
        int run = 0;

        CHECK_EQ(mend_marks_next(&m, 0, &run), n);
        for (int i = 0; i < n; i += 1 + i % 3)
            CHECK(mend_marks_set(&m, i));
        for (int i = mend_marks_next(&m, 0, &run); i < n; i = mend_marks_next(&m, i + run, &run)) {
            CHECK(i == 0 || !mend_marks_has(&m, i - 1));
            CHECK(i + run == n || !mend_marks_has(&m, i + run));
            mend_marks_take(&m, i, run);
        }
        CHECK_EQ(mend_marks_next(&m, 0, &run), n);
        for (int i = 0; i < n; i++)
            CHECK_EQ(mend_marks_set(&m, i), !mend_marks_is_taken(&m, i));
        while (!mend_marks_all_taken(&m)) {
            int i = mend_marks_next(&m, 0, &run);

            CHECK(i < n);
            mend_marks_take(&m, i, run);
        }
    }
}

MEND_TEST(a_second_mark_is_refused)
{
    struct mend_marks m = marks_of(70);

    CHECK(mend_marks_set(&m, 69));
    CHECK(!mend_marks_set(&m, 69));
    CHECK(mend_marks_set(&m, 5));
    mend_marks_clear(&m);
    CHECK(mend_marks_set(&m, 69));
}

MEND_TEST(one_thread_hurries)
{
    struct mend_marks m = marks_of(3);

    CHECK(mend_marks_hurry(&m));
    CHECK(!mend_marks_hurry(&m));
    mend_marks_calm(&m);
    CHECK(mend_marks_hurry(&m));
}

/* Threads that mark; the one that hurries takes under a lock.  No mark is left over. */
static struct mend_marks shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *mark(void *arg)
{
    int run = 0, first = *(int *)arg;

    for (int i = first; i < shared.partitions_n; i += 2) {
        mend_marks_set(&shared, i);
        if (!mend_marks_hurry(&shared))
            continue;
        pthread_mutex_lock(&lock);
        mend_marks_calm(&shared);
        for (int k = mend_marks_next(&shared, 0, &run); k < shared.partitions_n;
             k = mend_marks_next(&shared, k + run, &run))
            mend_marks_take(&shared, k, run);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

MEND_TEST(no_mark_is_left)
{
    for (int round = 0; round < 2000; round++) {
        pthread_t t[2];
        int first[2] = {0, 1};

        shared = marks_of(MOST);
        for (int i = 0; i < 2; i++)
            CHECK_EQ(pthread_create(&t[i], NULL, mark, &first[i]), 0);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
        CHECK(mend_marks_all_taken(&shared));
    }
}

/* Pieces of any length, from the back: each partition arrives with its last byte. */
MEND_TEST(arrivals_in_pieces)
{
    for (uint64_t each = 1; each < 9; each++)
        for (int piece = 1; piece < 20; piece++) {
            struct mend_arrivals a = {.partitions_n = 7, .each_bytes = each, .left = left};
            uint64_t total = 7 * each;

            mend_arrivals_clear(&a);
            for (uint64_t end = total; end > 0;) {
                uint64_t at = end > (uint64_t)piece ? end - (uint64_t)piece : 0;

                mend_arrivals_add(&a, at, end - at);
                end = at;
                for (int i = 0; i < 7; i++)
                    CHECK_EQ(mend_arrivals_has(&a, i), (uint64_t)i * each >= at);
            }
            CHECK_EQ(a.got_bytes, total);
        }
}

MEND_TEST(what_is_beyond_the_buffer_is_counted)
{
    struct mend_arrivals a = {.partitions_n = 2, .each_bytes = 10, .left = left};

    mend_arrivals_clear(&a);
    mend_arrivals_add(&a, 15, 100);
    CHECK(!mend_arrivals_has(&a, 0) && !mend_arrivals_has(&a, 1));
    mend_arrivals_add(&a, 10, 5);
    CHECK(mend_arrivals_has(&a, 1));
    CHECK_EQ(a.got_bytes, 105);
    mend_arrivals_finish(&a);
    CHECK(mend_arrivals_has(&a, 0));
}

MEND_TEST(partitions_without_bytes_arrive_at_the_end)
{
    struct mend_arrivals a = {.partitions_n = 2, .each_bytes = 0, .left = left};

    mend_arrivals_clear(&a);
    CHECK(!mend_arrivals_has(&a, 0));
    mend_arrivals_finish(&a);
    CHECK(mend_arrivals_has(&a, 0) && mend_arrivals_has(&a, 1));
}

int main(void)
{
    return mend_test_main();
}
