/* SPDX-License-Identifier: BSD-3-Clause */
/* A connection between two living processes may end at any byte, and both may call at once: nothing is lost, and nothing comes
 * twice.
 *
 *   R12: messages that arrived before a death are delivered before it is reported, none after it
 *   S5-14: strangers cannot join, read, delay or end a job
 *   S5-15: a broken connection is made again, nothing lost or doubled */
#include "net/tcp/cable_test.h"

/* ---- cables ---- */

/* Byte by byte in turns, until all cables together have carried so many. */
static void carry_until(uint64_t end)
{
    for (int i = 0; i < calls_n; i++)
        for (int k = 0; k < 2 && carried_n < end; k++)
            carry(&calls[i], k, 1);
}

/* ---- one cut ---- */

static const uint32_t short_lens[] = {0, 1, 8, 100, 3, 300, 40};

static void send_some(mend_peer from, mend_peer to)
{
    for (unsigned i = 0; i < MEND_COUNT_OF(short_lens); i++)
        CHECK(try_send(from, to, short_lens[i]));
}

/* The first connection ends behind so many bytes; true: it has carried as many. */
static bool try_cut_behind(uint64_t bytes, bool both_call)
{
    mend_time_ns end = soon();

    begin(2);
    with_cables = true;
    carried_n = 0;
    send_some(0, 1);
    if (both_call)
        send_some(1, 0);
    for (; carried_n < bytes && !has_all_come(); poll_until(end))
        carry_until(bytes);
    if (!both_call)
        send_some(1, 0);
    cut_all();
    settle_by_cable();
    for (int i = 0; i < 10; i++) {
        poll_each();
        carry_all();
    }
    finish();
    return carried_n >= bytes;
}

MEND_TEST(a_connection_may_end_behind_each_byte)
{
    uint64_t bytes = 0;

    while (bytes < 1200 && try_cut_behind(bytes, false))
        bytes += bytes < 320 ? 1 : 7; /* all of the greeting, and of some frames */
    CHECK(bytes > 600);               /* those of one direction */
}

MEND_TEST(two_that_have_called_each_other_lose_nothing)
{
    uint64_t bytes = 0;

    while (bytes < 2400 && try_cut_behind(bytes, true))
        bytes += bytes < 320 ? 1 : 7; /* all of the greeting, and of some frames */
    CHECK(bytes > 1200);
}

/* ---- many ---- */

static void disturb(void)
{
    struct call *c = calls_n ? &calls[random_below((uint32_t)calls_n)] : NULL;

    if (c && random_below(20) == 0)
        cut(c);
    else if (c)
        carry(c, (int)random_below(2), random_below(3000));
}

static void send_or_look(mend_peer n)
{
    mend_peer from = (mend_peer)random_below((uint32_t)n),
              to = (from + 1 + (mend_peer)random_below((uint32_t)n - 1)) % n;

    if (random_below(2))
        try_send(from, to, random_len());
    else
        poll_at(from, random_below(2) ? to : MEND_PEER_NONE);
}

MEND_TEST(cables_that_are_cut_at_random_lose_nothing)
{
    for (int round = 0; round < 40; round++) {
        begin(4);
        with_cables = true;
        for (int i = 0; i < 1500 && calls_n < CALLS_MAX / 2; i++) {
            send_or_look(4);
            disturb();
        }
        settle_by_cable();
        look_often();
        finish();
    }
}

/* The lower half of a position comes round within these frames. */
MEND_TEST(streams_go_on_behind_4_gib)
{
    for (int round = 0; round < 20; round++) {
        begin(2);
        for (mend_peer p = 0; p < 2; p++) {
            struct mend_tcp_pair *x = mend_tcp_pair_to(&procs[p], !p);

            x->out.acked = x->out.written = x->out.tail = (UINT64_C(1) << 32) - 8 * (uint64_t)round;
            x->in.received = x->in.told = x->out.tail;
        }
        with_cables = round % 2;
        for (int i = 0; i < 300; i++) {
            try_send(i % 2, !(i % 2), random_len());
            if (with_cables && i == 100)
                cut_all();
            carry_all();
            poll_each();
        }
        settle_by_cable();
        finish();
    }
}

/* ---- calls ---- */

