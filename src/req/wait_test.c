/* SPDX-License-Identifier: BSD-3-Clause */
/* wait_test.c – with more ranks than cores a wait for a message polls a while before it gives the core away, unless that was
 * in vain; a wait for anything else does not.  A process does not sleep when its last look has begun what must be polled for.
 * On a core that others use, too, it spins for a short time, however long its polls take.  A sleep that was too long is counted where
 * somebody should have rung for the news, and nowhere else. */
#include "net/net.h"
#include "node/bell.h"
#include "req/request.h"

#include "base/test.h"
#include "base/time.h"

#include <sched.h>

#define NEVER 1000000

static struct mend_proc self;
static struct mend_request r;
static _Atomic uint32_t interrupt;
static int polls, answer_at;
static bool others_compute; /* on this core, all the time */

static unsigned answers(struct mend_proc *p, mend_peer hint)
{
    (void)hint;
    if (others_compute)
        p->long_turn_at = mend_time_monotonic_ns();
    if (++polls < answer_at)
        return 0;
    r.state = MEND_REQUEST_DONE;
    return 1;
}

static const struct mend_net net = {.poll = answers};
static const struct mend_request_ops message = {.cause = MEND_WAIT_MESSAGES},
                                     other = {.cause = MEND_WAIT_COLLECTIVES};

static void begin(void)
{
    self = (struct mend_proc){.nets = {&net}, .oversubscribed = true, .params.yield_polls = 1000};
    self.interrupt = &interrupt;
    mend_list_init(&self.active);
}

static void wait_for(const struct mend_request_ops *ops, int at)
{
    r = (struct mend_request){.ops = ops, .state = MEND_REQUEST_ACTIVE, .hint = MEND_PEER_NONE};
    polls = 0;
    answer_at = at;
    mend_wait(&self, &r);
    CHECK(polls == at || at == NEVER);
}

MEND_TEST(an_answer_while_it_spins_leaves_no_doubt)
{
    begin();
    for (int i = 0; i < 10; i++) {
        wait_for(&message, 20);
        CHECK(!self.doubt.level && !self.doubt.skip);
    }
}

MEND_TEST(in_vain_it_is_tried_less_often)
{
    begin();
    wait_for(&message, 550); /* 512 polls, and then it gives the core away */
    CHECK_EQ(self.doubt.level, 1);
    CHECK_EQ(self.doubt.skip, 1);
    wait_for(&message, 20); /* without spinning */
    CHECK_EQ(self.doubt.level, 1);
    CHECK_EQ(self.doubt.skip, 0);
    wait_for(&message, 550);
    CHECK_EQ(self.doubt.level, 2);
    CHECK_EQ(self.doubt.skip, 2);
    for (int i = 0; i < 1000; i++)
        wait_for(&message, 550);
    CHECK_EQ(self.doubt.level, 5);
    CHECK(self.doubt.skip <= 32);
}

MEND_TEST(one_answer_ends_the_doubt)
{
    begin();
    for (int i = 0; i < 10; i++)
        wait_for(&message, 550);
    CHECK(self.doubt.level > 1);
    while (self.doubt.skip)
        wait_for(&message, 20);
    wait_for(&message, 20);
    CHECK(!self.doubt.level && !self.doubt.skip);
}

MEND_TEST(a_collective_does_not_spin)
{
    begin();
    wait_for(&other, 550);
    CHECK(!self.doubt.level && !self.doubt.skip);
}

static struct mend_request collective, copy;
static int sleeps, polls_of_copy;
static bool armed;

static void arm(struct mend_proc *p, bool nudged)
{
    (void)p;
    (void)nudged;
    armed = true;
}

static void disarm(struct mend_proc *p)
{
    (void)p;
    armed = false;
}

static bool sleep_at_most(struct mend_proc *p, mend_time_ns longest)
{
    (void)p;
    (void)longest;
    sleeps++;
    r.state = MEND_REQUEST_DONE; /* the test fails then, and ends */
    return true;
}

static void finish_copy(struct mend_request *of)
{
    (void)of;
    if (++polls_of_copy == 3)
        r.state = MEND_REQUEST_DONE;
}

static const struct mend_request_ops copy_ops = {.poll = finish_copy};

/* Its next round, which needs polls, begins when the process has decided to sleep. */
static void begin_copy(struct mend_request *of)
{
    (void)of;
    if (armed && !copy.ops) {
        copy.ops = &copy_ops;
        mend_list_append(&self.active, &copy.link);
    }
}

