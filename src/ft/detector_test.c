/* SPDX-License-Identifier: BSD-3-Clause */
/* detector_test.c – the agent's decisions, told as transcripts: a mistake is made true before it is
 * reported (S3-7), a dead process stays dead (S3-8), an abort ends exactly the processes that it names
 * (S4-6), and a process that ends after MPI_Finalize has not failed (R23).
 *
 *   R23: a process that ends without MPI_Finalize has failed
 *   R27: a process that cannot die is declared dead after a second
 *   R28: a process is dead when all its threads are at their end
 *   S3-7: the library may end the excluded process
 *   S3-8: every dead process is suspected for ever by every survivor
 *   S3-10: a running process is not suspected
 *   S4-6: MPI_Abort ends all processes of its communicator */
#include "ft/detector_sm.h"
#include "ft/transcript.h"

#define STOP_NS    800
#define KILL_NS    8000
#define HOLD_NS    1600
#define UNDYING_NS 4800

struct agent {
    struct transcript t;
    struct mend_detector *m;
    mend_time_ns now, wake_at;
};

static struct agent create(int n)
{
    static const struct mend_detector_config config = {STOP_NS, 4 * STOP_NS, KILL_NS, HOLD_NS,
                                                       UNDYING_NS};
    struct agent a = {.m = malloc(mend_detector_size(n))};

    mend_detector_init(a.m, n, &config, 0);
    return a;
}

static void note(struct agent *a, const struct mend_detector_action *action)
{
    static const char *const kinds[] = {"kill", "clear", "declare", "explain", "end"};
    static const char *const causes[] = {"unknown", "signal", "exit",     "abort",
                                         "stopped", "lost",   "suspected"};
    const struct mend_verdict *v = &action->verdict;

    if (action->kind == MEND_DETECTOR_DECLARE || action->kind == MEND_DETECTOR_EXPLAIN)
        transcript_add(&a->t, (int)a->now, "%s %d (%s %d)", kinds[action->kind], (int)v->peer,
                       causes[v->cause], (int)v->code);
    else
        transcript_add(&a->t, (int)a->now, "%s %d", kinds[action->kind], (int)v->peer);
}

static void step(struct agent *a, struct mend_detector_event ev)
{
    struct mend_detector_action action;

    ev.now = a->now;
    mend_detector_step(a->m, &ev, &a->wake_at);
    while (mend_detector_next(a->m, &action))
        note(a, &action);
    mend_detector_check(a->m);
}

static void tell(struct agent *a, enum mend_detector_event_kind kind, int peer)
{
    step(a, (struct mend_detector_event){.kind = kind, .peer = peer});
}

/* A complaint of rank `by` about a process that the kernel shows to be ending. */
static void suspect(struct agent *a, int peer, int by)
{
    step(a, (struct mend_detector_event){
                .kind = MEND_DETECTOR_EV_SUSPECT, .peer = peer, .code = by, .ending = true});
}

static void reap(struct agent *a, int peer, bool signaled, int code)
{
    step(a, (struct mend_detector_event){
                .kind = MEND_DETECTOR_EV_EXITED, .peer = peer, .signaled = signaled, .code = code});
}

/* Runs the agent as it wishes until `until`. */
static void pass(struct agent *a, mend_time_ns until)
{
    while (a->wake_at <= until) {
        a->now = a->wake_at;
        tell(a, MEND_DETECTOR_EV_TICK, 0);
    }
    a->now = until;
}

/* The verdict does not wait for the reason, which follows tens of milliseconds later. */
MEND_TEST(the_life_word_is_enough_for_a_verdict)
{
    struct agent a = create(2);

    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    reap(&a, 1, true, 11);
    reap(&a, 1, true, 11);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 1\n"
                        "[  0] 0 declare 1 (unknown 0)\n"
                        "[  0] 0 explain 1 (signal 11)\n");
    free(a.m);
}

