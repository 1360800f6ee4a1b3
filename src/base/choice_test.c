/* SPDX-License-Identifier: BSD-3-Clause */
/* The fastest of three ways is found, left when it becomes slow, and the others are tried seldom. */
#include "base/choice.h"

#include "base/test.h"

static unsigned turn(struct mend_choice *c, uint64_t a, uint64_t b, uint64_t d)
{
    const uint64_t rate[] = {a, b, d};
    unsigned way = mend_choice_way(c);

    if (mend_choice_timed(c))
        mend_choice_tell(c, way, rate[way], 1);
    return way;
}

MEND_TEST(each_way_is_tried_and_the_fastest_stays)
{
    for (unsigned fastest = 0; fastest < 3; fastest++) {
        struct mend_choice c = {.ways_n = 3};

        for (unsigned i = 0; i < 3 * MEND_CHOICE_TRIES; i++)
            CHECK_EQ(turn(&c, 10 + (fastest == 0), 10 + (fastest == 1), 10 + (fastest == 2)),
                     i / MEND_CHOICE_TRIES);
        for (unsigned i = 0; i < 200; i++)
            CHECK_EQ(turn(&c, 10 + (fastest == 0), 10 + (fastest == 1), 10 + (fastest == 2)),
                     fastest);
    }
}

MEND_TEST(a_way_that_is_far_behind_is_given_up)
{
    struct mend_choice c = {.ways_n = 3};
    unsigned n[3] = {0};

    while (!c.settled)
        n[turn(&c, 100, 50, 300)]++;
    CHECK_EQ(n[0], MEND_CHOICE_TRIES);
    CHECK_EQ(n[1], MEND_CHOICE_GIVE_UP);
    CHECK_EQ(n[2], MEND_CHOICE_TRIES);
    CHECK_EQ(turn(&c, 100, 50, 300), 2);
}

MEND_TEST(a_way_that_is_assumed_is_gone_for_a_while_without_a_trial)
{
    struct mend_choice c = {.ways_n = 3};
    unsigned n = 0;

    mend_choice_assume(&c, 1, 4);
    while (turn(&c, 9, 3, 5) == 1)
        CHECK(++n < 1000);
    CHECK(n >= 100);
    for (unsigned i = 0; i < 3 * MEND_CHOICE_TRIES; i++)
        turn(&c, 9, 3, 5);
    CHECK_EQ(turn(&c, 9, 3, 5), 0);
}

MEND_TEST(a_way_that_is_assumed_is_left_when_it_is_slow)
{
    struct mend_choice c = {.ways_n = 3};
    unsigned n = 0;

    mend_choice_assume(&c, 1, 400);
    while (turn(&c, 900, 100, 500) == 1)
        CHECK(++n < 1000);
    CHECK(n < 100);
}

MEND_TEST(a_trial_begins_with_what_is_given_or_was_best)
{
    struct mend_choice c = {.ways_n = 3, .settled_for = 2};
    unsigned n[3] = {0};

    while (!c.settled)
        n[turn(&c, 3, 1, 9)]++;
    CHECK_EQ(n[2], MEND_CHOICE_TRIES);
    CHECK(n[0] == MEND_CHOICE_GIVE_UP && n[1] == MEND_CHOICE_GIVE_UP);
    for (unsigned i = 0; i < 10000; i++) {
        unsigned way = turn(&c, 3, 1, 9);

        if (!c.settled && !c.tried[0] && !c.tried[1] && !c.tried[2])
            CHECK_EQ(way, 2);
    }
}

MEND_TEST(a_long_turn_says_as_much_as_several)
{
    struct mend_choice c = {.ways_n = 2};

    mend_choice_tell(&c, 0, 10, MEND_CHOICE_GIVE_UP);
    CHECK_EQ(mend_choice_way(&c), 0);
    mend_choice_tell(&c, 0, 10, MEND_CHOICE_GIVE_UP);
    CHECK_EQ(mend_choice_way(&c), 1);
    mend_choice_tell(&c, 1, 5, MEND_CHOICE_GIVE_UP);
    CHECK(c.settled);
    CHECK_EQ(mend_choice_way(&c), 0);
}

