/* SPDX-License-Identifier: BSD-3-Clause */
/* A process finds out which way of large messages is faster, for each sender and class of sizes, and does so
 * again when that changes. */
#include "p2p/internal.h"

#include "base/test.h"
#include "base/time.h"

#define BYTES (UINT64_C(1) << 20)
#define TRIES 8
#define FAST  20000000
#define SLOW  80000000

static struct mend_way ways[2][MEND_WAY_CLASSES];
static struct mend_p2p p2p;
static struct mend_proc self = {.p2p = &p2p, .peers_n = 2};

static void set_up(int single_copy)
{
    memset(ways, 0, sizeof(ways));
    p2p = (struct mend_p2p){.single_copy = single_copy, .ways = ways};
}

/* The next message takes so long; returns whether it was pulled. */
static bool take(mend_peer from, uint64_t bytes, mend_time_ns pieces, mend_time_ns single)
{
    mend_time_ns since = mend_single_copy_begin(&self, from, bytes);
    bool pulled = mend_single_copy_wanted(&p2p, from, bytes);

    if (since)
        since = mend_time_monotonic_ns() - (pulled ? single : pieces);
    mend_single_copy_end(&p2p, from, pulled, bytes, bytes, since);
    return pulled;
}

/* Messages until the other way has been settled for. */
static int until(bool single, mend_time_ns pieces, mend_time_ns pull)
{
    int n = 0, same = 0;

    for (; same < 3 * TRIES && n < 1000000; n++)
        same = take(0, BYTES, pieces, pull) == single ? same + 1 : 0;
    return n;
}

static bool choice(mend_peer from, uint64_t bytes, mend_time_ns pieces, mend_time_ns single)
{
    for (int i = 0; i < 2 * TRIES; i++)
        CHECK_EQ(take(from, bytes, pieces, single), i >= TRIES); /* pieces first */
    return take(from, bytes, pieces, single);
}

MEND_TEST(the_faster_way_stays)
{
    set_up(-1);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    set_up(-1);
    CHECK(choice(0, BYTES, SLOW, FAST));
    for (int i = 0; i < 1000; i++)
        CHECK(take(0, BYTES, SLOW, FAST));
    CHECK(mend_single_copy_wanted(&p2p, 0, BYTES));
}

MEND_TEST(each_sender_and_size_class_has_its_own)
{
    set_up(-1);
    CHECK(choice(0, BYTES, SLOW, FAST));
    CHECK(!choice(1, BYTES, FAST, SLOW));
    CHECK(!choice(0, 16 * BYTES, FAST, SLOW));
    CHECK(!choice(0, BYTES / 16, FAST, SLOW));
    CHECK(take(0, BYTES, SLOW, FAST));
}

MEND_TEST(a_way_that_has_become_slow_is_left)
{
    set_up(-1);
    CHECK(!choice(0, BYTES, FAST, 2 * FAST));
    CHECK(until(true, 8 * (mend_time_ns)FAST, 2 * FAST) < 200);
    CHECK(until(false, FAST, 8 * (mend_time_ns)FAST) < 200);
}

MEND_TEST(a_way_that_has_become_fast_is_found_seldom_tried)
{
    int other = 0;

    set_up(-1);
    CHECK(!choice(0, BYTES, 2 * FAST, SLOW));
    CHECK(until(true, 2 * FAST, FAST) < 2000);
    for (int i = 0; i < 100000; i++)
        other += !take(0, BYTES, 2 * FAST, FAST);
    CHECK(other > 0 && other < 60);
}

MEND_TEST(who_is_told_does_not_time)
{
    set_up(1);
    CHECK(mend_single_copy_wanted(&p2p, 0, BYTES));
    CHECK_EQ(mend_single_copy_begin(&self, 0, BYTES), 0);
}

MEND_TEST(what_cannot_be_pulled_is_slow)
{
    set_up(-1);
    for (int i = 0; i < TRIES; i++)
        CHECK(!take(0, BYTES, FAST, 0));
    for (int i = 0; i < TRIES; i++) {
        CHECK(mend_single_copy_wanted(&p2p, 0, BYTES));
        mend_single_copy_failed(&p2p, 0, BYTES);
    }
    CHECK(!take(0, BYTES, FAST, 0));
}

MEND_TEST(short_ones_and_those_beside_others_are_not_timed)
{
    set_up(-1);
    CHECK_EQ(mend_single_copy_begin(&self, 0, BYTES / 32), 0);
    CHECK(!mend_single_copy_wanted(&p2p, 0, BYTES / 32));
    p2p.large.used = 1;
    CHECK_EQ(mend_single_copy_begin(&self, 0, BYTES), 0);
    mend_single_copy_end(&p2p, 0, false, BYTES, BYTES, 0);
    CHECK_EQ(ways[0][1].tried[0], 0);
}

/* Of the first of four in a window, which share the time, four times its bytes count. */
MEND_TEST(a_window_is_judged_as_a_whole)
{
    mend_time_ns since;

    set_up(-1);
    for (int i = 0; i < 2 * TRIES; i++) {
        bool pulled = mend_single_copy_wanted(&p2p, 0, BYTES);

        since = mend_single_copy_begin(&self, 0, BYTES) - (pulled ? FAST : 2 * FAST);
        mend_single_copy_end(&p2p, 0, pulled, BYTES, pulled ? BYTES : 4 * BYTES, since);
    }
    CHECK(!mend_single_copy_wanted(&p2p, 0, BYTES));
}

MEND_TEST(crowded_ranks_do_not_need_each_other)
{
    struct mend_proc crowded = {.crowded = true}, roomy = {.crowded = false};

    CHECK_EQ(mend_single_copy_at_first(&crowded, NULL), 1);
    CHECK_EQ(mend_single_copy_at_first(&crowded, "auto"), 1);
    CHECK_EQ(mend_single_copy_at_first(&crowded, "never"), 0);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "auto"), -1);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "always"), 1);
}

MEND_TEST_MAIN()