/* R28: the life word is that of the main thread. */
MEND_TEST(a_process_is_dead_when_all_its_threads_are)
{
    struct agent a = create(2);
    struct mend_detector_event life = {.kind = MEND_DETECTOR_EV_LIFE, .peer = 1, .others = true};

    step(&a, life);
    step(&a, life);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 1\n");
    tell(&a, MEND_DETECTOR_EV_CONFIRMED, 1);
    reap(&a, 1, true, 9);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 1\n"
                        "[  0] 0 declare 1 (unknown 0)\n"
                        "[  0] 0 explain 1 (signal 9)\n");
    life.peer = 0;
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 0);
    step(&a, life);
    CHECK(strstr(a.t.text, "end 0"));
    free(a.m);
}

/* R27, if the signal has reached it. */
MEND_TEST(whoever_cannot_die_is_dead_after_a_time)
{
    struct agent a = create(2);
    struct mend_detector_event life = {.kind = MEND_DETECTOR_EV_LIFE, .peer = 1, .others = true};

    step(&a, life);
    pass(&a, UNDYING_NS / 2);
    mend_detector_delivered(a.m, 1);
    pass(&a, UNDYING_NS + UNDYING_NS / 4);
    CHECK(!strstr(a.t.text, "declare"));
    pass(&a, 2 * UNDYING_NS);
    CHECK(strstr(a.t.text, "declare 1 (unknown 0)"));
    reap(&a, 1, true, 9);
    CHECK(strstr(a.t.text, "explain 1 (signal 9)"));
    suspect(&a, 0, 1);
    pass(&a, 20 * UNDYING_NS); /* it is not ours to signal */
    CHECK(!strstr(a.t.text, "declare 0"));
    free(a.m);
}

MEND_TEST(waitpid_alone_is_enough_too)
{
    struct agent a = create(3);

    reap(&a, 0, true, 9);
    reap(&a, 1, false, 3);
    reap(&a, 2, false, 0);
    tell(&a, MEND_DETECTOR_EV_LIFE, 0);
    TRANSCRIPT_IS(&a.t, "[  0] 0 declare 0 (signal 9)\n"
                        "[  0] 0 declare 1 (exit 3)\n"
                        "[  0] 0 declare 2 (exit 0)\n");
    free(a.m);
}

MEND_TEST(who_ends_after_finalize_has_not_failed)
{
    struct agent a = create(2);

    tell(&a, MEND_DETECTOR_EV_FINALIZED, 0);
    tell(&a, MEND_DETECTOR_EV_SUSPECT, 0);
    tell(&a, MEND_DETECTOR_EV_STOPPED, 0);
    tell(&a, MEND_DETECTOR_EV_LIFE, 0);
    reap(&a, 0, false, 7);
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 1);
    reap(&a, 1, true, 11);
    TRANSCRIPT_IS(&a.t, "[  0] 0 end 0\n"
                        "[  0] 0 end 1\n");
    free(a.m);
}

MEND_TEST(who_returns_after_finalize_can_fail)
{
    struct agent a = create(3);

    tell(&a, MEND_DETECTOR_EV_FINALIZED, 0);
    tell(&a, MEND_DETECTOR_EV_RETURNED, 0);
    reap(&a, 0, true, 11);
    tell(&a, MEND_DETECTOR_EV_RETURNED, 0); /* it is dead already */
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 1);
    tell(&a, MEND_DETECTOR_EV_STOPPED, 1);
    tell(&a, MEND_DETECTOR_EV_RETURNED, 1);
    tell(&a, MEND_DETECTOR_EV_RESUMED, 1);
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 1);
    reap(&a, 1, false, 3);
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 2);
    reap(&a, 2, false, 0);
    tell(&a, MEND_DETECTOR_EV_RETURNED, 2);
    TRANSCRIPT_IS(&a.t, "[  0] 0 declare 0 (signal 11)\n"
                        "[  0] 0 clear 1\n"
                        "[  0] 0 end 1\n"
                        "[  0] 0 end 2\n");
    free(a.m);
}