static const struct mend_request_ops collective_ops = {.poll = begin_copy};
static const struct mend_bell bell = {.arm = arm, .sleep = sleep_at_most, .disarm = disarm};

MEND_TEST(the_last_look_begins_something)
{
    begin();
    self.bell = &bell;
    self.params.yield_polls = 10;
    collective = (struct mend_request){.magic = MEND_REQUEST_MAGIC,
                                       .ops = &collective_ops,
                                       .state = MEND_REQUEST_ACTIVE,
                                       .rings = true};
    copy = (struct mend_request){.magic = MEND_REQUEST_MAGIC, .state = MEND_REQUEST_ACTIVE};
    mend_list_append(&self.active, &collective.link);
    wait_for(&other, NEVER);
    CHECK_EQ(sleeps, 0);
    CHECK_EQ(polls_of_copy, 3);
}

/* Nobody rings: each sleep ends with its time. */
static int long_sleeps, overslept;
static uint32_t read_n;
static bool readable, is_read, has_come;

static bool sleep_for_long(struct mend_proc *p, mend_time_ns longest)
{
    (void)p;
    (void)longest;
    long_sleeps++;
    has_come = true;
    return false;
}

static unsigned comes(struct mend_proc *p, mend_peer hint)
{
    (void)p;
    (void)hint;
    if (!has_come)
        return 0;
    read_n += is_read;
    r.state = MEND_REQUEST_DONE;
    return 1;
}

static bool is_readable(struct mend_proc *p)
{
    (void)p;
    return readable;
}

static uint32_t how_many_were_read(struct mend_proc *p)
{
    (void)p;
    return read_n;
}

static void count_overslept(struct mend_proc *p)
{
    (void)p;
    overslept++;
}

static const struct mend_net late_net = {.poll = comes};
static const struct mend_bell late_bell = {.arm = arm,
                                           .sleep = sleep_for_long,
                                           .disarm = disarm,
                                           .is_readable = is_readable,
                                           .read_n = how_many_were_read,
                                           .overslept = count_overslept};

static void sleep_too_long(bool is_in_descriptor, bool read_by_look, int sleeps_n, int overslept_n)
{
    begin();
    self.nets[0] = &late_net;
    self.bell = &late_bell;
    long_sleeps = overslept = 0;
    has_come = false;
    readable = is_in_descriptor;
    is_read = read_by_look;
    wait_for(&other, NEVER);
    CHECK_EQ(long_sleeps, sleeps_n);
    CHECK_EQ(overslept, overslept_n);
}

MEND_TEST(a_sleep_that_nobody_ends_is_counted_where_somebody_should_have_rung)
{
    sleep_too_long(false, false, 2, 1); /* news in shared memory */
    sleep_too_long(true, false, 2, 1);  /* the agent had the time to find them in a descriptor */
    sleep_too_long(false, true, 1, 0);  /* it had not: the last look has read them */
}

static mend_time_ns turn; /* so long others have the core */

int sched_yield(void)
{
    for (mend_time_ns until = mend_time_monotonic_ns() + turn;
         turn && mend_time_monotonic_ns() < until;)
        ;
    return 0;
}

static int polls_until_it_sleeps(mend_time_ns others)
{
    int slept = sleeps;

    turn = others;
    self.bell = &bell;
    wait_for(&other, NEVER);
    CHECK_EQ(sleeps, slept + 1);
    turn = 0;
    return polls;
}

MEND_TEST(alone_on_its_core_it_sleeps_later)
{
    begin();
    CHECK(!mend_core_is_alone(&self));
    CHECK(polls_until_it_sleeps(0) > 500);
    CHECK(mend_core_is_alone(&self));
    CHECK(polls_until_it_sleeps(2 * MEND_NS_PER_US) < 70);
    CHECK(!mend_core_is_alone(&self));
    self.params.yield_polls = 0;
    CHECK(polls_until_it_sleeps(0) < 5);
}

MEND_TEST(beside_others_it_spins_for_a_short_time)
{
    begin();
    self.oversubscribed = false;
    self.params.yield_polls = 0;
    self.params.spin_polls = NEVER / 2;
    CHECK(polls_until_it_sleeps(0) > NEVER / 2);
    others_compute = true;
    CHECK(polls_until_it_sleeps(0) < NEVER / 2);
    others_compute = false;
}

MEND_TEST_MAIN()
