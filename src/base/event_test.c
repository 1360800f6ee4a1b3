/* SPDX-License-Identifier: BSD-3-Clause */
/* event_test.c – specifications of --inject: what is taken, and what is refused with a reason. */
#include "base/event.h"
#include "base/test.h"

static struct mend_inject got;
static const char *why;

static bool takes(const char *spec)
{
    return mend_event_parse_inject(spec, &got, &why);
}

MEND_TEST(events_calls_and_times)
{
    CHECK(takes("kill@p2p.send.rts#3"));
    CHECK_EQ(got.action, MEND_INJECT_KILL);
    CHECK_EQ(got.at, MEND_INJECT_AT_EVENT);
    CHECK_EQ(got.event, MEND_EV_P2P_SEND_RTS);
    CHECK_EQ(got.countdown, 3);
    CHECK(takes("stop@call:MPI_Send"));
    CHECK_EQ(got.action, MEND_INJECT_STOP);
    CHECK_STR(got.call, "MPI_Send");
    CHECK_EQ(got.countdown, 1);
    CHECK(takes("abort:7@time:50ms"));
    CHECK_EQ(got.action, MEND_INJECT_ABORT);
    CHECK_EQ(got.arg, 7);
    CHECK_EQ(got.delay_ns, 50 * 1000 * 1000);
    CHECK(takes("kill@call:MPI_Ibcast#2>coll.round#3"));
    CHECK_EQ(got.at, MEND_INJECT_AT_EVENT);
    CHECK_EQ(got.event, MEND_EV_COLL_ROUND);
    CHECK_STR(got.call, "MPI_Ibcast");
    CHECK_EQ(got.calls, 2);
    CHECK_EQ(got.countdown, 3);
    CHECK(takes("abort:-3@init.done"));
    CHECK_EQ(got.arg, -3);
    CHECK(takes("note@coll.enter"));
    CHECK_EQ(got.action, MEND_INJECT_NOTE);
    CHECK(takes("abort@init.done"));
    CHECK_EQ(got.arg, 1);
    CHECK(takes("cont@in:MPI_File_sync:0,2-3"));
    CHECK_EQ(got.action, MEND_INJECT_CONT);
    CHECK_EQ(got.at, MEND_INJECT_AT_WAIT);
    CHECK_STR(got.call, "MPI_File_sync");
    CHECK_STR(got.waiters, "0,2-3");
}

MEND_TEST(everything_else_is_refused)
{
    static const char *const bad[] = {
        "",
        "kill",
        "kill@",
        "kill@nowhere",
        "eat@init.done",
        "kill@time:x",
        "kill@time:-1s",
        "kill@time:5h",
        "kill@call:",
        "kill@call:>init.done",
        "kill@call:MPI_Send>",
        "kill@call:MPI_Send#0>init.done",
        "kill@call:MPI_Send>init.done#0",
        "kill@call:MPI_Send>call:MPI_Recv",
        "kill@coll.enter>coll.round",
        "kill@init.done#0",
        "kill@init.done#-1",
        "kill@init.done#x",
        "kill@init.done#99999999999999999999999",
        "kill@time:nan",
        "kill@time:1e300s",
        "kill@call:Send",
        "kill@call:MPI_Foo",
        "kill@call:PMPI_Send",
        "kill@call:MPI_Send_a_name_longer_than_all_that_there_are_and_than_the_room_for_it",
        "kill:3@init.done",
        "abort:@init.done",
        "abort:x@init.done",
        "abort:7x@init.done",
        "abort: 7@init.done",
        "abort:99999999999@init.done"};

    for (size_t i = 0; i < MEND_COUNT_OF(bad); i++) {
        CHECK(!takes(bad[i]));
        CHECK(why && *why);
    }
}

MEND_TEST(who_slips_is_told_the_name)
{
    CHECK(!takes("kill@coll.entr"));
    CHECK_STR(why, "there is no event 'coll.entr'; did you mean 'coll.enter'?");
    CHECK(!takes("kill@call:MPI_allreduce"));
    CHECK_STR(why, "there is no MPI function 'MPI_allreduce'; did you mean 'MPI_Allreduce'?");
    CHECK(!takes("kill@call:Comm_revoke>init.done"));
    CHECK_STR(why, "there is no MPI function 'Comm_revoke'; did you mean 'MPI_Comm_revoke'?");
    CHECK(takes("kill@call:MPIX_Comm_agree"));
}

static int acted;

static void act(struct mend_events *events, struct mend_inject *inject)
{
    acted++;
}

MEND_TEST(the_nth_time_and_only_then)
{
    struct mend_inject injects[2];
    struct mend_events events = {.injects = injects, .injects_n = 2, .act = act};

    CHECK(takes("kill@coll.enter#2"));
    injects[0] = got;
    CHECK(takes("kill@call:MPI_Recv#2"));
    injects[1] = got;
    for (int i = 0; i < 4; i++) {
        mend_event_hit(&events, MEND_EV_COLL_ENTER);
        CHECK_EQ(acted, i >= 1);
        mend_event_hit(&events, MEND_EV_COLL_DONE);
    }
    mend_event_call(&events, "MPI_Recv");
    mend_event_call(&events, "MPI_Send");
    CHECK_EQ(acted, 1);
    mend_event_call(&events, "MPI_Recv");
    CHECK_EQ(acted, 2);
}

MEND_TEST(an_event_counted_from_a_call_on)
{
    struct mend_inject injects[1];
    struct mend_events events = {.injects = injects, .injects_n = 1, .act = act};

    acted = 0;
    CHECK(takes("kill@call:MPI_Pcontrol#2>coll.round#2"));
    injects[0] = got;
    for (int call = 0; call < 4; call++) { /* two rounds count: both after the second call */
        mend_event_hit(&events, MEND_EV_COLL_ROUND);
        CHECK_EQ(acted, call == 3);
        mend_event_call(&events, "MPI_Barrier");
        mend_event_call(&events, "MPI_Pcontrol");
    }
}

MEND_TEST_MAIN()
