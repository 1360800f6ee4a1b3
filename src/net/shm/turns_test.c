/* SPDX-License-Identifier: BSD-3-Clause */
/* What two ranks write in turns (ring.h): messages keep one order, wherever each goes; nothing is written that the other one may
 * still read; and answers do not go through the ring. */
#include "net/shm/ranks_test.h"

/* The next message from -> to has this index, in an empty ring. */
static void continue_at(mend_peer from, mend_peer to, uint32_t index)
{
    struct mend_shm_out *o = procs[from].shm->out[to];
    struct mend_shm_in *in = &procs[to].shm->in[from];

    CHECK_EQ(o->tail, in->head);
    o->tail = o->head_seen = in->head = in->published = index;
    *in->seen = (uint8_t)index;
    mend_store_relaxed(in->consumed, index);
    mend_store_relaxed(o->bell, (uint8_t)index);
    memset(o->slots, 0, MEND_SHM_SLOTS * sizeof(*o->slots));
    memset(o->area_end, 0, sizeof(o->area_end));
    o->area_tail = o->area_head = 0;
}

static void answer(mend_peer from, mend_peer to, uint32_t len)
{
    CHECK_EQ(send_some(from, to, came_n[from], len), MEND_OK);
    CHECK_EQ(poll_at(to, from), 1);
}

/* The messages of one go through the ring, whose slots are for both. */
static bool went_through_ring(mend_peer from, mend_peer to)
{
    const struct mend_shm_out *o = procs[from].shm->out[to];

    for (uint32_t k = 1; k <= 2; k++)
        if (o->slots[(o->tail - k) & MEND_SHM_SLOT_MASK].f.seq == o->tail - k + 1)
            return true;
    return false;
}

/* The receiver has said that it has read all before slot 0, and not of what came behind. */
MEND_TEST(payloads_are_read_when_the_counter_has_come_round)
{
    struct mend_shm_out *o;

    begin();
    answer(1, 0, 8);
    continue_at(1, 0, 0u - 2);
    o = procs[1].shm->out[0];
    o->area_tail = o->area_head = o->area_looked = 4 * (uint64_t)o->area_bytes;
    answer(1, 0, 4000);
    answer(1, 0, 4000);
    CHECK_EQ(o->tail, 0);
    answer(1, 0, 8);
    CHECK_EQ(mend_load_relaxed(o->consumed), 0);
    o->area_head = o->area_tail - o->area_bytes; /* seen long ago: it looks full */
    answer(1, 0, 4000);
}

/* All lengths, of which some lie on a tray.  The one at the lower place begins. */
MEND_TEST(answers_go_through_the_fast_box)
{
    const uint32_t lens[] = {0, 8, 9, 40, 41, 1000, 20000, MEND_SHM_PAYLOAD_MAX};

    begin();
    for (unsigned i = 0; i < 500; i++) {
        answer(0, 1, lens[i % MEND_COUNT_OF(lens)]);
        CHECK(!went_through_ring(0, 1));
        answer(1, 0, lens[(i + i / 8) % MEND_COUNT_OF(lens)]);
        CHECK(!went_through_ring(1, 0));
    }
    CHECK_EQ(poll_at(0, 1) + poll_at(1, 0), 0);
}

MEND_TEST(out_of_turn_messages_go_through_the_ring)
{
    begin();
    answer(1, 0, 8);
    CHECK(went_through_ring(1, 0));
    answer(0, 1, 8);
    CHECK(!went_through_ring(0, 1));
    answer(0, 1, 8);
    CHECK(went_through_ring(0, 1));
    answer(1, 0, 8); /* in turn, behind half a line */
    CHECK(!went_through_ring(1, 0));
}

/* Whatever they have sent before: two that answer each other are in turn when each has sent a message. */
MEND_TEST(answers_get_back_to_the_fast_box)
{
    for (int before_0 = 0; before_0 < 4; before_0++)
        for (int before_1 = 0; before_1 < 4; before_1++) {
            begin();
            for (int i = 0; i < before_0; i++)
                answer(0, 1, 8);
            for (int i = 0; i < before_1; i++)
                answer(1, 0, 8);
            for (int i = 0; i < 20; i++) {
                answer(0, 1, 8);
                CHECK(i == 0 || !went_through_ring(0, 1));
                answer(1, 0, 8);
                CHECK(i == 0 || !went_through_ring(1, 0));
            }
        }
}