/* Which of two that called at once keeps its connection depends on the names and on nothing else. */
MEND_TEST(two_that_have_called_each_other_keep_one_connection)
{
    for (int order = 0; order < 4; order++) {
        int n;

        begin(2);
        CHECK(try_send(order & 1, !(order & 1), 8));
        CHECK(try_send(!(order & 1), order & 1, 8));
        poll_at(order >> 1, MEND_PEER_NONE);
        settle();
        look_often();
        n = calls_n;
        CHECK_EQ(n, 2);
        CHECK(mend_tcp_of(&procs[0], 1)->mine && !mend_tcp_of(&procs[1], 0)->mine);
        send_one(0, 1, 8);
        send_one(1, 0, 8);
        settle();
        CHECK_EQ(calls_n, n);
        finish();
    }
}

/* Else it would try every number in between. */
MEND_TEST(a_caller_that_is_refused_learns_the_number)
{
    begin(2);
    mend_tcp_pair_to(&procs[1], 0)->call = 1000;
    for (int i = 0; i < 10; i++) { /* what came by a call that is refused is delivered, too */
        send_one(0, 1, 8);
        settle();
        poll_each();
    }
    CHECK(calls_n <= 2);
    finish();
}

MEND_TEST(a_process_that_cannot_be_called_now_is_called_later)
{
    begin(2);
    door_is_shut = true;
    send_some(0, 1);
    look_often();
    CHECK_EQ(came_n[0][1], 0);
    door_is_shut = false;
    settle();
    finish();
}

/* The call of the dead one does not count, as this process, whose name is lower, has called as well. */
MEND_TEST(what_came_by_a_call_that_does_not_count_is_delivered)
{
    begin(2);
    CHECK(try_send(0, 1, 8));
    send_some(1, 0);
    poll_at(1, MEND_PEER_NONE); /* gets the nonce, and writes */
    NET->sever(&procs[0], 1);
    CHECK_EQ(came_n[1][0], MEND_COUNT_OF(short_lens));
    finish();
}

/* Its caller has written more before it could know, and makes no further call of MPI. */
MEND_TEST(what_is_written_to_a_call_that_is_refused_meanwhile_is_delivered)
{
    begin(2);
    CHECK(try_send(0, 1, 8));
    CHECK(try_send(1, 0, 8));
    for (mend_time_ns end = soon(); !has_left(1, 0); poll_at(1, MEND_PEER_NONE))
        CHECK(mend_time_monotonic_ns() < end);
    poll_at(0, MEND_PEER_NONE);
    CHECK_EQ(came_n[1][0], 1);
    CHECK(mend_tcp_of(&procs[0], 1)->refused >= 0);
    CHECK_EQ(procs[0].tcp->refusals_n, 1);
    send_some(1, 0);
    CHECK(has_left(1, 0));
    for (mend_time_ns end = soon(); came_n[1][0] < sent_n[1][0]; poll_at(0, MEND_PEER_NONE))
        CHECK(mend_time_monotonic_ns() < end);
    settle(); /* the refusal is read, and the other connection brings nothing twice */
    look_often();
    CHECK(mend_tcp_of(&procs[0], 1)->refused < 0);
    CHECK_EQ(procs[0].tcp->refusals_n, 0);
    finish();
}

static int complaints_n;

static void count_complaint(struct mend_proc *self, mend_peer peer)
{
    CHECK(self == &procs[0] && peer == 1);
    complaints_n++;
}

#define LONG_ENOUGH (300 * MEND_NS_PER_MS)

static void begin_with_complaints(void)
{
    begin(2);
    complaints_n = 0;
    procs[0].params.reach_timeout_ns = LONG_ENOUGH;
    nodes[0].cut = count_complaint;
}

/* Returns how long it took. */
static mend_time_ns send_until_complaint(void)
{
    mend_time_ns begun = mend_time_monotonic_ns(), end = soon();

    CHECK(try_send(0, 1, 8));
    while (!complaints_n)
        poll_until(end);
    return mend_time_monotonic_ns() - begun;
}

MEND_TEST(of_a_peer_that_cannot_be_called_the_agent_is_told)
{
    begin_with_complaints();
    door_is_shut = true;
    CHECK(send_until_complaint() >= LONG_ENOUGH);
    door_is_shut = false; /* it was a mistake */
    settle();
    finish();
}

/* As behind a firewall that drops what comes. */
MEND_TEST(of_a_door_that_does_not_answer_the_agent_is_told)
{
    begin_with_complaints();
    door_is_deaf = true;
    CHECK(send_until_complaint() >= LONG_ENOUGH);
    CHECK(mend_tcp_of(&procs[0], 1)->fd >= 0);
    finish();
}

