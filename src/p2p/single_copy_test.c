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

static void set_up(int single_copy)
{
    memset(ways, 0, sizeof(ways));
    for (int i = 0; i < 2 * MEND_WAY_CLASSES; i++)
        ways[i / MEND_WAY_CLASSES].of[i % MEND_WAY_CLASSES] = (struct mend_choice){
            .ways_n = MEND_WAYS, .barred = ~(1u << MEND_WAY_PULL | 1u << MEND_WAY_PIECES) & 0xff};
    p2p = (struct mend_p2p){.single_copy = single_copy, .ways = ways};
}

static bool wanted(mend_peer from, uint64_t bytes)
{
    return mend_single_copy_way(&p2p, from, MEND_CHANNEL_P2P, bytes) == MEND_WAY_PULL;
}

/* One of so many bytes begins alone; returns whether it is timed. */
static bool begin(mend_peer from, uint64_t bytes)
{
    struct mend_rts rts = {.total_bytes = bytes};

    mend_single_copy_begin(&self, from, MEND_CHANNEL_P2P, &rts);
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

/* The next message takes so long; returns whether it was pulled. */
static bool take(mend_peer from, uint64_t bytes, mend_time_ns pieces, mend_time_ns single)
{
    bool pulled;

    begin(from, bytes);
    pulled = wanted(from, bytes);
    end(bytes, pulled ? single : pieces);
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
    bool first = wanted(from, bytes);

    for (int i = 0; i < TRIES && first; i++)
        CHECK(take(from, bytes, pieces, single));
    CHECK(!take(from, bytes, pieces, single));
    while (!ways[from].of[bytes < BYTES ? 0 : bytes > BYTES ? 2 : 1].settled)
        take(from, bytes, pieces, single);
    return take(from, bytes, pieces, single);
}

MEND_TEST(the_faster_way_stays)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    set_up(MEND_WAY_UNKNOWN);
    CHECK(choice(0, BYTES, SLOW, FAST));
    for (int i = 0; i < 200; i++)
        CHECK(take(0, BYTES, SLOW, FAST));
    CHECK(wanted(0, BYTES));
}

MEND_TEST(each_sender_and_size_class_has_its_own)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(choice(0, BYTES, SLOW, FAST));
    CHECK(!choice(1, BYTES, FAST, SLOW));
    CHECK(!choice(0, 16 * BYTES, FAST, SLOW));
    CHECK(!choice(0, BYTES / 8, FAST, SLOW));
    CHECK(take(0, BYTES, SLOW, FAST));
}

MEND_TEST(a_way_that_has_become_slow_is_left)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(!choice(0, BYTES, FAST, 2 * FAST));
    CHECK(until(true, 8 * (mend_time_ns)FAST, 2 * FAST) < 200);
    CHECK(until(false, FAST, 8 * (mend_time_ns)FAST) < 200);
}

MEND_TEST(a_way_that_has_become_fast_is_found_seldom_tried)
{
    int other = 0;

    set_up(MEND_WAY_UNKNOWN);
    CHECK(!choice(0, BYTES, 2 * FAST, SLOW));
    CHECK(until(true, 2 * FAST, FAST) < 2000);
    for (int i = 0; i < 100000; i++)
        other += !take(0, BYTES, 2 * FAST, FAST);
    CHECK(other > 0 && other < 60);
}

MEND_TEST(who_is_told_does_not_time)
{
    set_up(MEND_WAY_PULL);
    CHECK(wanted(0, BYTES));
    CHECK(!begin(0, BYTES));
}

MEND_TEST(what_cannot_be_pulled_is_slow)
{
    set_up(MEND_WAY_UNKNOWN);
    for (int i = 0; i < TRIES; i++) {
        CHECK(wanted(0, BYTES));
        mend_single_copy_failed(&p2p, 0, MEND_CHANNEL_P2P, MEND_WAY_PULL, BYTES);
    }
    for (int i = 0; i < 2 * TRIES; i++)
        CHECK(!take(0, BYTES, FAST, 0));
}

MEND_TEST(short_ones_and_those_beside_others_are_not_timed)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(!begin(0, BYTES / 32));
    CHECK(wanted(0, BYTES / 32)); /* as those that are timed are tried first */
    p2p.receiving_n = 1;
    CHECK(!begin(0, BYTES));
    end(BYTES, FAST);
    CHECK_EQ(ways[0].of[1].tried[MEND_WAY_PULL], 0);
}

