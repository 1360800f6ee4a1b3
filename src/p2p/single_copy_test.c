/* SPDX-License-Identifier: BSD-3-Clause */
/* A process finds out which way of large messages is faster, for each sender and class of sizes, and does so
 * again when that changes. */
#include "p2p/internal.h"

#include "base/test.h"
#include "base/time.h"
#include "net/net.h"

#define BYTES (UINT64_C(1) << 19)
#define TRIES MEND_CHOICE_TRIES
#define FAST  20000000
#define SLOW  80000000

static struct mend_ways ways[2];
static struct mend_p2p p2p;
static struct mend_proc self = {.p2p = &p2p, .peers_n = 2};

static void set_up(enum mend_single_copy single_copy)
{
    memset(ways, 0, sizeof(ways));
    for (unsigned i = 0; i < 2 * MEND_WAY_KINDS * MEND_WAY_SIZES; i++)
        ways[i % 2].of[i / 2 / MEND_WAY_SIZES][i / 2 % MEND_WAY_SIZES] =
            (struct mend_choice){.ways_n = MEND_WAYS, .settled_for = MEND_WAY_COPY};
    p2p = (struct mend_p2p){.single_copy = single_copy, .ways = ways};
}

/* Of messages alone, of BYTES. */
static struct mend_choice *of_alone(void)
{
    return &ways[0].of[MEND_WAY_ALONE][1];
}

static bool wanted(mend_peer from, uint64_t bytes)
{
    return mend_single_copy_way(&p2p, from, MEND_CHANNEL_P2P, bytes) == MEND_WAY_COPY;
}

/* One of so many bytes begins alone; returns whether it is timed. */
static bool begin(mend_peer from, uint64_t bytes)
{
    mend_single_copy_begin(&self, from, MEND_CHANNEL_P2P, bytes);
    return p2p.timed.since != 0;
}

/* So many bytes have come, so long after the first began. */
static void end(uint64_t moved, mend_time_ns after)
{
    p2p.moved_bytes += moved;
    if (p2p.timed.since)
        p2p.timed.since = mend_time_monotonic_ns() - after;
    mend_single_copy_end(&p2p);
}

/* The next message takes so long; returns whether it was copied. */
static bool take(mend_peer from, uint64_t bytes, mend_time_ns fragments, mend_time_ns single)
{
    bool pulled;

    begin(from, bytes);
    pulled = wanted(from, bytes);
    end(bytes, pulled ? single : fragments);
    return pulled;
}

/* Messages until the other way has been settled for. */
static int until(bool single, mend_time_ns fragments, mend_time_ns pull)
{
    int n = 0, same = 0;

    for (; same < 3 * TRIES && n < 1000000; n++)
        same = take(0, BYTES, fragments, pull) == single ? same + 1 : 0;
    return n;
}

static bool choice(mend_peer from, uint64_t bytes, mend_time_ns fragments, mend_time_ns single)
{
    bool first = wanted(from, bytes);

    for (int i = 0; i < TRIES && first; i++)
        CHECK(take(from, bytes, fragments, single));
    CHECK(!take(from, bytes, fragments, single));
    while (!ways[from].of[MEND_WAY_ALONE][bytes >= BYTES].settled)
        take(from, bytes, fragments, single);
    return take(from, bytes, fragments, single);
}

MEND_TEST(the_faster_way_stays)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(choice(0, BYTES, SLOW, FAST));
    for (int i = 0; i < 200; i++)
        CHECK(take(0, BYTES, SLOW, FAST));
    CHECK(wanted(0, BYTES));
}

MEND_TEST(each_sender_and_size_class_has_its_own)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(choice(0, BYTES, SLOW, FAST));
    CHECK(!choice(1, BYTES, FAST, SLOW));
    CHECK(!choice(0, BYTES / 8, FAST, SLOW));
    CHECK(take(0, BYTES, SLOW, FAST));
}

MEND_TEST(a_way_that_has_become_slow_is_left)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(!choice(0, BYTES, FAST, 2 * FAST));
    CHECK(until(true, 8 * (mend_time_ns)FAST, 2 * FAST) < 200);
    CHECK(until(false, FAST, 8 * (mend_time_ns)FAST) < 200);
}

MEND_TEST(a_way_that_has_become_fast_is_found_seldom_tried)
{
    int other = 0;

    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(!choice(0, BYTES, 2 * FAST, SLOW));
    CHECK(until(true, 2 * FAST, FAST) < 2000);
    for (int i = 0; i < 100000; i++)
        other += !take(0, BYTES, 2 * FAST, FAST);
    CHECK(other > 0 && other < 60);
}

MEND_TEST(who_is_told_does_not_time)
{
    set_up(MEND_SINGLE_COPY_ALWAYS);
    CHECK(wanted(0, BYTES));
    CHECK(!begin(0, BYTES));
}

MEND_TEST(what_cannot_be_pulled_is_slow)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    for (int i = 0; i < TRIES; i++) {
        CHECK(wanted(0, BYTES));
        mend_single_copy_failed(&p2p, 0, MEND_CHANNEL_P2P, BYTES);
    }
    for (int i = 0; i < 2 * TRIES; i++)
        CHECK(!take(0, BYTES, FAST, 0));
}

