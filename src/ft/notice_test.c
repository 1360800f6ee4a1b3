/* SPDX-License-Identifier: BSD-3-Clause */
/* notice_test.c – how verdicts spread between agents, told as transcripts. */
#include "ft/notice_sm.h"
#include "ft/transcript.h"

#define RANKS 10

static struct mend_notice *create(int nagents, int me)
{
    struct mend_notice *x = malloc(mend_notice_size(RANKS, nagents));

    mend_notice_init(x, RANKS, nagents, me);
    return x;
}

/* number >= RANKS: that agent is lost; from < 0: decided here. */
static void step(struct transcript *t, struct mend_notice *x, int from, int number)
{
    struct mend_notice_event ev = {.kind = from < 0 ? MEND_NOTICE_LOCAL : MEND_NOTICE_RECV,
                                   .from = from,
                                   .verdict = {number, MEND_VERDICT_SIGNAL, 9, 1000}};
    struct mend_notice_out out;
    struct mend_verdict v;
    int32_t to;

    transcript_add(t, x->me, "> %d from %d", number, from);
    mend_notice_step(x, &ev, &out);
    if (out.news)
        transcript_add(t, x->me, "* learns %d", (int)out.verdict.peer);
    if (out.excluded)
        transcript_add(t, x->me, "* is excluded");
    while (mend_notice_next(x, &to, &v))
        transcript_add(t, x->me, "< %d to %d", (int)v.peer, (int)to);
    mend_notice_check(x);
    t->line++;
}

MEND_TEST(on_one_node_nothing_is_sent)
{
    struct transcript t = {0};
    struct mend_notice *x = create(1, 0);

    step(&t, x, -1, 3);
    TRANSCRIPT_IS(&t, "[  0] 0 > 3 from -1\n"
                      "[  0] 0 * learns 3\n");
    free(x);
}

MEND_TEST(a_verdict_is_passed_on_once)
{
    struct transcript t = {0};
    struct mend_notice *x = create(8, 0);

    step(&t, x, 6, 3);
    step(&t, x, 2, 3);
    step(&t, x, -1, 3);
    TRANSCRIPT_IS(&t, "[  0] 0 > 3 from 6\n"
                      "[  0] 0 * learns 3\n"
                      "[  0] 0 < 3 to 4\n"
                      "[  0] 0 < 3 to 2\n"
                      "[  0] 0 < 3 to 1\n"
                      "[  0] 0 < 3 to 7\n"
                      "[  1] 0 > 3 from 2\n"
                      "[  2] 0 > 3 from -1\n");
    free(x);
}

/* Agent 4 of 8 is lost; 5 and 3 take its place among the neighbours of 0, and get everything. */
MEND_TEST(the_replacement_of_a_lost_agent_is_sent_all_verdicts)
{
    struct transcript t = {0};
    struct mend_notice *x = create(8, 0);

    step(&t, x, -1, 2);
    step(&t, x, -1, 7);
    t = (struct transcript){0};
    step(&t, x, -1, RANKS + 4);
    TRANSCRIPT_IS(&t, "[  0] 0 > 14 from -1\n"
                      "[  0] 0 * learns 14\n"
                      "[  0] 0 < 2 to 5\n"
                      "[  0] 0 < 7 to 5\n"
                      "[  0] 0 < 14 to 5\n"
                      "[  0] 0 < 2 to 3\n"
                      "[  0] 0 < 7 to 3\n"
                      "[  0] 0 < 14 to 3\n"
                      "[  0] 0 < 14 to 2\n"
                      "[  0] 0 < 14 to 6\n"
                      "[  0] 0 < 14 to 1\n"
                      "[  0] 0 < 14 to 7\n");
    free(x);
}

MEND_TEST(nothing_is_believed_from_a_lost_agent)
{
    struct transcript t = {0};
    struct mend_notice *x = create(4, 0);
    struct mend_verdict v;

    step(&t, x, -1, RANKS + 1);
    step(&t, x, 1, 5);
    CHECK(!mend_notice_known(x, 5, &v));
    CHECK(mend_notice_known(x, RANKS + 1, &v));
    CHECK(!mend_notice_known(x, RANKS + 9, &v));
    free(x);
}

MEND_TEST(an_agent_that_is_declared_lost_falls_silent)
{
    struct transcript t = {0};
    struct mend_notice *x = create(4, 0);
    char buf[100];

    step(&t, x, 2, RANKS + 0);
    step(&t, x, -1, 5);
    TRANSCRIPT_IS(&t, "[  0] 0 > 10 from 2\n"
                      "[  0] 0 * is excluded\n"
                      "[  1] 0 > 5 from -1\n");
    mend_notice_print(x, buf, sizeof buf);
    CHECK_STR(buf, "notice agent 0/4 excluded knows");
    free(x);
}

MEND_TEST_MAIN()
