/* SPDX-License-Identifier: BSD-3-Clause */
/* Every transport keeps the contract of net.h: frames arrive once, in order and whole, whatever is full or wraps around; a way
 * that is full has room again; the hint goes first, and a poll ends; what is delivered may be answered at once.
 *
 * Deaths, damage, costs and sleep are in contract_ends_test.c, which is part of the same program. */
#include "net/contract_procs_test.h"

/* Lengths at which transports put payloads elsewhere, and the longest ones. */
static unsigned boundaries(const uint32_t **lens_p)
{
    static uint32_t lens[] = {
        0,         1,    7,    8,    9,    39,   40,   41,    63,    64,    65,
        1000,      4072, 4095, 4096, 4097, 8192, 8193, 16384, 16385, 20000, UINT32_MAX - 1,
        UINT32_MAX};
    uint32_t max = NET->payload_max_bytes;

    for (unsigned i = 0; i < MEND_COUNT_OF(lens); i++)
        lens[i] = lens[i] == UINT32_MAX - 1 ? max - 1 : at_most_max(lens[i]);
    *lens_p = lens;
    return MEND_COUNT_OF(lens);
}

/* ---- once, in order and whole ---- */

MEND_TEST(frames_come_in_order_and_whole)
{
    const uint32_t *lens;
    unsigned n = boundaries(&lens);

    begin(3);
    for (int round = 0; round < 30; round++) {
        for (unsigned i = 0; i < n; i++)
            send_one(1, 0, lens[i]);
        if (round % 2)
            settle();
    }
    settle();
    look_often();
    finish();
}

/* Each time another length is behind another one. */
MEND_TEST(one_frame_at_a_time_comes_whole)
{
    const uint32_t *lens;
    unsigned n = boundaries(&lens);

    begin(2);
    for (unsigned i = 0; i < n * n; i++) {
        send_one(i % 3 == 2, i % 3 != 2, lens[(i + i / n) % n]);
        settle();
    }
    finish();
}

MEND_TEST(payloads_that_are_written_in_place_come_whole)
{
    const uint32_t *lens;
    unsigned n = boundaries(&lens);

    begin(2);
    for (unsigned i = 0; i < n * n; i++) {
        uint32_t reserved = lens[i / n], len = lens[i % n];

        put_one(0, 1, len < reserved ? len : reserved, reserved);
        if (i % 3 == 0)
            send_one(0, 1, len);
        if (i % 5 == 0)
            settle();
    }
    settle();
    finish();
}

MEND_TEST(senders_do_not_mix)
{
    begin(3);
    for (int i = 0; i < 20; i++) {
        send_one(1, 0, 8);
        send_one(2, 0, at_most_max(3000));
    }
    settle(); /* on_frame() knows for which process each is */
    look_often();
    finish();
}

static void do_at_random(void)
{
    mend_peer from = (mend_peer)random_below(PROCS),
              to = (from + 1 + (mend_peer)random_below(PROCS - 1)) % PROCS;
    uint32_t len = random_len();

    switch (random_below(4)) {
    case 0:
        poll_at(from, random_below(2) ? to : MEND_PEER_NONE);
        break;
    case 1:
        try_put(from, to, len - random_below(len / 2 + 1), len);
        break;
    default:
        try_send(from, to, len);
    }
}

MEND_TEST(many_processes_send_to_each_other)
{
    begin(PROCS);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 400; i++)
            do_at_random();
        settle();
    }
    finish();
}

/* ---- room ---- */

/* What cannot be sent now can be sent when the receiver has polled, and nothing was lost. */
static void fill_and_empty(uint32_t len)
{
    begin(3);
    for (int round = 0; round < 4; round++) {
        send_all(1, 0, len);
        CHECK(!NET->memory_for || NET->memory_for(&procs[1], 0, len) == (int32_t)len);
        for (int i = 0; try_put(1, 0, len, len); i++)
            CHECK(i < 100000);
        settle();
        send_one(1, 0, len);
    }
    send_one(2, 0, len);
    settle();
    finish();
}

MEND_TEST(a_way_full_of_short_frames_has_room_again)
{
    fill_and_empty(0);
    fill_and_empty(8);
    fill_and_empty(41);
}

MEND_TEST(a_way_full_of_long_frames_has_room_again)
{
    fill_and_empty(at_most_max(5000));
    fill_and_empty(NET->payload_max_bytes);
}

/* Neither of two that fill the ways to each other needs the other one to have room. */
MEND_TEST(two_that_have_no_room_for_each_other_go_on)
{
    begin(2);
    for (int round = 0; round < 3; round++) {
        send_all(0, 1, NET->payload_max_bytes);
        send_all(1, 0, at_most_max(3000));
        settle();
    }
    finish();
}

static void gather(mend_peer who, enum mend_gather how)
{
    if (NET->gather)
        NET->gather(&procs[who], how);
}

/* They may stay in the sender until then, or not. */
MEND_TEST(what_is_gathered_comes_when_all_of_it_was_sent)
{
    begin(3);
    for (int round = 0; round < 20; round++) {
        gather(0, MEND_GATHER);
        for (int i = 0; i < 30; i++) {
            mend_peer to = 1 + i % 2;
            uint32_t len = at_most_max(random_below(2000));

            if (round % 2)
                try_put(0, to, len, len);
            else
                try_send(0, to, len);
        }
        gather(0, MEND_GATHER_END);
        settle();
    }
    finish();
}

/* What finds no room meanwhile finds it later. */
MEND_TEST(a_way_that_was_full_while_gathering_has_room_again)
{
    begin(2);
    for (int round = 0; round < 3; round++) {
        gather(0, MEND_GATHER);
        send_all(0, 1, at_most_max(3000));
        gather(0, MEND_GATHER_END);
        send_one(0, 1, NET->payload_max_bytes);
        settle();
    }
    finish();
}

