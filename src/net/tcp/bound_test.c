/* SPDX-License-Identifier: BSD-3-Clause */
/* More peers than a process may have connections: idle ones end and are made again, peers that compute keep nobody from the
 * others, and nothing is lost or doubled.
 *
 *   S5-15: a broken connection is made again, nothing lost or doubled
 *   S5-17: memory, descriptors and connections of a process are bounded */
#include "net/contract_procs_test.h"
#include "net/tcp/door_test.h"

#include <sys/resource.h>

#define MOST   3u /* connections of a process */
#define EXCESS 1u /* that others may have begun beside them */

/* What the transport asks for. */
int getrlimit(__rlimit_resource_t resource, struct rlimit *l)
{
    *l = (struct rlimit){2 * MOST, 2 * MOST};
    return 0;
}

const struct mend_net_subject mend_net_subject = {
    .net = &mend_net_tcp,
    .begin = open_doors,
    .end = close_doors,
};

static bool is_open(mend_peer a, mend_peer b)
{
    const struct mend_tcp_pair *p = mend_tcp_of(&procs[a], b);

    return p && p->fd >= 0;
}

static uint32_t count_open(mend_peer who)
{
    uint32_t n = 0;

    for (mend_peer p = 0; p < procs_n; p++)
        n += is_open(who, p);
    CHECK_EQ(n, procs[who].tcp->open_n);
    return n;
}

static void check_bounds(void)
{
    for (mend_peer p = 0; p < procs_n; p++)
        CHECK(count_open(p) <= MOST + EXCESS);
}

static void settle_within_bounds(void)
{
    for (mend_time_ns end = soon(); !has_all_come(); poll_until(end))
        check_bounds();
}

MEND_TEST(one_process_sends_to_more_than_it_may_have_connections)
{
    begin(PROCS);
    for (int round = 0; round < 20; round++)
        for (mend_peer to = 1; to < PROCS; to++) {
            send_one(0, to, random_len());
            check_bounds();
        }
    settle_within_bounds();
    finish();
}

MEND_TEST(one_process_hears_from_more_than_it_may_have_connections)
{
    begin(PROCS);
    for (int round = 0; round < 20; round++) {
        for (mend_peer from = 1; from < PROCS; from++)
            send_one(from, 0, random_len());
        settle_within_bounds();
    }
    finish();
}

MEND_TEST(all_send_to_all)
{
    begin(PROCS);
    for (int i = 0; i < 600; i++) {
        mend_peer from = (mend_peer)random_below(PROCS),
                  to = (from + 1 + (mend_peer)random_below(PROCS - 1)) % PROCS;

        if (random_below(2))
            try_send(from, to, random_len());
        else
            poll_at(from, random_below(2) ? to : MEND_PEER_NONE);
        check_bounds();
    }
    settle_within_bounds();
    finish();
}

/* Neither end has anything to say. */
MEND_TEST(an_idle_connection_that_ended_is_not_made_again)
{
    begin(PROCS);
    for (mend_peer to = 1; to < PROCS; to++) {
        send_one(0, to, 8);
        settle_within_bounds();
    }
    look_often();
    CHECK_EQ(calls_n, PROCS - 1);
    CHECK(!is_open(0, 1) && !is_open(1, 0));
    CHECK(is_open(0, PROCS - 1));
    send_one(1, 0, 8);
    settle_within_bounds();
    CHECK_EQ(calls_n, PROCS);
    finish();
}

/* All is acknowledged, then. */
static void exchange_with_most(void)
{
    for (mend_peer to = 1; to <= (mend_peer)MOST; to++) {
        send_one(0, to, 8);
        settle();
        send_one(to, 0, 8);
        settle();
    }
}

/* Process 1 is used again and again, and stays; of the others the oldest goes, each time.  A connection that ends by mistake is made
 * again by the next message, so calls are counted. */
MEND_TEST(the_one_that_was_used_least_lately_ends)
{
    int before;

    begin(6);
    exchange_with_most();
    for (mend_peer next = MOST + 1; next < 6; next++) {
        for (int i = 0; i < 3; i++) {
            send_one(0, 1, 8);
            settle();
            send_one(1, 0, 8);
            settle();
        }
        look_often();
        before = calls_n;
        send_one(0, next, 8);
        settle();
        look_often();
        CHECK_EQ(calls_n, before + 1);
        CHECK(is_open(0, 1) && is_open(0, next));
        CHECK(!is_open(0, next - MOST + 1));
    }
    finish();
}