/* A payload that is written in place. */
static int try_put_to(mend_peer from, mend_peer to, int number, uint32_t len)
{
    struct mend_frame f = frame_of(from, number, len);
    void *room = mend_net_shm.reserve(&procs[from], to, len);

    if (!room)
        return 0;
    fill(room, number, len);
    mend_net_shm.commit(&procs[from], to, &f);
    return 1;
}

/* Messages of both, in turn and out of it, some of them waiting; the first ones have these indices. */
static void mix(uint32_t index_0, uint32_t index_1)
{
    int n[2] = {0};

    begin();
    answer(0, 1, 8);
    answer(1, 0, 8);
    continue_at(0, 1, index_0);
    continue_at(1, 0, index_1);
    came_n[0] = came_n[1] = 0;
    for (int i = 0; i < 20000; i++) {
        int from = (int)random_below(2);

        if (random_below(100) < 10)
            n[from] += try_put_to(from, !from, n[from], random_below(5000));
        if (random_below(100) < 40 &&
            send_as(random_below(3) ? MEND_FRAME_EAGER : MEND_FRAME_DATA, from, !from, n[from],
                    random_below(4)   ? random_below(50)
                    : random_below(4) ? random_below(5000)
                                      : random_below(16 * 1024 + 1)) == MEND_OK)
            n[from]++;
        if (random_below(100) < 60)
            poll_at(from, !from);
    }
    poll_all(0);
    poll_all(1);
    CHECK_EQ(came_n[0], n[0]);
    CHECK_EQ(came_n[1], n[1]);
    CHECK_EQ(damaged_n, 0);
}

MEND_TEST(the_fast_box_and_the_ring_keep_one_order)
{
    mix(0, 0);
    mix(256, 1024);
    mix(UINT32_MAX - 255 - 4096, UINT32_MAX - 255); /* the counters come round */
}

/* The one at the lower place never sends, so nobody has written the fast box, when the counter of the other one comes round. */
MEND_TEST(a_fast_box_that_nobody_has_written_is_no_message)
{
    begin();
    answer(1, 0, 40);
    continue_at(1, 0, UINT32_MAX - 1);
    CHECK_EQ(poll_at(0, 1), 0);
    CHECK_EQ(damaged_n, 0);
    answer(1, 0, 40);
    answer(1, 0, 40);
}

/* Each line of the ring is written once in a lap: one that stays as it was would be news when the counter comes round. */
MEND_TEST(at_the_end_of_a_lap_all_go_through_the_ring)
{
    begin();
    answer(0, 1, 8);
    answer(1, 0, 8);
    continue_at(0, 1, MEND_SHM_LAP - MEND_SHM_SLOTS - 2);
    continue_at(1, 0, 0);
    answer(0, 1, 8);
    CHECK(!went_through_ring(0, 1));
    for (unsigned i = 0; i < MEND_SHM_SLOTS; i += 2) {
        answer(1, 0, 8);
        answer(0, 1, 40);
        CHECK(went_through_ring(0, 1));
    }
    answer(0, 1, 8);
    CHECK(!went_through_ring(0, 1));
}

static int tray;        /* on which the last payload lay; -1: on none */
static ptrdiff_t at_of; /* where on it */

static void on_frame_on_tray(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                             const void *payload)
{
    ptrdiff_t at =
        (const char *)payload - mend_shm_trays_of(segment, mend_place_at(0), mend_place_at(1));

    tray = at >= 0 && at < MEND_NODE_PAIR_BYTES ? (int)(at / MEND_SHM_TRAY_BYTES) : -1;
    at_of = at % MEND_SHM_TRAY_BYTES;
    on_frame(self, from, f, payload);
}

static void begin_with_trays(void)
{
    begin();
    for (int p = 0; p < 2; p++)
        procs[p].on_frame[MEND_FRAME_EAGER] = procs[p].on_frame[MEND_FRAME_DATA] = on_frame_on_tray;
}

/* A payload that is written in place; the frame takes all of its room, or less.  So many of `from` have not come yet. */
static void put_behind(int waiting, mend_peer from, mend_peer to, uint32_t len, uint32_t reserved)
{
    struct mend_frame f = frame_of(from, came_n[from] + waiting, len);
    void *room = mend_net_shm.reserve(&procs[from], to, reserved);

    CHECK(room != NULL);
    fill(room, came_n[from] + waiting, len);
    mend_net_shm.commit(&procs[from], to, &f);
}

