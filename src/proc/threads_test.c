/* SPDX-License-Identifier: BSD-3-Clause */
/* When the lock is given back no thread sleeps whose wait is over, and the poller does not sleep over something
 * that only polling moves on (threads.h, invariants 2 and 3). */
#include "proc/threads.h"

#include "node/bell.h"

#include "base/test.h"

static struct mend_proc *self;
static struct mend_waiter poller, a, b;
static struct mend_list polled;
static bool poller_over, a_over, b_over;
static int roused_n;

static void rouse(struct mend_proc *p)
{
    roused_n++;
}

static const struct mend_bell bell = {.rouse = rouse};

static bool is_over(struct mend_proc *p, struct mend_waiter *w)
{
    return w == &poller ? poller_over : w == &a ? a_over : b_over;
}

static void fall_asleep(struct mend_waiter *w)
{
    w->awake = false;
    mend_list_append(&self->asleep, &w->link);
}

static void begin(void)
{
    self = mend_proc_create_bare();
    self->bell = &bell;
    mend_detour_begin(self, MEND_DETOUR_THREADS);
    poller = a = b =
        (struct mend_waiter){.over = is_over, .rings = true, .woken = PTHREAD_COND_INITIALIZER};
    poller_over = a_over = b_over = false;
    roused_n = 0;
    self->poller = &poller;
    fall_asleep(&a);
    fall_asleep(&b);
}

static void give_back(void)
{
    mend_lock(self);
    mend_unlock(self);
}

MEND_TEST(those_whose_wait_is_over_wake)
{
    begin();
    give_back();
    CHECK(!a.awake && !b.awake);
    b_over = true;
    give_back();
    CHECK(!a.awake && b.awake && !mend_list_linked(&b.link));
    CHECK(mend_list_linked(&a.link));
    a_over = true;
    give_back();
    CHECK(a.awake && mend_list_empty(&self->asleep));
    CHECK_EQ(roused_n, 0); /* the poller does not sleep */
}

MEND_TEST(a_sleeping_poller_is_roused_when_its_own_wait_is_over)
{
    begin();
    self->poller_asleep = true;
    give_back();
    CHECK_EQ(roused_n, 0);
    poller_over = true;
    give_back();
    CHECK_EQ(roused_n, 1);
    give_back(); /* once is enough */
    CHECK_EQ(roused_n, 1);
}

MEND_TEST(a_sleeping_poller_is_roused_to_poll)
{
    begin();
    mend_list_append(&self->active, &polled);
    self->poller_asleep = true;
    give_back();
    CHECK_EQ(roused_n, 1);
    mend_list_remove(&polled);
    self->outbox_n = 1;
    self->poller_asleep = true;
    give_back();
    CHECK_EQ(roused_n, 2);
    self->outbox_n = 0;
    self->poller_asleep = true;
    give_back();
    CHECK_EQ(roused_n, 2);
    b.rings = false; /* what it waits for only polling finds */
    give_back();
    CHECK_EQ(roused_n, 3);
}

MEND_TEST(who_may_sleep)
{
    begin();
    CHECK(mend_threads_may_sleep(self));
    poller.rings = false;
    CHECK(!mend_threads_may_sleep(self));
    poller.rings = true;
    a.rings = false;
    CHECK(!mend_threads_may_sleep(self));
    mend_threads_wake(&a);
    CHECK(mend_threads_may_sleep(self));
}

MEND_TEST_MAIN()