/* Of processes 1 to MOST nobody looks. */
static void poll_others_until(mend_time_ns end)
{
    CHECK(mend_time_monotonic_ns() < end);
    poll_at(0, MEND_PEER_NONE);
    for (mend_peer p = MOST + 1; p < procs_n; p++)
        poll_at(p, MEND_PEER_NONE);
    CHECK(count_open(0) <= MOST + EXCESS);
}

static void send_to_computing_ones(uint32_t len)
{
    begin(MOST + 3);
    for (mend_peer to = 1; to <= (mend_peer)MOST; to++)
        CHECK(try_send(0, to, len));
    CHECK_EQ(count_open(0), MOST);
}

MEND_TEST(processes_that_compute_keep_nobody_from_the_others)
{
    mend_time_ns end = soon();

    send_to_computing_ones(100);
    CHECK(try_send(0, MOST + 1, 8));
    CHECK(try_send(0, MOST + 2, 8));
    CHECK(!is_open(0, MOST + 1));
    for (; came_n[0][MOST + 1] + came_n[0][MOST + 2] < 2; poll_others_until(end))
        ;
    settle_within_bounds();
    finish();
}

MEND_TEST(processes_that_compute_keep_nobody_from_calling)
{
    mend_time_ns end = soon();

    send_to_computing_ones(100);
    CHECK(try_send(MOST + 1, 0, 8));
    CHECK(try_send(MOST + 2, 0, 8));
    for (; came_n[MOST + 1][0] + came_n[MOST + 2][0] < 2; poll_others_until(end))
        ;
    settle_within_bounds();
    finish();
}

/* Their connections are full. */
MEND_TEST(processes_that_take_nothing_keep_nobody_from_the_others)
{
    mend_time_ns end = soon();

    send_to_computing_ones(MEND_TCP_PAYLOAD_MAX);
    for (mend_peer to = 1; to <= (mend_peer)MOST; to++)
        send_all(0, to, MEND_TCP_PAYLOAD_MAX);
    CHECK(try_send(0, MOST + 1, 8));
    for (; came_n[0][MOST + 1] < 1; poll_others_until(end))
        ;
    settle_within_bounds();
    finish();
}

/* What is asked for is answered before PATIENCE is over, so no connection ends that is in use. */
MEND_TEST(peers_that_look_are_asked_first)
{
    send_to_computing_ones(100);
    settle();
    for (mend_peer p = 1; p <= (mend_peer)MOST; p++)
        CHECK(!mend_tcp_is_acknowledged(&mend_tcp_of(&procs[0], p)->out));
    send_one(0, MOST + 1, 8);
    settle_within_bounds();
    look_often();
    CHECK_EQ(calls_n, (int)MOST + 1);
    finish();
}

/* Others are sent to between reserve() and commit(). */
MEND_TEST(what_is_written_in_place_survives_the_end_of_other_connections)
{
    struct mend_frame f;
    void *room;

    begin(6);
    exchange_with_most();
    f = frame_of(0, sent_n[0][1], 1000);
    room = NET->reserve(&procs[0], 1, 1000);
    CHECK(room != NULL);
    memcpy(room, payload_of(0, 1, sent_n[0][1]), 1000);
    for (mend_peer to = MOST + 1; to < 6; to++) {
        send_one(0, to, 8);
        while (!came_n[0][to])
            poll_each();
    }
    sent_n[0][1]++;
    NET->commit(&procs[0], 1, &f);
    settle();
    finish();
}

MEND_TEST(without_a_descriptor_an_idle_connection_ends)
{
    begin(4);
    send_one(0, 1, 8);
    settle();
    send_one(1, 0, 8); /* acknowledges */
    settle();
    CHECK(is_open(0, 1));
    dials_without_fd = 1;
    CHECK(try_send(0, 2, 8));
    CHECK(is_open(0, 2));
    CHECK(!is_open(0, 1));
    settle();
    finish();
}

/* Nothing else wakes it. */
MEND_TEST(a_process_that_shall_call_again_does_not_oversleep)
{
    begin(2);
    CHECK(try_send(0, 1, 8));
    settle();
    look_often();
    NET->forget(&procs[1], 0); /* its end of the connection, and it takes no calls */
    door_is_shut = true;
    CHECK(try_send(0, 1, 8));
    for (int i = 0; i < 5; i++) {
        while (is_open(0, 1))
            poll_at(0, MEND_PEER_NONE);
        poll_at(0, MEND_PEER_NONE);
        CHECK(procs[0].bell->sleep(&procs[0], FOR_LONG));
    }
    finish();
}

MEND_TEST_MAIN()