static void put_to(mend_peer from, mend_peer to, uint32_t len, uint32_t reserved)
{
    put_behind(0, from, to, len, reserved);
}

/* Each puts before it has what the other one puts. */
MEND_TEST(ranks_that_put_at_the_same_time_exchange_their_trays)
{
    begin_with_trays();
    for (int i = 0; i < 1000; i++) {
        put_to(0, 1, 3000, 3000);
        put_to(1, 0, MEND_SHM_TRAY_BYTES, MEND_SHM_TRAY_BYTES);
        CHECK_EQ(poll_at(1, 0), 1);
        CHECK_EQ(tray, i % 2);
        CHECK_EQ(poll_at(0, 1), 1);
        CHECK_EQ(tray, 1 - i % 2);
    }
}

/* One that goes to and fro stays in the caches of both. */
MEND_TEST(replies_lie_on_the_tray_of_the_request)
{
    begin_with_trays();
    for (int i = 0; i < 10; i++) {
        put_to(1, 0, 3000, 3000);
        CHECK(poll_at(0, 1) == 1 && tray == 1);
        put_to(0, 1, 3000, 3000);
        CHECK(poll_at(1, 0) == 1 && tray == 1);
    }
    for (int k = 0; k <= 2; k += 2) {
        CHECK(mend_net_shm.near->is_handy(&procs[0], 1, 3000));
        put_to(0, 1, 3000, 3000);
        CHECK(poll_at(1, 0) == 1 && tray == k);
    }
    CHECK(!mend_net_shm.near->is_handy(&procs[0], 1, 3000));
    put_to(0, 1, 3000, 3000); /* it has none */
    CHECK(poll_at(1, 0) == 1 && tray == -1);
}

/* A rank that has given its trays away gets one with the next payload, and then the other one waits for none. */
MEND_TEST(two_trays_of_each_rank_are_under_way_at_a_time)
{
    begin_with_trays();
    for (int i = 0; i < 2; i++)
        put_behind(i, 0, 1, MEND_SHM_TRAY_BYTES, MEND_SHM_TRAY_BYTES);
    CHECK(!mend_net_shm.near->is_handy(&procs[0], 1, 3000));
    put_to(1, 0, MEND_SHM_TRAY_BYTES, MEND_SHM_TRAY_BYTES);
    CHECK(poll_at(0, 1) == 1 && tray == 1);
    CHECK(mend_net_shm.near->is_handy(&procs[0], 1, 3000));
    put_behind(2, 0, 1, 3000, 3000);
    CHECK(!mend_net_shm.near->is_handy(&procs[0], 1, 3000));
    CHECK(poll_at(1, 0) == 3 && tray == 1);
    for (int i = 0; i < 4; i++) {
        CHECK(mend_net_shm.near->is_handy(&procs[1], 0, 3000));
        put_behind(i, 1, 0, 3000, 3000);
    }
    CHECK(!mend_net_shm.near->is_handy(&procs[1], 0, 3000));
    CHECK_EQ(poll_at(0, 1), 4);
}

MEND_TEST(a_frame_shorter_than_its_room_leaves_the_tray_where_it_is)
{
    begin_with_trays();
    for (uint32_t len = 0; len <= MEND_SHM_INLINE_MAX; len++) {
        put_to(1, 0, len, 3000);
        CHECK(poll_at(0, 1) == 1 && tray == -1);
    }
    put_to(1, 0, 41, 3000);
    CHECK(poll_at(0, 1) == 1 && tray == 1);
}

/* The sender has given it away, or never had it. */
MEND_TEST(a_payload_on_a_tray_that_is_not_the_senders_is_refused)
{
    begin_with_trays();
    answer(0, 1, 8);
    put_to(1, 0, 3000, 3000);
    slot_at(0)->payload_at = MEND_SHM_ON_TRAY(0);
    poll_at(0, 1);
    CHECK(damaged_n == 1 && came_n[1] == 0);
}