/* The first of four in a window shares the time with the others: all four count, when the last has come. */
MEND_TEST(a_window_is_judged_as_a_whole)
{
    set_up(MEND_WAY_UNKNOWN);
    for (int i = 0; !ways[0].of[1].settled; i++) {
        bool pulled = wanted(0, BYTES);
        enum mend_way way = pulled ? MEND_WAY_PULL : MEND_WAY_PIECES;

        CHECK(begin(0, BYTES));
        for (int left = 3; left >= 0; left--) {
            p2p.receiving_n = (uint32_t)left;
            CHECK_EQ(ways[0].of[1].tried[way], i % TRIES);
            end(BYTES, pulled ? 4 * FAST : 2 * FAST);
        }
        CHECK_EQ(ways[0].of[1].tried[way], i % TRIES + 1);
    }
    CHECK(!wanted(0, BYTES));
}

MEND_TEST(a_window_without_an_end_is_judged_now_and_then)
{
    int n = 0;

    set_up(MEND_WAY_UNKNOWN);
    begin(0, BYTES / 2);
    p2p.receiving_n = 5;
    for (; p2p.timed.since; n++)
        end(BYTES / 2, FAST);
    CHECK(n > 8 && n < 100);
    CHECK_EQ(ways[0].of[1].tried[MEND_WAY_PULL], 1);
}

MEND_TEST(collectives_have_their_own)
{
    set_up(MEND_WAY_UNKNOWN);
    for (int i = 0; i < 2 * TRIES; i++)
        take(0, BYTES, FAST, SLOW);
    CHECK(!wanted(0, BYTES));
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_COLL, BYTES), MEND_WAY_PULL);
}

/* Offers of a window say that another one is under way, all but the first of it. */
static enum mend_way offered(bool beside)
{
    struct mend_rts rts = {.total_bytes = BYTES, .beside = beside};

    mend_single_copy_begin(&self, 0, MEND_CHANNEL_P2P, &rts);
    return mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, BYTES);
}

MEND_TEST(windows_have_their_own)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    CHECK_EQ(offered(false), MEND_WAY_PIECES);
    CHECK_EQ(offered(true), MEND_WAY_PULL);  /* nothing is known */
    CHECK_EQ(offered(false), MEND_WAY_PULL); /* the first of the next window */
    CHECK_EQ(offered(false), MEND_WAY_PIECES);
}

MEND_TEST(a_window_that_begins_as_one_alone_is_not_judged)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(begin(0, BYTES));
    p2p.receiving_n = 1;
    offered(true);
    CHECK_EQ(p2p.timed.since, 0);
}

/* A large message of ours to peer 0 is under way, or it has ended. */
static void send_one(bool begins)
{
    static struct mend_p2p_request ours = {.is_send = true, .peer = 0};

    if (begins)
        mend_hash_put(&p2p.large, p2p.last_offer = 1, &ours);
    else
        mend_hash_remove(&p2p.large, 1);
}

MEND_TEST(those_that_cross_ours_have_their_own)
{
    set_up(MEND_WAY_UNKNOWN);
    self.arena = mend_arena_create();
    mend_hash_init(&p2p.large, self.arena);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    send_one(true);
    CHECK_EQ(offered(false), MEND_WAY_PULL); /* nothing is known */
    send_one(false);
    CHECK_EQ(offered(false), MEND_WAY_PULL); /* as the one before */
    CHECK_EQ(offered(false), MEND_WAY_PIECES);
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

/* It comes already when ours is offered: it says nothing of messages alone, and the next one is expected to cross. */
MEND_TEST(one_that_ours_meets_is_not_judged)
{
    set_up(MEND_WAY_UNKNOWN);
    reach_peer();
    CHECK(begin(0, BYTES));
    p2p.receiving_n = 1;
    p2p.last_from = 0;
    mend_single_copy_offered(&p2p, 0, MEND_CHANNEL_P2P);
    CHECK_EQ(p2p.timed.since, 0);
    p2p.receiving_n = 0;
    CHECK(begin(0, BYTES));
    CHECK(p2p.timed.choice == &ways[0].of[2 * MEND_WAY_SIZES + 1]);
    mend_arena_destroy(self.arena);
}

MEND_TEST(the_next_sizes_begin_with_what_was_best)
{
    set_up(MEND_WAY_UNKNOWN);
    CHECK(!choice(0, BYTES, FAST, SLOW));
    CHECK(!wanted(0, 16 * BYTES));
    CHECK(!wanted(0, BYTES / 8));
}

/* A process that has seen no large message yet, from another one. */
static struct mend_proc *newcomer(void)
{
    struct mend_proc *p = mend_proc_create_bare();

    p->me = 0;
    CHECK(mend_peers_add(p, 2));
    mend_net_connect(p, 1, &bare);
    p2p = (struct mend_p2p){.single_copy = MEND_WAY_UNKNOWN, .may_share = true};
    p->p2p = &p2p;
    return p;
}

MEND_TEST(first_ones_go_through_the_ring_whose_pages_are_there)
{
    struct mend_proc *p = newcomer();
    int n = 0;

    for (enum mend_way way = MEND_WAY_PIECES; way == MEND_WAY_PIECES; n++) {
        struct mend_rts rts = {.total_bytes = BYTES / 8};

        CHECK(n < 1000);
        mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
        way = mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, BYTES / 8);
        end(BYTES / 8, FAST / 1000);
    }
    CHECK(n > 100); /* and then the others are tried */
    CHECK_EQ(mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, 8 * BYTES), MEND_WAY_BOTH);
    CHECK_EQ(mend_single_copy_way(&p2p, 1, MEND_CHANNEL_COLL, BYTES / 8), MEND_WAY_PULL);
}

