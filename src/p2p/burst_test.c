/* SPDX-License-Identifier: BSD-3-Clause */
/* Small nonblocking sends to one process leave together once their bursts are known, the first and the last of them at once, and
 * none waits longer than its process has been right about that. */
#include "comm/objects.h"
#include "datatype/init.h"
#include "p2p/internal.h"

#include "base/test.h"
#include "req/take.h"

#define LATE  1000000 /* nanoseconds */
#define BURST 10

static struct mend_proc *self;
static struct mend_comm *c;
static mend_atomic_u32 interrupt;
static mend_time_ns now;
static int sent_n, calls_n; /* frames; times that some left */
static bool gathering, gathered_any;

static enum mend_status count(struct mend_proc *p, mend_peer to, const struct mend_frame *f,
                              const void *payload)
{
    if (mend_frame_kind(f) == MEND_FRAME_EAGER)
        CHECK_EQ(*(const int *)payload, sent_n); /* in order */
    else
        CHECK_EQ(mend_frame_kind(f), MEND_FRAME_RTS);
    sent_n++;
    calls_n += !gathering;
    gathered_any = gathering;
    return MEND_OK;
}

static void gather(struct mend_proc *p, enum mend_gather how)
{
    calls_n += how == MEND_GATHER_END && gathered_any;
    gathered_any = false;
    gathering = how != MEND_GATHER_END;
}

static const struct mend_net net = {.payload_max_bytes = 1 << 16, .send = count, .gather = gather};

static mend_time_ns clock_now(struct mend_proc *p)
{
    return now;
}

static const struct mend_comm_hooks hooks = {
    .attach = {mend_match_create},
    .detach = {mend_match_destroy},
    .check = {mend_match_check},
};

static void begin(void)
{
    self = mend_proc_create_bare();
    self->me = 0;
    self->interrupt = &interrupt;
    self->comm_hooks = &hooks;
    self->clock = clock_now;
    self->params.eager_max_bytes = 4096;
    now = 1;
    sent_n = calls_n = 0;
    CHECK(mend_peers_add(self, 2));
    mend_net_connect(self, 0, &mend_net_self);
    mend_net_connect(self, 1, &net);
    CHECK(!mend_objects_init(self) && !mend_type_init(self) && !mend_p2p_init(self));
    c = mend_comm_create(self, mend_group_create_range(self, 0, 1, 2), NULL, MEND_CTX_WORLD, NULL);
}

static int started_n;

/* Isends of one integer each; bytes: how long they are. */
static void isend(int n, struct mend_request **r, int ints)
{
    static int data[10000];

    for (int i = 0; i < n; i++) {
        int *at = &data[started_n % 5000];

        *at = started_n++;
        CHECK_EQ(mend_p2p_isend_new(c, MEND_SEND_STANDARD, at, ints,
                                    mend_type_predefined((uintptr_t)MPI_INT), 1, 0, &r[i]),
                 MPI_SUCCESS);
    }
}

static void wait_for(int n, struct mend_request **r)
{
    for (int i = 0; i < n; i++) {
        MPI_Request handle = (MPI_Request)r[i];

        CHECK_EQ(mend_request_wait(self, &handle, r[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
}

/* Returns how many calls a burst takes that is waited for. */
static int burst(int n)
{
    struct mend_request *r[2 * BURST];
    int before = calls_n;

    isend(n, r, 1);
    wait_for(n, r);
    CHECK_EQ(sent_n, started_n);
    return calls_n - before;
}

static void learn(int n)
{
    for (int i = 0; i < 3; i++)
        CHECK_EQ(burst(n), n);
}

static void end(void)
{
    mend_proc_destroy(self);
    started_n = 0;
}

MEND_TEST(bursts_that_are_known_leave_with_two_calls)
{
    begin();
    learn(BURST);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(burst(BURST), 2);
    end();
}

MEND_TEST(the_first_and_the_last_of_a_burst_leave_at_once)
{
    struct mend_request *r[BURST];

    begin();
    learn(BURST);
    isend(1, r, 1);
    CHECK_EQ(sent_n, started_n);
    isend(BURST - 2, r + 1, 1);
    CHECK_EQ(sent_n, started_n - (BURST - 2));
    CHECK(!mend_request_is_done(r[1]));
    isend(1, r + BURST - 1, 1);
    CHECK_EQ(sent_n, started_n); /* although nobody has waited */
    for (int i = 0; i < BURST; i++)
        CHECK(mend_request_is_done(r[i]));
    wait_for(BURST, r);
    end();
}

MEND_TEST(one_send_at_a_time_never_waits)
{
    begin();
    for (int i = 0; i < 20; i++)
        CHECK_EQ(burst(1), 1);
    end();
}

MEND_TEST(a_burst_of_another_length_is_learnt_anew)
{
    begin();
    learn(BURST);
    CHECK_EQ(burst(BURST / 2), 2); /* with the wait */
    CHECK_EQ(burst(BURST), BURST);
    CHECK_EQ(burst(BURST), BURST);
    CHECK_EQ(burst(BURST), BURST);
    CHECK_EQ(burst(BURST), 2);
    end();
}

/* The process computes instead of sending on. */
static void be_late(void)
{
    struct mend_request *r[BURST];

    isend(BURST / 2, r, 1);
    CHECK_EQ(sent_n, started_n - (BURST / 2 - 1));
    now += LATE;
    wait_for(BURST / 2, r);
    CHECK_EQ(sent_n, started_n);
}

/* Bursts until one is gathered. */
static int until_gathered(void)
{
    int n = 0;

    for (; burst(BURST) != 2; n++)
        CHECK(n < 1000);
    return n;
}

MEND_TEST(a_process_that_was_wrong_waits_more_rarely)
{
    int first, second;

    begin();
    until_gathered();
    be_late();
    first = until_gathered();
    be_late();
    second = until_gathered();
    be_late();
    CHECK(second > first);
    CHECK(until_gathered() > second);
    end();
}

MEND_TEST(what_has_waited_leaves_before_a_large_message)
{
    struct mend_request *r[BURST];

    begin();
    learn(BURST);
    isend(3, r, 1);
    CHECK_EQ(sent_n, started_n - 2);
    isend(1, r + 3, 2000);
    CHECK_EQ(sent_n, started_n);
    wait_for(3, r);
    end();
}

MEND_TEST(no_more_than_16_kib_wait)
{
    struct mend_request *r[BURST];
    int before;

    begin();
    for (int i = 0; i < 3; i++) {
        isend(BURST, r, 900);
        wait_for(BURST, r);
    }
    before = calls_n;
    isend(BURST, r, 900);
    CHECK(calls_n - before > 2 && calls_n - before < 5);
    wait_for(BURST, r);
    end();
}

MEND_TEST(a_poll_takes_along_what_waits)
{
    struct mend_request *r[BURST];

    begin();
    learn(BURST);
    isend(3, r, 1);
    CHECK_EQ(sent_n, started_n - 2);
    mend_progress(self, MEND_PEER_NONE);
    CHECK_EQ(sent_n, started_n);
    wait_for(3, r);
    end();
}

MEND_TEST_MAIN()