/* It computes; its agent lives. */
MEND_TEST(of_a_peer_that_does_not_answer_the_agent_is_not_told)
{
    mend_time_ns end = mend_time_monotonic_ns() + 2 * LONG_ENOUGH;

    begin_with_complaints();
    CHECK(try_send(0, 1, 8));
    while (mend_time_monotonic_ns() < end)
        poll_at(0, MEND_PEER_NONE);
    settle();
    CHECK_EQ(complaints_n, 0);
    finish();
}

/* This process was stopped, perhaps. */
MEND_TEST(time_without_a_look_does_not_count)
{
    begin_with_complaints();
    door_is_shut = true;
    CHECK(try_send(0, 1, 8));
    poll_at(0, MEND_PEER_NONE);
    for (int i = 0; i < 2; i++) {
        usleep(2 * LONG_ENOUGH / 1000);
        poll_at(0, MEND_PEER_NONE);
        CHECK_EQ(complaints_n, 0);
    }
    door_is_shut = false;
    settle();
    CHECK_EQ(complaints_n, 0);
    finish();
}

/* ---- writes ---- */

static int writes_of(int frames, bool together)
{
    int before = writes_n;

    if (together)
        NET->gather(&procs[0], MEND_GATHER);
    for (int i = 0; i < frames; i++)
        CHECK(try_send(0, 1, 8));
    CHECK(!together || writes_n == before);
    if (together)
        NET->gather(&procs[0], MEND_GATHER_END);
    return writes_n - before;
}

MEND_TEST(what_is_gathered_leaves_with_one_call)
{
    begin(2);
    send_one(0, 1, 8);
    settle();
    CHECK_EQ(writes_of(1, false), 1);
    CHECK_EQ(writes_of(64, false), 64);
    CHECK_EQ(writes_of(64, true), 1);
    settle();
    finish();
}

/* A frame has left when the kernel has it, and is for nobody when its receiver is dead. */
MEND_TEST(what_was_sent_before_there_is_a_connection_has_not_left)
{
    begin(2);
    CHECK(has_left(0, 1));
    door_is_shut = true;
    send_some(0, 1);
    CHECK(!has_left(0, 1));
    look_often();
    CHECK(!has_left(0, 1));
    door_is_shut = false;
    settle();
    CHECK(has_left(0, 1));
    door_is_shut = true;
    CHECK(try_send(1, 0, 8));
    NET->sever(&procs[1], 0);
    CHECK(has_left(1, 0));
    finish();
}

MEND_TEST(what_the_kernel_does_not_take_has_not_left)
{
    mend_time_ns end = soon();

    begin(2);
    with_cables = true;
    send_one(0, 1, 8);
    settle_by_cable();
    send_all(0, 1, 20000);
    CHECK(!has_left(0, 1));
    for (; !has_left(0, 1); poll_until(end))
        carry_all();
    settle_by_cable();
    finish();
}

/* ---- places ---- */

#define PLACED 40000 /* bytes */

static char the_place[PLACED + 1];
static int placed_n, in_place_n;
static bool is_displaced; /* the memory of the place is somebody else's */

static void *place_it(struct mend_proc *self, mend_peer from, const struct mend_frame *f)
{
    CHECK(mend_frame_len(f) <= PLACED);
    placed_n++;
    is_displaced = false;
    return the_place;
}

static void look_where(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
                       const void *payload)
{
    in_place_n += payload == the_place;
    CHECK(payload != the_place || !is_displaced);
    on_frame(self, from, f, payload);
}

static void begin_with_places(void)
{
    begin(2);
    procs[1].place = place_it;
    for (unsigned kind = 0; kind < MEND_FRAME_KINDS; kind++)
        procs[1].on_frame[kind] = look_where;
    with_cables = true;
    placed_n = in_place_n = 0;
    send_one(0, 1, 8);
    settle_by_cable();
}

static void carry_some(uint32_t bytes)
{
    for (uint32_t n = 0; n < bytes; n += 512) {
        carry(&calls[0], 0, 512);
        poll_at(1, MEND_PEER_NONE);
    }
    carry(&calls[0], 1, UINT32_MAX); /* what acknowledges */
    poll_at(0, MEND_PEER_NONE);
}