/* The way of the first message of that length. */
static enum mend_way first_way(uint64_t bytes, bool may_share, bool crosses)
{
    struct mend_rts rts = {.total_bytes = bytes};
    struct mend_p2p_request ours = {.is_send = true, .peer = 1};
    struct mend_proc *p = newcomer();

    p2p.may_share = may_share;
    mend_hash_init(&p2p.large, p->arena);
    if (crosses)
        mend_hash_put(&p2p.large, p2p.last_offer = 1, &ours);
    mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
    CHECK_EQ(mend_single_copy_crosses(&p2p, 1, MEND_CHANNEL_P2P), crosses);
    return mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, bytes);
}

MEND_TEST(long_ones_are_tried_at_once)
{
    CHECK_EQ(first_way(2 * BYTES - 1, true, false), MEND_WAY_PIECES);
    CHECK_EQ(first_way(2 * BYTES - 1, true, true), MEND_WAY_PIECES);
    CHECK_EQ(first_way(2 * BYTES, true, false), MEND_WAY_BOTH);
    CHECK_EQ(first_way(2 * BYTES, false, false), MEND_WAY_PULL);
}

MEND_TEST(the_ring_is_left_when_senders_do_not_come)
{
    struct mend_proc *p = newcomer();
    int n = 0;

    for (enum mend_way way = MEND_WAY_PIECES; way == MEND_WAY_PIECES; n++) {
        struct mend_rts rts = {.total_bytes = BYTES / 8};

        CHECK(n < 100);
        mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
        way = mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, BYTES / 8);
        end(BYTES / 8, FAST);
    }
}

static void is_at(struct mend_proc *p, mend_peer peer, uint32_t place)
{
    mend_peer_entry(p, peer)->where =
        (struct mend_where){.kind = MEND_WHERE_HERE, .place = mend_place_at(place)};
}

/* A process at that place that has had a message of BYTES from the other one, at place 1, which goes through the ring. */
static struct mend_proc *one_of_two(uint32_t place)
{
    struct mend_rts rts = {.total_bytes = BYTES};
    struct mend_proc *p = newcomer();

    is_at(p, 0, place);
    is_at(p, 1, 1);
    mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
    return p;
}

static uint16_t said(struct mend_proc *p, uint64_t bytes)
{
    return mend_single_copy_say_way(p, 1, MEND_CHANNEL_P2P, bytes);
}

MEND_TEST(the_lower_one_says_the_way_while_messages_come_by_it)
{
    struct mend_proc *p = one_of_two(2);
    struct mend_rts rts = {.total_bytes = BYTES};

    CHECK_EQ(said(p, BYTES), 0);
    is_at(p, 0, 0);
    CHECK_EQ(said(p, BYTES / 32), 0);
    CHECK_EQ(said(p, 4 * BYTES), 0); /* none of that size has come */
    for (int i = 0; i < 64; i++)
        CHECK_EQ(said(p, BYTES), 1 + MEND_WAY_PIECES);
    CHECK_EQ(said(p, BYTES), 0);
    mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
    mend_choice_assume(&p2p.ways[1].of[1], MEND_WAY_PULL, 1);
    CHECK_EQ(said(p, BYTES), 1 + MEND_WAY_PULL);
    rts.beside = true;
    mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
    CHECK_EQ(said(p, BYTES), 0);
}