static bool try_either(uint32_t len)
{
    return random_below(2) ? try_put(1, 0, len - random_below(len / 2 + 1), len)
                           : try_send(1, 0, len);
}

/* Payloads of all lengths, many times as much as there is room for; the last one before a poll takes what room is left. */
MEND_TEST(payloads_wrap_around)
{
    begin(2);
    for (int fills = 0; fills < 400; fills++) {
        uint32_t len = random_len();

        for (int i = 0; i < 100 && try_either(len); i++)
            len = random_len();
        while (!try_either(len) && len > 0)
            len -= len < 64 ? len : 64;
        if (random_below(2))
            settle();
        else
            poll_at(0, MEND_PEER_NONE);
    }
    settle();
    finish();
}

/* ---- delivery ---- */

MEND_TEST(the_hint_goes_first)
{
    mend_time_ns end = soon();

    begin(3);
    for (int i = 0; i < 20; i++) {
        mend_peer hint = 1 + i % 2;

        send_one(1, 0, 8);
        send_one(2, 0, 8);
        deliver(1, 0);
        deliver(2, 0);
        first_from = MEND_PEER_NONE;
        while (poll_at(0, hint) == 0)
            CHECK(mend_time_monotonic_ns() < end);
        CHECK_EQ(first_from, hint);
        settle();
    }
    send_one(1, 0, 8);
    while (!has_all_come()) { /* the others are not forgotten */
        CHECK(mend_time_monotonic_ns() < end);
        poll_at(0, 2);
    }
    finish();
}

static const struct mend_near *near_0(void)
{
    return mend_near_of(&procs[0], 1);
}

static const struct mend_frame *peek_at_1(const void **payload_p)
{
    mend_time_ns end = soon();
    const struct mend_frame *f;

    deliver(1, 0);
    while (!(f = near_0()->peek(&procs[0], 1, payload_p)))
        CHECK(mend_time_monotonic_ns() < end);
    return f;
}

static void check_lies_there(int number, uint32_t len)
{
    const void *payload;
    const struct mend_frame *f = peek_at_1(&payload);

    CHECK_EQ(f->tag, frame_of(1, number, len).tag);
    CHECK_EQ(f->kind_len, frame_of(1, number, len).kind_len);
    CHECK(!memcmp(payload, payload_of(1, 0, number), len));
}

MEND_TEST(peek_leaves_a_frame_where_it_lies)
{
    const uint32_t *lens;
    unsigned n = boundaries(&lens);
    const void *payload;

    if (!NET->near || !NET->near->peek)
        return;
    begin(2);
    CHECK(!near_0()->peek(&procs[0], 1, &payload));
    send_one(1, 0, 8);
    check_lies_there(0, 8); /* the first one of this peer */
    settle();
    CHECK(!near_0()->peek(&procs[0], 1, &payload));
    for (unsigned i = 0; i < n; i++) {
        int number = sent_n[1][0];

        send_one(1, 0, lens[i]);
        send_one(1, 0, 8);
        check_lies_there(number, lens[i]);
        check_lies_there(number, lens[i]);
        near_0()->take(&procs[0], 1);
        came_n[1][0]++;
        if (i % 2)
            check_lies_there(number + 1, 8);
        settle();
    }
    finish();
}

static void sate_with_1(struct mend_proc *self, mend_peer from, int number)
{
    self->sated = number == 1;
}

/* The rest of them would delay the process that waits. */
MEND_TEST(a_poll_ends_with_a_frame_that_was_waited_for)
{
    mend_time_ns end = soon();

    begin(2);
    on_arrival = sate_with_1;
    for (int i = 0; i < 4; i++)
        send_one(1, 0, 8);
    deliver(1, 0);
    for (; came_n[1][0] < 2; poll_at(0, 1))
        CHECK(mend_time_monotonic_ns() < end);
    CHECK_EQ(came_n[1][0], 2);
    settle();
    finish();
}

/* The payload is still the one that came when other frames have been sent, also in its direction. */
static int owed_n[PROCS];

static void pay(mend_peer from, mend_peer to)
{
    for (; owed_n[to] > 0 && try_send(from, to, random_len()); owed_n[to]--)
        ;
}

static void answer_and_tell_2(struct mend_proc *self, mend_peer from, int number)
{
    if (self->me != 0)
        return;
    owed_n[1]++;
    owed_n[2]++;
    pay(0, 1);
    pay(0, 2);
}

MEND_TEST(what_is_delivered_may_be_answered_at_once)
{
    mend_time_ns end = soon();

    begin(3);
    on_arrival = answer_and_tell_2;
    for (int i = 0; i < 3000; i++) {
        send_one(1, 0, random_len());
        if (i % 50 == 0)
            settle();
    }
    settle();
    for (; owed_n[1] + owed_n[2] > 0 || !has_all_come(); poll_until(end)) {
        pay(0, 1);
        pay(0, 2);
    }
    finish();
}

#define MORE 50000

static void send_another(struct mend_proc *self, mend_peer from, int number)
{
    if (self->me == 0 && number < MORE)
        try_send(1, 0, 8);
}

MEND_TEST(a_poll_ends_although_frames_go_on_coming)
{
    begin(2);
    on_arrival = send_another;
    send_one(1, 0, 8);
    deliver(1, 0);
    CHECK(poll_at(0, 1) < MORE / 2);
    CHECK(poll_at(0, MEND_PEER_NONE) < MORE / 2);
    on_arrival = NULL;
    settle();
    finish();
}

MEND_TEST_MAIN()
