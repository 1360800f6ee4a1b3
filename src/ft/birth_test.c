/* SPDX-License-Identifier: BSD-3-Clause */
/* birth_test.c – processes join a job: the acts of each process, and of the agent, told as transcripts.
 *
 *   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure */
#include "ft/birth_sm.h"
#include "ft/refill_sm.h"
#include "ft/starter_sm.h"
#include "ft/transcript.h"

/* The acts of one process, each with how it ends; told: what a parent hears. */
static void birth(struct transcript *t, enum mend_birth_role role, int own_error, int n,
                  const struct mend_birth_event *ends)
{
    struct mend_birth x;
    char buf[100];

    mend_birth_init(&x, role, own_error);
    for (int i = 0; i <= n; i++) {
        mend_birth_check(&x);
        mend_birth_print(&x, buf, sizeof buf);
        transcript_add(t, role, "%s", buf);
        if (i < n)
            mend_birth_step(&x, &ends[i]);
        t->line++;
    }
}

MEND_TEST(all_of_both_groups_meet)
{
    static const struct mend_birth_event well[5];
    struct transcript t = {0};

    birth(&t, MEND_BIRTH_ROOT, 0, 5, well);
    birth(&t, MEND_BIRTH_PARENT, 0, 2, well);
    birth(&t, MEND_BIRTH_FIRST, 0, 2, well);
    birth(&t, MEND_BIRTH_CHILD, 0, 1, well);
    TRANSCRIPT_IS(&t, "[  0] 0 root ask error 0 result 0\n"
                      "[  1] 0 root name error 0 result 0\n"
                      "[  2] 0 root tell error 0 result 0\n"
                      "[  3] 0 root bridge error 0 result 0\n"
                      "[  4] 0 root meet error 0 result 0\n"
                      "[  5] 0 root end error 0 result 0\n"
                      "[  6] 1 parent tell error 0 result 0\n"
                      "[  7] 1 parent meet error 0 result 0\n"
                      "[  8] 1 parent end error 0 result 0\n"
                      "[  9] 2 first bridge error 0 result 0\n"
                      "[ 10] 2 first meet error 0 result 0\n"
                      "[ 11] 2 first end error 0 result 0\n"
                      "[ 12] 3 child meet error 0 result 0\n"
                      "[ 13] 3 child end error 0 result 0\n");
}

MEND_TEST(a_root_whose_group_is_lost_tells_the_new_ones)
{
    static const struct mend_birth_event ends[] = {{0}, {0}, {.error = 5}, {0}, {0}};
    struct transcript t = {0};

    birth(&t, MEND_BIRTH_ROOT, 0, 5, ends);
    TRANSCRIPT_IS(&t, "[  0] 0 root ask error 0 result 0\n"
                      "[  1] 0 root name error 0 result 0\n"
                      "[  2] 0 root tell error 0 result 0\n"
                      "[  3] 0 root bridge error 5 result 0\n"
                      "[  4] 0 root leave error 5 result 0\n"
                      "[  5] 0 root end error 5 result 5\n");
}

MEND_TEST(a_root_whom_another_job_refuses_tells_its_group_and_the_new_ones)
{
    static const struct mend_birth_event ends[] = {{0}, {.error = 4}, {0}, {0}, {0}};
    static const struct mend_birth_event lost[] = {{0}, {.error = 4}, {.error = 5}, {0}, {0}};
    struct transcript t = {0};

    birth(&t, MEND_BIRTH_ROOT, 0, 5, ends);
    birth(&t, MEND_BIRTH_ROOT, 0, 5, lost);
    TRANSCRIPT_IS(&t, "[  0] 0 root ask error 0 result 0\n"
                      "[  1] 0 root name error 0 result 0\n"
                      "[  2] 0 root tell error 4 result 0\n"
                      "[  3] 0 root bridge error 4 result 0\n"
                      "[  4] 0 root leave error 4 result 0\n"
                      "[  5] 0 root end error 4 result 4\n"
                      "[  6] 0 root ask error 0 result 0\n"
                      "[  7] 0 root name error 0 result 0\n"
                      "[  8] 0 root tell error 4 result 0\n"
                      "[  9] 0 root bridge error 4 result 0\n"
                      "[ 10] 0 root leave error 4 result 0\n"
                      "[ 11] 0 root end error 4 result 4\n");
}

MEND_TEST(it_has_nobody_to_tell_if_the_first_is_dead)
{
    static const struct mend_birth_event ends[] = {{0}, {0}, {.error = 5}, {.error = 6}};
    struct transcript t = {0};

    birth(&t, MEND_BIRTH_ROOT, 0, 4, ends);
    CHECK(strstr(t.text, "[  4] 0 root end error 5 result 5\n"));
}

MEND_TEST(when_none_was_started_the_group_hears_why)
{
    static const struct mend_birth_event root[] = {{.error = 4}, {0}}, parent[] = {{.told = 4}};
    struct transcript t = {0};

    birth(&t, MEND_BIRTH_ROOT, 0, 2, root);
    birth(&t, MEND_BIRTH_ROOT, 4, 1, root + 1);
    birth(&t, MEND_BIRTH_PARENT, 0, 1, parent);
    TRANSCRIPT_IS(&t, "[  0] 0 root ask error 0 result 0\n"
                      "[  1] 0 root tell error 4 result 0\n"
                      "[  2] 0 root end error 4 result 4\n"
                      "[  3] 0 root tell error 4 result 0\n"
                      "[  4] 0 root end error 4 result 4\n"
                      "[  5] 1 parent tell error 0 result 0\n"
                      "[  6] 1 parent end error 0 result 4\n");
}

