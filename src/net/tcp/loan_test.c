/* SPDX-License-Identifier: BSD-3-Clause */
/* Long payloads stay in memory of the program's until their receiver has them, or they are copied: what comes is what was
 * lent, whatever the program does with its memory from then on, and wherever a connection ends.
 *
 *   S5-15: a broken connection is made again, nothing lost or doubled */
#include "net/tcp/cable_test.h"

#define LENT       (24u * 1024) /* bytes of most loans here */
#define LOANS_MAX  100
#define FOR_COPIES 1000 /* polls after which a receiver that does not poll is not waited for */

/* ---- memory of the program's ---- */

static struct {
    unsigned char *bytes; /* NULL: none */
    uint32_t len;
    mend_peer from, to;
    uint64_t end;
} lent[LOANS_MAX];

static int free_one(void)
{
    for (int i = 0; i < LOANS_MAX; i++)
        if (!lent[i].bytes)
            return i;
    return -1;
}

/* Between two calls of gather(). */
static bool try_to_lend(mend_peer from, mend_peer to, uint32_t len)
{
    int number = sent_n[from][to], i = free_one();
    struct mend_frame f = frame_of(from, number, len);
    unsigned char *bytes;
    enum mend_status st;

    if (i < 0)
        return false;
    bytes = malloc(len + 1);
    memcpy(bytes, payload_of(from, to, number), len);
    st = NET->send(&procs[from], to, &f, bytes);
    CHECK(st == MEND_OK || st == MEND_AGAIN);
    if (st == MEND_AGAIN) {
        free(bytes);
        return false;
    }
    sent_n[from][to]++;
    lent[i].bytes = bytes;
    lent[i].len = len;
    lent[i].from = from;
    lent[i].to = to;
    lent[i].end = MEND_NET_LENT;
    NET->has_left(&procs[from], to, &lent[i].end);
    return true;
}

static int lend_some(mend_peer from, mend_peer to, uint32_t len, int n)
{
    int done = 0;

    NET->gather(&procs[from], MEND_GATHER_LENT);
    while (done < n && try_to_lend(from, to, len))
        done++;
    NET->gather(&procs[from], MEND_GATHER_END);
    return done;
}

static void use_again(int i)
{
    memset(lent[i].bytes, 0xee, lent[i].len);
    free(lent[i].bytes);
    lent[i].bytes = NULL;
}

/* What has left is the program's again, and is overwritten.  Returns how many are still lent. */
static int take_back(void)
{
    int n = 0;

    for (int i = 0; i < LOANS_MAX; i++) {
        if (!lent[i].bytes)
            continue;
        if (NET->has_left(&procs[lent[i].from], lent[i].to, &lent[i].end))
            use_again(i);
        else
            n++;
    }
    return n;
}

/* The program wants all of it now. */
static void take_back_all(mend_peer from, mend_peer to)
{
    NET->displace(&procs[from], to);
    for (int i = 0; i < LOANS_MAX; i++)
        if (lent[i].bytes && lent[i].from == from && lent[i].to == to)
            use_again(i);
}

static void begin_connected(bool cables)
{
    begin(2);
    with_cables = cables;
    send_one(0, 1, 8);
    settle_by_cable();
}

static void end(void)
{
    for (mend_time_ns late = soon(); take_back(); poll_until(late))
        carry_all();
    finish();
}

/* ---- tests ---- */

MEND_TEST(loans_leave_with_one_call)
{
    int before;

    begin_connected(false);
    before = writes_n;
    CHECK_EQ(lend_some(0, 1, LENT, 5), 5);
    CHECK_EQ(writes_n - before, 1);
    settle();
    end();
}

/* The kernel has all of it, but may lose it with the connection. */
MEND_TEST(loans_are_over_when_the_receiver_has_them)
{
    begin_connected(false);
    CHECK_EQ(lend_some(0, 1, LENT, 2), 2);
    CHECK_EQ(mend_tcp_of(&procs[0], 1)->out.written, mend_tcp_of(&procs[0], 1)->out.tail);
    CHECK_EQ(take_back(), 2);
    settle();
    poll_each(); /* the receiver says so, without being polled for more */
    poll_each();
    CHECK_EQ(take_back(), 0);
    CHECK_EQ(mend_tcp_of(&procs[0], 1)->out.loans->n, 0);
    end();
}

/* It is in the ring, and the kernel has it. */
MEND_TEST(what_is_not_lent_leaves_before_loans_are_over)
{
    begin_connected(false);
    CHECK_EQ(lend_some(0, 1, LENT, 2), 2);
    CHECK(try_send(0, 1, 8));
    CHECK(has_left(0, 1));
    CHECK_EQ(take_back(), 2);
    settle();
    end();
}

