/* SPDX-License-Identifier: BSD-3-Clause */
/* A poll may complete requests besides its own, whose memory is somebody else's then.  Transports that share a poll are polled
 * once; a wait for one peer looks at all of them now and then.  Frames come before the news. */
#include "net/net.h"
#include "req/request.h"
#include "rt/rt.h"

#include "base/test.h"

#include <string.h>

static struct mend_proc self;
static struct mend_request a, b, c, gone;
static int polls_of_c, polls_of_gone;

static unsigned nothing_arrives(struct mend_proc *p, mend_peer hint)
{
    return 0;
}

static const struct mend_net net = {.poll = nothing_arrives};

static void count_c(struct mend_request *r)
{
    polls_of_c++;
}

static void count_gone(struct mend_request *r)
{
    polls_of_gone++;
}

static const struct mend_request_ops c_ops = {.poll = count_c}, gone_ops = {.poll = count_gone};

/* Completes a request; its memory is used for another one that is in another list. */
static void complete(struct mend_request *r)
{
    mend_list_remove(&r->link);
    r->ops = &gone_ops;
    mend_list_append(&gone.link, &r->link);
}

static void complete_a_and_b(struct mend_request *r)
{
    complete(&a);
    complete(&b);
}

static void complete_nothing(struct mend_request *r)
{
}

static const struct mend_request_ops both_ops = {.poll = complete_a_and_b},
                                     none_ops = {.poll = complete_nothing};

static void begin(const struct mend_request_ops *a_ops, const struct mend_request_ops *b_ops)
{
    self.nets[0] = &net;
    a.ops = a_ops;
    b.ops = b_ops;
    c.ops = &c_ops;
    polls_of_c = polls_of_gone = 0;
    mend_list_init(&gone.link);
    mend_list_init(&self.active);
    mend_list_append(&self.active, &a.link);
    mend_list_append(&self.active, &b.link);
    mend_list_append(&self.active, &c.link);
}

static void check(void)
{
    CHECK_EQ(polls_of_gone, 0);
    CHECK_EQ(polls_of_c, 1);
    CHECK(self.active.next == &c.link && self.active.prev == &c.link);
}

MEND_TEST(completes_the_next_one_as_well)
{
    begin(&both_ops, &none_ops);
    CHECK(mend_progress(&self, MEND_PEER_NONE));
    check();
}

MEND_TEST(completes_the_one_before_as_well)
{
    begin(&none_ops, &both_ops);
    CHECK(mend_progress(&self, MEND_PEER_NONE));
    check();
}

MEND_TEST(what_completes_nothing_is_no_news)
{
    begin(&none_ops, &none_ops);
    CHECK(!mend_progress(&self, MEND_PEER_NONE));
    CHECK_EQ(polls_of_c, 1);
    CHECK(self.active.next == &a.link && self.active.prev == &c.link);
}

/* ---- transports ---- */

static int polls_n;
static mend_peer hinted;

static unsigned count_polls(struct mend_proc *p, mend_peer hint)
{
    polls_n++;
    hinted = hint;
    return 0;
}

static void poll_for(struct mend_proc *p, mend_peer hint)
{
    polls_n = 0;
    hinted = MEND_PEER_NONE;
    mend_progress(p, hint);
}

MEND_TEST(a_shared_poll_is_asked_once)
{
    static const struct mend_net near = {.poll = count_polls}, far = {.poll = count_polls},
                                 mute = {.poll = NULL};
    struct mend_proc *p = mend_proc_create_bare();

    CHECK(mend_peers_add(p, 3));
    mend_net_connect(p, 0, &mute);
    mend_net_connect(p, 1, &near);
    mend_net_connect(p, 2, &far);
    CHECK(mend_net_of(p, 1) == &near && mend_net_of(p, 2) == &far);
    poll_for(p, MEND_PEER_NONE);
    CHECK_EQ(polls_n, 1);
    for (int i = 0; i < 200; i++) { /* some of which look at the other transports as well */
        poll_for(p, 2);
        CHECK_EQ(polls_n, 1);
        CHECK_EQ(hinted, 2);
    }
    poll_for(p, 0); /* of which nothing arrives: all are polled */
    CHECK_EQ(polls_n, 1);
    CHECK_EQ(hinted, MEND_PEER_NONE);
    mend_proc_destroy(p);
}

/* ---- several transports ---- */

#define TURNS 6400