MEND_TEST(a_leader_without_a_bridge_still_tells_its_group)
{
    static const struct mend_birth_event ends[] = {{.error = 6}, {.error = 6}};
    struct transcript t = {0};

    birth(&t, MEND_BIRTH_FIRST, 0, 2, ends);
    TRANSCRIPT_IS(&t, "[  0] 2 first bridge error 0 result 0\n"
                      "[  1] 2 first meet error 6 result 0\n"
                      "[  2] 2 first end error 6 result 6\n");
}

static int32_t refill(struct transcript *t, bool newcomer, int n,
                      const struct mend_refill_event *ends)
{
    struct mend_refill x;
    char buf[100];

    mend_refill_init(&x, newcomer);
    for (int i = 0; i < n; i++) {
        mend_refill_step(&x, &ends[i]);
        mend_refill_check(&x);
        mend_refill_print(&x, buf, sizeof buf);
        transcript_add(t, newcomer, "%s", buf);
    }
    return x.act == MEND_REFILL_END ? x.result : -1;
}

MEND_TEST(a_replacement_ends_with_its_seats_or_with_the_first_error)
{
    static const struct mend_refill_event well[3], whole = {.whole = true};
    static const struct mend_refill_event twice[] = {{0}, {.more = true}, {0}, {0}};
    static const struct mend_refill_event joinless[] = {{0}, {.error = 7}, {.error = 8}};
    struct transcript t = {0};

    CHECK_EQ(refill(&t, false, 3, well), 0);
    CHECK_EQ(refill(&t, true, 2, well), 0);
    CHECK_EQ(refill(&t, false, 1, &whole), 0);
    CHECK_EQ(refill(&t, false, 4, twice), 0);
    CHECK_EQ(refill(&t, true, 3, twice + 1), 0);
    CHECK_EQ(refill(&t, false, 3, joinless), 8);
    CHECK_EQ(refill(&t, true, 1, joinless + 1), 7);
    TRANSCRIPT_IS(&t, "[  0] 0 survivor join result 0\n"
                      "[  0] 0 survivor seat result 0\n"
                      "[  0] 0 survivor end result 0\n"
                      "[  0] 1 newcomer seat result 0\n"
                      "[  0] 1 newcomer end result 0\n"
                      "[  0] 0 survivor end result 0\n"
                      "[  0] 0 survivor join result 0\n"
                      "[  0] 0 survivor join result 0\n"
                      "[  0] 0 survivor seat result 0\n"
                      "[  0] 0 survivor end result 0\n"
                      "[  0] 1 newcomer join result 0\n"
                      "[  0] 1 newcomer seat result 0\n"
                      "[  0] 1 newcomer end result 0\n"
                      "[  0] 0 survivor join result 0\n"
                      "[  0] 0 survivor settle result 0\n"
                      "[  0] 0 survivor end result 8\n"
                      "[  0] 1 newcomer end result 7\n");
}

/* y: the act ended well, n: it did not, h: it did not, and there is hope; x: there is none whatever happens. */
static void starter(struct transcript *t, const char *ends)
{
    struct mend_starter x;
    char buf[100];

    mend_starter_init(&x);
    for (; *ends; ends++) {
        struct mend_starter_event ev = {
            .good = *ends == 'y', .hopeful = *ends == 'h', .never = *ends == 'x', .total_n = 2};

        mend_starter_step(&x, &ev);
        mend_starter_check(&x);
    }
    mend_starter_print(&x, buf, sizeof buf);
    transcript_add(t, 0, "%s", buf);
}

MEND_TEST(an_agent_starts_all_or_withdraws_what_it_has_started)
{
    struct transcript t = {0};

    starter(&t, "yyyyy");
    starter(&t, "yyyyn");
    starter(&t, "yyyyny");
    starter(&t, "yyyynyy");
    starter(&t, "yyn");
    starter(&t, "yn");
    starter(&t, "n");
    starter(&t, "h");
    starter(&t, "hnx");
    starter(&t, "hyyyyy");
    TRANSCRIPT_IS(&t, "[  0] 0 agent answer, 2 of 2 started, says started\n"
                      "[  0] 0 agent withdraw, 1 of 2 started, says nothing\n"
                      "[  0] 0 agent answer, 1 of 2 started, says failed\n"
                      "[  0] 0 agent end, 1 of 2 started, says failed\n"
                      "[  0] 0 agent answer, 0 of 2 started, says failed\n"
                      "[  0] 0 agent answer, 0 of 2 started, says failed\n"
                      "[  0] 0 agent answer, 0 of 0 started, says full\n"
                      "[  0] 0 agent hold, 0 of 0 started, says nothing\n"
                      "[  0] 0 agent answer, 0 of 0 started, says failed\n"
                      "[  0] 0 agent start, 1 of 2 started, says nothing\n");
}

MEND_TEST_MAIN()