MEND_TEST(a_suspicion_kills_before_it_is_reported)
{
    struct agent a = create(2);

    suspect(&a, 1, 5);
    suspect(&a, 1, 0);
    CHECK_EQ(a.t.len, strlen("[  0] 0 kill 1\n"));
    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    reap(&a, 1, true, 9);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 1\n"
                        "[  0] 0 declare 1 (suspected 5)\n"
                        "[  0] 0 explain 1 (signal 9)\n");
    free(a.m);
}

/* S3-10: neither one that runs nor one that is stopped, which has its own time. */
MEND_TEST(a_complaint_about_a_living_process_is_refused)
{
    struct agent a = create(2);

    tell(&a, MEND_DETECTOR_EV_SUSPECT, 1);
    tell(&a, MEND_DETECTOR_EV_STOPPED, 1);
    tell(&a, MEND_DETECTOR_EV_SUSPECT, 1);
    TRANSCRIPT_IS(&a.t, "");
    pass(&a, 2 * STOP_NS);
    CHECK(strstr(a.t.text, "kill 1"));
    free(a.m);
}

/* It had crashed by itself before our signal reached it. */
MEND_TEST(the_true_reason_replaces_ours)
{
    struct agent a = create(2);

    suspect(&a, 1, 0);
    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    reap(&a, 1, true, 11);
    suspect(&a, 0, 1);
    reap(&a, 0, false, 4);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 1\n"
                        "[  0] 0 declare 1 (suspected 0)\n"
                        "[  0] 0 explain 1 (signal 11)\n"
                        "[  0] 0 kill 0\n"
                        "[  0] 0 declare 0 (exit 4)\n");
    free(a.m);
}

MEND_TEST(an_abort_ends_exactly_the_named_ones)
{
    static const int32_t who[] = {0, 2, 3};
    struct agent a = create(4);

    tell(&a, MEND_DETECTOR_EV_FINALIZED, 3);
    step(&a, (struct mend_detector_event){
                 .kind = MEND_DETECTOR_EV_ABORT, .code = 42, .peers = who, .npeers = 3});
    reap(&a, 2, false, 42);
    tell(&a, MEND_DETECTOR_EV_CONFIRMED, 0);
    reap(&a, 3, true, 9);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 0\n"
                        "[  0] 0 kill 2\n"
                        "[  0] 0 kill 3\n"
                        "[  0] 0 declare 2 (abort 42)\n"
                        "[  0] 0 declare 0 (abort 42)\n"
                        "[  0] 0 end 3\n");
    CHECK_EQ(a.m->peer[1].state, MEND_DETECTOR_RUNNING);
    free(a.m);
}

static void abort_of(struct agent *a, const int32_t *who, int32_t n, int code)
{
    step(a, (struct mend_detector_event){
                .kind = MEND_DETECTOR_EV_ABORT, .code = code, .peers = who, .npeers = n});
}

/* Nobody sees a part of them dead. */
MEND_TEST(those_of_one_abort_are_declared_together)
{
    static const int32_t who[] = {0, 1, 3, 1};
    struct agent a = create(4);

    abort_of(&a, who, 4, 5);
    a.now = 10;
    tell(&a, MEND_DETECTOR_EV_LIFE, 3);
    reap(&a, 3, true, 9);
    a.now = 20;
    reap(&a, 0, true, 9);
    tell(&a, MEND_DETECTOR_EV_LIFE, 2); /* it has nothing to do with them */
    CHECK(!strstr(a.t.text, "declare 0") && !strstr(a.t.text, "declare 3"));
    a.now = 30;
    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 0\n"
                        "[  0] 0 kill 1\n"
                        "[  0] 0 kill 3\n"
                        "[  0] 20 kill 2\n"
                        "[  0] 20 declare 2 (unknown 0)\n"
                        "[  0] 30 declare 0 (abort 5)\n"
                        "[  0] 30 declare 3 (abort 5)\n"
                        "[  0] 30 declare 1 (abort 5)\n");
    free(a.m);
}