MEND_TEST(short_ones_and_those_beside_others_are_not_timed)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(!begin(0, BYTES / 32));
    CHECK(wanted(0, BYTES / 32)); /* as those that are timed are tried first */
    p2p.receiving_n = 1;
    CHECK(!begin(0, BYTES));
    end(BYTES, FAST);
    CHECK_EQ(of_alone()->tried[MEND_WAY_COPY], 0);
}

/* The first of four in a window shares the time with the others: all four count, when the last has come. */
MEND_TEST(a_window_is_judged_as_a_whole)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    for (int i = 0; !of_alone()->settled; i++) {
        bool pulled = wanted(0, BYTES);
        enum mend_way way = pulled ? MEND_WAY_COPY : MEND_WAY_FRAGMENTS;

        CHECK(begin(0, BYTES));
        for (int left = 3; left >= 0; left--) {
            p2p.receiving_n = (uint32_t)left;
            CHECK_EQ(of_alone()->tried[way], i % TRIES);
            end(BYTES, pulled ? 4 * FAST : 2 * FAST);
        }
        CHECK_EQ(of_alone()->tried[way], i % TRIES + 1);
    }
    CHECK(!wanted(0, BYTES));
}

MEND_TEST(a_window_without_an_end_is_judged_now_and_then)
{
    int n = 0;

    set_up(MEND_SINGLE_COPY_AUTO);
    begin(0, BYTES / 2);
    p2p.receiving_n = 5;
    for (; p2p.timed.since; n++)
        end(BYTES / 2, FAST);
    CHECK(n > 8 && n < 100);
    CHECK_EQ(of_alone()->tried[MEND_WAY_COPY], 1);
}

/* As messages that cross: each process has some to copy. */
MEND_TEST(collectives_have_their_own)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    for (int i = 0; i < 2 * TRIES; i++)
        take(0, BYTES, FAST, SLOW);
    CHECK(!wanted(0, BYTES));
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_COLL, BYTES), MEND_WAY_COPY);
    mend_single_copy_begin(&self, 0, MEND_CHANNEL_COLL, BYTES);
    CHECK(p2p.timed.choice == &ways[0].of[MEND_WAY_CROSSING][1]);
}

/* The way of the next message; another one of the same sender is under way, or not. */
static enum mend_way next_way(bool in_window)
{
    p2p.receiving_n = in_window;
    mend_single_copy_begin(&self, 0, MEND_CHANNEL_P2P, BYTES);
    return mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, BYTES);
}

MEND_TEST(windows_have_their_own)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    CHECK_EQ(next_way(false), MEND_WAY_FRAGMENTS);
    CHECK_EQ(next_way(true), MEND_WAY_COPY);  /* nothing is known */
    CHECK_EQ(next_way(false), MEND_WAY_COPY); /* the first of the next window */
    CHECK_EQ(next_way(false), MEND_WAY_FRAGMENTS);
    p2p.last_from = 1;
    CHECK_EQ(next_way(true), MEND_WAY_FRAGMENTS); /* what comes is another one's */
}

MEND_TEST(a_window_that_begins_as_one_alone_is_not_judged)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(begin(0, BYTES));
    next_way(true);
    CHECK_EQ(p2p.timed.since, 0);
}

/* A large message of ours to peer 0 is under way, or it has ended. */
static void send_one(bool begins)
{
    static struct mend_p2p_request ours = {.is_send = true, .peer = 0};

    if (begins)
        mend_hash_put(&p2p.large, p2p.last_rts = 1, &ours);
    else
        mend_hash_remove(&p2p.large, 1);
}

MEND_TEST(those_that_cross_ours_have_their_own)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    self.arena = mend_arena_create();
    mend_hash_init(&p2p.large, self.arena);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    send_one(true);
    CHECK_EQ(next_way(false), MEND_WAY_COPY); /* nothing is known */
    send_one(false);
    CHECK_EQ(next_way(false), MEND_WAY_COPY); /* as the one before */
    CHECK_EQ(next_way(false), MEND_WAY_FRAGMENTS);
    mend_arena_destroy(self.arena);
}

/* A transport of which nothing is wanted. */
static const struct mend_net bare;

static void reach_peer(void)
{
    struct mend_peer_entry *e;

    self.arena = mend_arena_create();
    mend_table_init(&self.peers, self.arena, sizeof(*e));
    e = mend_table_make(&self.peers, 0);
    e->net = &bare;
}

/* It comes already when the RTS of ours is sent: it says nothing of messages alone, and the next one is expected to cross. */
MEND_TEST(one_that_ours_meets_is_not_judged)
{
    set_up(MEND_SINGLE_COPY_AUTO);
    reach_peer();
    CHECK(begin(0, BYTES));
    p2p.receiving_n = 1;
    p2p.last_from = 0;
    mend_single_copy_rts_sent(&p2p, 0);
    CHECK_EQ(p2p.timed.since, 0);
    p2p.receiving_n = 0;
    CHECK(begin(0, BYTES));
    CHECK(p2p.timed.choice == &ways[0].of[MEND_WAY_CROSSING][1]);
    mend_arena_destroy(self.arena);
}

