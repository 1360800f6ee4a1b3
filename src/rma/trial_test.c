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
    enum mend_rma_way way = mend_rma_trial_begin(&ways, &t, put, len, true);

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

MEND_TEST(messages_are_compared_after_they_have_filled_the_ring)
{
    const struct costs near = {.copy = 1450, .message = 500, .fault = 3300};

    for (int put = 0; put < 2; put++) {
        begin();
        moves_by_messages(120, put, 4096, &near);
        CHECK_EQ(moves_by_messages(100, put, 4096, &near), 100);
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
        CHECK(moves_by_messages(100, put, 4096, &computing) <= MEND_CHOICE_TRIES);
    }
}

MEND_TEST(a_way_that_has_become_slow_is_left)
{
    const struct costs near = {.copy = 1450, .message = 500}, computing = {1450, 2000 * US, 0};

    begin();
    moves_by_messages(200, true, 4096, &near);
    CHECK(moves_by_messages(200, true, 4096, &computing) < 120);
    CHECK(moves_by_messages(100, true, 4096, &computing) <= MEND_CHOICE_TRIES);
    moves_by_messages(1000, true, 4096, &near);
    CHECK_EQ(moves_by_messages(50, true, 4096, &near), 50);
}

MEND_TEST_MAIN()