/* The way of a message whose offer says that. */
static enum mend_way told(struct mend_proc *p, uint16_t way, bool beside)
{
    struct mend_rts rts = {.total_bytes = BYTES, .way = way, .beside = beside};

    mend_single_copy_begin(p, 1, MEND_CHANNEL_P2P, &rts);
    return mend_single_copy_way(&p2p, 1, MEND_CHANNEL_P2P, BYTES);
}

MEND_TEST(the_other_one_goes_that_way_if_it_can)
{
    struct mend_proc *p = one_of_two(2);

    CHECK_EQ(told(p, 0, false), MEND_WAY_PIECES);
    for (int i = 0; i < 1000; i++) { /* and tries no other one */
        CHECK_EQ(told(p, 1 + MEND_WAY_PULL, false), MEND_WAY_PULL);
        end(BYTES, FAST / 1000);
    }
    CHECK_EQ(told(p, 1 + MEND_WAYS, false), MEND_WAY_PULL); /* there is no such way */
    CHECK_EQ(told(p, UINT16_MAX, false), MEND_WAY_PULL);
    CHECK_EQ(told(p, 1 + MEND_WAY_BOTH, false), MEND_WAY_BOTH);
    CHECK_EQ(told(p, 1 + MEND_WAY_PULL, true), MEND_WAY_BOTH); /* windows have ways of their own */
    CHECK_EQ(told(p, 0, false), MEND_WAY_BOTH);
    CHECK_EQ(told(p, 0, false), MEND_WAY_BOTH);
    mend_single_copy_failed(&p2p, 1, MEND_CHANNEL_P2P, MEND_WAY_PULL, BYTES);
    CHECK_EQ(told(p, 1 + MEND_WAY_PULL, false), MEND_WAY_BOTH);
}

MEND_TEST(crowded_ranks_do_not_need_each_other)
{
    struct mend_proc crowded = {.crowded = true, .ranks_per_core = 4}, roomy = {.crowded = false};

    struct mend_proc little = {.crowded = true, .ranks_per_core = 3};

    CHECK_EQ(mend_single_copy_at_first(&little, NULL), MEND_WAY_BY_SIZE);
    CHECK_EQ(mend_single_copy_at_first(&crowded, NULL), MEND_WAY_CROWDED);
    CHECK_EQ(mend_single_copy_at_first(&crowded, "auto"), MEND_WAY_CROWDED);
    CHECK_EQ(mend_single_copy_at_first(&crowded, "never"), MEND_WAY_PIECES);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "auto"), MEND_WAY_UNKNOWN);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "always"), MEND_WAY_PULL);
    CHECK_EQ(mend_single_copy_at_first(&roomy, "both"), MEND_WAY_BOTH);
}

MEND_TEST(crowded_ranks_exchange_in_collectives_and_where_senders_are_mixed)
{
    for (int how = MEND_WAY_CROWDED; how <= MEND_WAY_BY_SIZE; how++) {
        set_up(how);
        self.peers_n = 16;
        CHECK(mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
        CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_P2P));
        p2p.mixed_n = 1;
        CHECK(mend_single_copy_exchanges(&self, MEND_CHANNEL_P2P));
        self.peers_n = 17;
        CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
        self.peers_n = 2;
    }
    set_up(MEND_WAY_UNKNOWN);
    CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
    set_up(MEND_WAY_PULL);
    CHECK(!mend_single_copy_exchanges(&self, MEND_CHANNEL_COLL));
}

MEND_TEST(a_few_ranks_for_each_core_help_each_other_with_what_is_worth_it)
{
    set_up(MEND_WAY_BY_SIZE);
    p2p.may_share = true;
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, BYTES), MEND_WAY_BOTH);
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_COLL, BYTES), MEND_WAY_PULL);
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, BYTES / 8), MEND_WAY_PULL);
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, 16 * BYTES), MEND_WAY_PULL);
    p2p.may_share = false;
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, BYTES), MEND_WAY_PULL);
    set_up(MEND_WAY_CROWDED);
    p2p.may_share = true;
    CHECK_EQ(mend_single_copy_way(&p2p, 0, MEND_CHANNEL_P2P, BYTES), MEND_WAY_PULL);
}

MEND_TEST_MAIN()