MEND_TEST(a_mean_does_not_believe_what_was_fast_once)
{
    struct mend_choice mean = {.ways_n = 3, .mean = true}, best = {.ways_n = 3};

    for (unsigned i = 0; !mean.settled || !best.settled; i++) {
        turn(&mean, 100, i == MEND_CHOICE_TRIES ? 130 : 90, 95);
        turn(&best, 100, i == MEND_CHOICE_TRIES ? 130 : 90, 95);
    }
    CHECK(mean.settled_for == 0 && mean.best[0] == 100 && mean.best[1] < 100);
    CHECK_EQ(best.settled_for, 1);
}

MEND_TEST(trials_of_means_begin_with_the_first_way)
{
    struct mend_choice mean = {.ways_n = 2, .mean = true, .settled_for = 1};

    CHECK_EQ(turn(&mean, 90, 100, 0), 1); /* except the first one */
    while (!mean.settled)
        turn(&mean, 90, 100, 0);
    CHECK_EQ(mean.settled_for, 1);
    while (mean.settled)
        turn(&mean, 90, 100, 0);
    CHECK_EQ(turn(&mean, 90, 100, 0), 0);
}

/* Turns, of so many after it has settled for way 0, that go another way while the rates of two vary by a few per cent. */
static unsigned turns_apart(unsigned turns, uint64_t other)
{
    struct mend_choice c = {.ways_n = 2};
    unsigned apart = 0;

    while (!c.settled)
        turn(&c, 100, 90, 0);
    for (unsigned i = 0, seed = 1; i < turns; i++) {
        seed = seed * 1103515245 + 12345;
        apart += turn(&c, 97 + (seed >> 16) % 7, other - 3 + (seed >> 20) % 7, 0) != 0;
    }
    return apart;
}

MEND_TEST(a_way_that_is_hardly_better_is_not_taken_instead)
{
    CHECK(turns_apart(100000, 100) < 120); /* some fifteen trials, each after twice the time */
    CHECK(turns_apart(100000, 105) < 120);
    CHECK(turns_apart(100000, 125) > 99000);
}

MEND_TEST(a_way_that_is_slower_than_another_was_may_be_doubted)
{
    struct mend_choice c = {.ways_n = 2};

    while (!c.settled)
        turn(&c, 90, 100, 0);
    CHECK(c.settled_for == 1 && !mend_choice_doubts(&c, 0));
    for (unsigned i = 0; i < 20 * MEND_CHOICE_TIMED_OF; i++)
        turn(&c, 90, 70, 0);
    CHECK(c.settled && !mend_choice_doubts(&c, 1)); /* 70 is more than half of what it was */
    CHECK(mend_choice_doubts(&c, 0) && !c.settled);
    while (!c.settled)
        turn(&c, 90, 70, 0);
    CHECK_EQ(c.settled_for, 0);
}

MEND_TEST(one_way_is_no_choice)
{
    struct mend_choice c = {.ways_n = 1};

    CHECK(!mend_choice_timed(&c));
    CHECK_EQ(mend_choice_way(&c), 0);
}

MEND_TEST(a_way_that_failed_is_not_taken)
{
    struct mend_choice c = {.ways_n = 3};

    for (unsigned i = 0; i < 3 * MEND_CHOICE_TRIES; i++)
        turn(&c, 0, 5, 0);
    CHECK_EQ(turn(&c, 0, 5, 0), 1);
}

MEND_TEST(a_way_that_has_become_slow_is_left)
{
    struct mend_choice c = {.ways_n = 3};
    unsigned n = 0;

    for (unsigned i = 0; i < 3 * MEND_CHOICE_TRIES; i++)
        turn(&c, 1, 10, 2);
    while (turn(&c, 1, 1, 2) == 1)
        n++;
    CHECK(n < 200);
    for (unsigned i = 0; i < 4 * MEND_CHOICE_TRIES; i++)
        turn(&c, 1, 1, 2);
    CHECK_EQ(turn(&c, 1, 1, 2), 2);
}

MEND_TEST(others_are_tried_now_and_then)
{
    struct mend_choice c = {.ways_n = 3};
    unsigned other = 0;

    for (unsigned i = 0; i < 100000; i++)
        other += turn(&c, 1, 2, 1) != 1;
    CHECK(other > 2 * 2 * MEND_CHOICE_GIVE_UP && other < 150);
}

MEND_TEST_MAIN()