MEND_TEST(aborts_with_a_common_member_are_one)
{
    static const int32_t first[] = {0, 1}, second[] = {3, 4}, both[] = {1, 2, 3};
    struct agent a = create(5);

    abort_of(&a, first, 2, 1);
    abort_of(&a, second, 2, 2);
    tell(&a, MEND_DETECTOR_EV_LIFE, 0);
    tell(&a, MEND_DETECTOR_EV_LIFE, 3);
    abort_of(&a, both, 3, 3);
    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    tell(&a, MEND_DETECTOR_EV_LIFE, 4);
    CHECK(!strstr(a.t.text, "declare"));
    tell(&a, MEND_DETECTOR_EV_LIFE, 2);
    CHECK(strstr(a.t.text, "declare 0 (abort 1)\n"
                           "[  0] 0 declare 1 (abort 1)\n"
                           "[  0] 0 declare 3 (abort 2)\n"
                           "[  0] 0 declare 4 (abort 2)\n"
                           "[  0] 0 declare 2 (abort 3)\n"));
    free(a.m);
}

/* The last one has left MPI before our kill arrived. */
MEND_TEST(a_farewell_on_the_way_releases_the_others)
{
    static const int32_t who[] = {0, 1, 2};
    struct agent a = create(3);

    abort_of(&a, who, 3, 1);
    tell(&a, MEND_DETECTOR_EV_LIFE, 0);
    tell(&a, MEND_DETECTOR_EV_LIFE, 2);
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 1);
    CHECK(strstr(a.t.text, "declare 0 (abort 1)\n[  0] 0 declare 2 (abort 1)\n"));
    reap(&a, 1, true, 9);
    CHECK(strstr(a.t.text, "end 1\n"));
    free(a.m);
}

MEND_TEST(who_cannot_be_killed_holds_up_the_others_for_so_long_only)
{
    static const int32_t who[] = {0, 1, 2, 3};
    struct agent a = create(4);

    abort_of(&a, who, 4, 1);
    tell(&a, MEND_DETECTOR_EV_LIFE, 1);
    pass(&a, HOLD_NS - 1);
    CHECK(!strstr(a.t.text, "declare"));
    pass(&a, 2 * HOLD_NS - 1);
    CHECK(strstr(a.t.text, "declare 1 (abort 1)"));
    tell(&a, MEND_DETECTOR_EV_LIFE, 2);
    CHECK(!strstr(a.t.text, "declare 2"));
    pass(&a, 3 * HOLD_NS);
    CHECK(strstr(a.t.text, "declare 2 (abort 1)"));
    tell(&a, MEND_DETECTOR_EV_LIFE, 0);
    tell(&a, MEND_DETECTOR_EV_LIFE, 3);
    CHECK(strstr(a.t.text, "declare 0 (abort 1)\n"));
    CHECK(strstr(a.t.text, "declare 3 (abort 1)\n"));
    CHECK_EQ(a.wake_at, MEND_TIME_NEVER);
    free(a.m);
}

MEND_TEST(who_stops_for_too_long_is_killed)
{
    struct agent a = create(1);

    a.now = 100;
    tell(&a, MEND_DETECTOR_EV_STOPPED, 0);
    pass(&a, 100 + STOP_NS - 1);
    CHECK_EQ(a.t.len, 0);
    pass(&a, 100 + STOP_NS + STOP_NS / 8 + 10);
    tell(&a, MEND_DETECTOR_EV_RESUMED, 0); /* too late: it is condemned */
    a.now = 2000;
    reap(&a, 0, true, 9);
    TRANSCRIPT_IS(&a.t, "[  0] 908 kill 0\n"
                        "[  0] 2000 declare 0 (stopped 0)\n");
    free(a.m);
}