MEND_TEST(without_pages_for_a_tray_payloads_go_through_the_ring)
{
    begin_with_trays();
    for (int k = 1; k <= 3; k += 2) {
        put_to(1, 0, 3000, 3000);
        CHECK(poll_at(0, 1) == 1 && tray == k);
    }
    put_to(1, 0, 3000, 3000); /* its payload area has pages from here on */
    CHECK(poll_at(0, 1) == 1 && tray == -1);
    run_out_of_pages();
    for (int k = 3; k >= 0; k -= 3) {
        put_to(0, 1, 3000, 3000);
        CHECK(poll_at(1, 0) == 1 && tray == k);
    }
    put_to(1, 0, 4096, 4096); /* the page came with the payload that was there */
    CHECK(poll_at(0, 1) == 1 && tray == 0);
    put_to(1, 0, 20000, 20000);
    CHECK(poll_at(0, 1) == 1 && tray == -1);
}

static mend_peer other(mend_peer p)
{
    return 1 - p;
}

static void send_fragment(mend_peer from, uint32_t len)
{
    CHECK_EQ(send_as(MEND_FRAME_DATA, from, other(from), came_n[from], len), MEND_OK);
}

/* It comes, and lies on that tray; -1: on none. */
static void check_fragment(mend_peer from, uint32_t len, int expected, uint32_t at)
{
    send_fragment(from, len);
    CHECK_EQ(poll_at(other(from), from), 1);
    CHECK_EQ(tray, expected);
    CHECK(tray < 0 || at_of == at);
}

/* One of the two has the turn. */
MEND_TEST(ranks_that_send_long_messages_at_the_same_time_leave_the_payload_area_out)
{
    begin_with_trays();
    for (int i = 0; i < 100; i++) {
        CHECK_EQ(send_some(0, 1, i, 5000), MEND_OK);
        CHECK_EQ(send_some(1, 0, i, 5000 + (uint32_t)i), MEND_OK);
        for (mend_peer p = 0; p < 2; p++) {
            CHECK_EQ(poll_at(p, other(p)), 1);
            CHECK(tray >= 0);
        }
    }
}

MEND_TEST(fragments_lie_on_trays_one_behind_the_other)
{
    const uint32_t len = MEND_SHM_TRAY_BYTES / 4;
    const int of_lower[] = {0, 2, -1}, of_upper[] = {2, 0, 1, 3, -1};

    begin_with_trays();
    for (uint32_t i = 0; i < 9; i++)
        check_fragment(0, len, of_lower[i / 4], i % 4 * len);
    for (uint32_t i = 0; i < 17; i++)
        check_fragment(1, len, of_upper[i / 4], i % 4 * len);
}

MEND_TEST(a_tray_goes_over_with_the_last_fragment_of_a_message)
{
    begin_with_trays();
    check_fragment(0, 16384, 0, 0);
    check_fragment(0, 16384, 0, 16384);
    put_to(1, 0, 3000, 3000);
    CHECK(poll_at(0, 1) == 1 && tray == 1); /* the rank does not have the other one's tray */
    put_to(0, 1, 3000, 3000);
    CHECK(poll_at(1, 0) == 1 && tray == 1); /* nor is anything but fragments laid there */
    check_fragment(0, 100, 0, 32768);
    put_to(1, 0, 3000, 3000);
    CHECK(poll_at(0, 1) == 1 && tray == 0);
}

/* Fragments are shorter where there is little memory. */
MEND_TEST(a_fragment_that_an_open_tray_has_no_room_for_goes_through_the_ring)
{
    begin_with_trays();
    for (uint32_t i = 0; i < 3; i++)
        check_fragment(0, 16384, 0, i * 16384);
    check_fragment(0, 20000, -1, 0);
    check_fragment(0, 16384, 0, 49152);
    check_fragment(0, 20000, 2, 0);
}

/* The ring is shorter with many ranks that take turns. */
MEND_TEST(fragments_go_through_a_ring_that_is_shorter)
{
    begin_with_trays();
    answer(0, 1, 8);
    procs[0].shm->out[1]->area_bytes = MEND_SHM_AREA_BYTES / 2;
    check_fragment(0, 16384, -1, 0);
}

MEND_TEST(without_pages_for_a_tray_fragments_go_through_the_ring)
{
    begin_with_trays();
    check_fragment(1, 16384, 1, 0);
    answer(0, 1, 8);
    answer(1, 0, 8);
    check_fragment(1, 30, -1, 0);
    answer(1, 0, 3000); /* its payload area has pages from here on */
    run_out_of_pages();
    check_fragment(1, 16384, -1, 0);
}

MEND_TEST_MAIN()