MEND_TEST(a_receiver_that_computes_does_not_hold_loans)
{
    begin_connected(false);
    CHECK_EQ(lend_some(0, 1, LENT, 2), 2);
    for (int i = 0; i < FOR_COPIES; i++)
        poll_at(0, i % 2 ? 1 : MEND_PEER_NONE);
    CHECK_EQ(came_n[0][1], 1);
    CHECK_EQ(take_back(), 0);
    settle();
    end();
}

MEND_TEST(with_fewer_cores_than_ranks_loans_are_copied_at_once)
{
    begin_connected(false);
    procs[0].oversubscribed = true;
    CHECK_EQ(lend_some(0, 1, LENT, 2), 2);
    poll_at(0, MEND_PEER_NONE);
    CHECK_EQ(take_back(), 0);
    settle();
    end();
}

/* Behind each part of what the connection carries. */
MEND_TEST(memory_that_is_taken_back_is_not_sent)
{
    for (uint64_t bytes = 0; bytes < 3 * LENT; bytes += 1000) {
        begin_connected(true);
        CHECK_EQ(lend_some(0, 1, LENT, 3), 3);
        for (uint64_t n = 0; n < bytes; n += 500) {
            carry(&calls[0], 0, 500);
            poll_at(1, MEND_PEER_NONE);
        }
        take_back_all(0, 1);
        if (bytes % 2000)
            cut_all();
        settle_by_cable();
        end();
    }
}

MEND_TEST(a_connection_may_end_in_a_loan)
{
    for (uint64_t bytes = 0; bytes < 3 * LENT; bytes += 777) {
        begin_connected(true);
        CHECK_EQ(lend_some(0, 1, LENT, 3), 3);
        for (uint64_t n = 0; n < bytes; n += 777) {
            carry(&calls[0], 0, 777);
            poll_each();
            carry(&calls[0], 1, UINT32_MAX);
            take_back();
        }
        cut_all();
        settle_by_cable();
        end();
    }
}

MEND_TEST(loans_are_bounded_and_there_is_room_again)
{
    begin_connected(false);
    for (int round = 0; round < 20; round++) {
        CHECK_EQ(lend_some(0, 1, LENT, LOANS_MAX), MEND_TCP_LOANS);
        CHECK_EQ(lend_some(0, 1, LENT, 1), 0);
        for (mend_time_ns late = soon(); take_back(); poll_until(late))
            ;
    }
    settle();
    end();
}

/* A short one, and one that is padded, is copied. */
MEND_TEST(payloads_that_are_not_worth_it_are_copied)
{
    begin_connected(false);
    CHECK_EQ(lend_some(0, 1, LENT - 1, 1), 1);
    CHECK_EQ(lend_some(0, 1, 64, 1), 1);
    CHECK_EQ(take_back(), 0);
    settle();
    end();
}

MEND_TEST(what_is_written_in_place_is_not_lent)
{
    begin_connected(false);
    NET->gather(&procs[0], MEND_GATHER_LENT);
    for (int i = 0; i < 3; i++)
        CHECK(try_put(0, 1, LENT, LENT));
    NET->gather(&procs[0], MEND_GATHER_END);
    CHECK_EQ(mend_tcp_of(&procs[0], 1)->out.lent_n, 0);
    settle();
    end();
}

/* One that has not got all of them says nothing more. */
MEND_TEST(loans_to_the_dead_are_over)
{
    begin_connected(false);
    CHECK_EQ(lend_some(0, 1, LENT, 3), 3);
    NET->sever(&procs[0], 1);
    CHECK_EQ(take_back(), 0);
    sent_n[0][1] = came_n[0][1];
    finish();
}

static void act_at_random(mend_peer n)
{
    mend_peer from = (mend_peer)random_below((uint32_t)n),
              to = (from + 1 + (mend_peer)random_below((uint32_t)n - 1)) % n;

    switch (random_below(8)) {
    case 0:
    case 1:
        lend_some(from, to, random_below(3) ? LENT : random_len(), 1 + (int)random_below(6));
        break;
    case 2:
        try_send(from, to, random_len());
        break;
    case 3:
        try_put(from, to, random_below(100), 100 + random_below(2000));
        break;
    case 4:
        if (random_below(8) == 0)
            take_back_all(from, to);
        break;
    default:
        poll_at(from, random_below(2) ? to : MEND_PEER_NONE);
    }
    take_back();
}

static void disturb(void)
{
    struct call *c = calls_n ? &calls[random_below((uint32_t)calls_n)] : NULL;

    if (c && random_below(40) == 0)
        cut(c);
    else if (c)
        carry(c, (int)random_below(2), random_below(100000));
}

MEND_TEST(loans_between_cables_that_are_cut_at_random_come_whole)
{
    for (int round = 0; round < 20; round++) {
        begin(3);
        with_cables = true;
        for (int i = 0; i < 1500 && calls_n < CALLS_MAX / 2; i++) {
            act_at_random(3);
            disturb();
        }
        settle_by_cable();
        end();
    }
}

MEND_TEST_MAIN()
