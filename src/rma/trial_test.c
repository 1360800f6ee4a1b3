/* SPDX-License-Identifier: BSD-3-Clause */
/* The way of puts and gets is the faster one, and what is slow for another reason at first does not decide: a ring whose
 * pages are used for the first time.  Time is a number here, and each way costs what the test says. */
#include "rma/trial.h"

#include "base/test.h"
#include "node/layout.h"

#define US MEND_NS_PER_US

static struct mend_rma_ways ways;
static mend_time_ns now;
static uint64_t by_messages; /* bytes so far */

/* Of one operation by each way; `fault` comes upon messages until they have gone once through the ring. */
struct costs {
    mend_time_ns copy, message, fault;
};

/* One put or get, and its flush.  Was it by messages? */
static bool move(bool put, size_t len, const struct costs *k)
{
    struct mend_rma_trial t = {.target = 1};
    enum mend_rma_way way = MEND_RMA_BY_COPY;

    if (!mend_rma_target_computes(&ways, now))
        way = mend_rma_trial_begin(&ways, &t, put, len, true);
    t.since = now;
    now += way == MEND_RMA_BY_COPY ? k->copy : k->message;
    if (way == MEND_RMA_BY_MESSAGES) {
        now += by_messages < MEND_NODE_RING_BYTES ? k->fault : 0;
        by_messages += len;
    }
    if (t.choice)
        mend_rma_trial_end(&t, now);
    return way == MEND_RMA_BY_MESSAGES;
}

static int moves_by_messages(int n, bool put, size_t len, const struct costs *k)
{
    int by = 0;

    for (int i = 0; i < n; i++)
        by += move(put, len, k);
    return by;
}

static void begin(void)
{
    mend_rma_ways_init(&ways);
    by_messages = 0;
}

/* A page fault takes 3 us on a quiet machine, and beside other programs some hundred now and then. */
MEND_TEST(messages_are_compared_after_they_have_filled_the_ring)
{
    const struct costs near[] = {{1450, 500, 3300}, {1450, 500, 400 * US}};

    for (int i = 0; i < 4; i++) {
        begin();
        moves_by_messages(120, i & 1, 4096, &near[i / 2]);
        CHECK_EQ(moves_by_messages(100, i & 1, 4096, &near[i / 2]), 100);
    }
}

MEND_TEST(a_copy_that_is_faster_is_found_as_well)
{
    const struct costs far = {.copy = 1900, .message = 3800, .fault = 3300};

    for (int put = 0; put < 2; put++) {
        begin();
        moves_by_messages(120, put, 4096, &far);
        CHECK_EQ(moves_by_messages(100, put, 4096, &far), 0);
    }
}

/* The ring is not full after a few messages, but it is not the ring that they wait for. */
MEND_TEST(a_target_that_computes_is_not_waited_for_until_the_ring_is_full)
{
    const struct costs computing = {.copy = 1450, .message = 2000 * US};

    for (int put = 0; put < 2; put++) {
        begin();
        CHECK(moves_by_messages(100, put, 4096, &computing) <= 1);
    }
}

/* A message of 1 MiB is 64 frames through the ring, and a copy pins 256 pages. */
MEND_TEST(large_messages_are_compared_too)
{
    const struct costs near = {75 * US, 47 * US, 500 * US}, far = {75 * US, 150 * US, 500 * US};

    for (int put = 0; put < 2; put++) {
        begin();
        moves_by_messages(40, put, 1 << 20, &near);
        CHECK_EQ(moves_by_messages(40, put, 1 << 20, &near), 40);
        begin();
        moves_by_messages(40, put, 1 << 20, &far);
        CHECK_EQ(moves_by_messages(40, put, 1 << 20, &far), 0);
    }
}

/* One wait for a target that computes is enough to know, for a while and for all lengths; and when it does not compute any more
 * this is found. */
MEND_TEST(waits_for_a_target_that_computes_are_a_small_part_of_the_time)
{
    const struct costs computing = {75 * US, 100000 * US, 0}, near = {75 * US, 47 * US, 0};
    mend_time_ns began = now, waited = 0;

    begin();
    for (size_t len = 8192; len <= (4 << 20); len *= 2)
        CHECK(moves_by_messages(2000, true, len, &computing) <= 2);
    while (now < began + 100 * MEND_NS_PER_S)
        waited += move(true, 65536, &computing) ? computing.message : 0;
    CHECK(waited < 8 * MEND_NS_PER_S);
    moves_by_messages(30000, true, 65536, &near);
    CHECK_EQ(moves_by_messages(50, true, 65536, &near), 50);
    CHECK(!mend_rma_way_is_measured((4 << 20) + 1));
}

MEND_TEST(a_way_that_has_become_slow_is_left)
{
    const struct costs near = {.copy = 1450, .message = 500}, computing = {1450, 2000 * US, 0};

    begin();
    moves_by_messages(200, true, 4096, &near);
    CHECK(moves_by_messages(200, true, 4096, &computing) < 120);
    CHECK(moves_by_messages(100, true, 4096, &computing) <= MEND_CHOICE_TRIES);
    moves_by_messages(40000, true, 4096, &near);
    CHECK_EQ(moves_by_messages(50, true, 4096, &near), 50);
}

MEND_TEST_MAIN()