/* Nobody misses it, but the job could not end. */
MEND_TEST(who_stops_after_finalize_is_killed_and_has_not_failed)
{
    struct agent a = create(3);

    tell(&a, MEND_DETECTOR_EV_FINALIZED, 0);
    tell(&a, MEND_DETECTOR_EV_STOPPED, 0);
    tell(&a, MEND_DETECTOR_EV_STOPPED,
         1); /* it has just said good-bye, and we see the stop first */
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 1);
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 2);
    tell(&a, MEND_DETECTOR_EV_STOPPED, 2);
    pass(&a, STOP_NS / 2);
    tell(&a, MEND_DETECTOR_EV_RESUMED, 2); /* in time */
    pass(&a, STOP_NS - 1);
    CHECK_EQ(a.t.len, 0);
    pass(&a, STOP_NS + STOP_NS / 8 + 10);
    reap(&a, 0, true, 9);
    reap(&a, 1, true, 9);
    reap(&a, 2, false, 0);
    TRANSCRIPT_IS(&a.t, "[  0] 804 kill 0\n"
                        "[  0] 804 kill 1\n"
                        "[  0] 910 end 0\n"
                        "[  0] 910 end 1\n"
                        "[  0] 910 end 2\n");
    CHECK_EQ(a.wake_at, MEND_TIME_NEVER);
    free(a.m);
}

/* It came back after 600 of 800 ns, so from then on it may be away for 1200. */
MEND_TEST(who_comes_back_in_time_is_cleared_and_trusted_more)
{
    struct agent a = create(1);

    tell(&a, MEND_DETECTOR_EV_STOPPED, 0);
    pass(&a, 600);
    tell(&a, MEND_DETECTOR_EV_RESUMED, 0);
    CHECK_EQ(a.wake_at, MEND_TIME_NEVER);
    tell(&a, MEND_DETECTOR_EV_STOPPED, 0);
    pass(&a, 600 + 1199);
    TRANSCRIPT_IS(&a.t, "[  0] 600 clear 0\n");
    pass(&a, 600 + 1200 + 110);
    TRANSCRIPT_IS(&a.t, "[  0] 600 clear 0\n"
                        "[  0] 1812 kill 0\n");
    free(a.m);
}

/* The whole machine was suspended; the agent's own gap is not held against anybody. */
MEND_TEST(time_counts_only_while_the_agent_runs)
{
    struct agent a = create(1);

    tell(&a, MEND_DETECTOR_EV_STOPPED, 0);
    a.now = 1000000;
    tell(&a, MEND_DETECTOR_EV_TICK, 0);
    tell(&a, MEND_DETECTOR_EV_RESUMED, 0);
    TRANSCRIPT_IS(&a.t, "[  0] 1000000 clear 0\n");
    free(a.m);
}

MEND_TEST(a_kill_without_effect_is_repeated)
{
    struct agent a = create(1);

    suspect(&a, 0, 0);
    pass(&a, 2 * KILL_NS + 500);
    CHECK(strstr(a.t.text, "[  0] 0 kill 0\n"
                           "[  0] 8080 kill 0\n"
                           "[  0] 16059 kill 0\n"));
    CHECK(!strstr(a.t.text, "declare"));
    free(a.m);
}

MEND_TEST(a_farewell_on_the_way_counts)
{
    struct agent a = create(1);
    char buf[100];

    suspect(&a, 0, 0);
    tell(&a, MEND_DETECTOR_EV_FINALIZED, 0); /* said before the kill arrived */
    tell(&a, MEND_DETECTOR_EV_LIFE, 0);
    TRANSCRIPT_IS(&a.t, "[  0] 0 kill 0\n"
                        "[  0] 0 end 0\n");
    mend_detector_print(a.m, buf, sizeof buf);
    CHECK_STR(buf, "detector 1 processes: ended");
    free(a.m);
}

MEND_TEST_MAIN()