static struct {
    int polls_n, since, longest; /* turns without a poll */
    mend_peer hint;              /* of the last one */
    unsigned brings_n;
} near, far;

static unsigned poll_near(struct mend_proc *p, mend_peer hint)
{
    near.polls_n++;
    near.hint = hint;
    return near.brings_n;
}

static unsigned poll_far(struct mend_proc *p, mend_peer hint)
{
    far.polls_n++;
    far.since = 0;
    far.hint = hint;
    return far.brings_n;
}

static const struct mend_net near_net = {.poll = poll_near}, far_net = {.poll = poll_far},
                             mute_net = {.name = "nothing ever arrives"};

/* They reach peers 0, 1 and 2. */
static void begin_transports(void)
{
    self = (struct mend_proc){.arena = mend_arena_create()};
    mend_list_init(&self.active);
    CHECK(mend_peers_add(&self, 3));
    mend_net_connect(&self, 0, &near_net);
    mend_net_connect(&self, 1, &far_net);
    mend_net_connect(&self, 2, &mute_net);
    memset(&near, 0, sizeof(near));
    memset(&far, 0, sizeof(far));
}

MEND_TEST(a_wait_for_one_peer_looks_at_the_other_transports_now_and_then)
{
    begin_transports();
    for (int i = 0; i < TURNS; i++) {
        far.since++;
        CHECK(!mend_progress(&self, 0));
        CHECK_EQ(near.hint, 0);
        if (far.since > far.longest)
            far.longest = far.since;
    }
    CHECK_EQ(near.polls_n, TURNS); /* with each turn */
    CHECK(far.longest <= 100);
    CHECK(far.polls_n <= TURNS / 16); /* such a look takes longer than a turn */
    CHECK_EQ(far.hint, MEND_PEER_NONE);
    mend_arena_destroy(self.arena);
}

MEND_TEST(what_any_transport_brings_is_news)
{
    bool any = false;

    begin_transports();
    far.brings_n = 1;
    for (int i = 0; i < 100; i++)
        any |= mend_progress(&self, 0);
    CHECK(any);
    far.brings_n = 0;
    near.brings_n = 1;
    CHECK(mend_progress(&self, 0));
    CHECK(mend_progress(&self, MEND_PEER_NONE));
    mend_arena_destroy(self.arena);
}

/* Nobody knows from where the next frame comes, or nothing ever comes from there. */
MEND_TEST(without_a_hint_all_transports_are_polled)
{
    const mend_peer hints[] = {MEND_PEER_NONE, 2};

    begin_transports();
    for (int i = 0; i < 10; i++) {
        mend_progress(&self, hints[i % 2]);
        CHECK(near.polls_n == i + 1 && far.polls_n == i + 1);
        CHECK(near.hint == MEND_PEER_NONE && far.hint == MEND_PEER_NONE);
    }
    mend_arena_destroy(self.arena);
}

/* ---- news ---- */

static _Atomic uint32_t interrupt;
static char log_of[8];
static struct mend_death deaths[2];

static unsigned frame_arrives(struct mend_proc *p, mend_peer hint)
{
    strcat(log_of, "f");
    return 1;
}

static bool verdict(struct mend_proc *p, uint32_t number, struct mend_death *death)
{
    *death = (struct mend_death){.peer = (mend_peer)number, .first = 0};
    return number < 2;
}

static void on_deaths(struct mend_proc *p, int n)
{
    p->deaths_n += (uint32_t)n;
    strcat(log_of, n == 2 ? "d" : "?"); /* both were given together */
}

static void look_around(bool news, bool reducing)
{
    static const struct mend_net busy = {.poll = frame_arrives};
    static const struct mend_rt rt = {.verdict = verdict};

    self = (struct mend_proc){.nets = {&busy}, .rt = &rt, .on_deaths = on_deaths, .deaths = deaths};
    mend_list_init(&self.active);
    self.interrupt = &interrupt;
    self.interrupt_seen = interrupt;
    interrupt += news;
    self.reducing = reducing;
    log_of[0] = 0;
    mend_look_around(&self);
}

MEND_TEST(frames_come_before_the_news)
{
    look_around(true, false);
    CHECK(!strcmp(log_of, "fd"));
    look_around(false, false);
    CHECK(!strcmp(log_of, "f"));
}

MEND_TEST(a_reduction_function_hears_nothing)
{
    look_around(true, true);
    CHECK_EQ(log_of[0], 0);
    CHECK_EQ(self.deaths_n, 0);
}

MEND_TEST_MAIN()