MEND_TEST(a_payload_in_parts_is_read_to_where_it_belongs)
{
    begin_with_places();
    the_place[PLACED] = 1;
    for (int i = 0; i < 20; i++) {
        send_one(0, 1, PLACED);
        CHECK(try_send(0, 1, 8));
        carry_some(PLACED);
        settle_by_cable();
    }
    CHECK_EQ(placed_n, 20);
    CHECK_EQ(in_place_n, 20);
    CHECK_EQ(the_place[PLACED], 1);
    finish();
}

/* A length that is padded goes elsewhere, as there is no room for what pads it. */
MEND_TEST(a_payload_that_is_padded_has_no_place)
{
    begin_with_places();
    send_one(0, 1, PLACED - 1);
    carry_some(PLACED);
    settle_by_cable();
    CHECK_EQ(in_place_n, 0);
    finish();
}

/* Its receive has ended: nothing is written there any more, and the frame comes whole all the same. */
MEND_TEST(a_place_that_is_taken_back_is_not_touched)
{
    begin_with_places();
    for (uint32_t bytes = 512; bytes < PLACED; bytes += 4096) {
        send_one(0, 1, PLACED);
        carry_some(bytes);
        mend_net_displace(&procs[1], 0);
        is_displaced = true;
        memset(the_place, 7, PLACED);
        settle_by_cable();
        for (uint32_t i = 0; i < PLACED; i++)
            CHECK_EQ(the_place[i], 7);
    }
    CHECK(placed_n > 0);
    CHECK_EQ(in_place_n, 0);
    finish();
}

MEND_TEST(a_place_outlives_its_connection)
{
    begin_with_places();
    send_one(0, 1, PLACED);
    carry_some(PLACED / 2);
    cut_all();
    settle_by_cable();
    CHECK_EQ(in_place_n, 1);
    finish();
}

/* ---- strangers and errors ---- */

static void answer_wrongly(void (*change)(struct mend_greeting *g))
{
    struct mend_greeting g;
    int fd;

    begin(2);
    CHECK(try_send(0, 1, 8));
    poll_at(0, MEND_PEER_NONE);
    CHECK(test_caller(&procs[1], &g, &fd));
    g.kind = MEND_GREETING_ANSWER;
    g.from = 1;
    g.to = 0;
    g.start = g.received = 0;
    change(&g);
    CHECK_EQ(send(fd, &g, sizeof(g), MSG_NOSIGNAL), sizeof(g));
    look_often();
    CHECK_EQ(damaged_n, 1);
    close(fd);
    finish();
}

static void sign(struct mend_greeting *g)
{
    mend_greeting_sign(g, headers[0].door.key);
}

static void wrong_key(struct mend_greeting *g)
{
    struct mend_door door = headers[0].door;

    door.key[MEND_DOOR_KEY_BYTES - 1]++;
    mend_greeting_sign(g, door.key);
}

static void wrong_proof(struct mend_greeting *g)
{
    sign(g);
    g->proof[sizeof(g->proof) - 1] ^= 1;
}

static void wrong_job(struct mend_greeting *g)
{
    g->job++;
    sign(g);
}

static void wrong_name(struct mend_greeting *g)
{
    g->from = 0;
    sign(g);
}

static void wrong_size(struct mend_greeting *g)
{
    g->bytes++;
    sign(g);
}

/* It was recorded. */
static void nonce_of_another_call(struct mend_greeting *g)
{
    g->caller_nonce[0]++;
    sign(g);
}

static void nonce_of_another_door(struct mend_greeting *g)
{
    g->door_nonce[0]++;
    sign(g);
}

static void is_a_call(struct mend_greeting *g)
{
    g->kind = MEND_GREETING_CALL;
    sign(g);
}

static void from_later_on(struct mend_greeting *g)
{
    g->start = 8;
    sign(g);
}

static void has_more_than_was_sent(struct mend_greeting *g)
{
    g->received = 1000;
    sign(g);
}

MEND_TEST(an_answer_that_does_not_fit_is_refused)
{
    answer_wrongly(wrong_key);
    answer_wrongly(wrong_proof);
    answer_wrongly(nonce_of_another_call);
    answer_wrongly(nonce_of_another_door);
    answer_wrongly(is_a_call);
    answer_wrongly(wrong_job);
    answer_wrongly(wrong_name);
    answer_wrongly(wrong_size);
    answer_wrongly(from_later_on);
    answer_wrongly(has_more_than_was_sent);
}

