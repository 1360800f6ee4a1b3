/* SPDX-License-Identifier: BSD-3-Clause */
/* A process finds out which way of large messages is faster, and stays with it. */
#include "p2p/internal.h"

#include "base/test.h"
#include "base/time.h"

#define BYTES (UINT64_C(1) << 20)
#define TRIES 4

/* The next message takes so long; returns whether it was pulled. */
static bool take(struct mend_p2p *p, mend_time_ns pieces, mend_time_ns single)
{
    bool pulled = mend_single_copy_wanted(p, BYTES);

    CHECK(mend_single_copy_begin(p, BYTES) > 0);
    mend_single_copy_end(p, pulled, BYTES, mend_time_monotonic_ns() - (pulled ? single : pieces));
    return pulled;
}

static int choice(mend_time_ns pieces, mend_time_ns single)
{
    struct mend_p2p p = {.single_copy = -1};

    for (int i = 0; i < 2 * TRIES; i++) {
        CHECK_EQ(p.single_copy, -1);
        CHECK_EQ(take(&p, pieces, single), i % 2); /* in turn, pieces first */
    }
    CHECK_EQ(mend_single_copy_begin(&p, BYTES), 0);
    CHECK_EQ(mend_single_copy_wanted(&p, 1), p.single_copy);
    return p.single_copy;
}

MEND_TEST(the_faster_way_stays)
{
    CHECK_EQ(choice(1000000000, 2000000000), 0);
    CHECK_EQ(choice(2000000000, 1000000000), 1);
}

MEND_TEST(who_is_told_does_not_time)
{
    struct mend_p2p p = {.single_copy = 1};

    CHECK(mend_single_copy_wanted(&p, BYTES));
    CHECK_EQ(mend_single_copy_begin(&p, BYTES), 0);
}

MEND_TEST(what_cannot_be_pulled_is_slow)
{
    struct mend_p2p p = {.single_copy = -1};

    for (int i = 0; i < TRIES; i++) {
        CHECK(!take(&p, 1000000000, 0));
        CHECK(mend_single_copy_wanted(&p, BYTES));
        mend_single_copy_failed(&p);
    }
    CHECK_EQ(p.single_copy, 0);
}

MEND_TEST(short_ones_and_those_beside_others_are_not_timed)
{
    struct mend_p2p p = {.single_copy = -1};

    CHECK_EQ(mend_single_copy_begin(&p, BYTES / 32), 0);
    CHECK(!mend_single_copy_wanted(&p, BYTES / 32));
    p.large.used = 1;
    CHECK_EQ(mend_single_copy_begin(&p, BYTES), 0);
    mend_single_copy_end(&p, false, BYTES, 0);
    CHECK_EQ(p.tried[0], 0);
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