/* A process that has seen no large message yet, from another one. */
static struct mend_proc *newcomer(void)
{
    struct mend_proc *p = mend_proc_create_bare();

    p->me = 0;
    CHECK(mend_peers_add(p, 2));
    mend_net_connect(p, 1, &bare);
    p2p = (struct mend_p2p){.single_copy = MEND_SINGLE_COPY_AUTO, .may_share = true};
    p->p2p = &p2p;
    return p;
}

MEND_TEST(first_ones_go_through_the_ring_whose_pages_are_there)
{
    struct mend_proc *p = newcomer();
    int n = 0;

    for (enum mend_way way = MEND_WAY_FRAGMENTS; way == MEND_WAY_FRAGMENTS; n++) {
        CHECK(n < 1000);
        mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, BYTES / 8);
        way = mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, BYTES / 8);
        end(BYTES / 8, FAST / 1000);
    }
    CHECK(n > 100); /* and then the other way is tried */
    CHECK_EQ(mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, BYTES), MEND_WAY_COPY);
    CHECK_EQ(mend_single_copy_way(&p2p, 1, MEND_CHANNEL_COLL, BYTES / 8), MEND_WAY_FRAGMENTS);
}

/* The way of the first message of that length; how it is copied, if it is. */
static enum mend_way first_way(uint64_t bytes, bool crosses)
{
    struct mend_p2p_request ours = {.is_send = true, .peer = 1};
    struct mend_proc *p = newcomer();

    mend_hash_init(&p2p.large, p->arena);
    if (crosses)
        mend_hash_put(&p2p.large, p2p.last_rts = 1, &ours);
    mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, bytes);
    CHECK_EQ(mend_single_copy_crosses(&p2p, 1), crosses);
    return mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, bytes);
}

static bool is_helped(enum mend_channel channel)
{
    return mend_single_copy_is_helped(&p2p, 1, channel);
}

MEND_TEST(long_ones_are_tried_at_once)
{
    CHECK_EQ(first_way(BYTES / 2 - 1, false), MEND_WAY_FRAGMENTS);
    CHECK_EQ(first_way(BYTES / 2 - 1, true), MEND_WAY_FRAGMENTS);
    CHECK_EQ(first_way(BYTES / 2, true), MEND_WAY_COPY);
    CHECK_EQ(first_way(BYTES / 2, false), MEND_WAY_COPY);
}

MEND_TEST(senders_help_unless_messages_cross_or_cores_are_few)
{
    first_way(BYTES, false);
    CHECK(is_helped(MEND_CHANNEL_P2P) && !is_helped(MEND_CHANNEL_COLL));
    first_way(BYTES, true);
    CHECK(!is_helped(MEND_CHANNEL_P2P));
    p2p.single_copy = MEND_SINGLE_COPY_ALWAYS;
    CHECK(is_helped(MEND_CHANNEL_P2P) && !is_helped(MEND_CHANNEL_COLL));
    p2p.may_share = false;
    CHECK(!is_helped(MEND_CHANNEL_P2P));
    set_up(MEND_SINGLE_COPY_OVERSUBSCRIBED);
    p2p.may_share = true;
    CHECK(!is_helped(MEND_CHANNEL_P2P));
}

MEND_TEST(the_ring_is_left_when_senders_do_not_come)
{
    struct mend_proc *p = newcomer();
    int n = 0;

    for (enum mend_way way = MEND_WAY_FRAGMENTS; way == MEND_WAY_FRAGMENTS; n++) {
        CHECK(n < 100);
        mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, BYTES / 8);
        way = mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, BYTES / 8);
        end(BYTES / 8, FAST);
    }
}

MEND_TEST(oversubscribed_ranks_do_not_need_each_other)
{
    struct mend_proc oversubscribed = {.oversubscribed = true}, roomy = {.oversubscribed = false};

    CHECK_EQ(mend_single_copy_at_first(&oversubscribed, NULL), MEND_SINGLE_COPY_OVERSUBSCRIBED);
    CHECK_EQ(mend_single_copy_at_first(&oversubscribed, "auto"), MEND_SINGLE_COPY_OVERSUBSCRIBED);
    CHECK_EQ(mend_single_copy_at_first(&oversubscribed, "never"), MEND_SINGLE_COPY_NEVER);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "auto"), MEND_SINGLE_COPY_AUTO);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "always"), MEND_SINGLE_COPY_ALWAYS);
}

MEND_TEST(oversubscribed_ranks_exchange_in_collectives_and_where_senders_are_mixed)
{
    set_up(MEND_SINGLE_COPY_OVERSUBSCRIBED);
    self.peers_n = 16;
    CHECK(mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
    CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_P2P));
    p2p.mixed_n = 1;
    CHECK(mend_single_copy_exchanges(&self, MEND_CHANNEL_P2P));
    self.peers_n = 17;
    CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
    self.peers_n = 2;
    set_up(MEND_SINGLE_COPY_AUTO);
    CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
    set_up(MEND_SINGLE_COPY_ALWAYS);
    CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
}

MEND_TEST_MAIN()