static void call_wrongly(void (*change)(struct mend_greeting *g))
{
    begin(2);
    change_greeting = change;
    CHECK(try_send(0, 1, 8));
    look_often();
    change_greeting = NULL;
    CHECK(damaged_n > 0);
    CHECK_EQ(came_n[0][1], 0);
    finish();
}

static void other_magic(struct mend_challenge *m)
{
    m->magic++;
}

static void other_version(struct mend_challenge *m)
{
    m->version++;
}

static void other_size(struct mend_challenge *m)
{
    m->bytes++;
}

static void challenge_wrongly(void (*change)(struct mend_challenge *m))
{
    struct mend_greeting g;
    int fd;

    begin(2);
    change_challenge = change;
    CHECK(try_send(0, 1, 8));
    change_challenge = NULL;
    for (int i = 0; i < 4; i++)
        poll_at(0, MEND_PEER_NONE);
    CHECK_EQ(damaged_n, 1);
    CHECK(!test_caller(&procs[1], &g, &fd)); /* it has said nothing */
    finish();
}

MEND_TEST(a_door_of_another_version_is_refused)
{
    challenge_wrongly(other_magic);
    challenge_wrongly(other_version);
    challenge_wrongly(other_size);
}

/* Nothing would be read from that peer, so this process must not go on as if it could wait for it. */
MEND_TEST(a_call_that_does_not_fit_is_damage)
{
    call_wrongly(from_later_on);
    call_wrongly(has_more_than_was_sent);
}

/* As after too many open files. */
/* As one that has the key, and says that it is a neighbour. */
MEND_TEST(a_caller_that_is_reached_by_another_transport_is_sent_away)
{
    begin(2);
    mend_net_connect(&procs[1], 0, &mend_net_self);
    CHECK(try_send(0, 1, 8));
    look_often();
    CHECK_EQ(came_n[0][1], 0);
    CHECK_EQ(damaged_n, 0);
    CHECK(!procs[1].tcp->pair[0]);
    finish();
}

/* An agent that passes a connection on has it, too, for a moment; so has a child of the process. */
MEND_TEST(a_connection_that_another_process_still_has_brings_nothing_behind_its_end)
{
    int copy = -1;

    begin(2);
    copy_of_passed = &copy;
    CHECK(try_send(0, 1, 8));
    settle();
    CHECK(copy >= 0);
    NET->sever(&procs[1], 0);
    CHECK(try_send(0, 1, 8));
    look_often();
    CHECK_EQ(came_n[0][1], 1);
    close(copy);
    finish();
}

MEND_TEST(a_connection_without_a_descriptor_is_made_again)
{
    struct mend_greeting g;
    int fd;

    begin(2);
    CHECK(try_send(0, 1, 8));
    poll_at(0, MEND_PEER_NONE);
    CHECK(test_caller(&procs[1], &g, &fd));
    close(fd);
    passed_without_fd = &g;
    settle();
    CHECK_EQ(calls_n, 2);
    finish();
}

/* What was told to have come is not asked for again, also if there is no memory for the rest of it. */
MEND_TEST(a_header_in_parts_without_memory_comes_later)
{
    begin(2);
    with_cables = true;
    send_one(1, 0, 8); /* both know each other */
    settle_by_cable();
    carry_all();
    poll_each();
    mend_arena_set_faults(procs[1].arena, 1, true);
    CHECK(try_send(0, 1, 100));
    for (int i = 0; i < 60; i++) { /* byte by byte, and each is acknowledged */
        carry(&calls[calls_n - 1], 1, 1);
        poll_at(1, MEND_PEER_NONE);
        try_send(1, 0, 0);
        carry(&calls[calls_n - 1], 0, UINT32_MAX);
        poll_at(0, MEND_PEER_NONE);
    }
    mend_arena_set_faults(procs[1].arena, 0, false);
    settle_by_cable();
    CHECK_EQ(damaged_n, 0);
    finish();
}

/* A frame that there is no memory for comes again. */
MEND_TEST(a_frame_in_parts_without_memory_comes_later)
{
    begin(2);
    for (int i = 0; i < 8; i++)
        CHECK(try_send(0, 1, 20000));
    poll_at(0, MEND_PEER_NONE);
    poll_at(1, MEND_PEER_NONE); /* makes the pair */
    mend_arena_set_faults(procs[1].arena, 1, true);
    look_often();
    mend_arena_set_faults(procs[1].arena, 0, false);
    CHECK(!has_all_come() || procs[1].tcp->pair[0]->payload);
    settle();
    finish();
}

MEND_TEST_MAIN()
