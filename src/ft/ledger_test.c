/* SPDX-License-Identifier: BSD-3-Clause */
/* ledger_test.c – what the root agent makes of proposals, told as transcripts. */
#include "ft/ledger_sm.h"
#include "ft/transcript.h"

#define AGENTS 4
#define NAMES  8 /* two at each agent */

struct world {
    struct transcript t;
    uint64_t machine[64];
    uint64_t seq;
};

static struct mend_ledger *ledger(struct world *w)
{
    return (struct mend_ledger *)(void *)w->machine;
}

static const char *const kinds[] = {"nothing", "names",   "deaths", "lost", "abort",
                                    "cause",   "revoked", "left",   "back", "ended"};

/* All entries that are due. */
static void take(struct world *w)
{
    struct {
        struct mend_fact head;
        struct mend_fact_run runs[NAMES];
    } f;
    char names[100];
    uint32_t runs_n;

    while (mend_ledger_due(ledger(w), &runs_n)) {
        int len = 0;

        mend_ledger_check(ledger(w));
        f.head.runs_n = runs_n;
        mend_ledger_take(ledger(w), &f.head);
        names[0] = 0;
        for (uint32_t i = 0; i < f.head.runs_n; i++)
            len += snprintf(names + len, sizeof(names) - (size_t)len, " %d+%d:%d",
                            (int)f.runs[i].first, (int)f.runs[i].n, (int)f.runs[i].code);
        transcript_add(&w->t, f.head.agent, "* %s%s", kinds[f.head.kind], names);
    }
    mend_ledger_check(ledger(w));
}

static void propose(struct world *w, enum mend_fact_kind kind, int agent, int first, int n,
                    int code)
{
    static const char *const answers[] = {"entry", "kept", "void"};
    struct {
        struct mend_fact head;
        struct mend_fact_run run;
    } f = {{.kind = kind, .agent = agent, .by = 0, .seq = ++w->seq, .runs_n = n > 0},
           {first, n, MEND_VERDICT_SIGNAL, code}};
    struct mend_ledger_event ev = {.kind = MEND_LEDGER_PROPOSED, .fact = &f.head};

    w->t.line++;
    transcript_add(&w->t, agent, "> %s %d+%d", kinds[kind], first, n);
    transcript_add(&w->t, agent, "< %s", answers[mend_ledger_step(ledger(w), &ev)]);
    take(w);
}

static void begin(struct world *w)
{
    memset(w, 0, sizeof(*w));
    CHECK(mend_ledger_size(AGENTS, NAMES) <= sizeof(w->machine));
    mend_ledger_init(ledger(w), 0, AGENTS, NAMES);
    for (int a = 0; a < AGENTS; a++)
        propose(w, MEND_FACT_NAMES, a, 2 * a, 2, 0);
    w->t = (struct transcript){0};
}

static void time_out(struct world *w, int name)
{
    struct mend_ledger_event ev = {.kind = MEND_LEDGER_TIMEOUT, .name = name};

    w->t.line++;
    transcript_add(&w->t, 0, "> timeout %d", name);
    mend_ledger_step(ledger(w), &ev);
    take(w);
}

MEND_TEST(a_death_is_an_entry_once)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_DEATHS, 0, 3, 1, 9);
    propose(&w, MEND_FACT_DEATHS, 0, 3, 1, 9);
    propose(&w, MEND_FACT_DEATHS, 0, 2, 3, 6);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > deaths 3+1\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * deaths 3+1:9\n"
                        "[  2] 0 > deaths 3+1\n"
                        "[  2] 0 < void\n"
                        "[  3] 0 > deaths 2+3\n"
                        "[  3] 0 < entry\n"
                        "[  3] 0 * deaths 2+1:6 4+1:6\n");
}

MEND_TEST(a_lost_node_is_one_set)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_DEATHS, 0, 4, 1, 9);
    propose(&w, MEND_FACT_LOST, 2, 0, 0, 0);
    propose(&w, MEND_FACT_LOST, 2, 0, 0, 0);
    propose(&w, MEND_FACT_NAMES, 2, 7, 1, 0);
    propose(&w, MEND_FACT_LOST, 0, 0, 0, 0);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > deaths 4+1\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * deaths 4+1:9\n"
                        "[  2] 2 > lost 0+0\n"
                        "[  2] 2 < entry\n"
                        "[  2] 2 * lost 5+1:0\n"
                        "[  3] 2 > lost 0+0\n"
                        "[  3] 2 < void\n"
                        "[  4] 2 > names 7+1\n"
                        "[  4] 2 < void\n"
                        "[  5] 0 > lost 0+0\n"
                        "[  5] 0 < void\n");
    CHECK(mend_ledger_agent(ledger(&w), 2)->lost);
    CHECK(!mend_ledger_agent(ledger(&w), 0)->lost);
    CHECK(!mend_ledger_agent(ledger(&w), AGENTS));
}

MEND_TEST(who_has_left_mpi_has_not_failed)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_LEFT, 0, 2, 2, 0);
    propose(&w, MEND_FACT_BACK, 0, 3, 1, 0);
    propose(&w, MEND_FACT_LOST, 1, 0, 0, 0);
    propose(&w, MEND_FACT_LEFT, 0, 3, 1, 0);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > left 2+2\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * left 2+2:0\n"
                        "[  2] 0 > back 3+1\n"
                        "[  2] 0 < entry\n"
                        "[  2] 0 * back 3+1:0\n"
                        "[  3] 1 > lost 0+0\n"
                        "[  3] 1 < entry\n"
                        "[  3] 1 * lost 3+1:0\n"
                        "[  4] 0 > left 3+1\n"
                        "[  4] 0 < void\n");
}

/* It has not failed, so the loss of its agent does not name it; one that is back does not end so. */
MEND_TEST(who_has_left_mpi_ends)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_LEFT, 0, 2, 2, 0);
    propose(&w, MEND_FACT_BACK, 0, 3, 1, 0);
    propose(&w, MEND_FACT_ENDED, 0, 2, 2, 0);
    propose(&w, MEND_FACT_ENDED, 0, 2, 1, 0);
    propose(&w, MEND_FACT_BACK, 0, 2, 1, 0);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > left 2+2\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * left 2+2:0\n"
                        "[  2] 0 > back 3+1\n"
                        "[  2] 0 < entry\n"
                        "[  2] 0 * back 3+1:0\n"
                        "[  3] 0 > ended 2+2\n"
                        "[  3] 0 < entry\n"
                        "[  3] 0 * ended 2+1:0\n"
                        "[  4] 0 > ended 2+1\n"
                        "[  4] 0 < void\n"
                        "[  5] 0 > back 2+1\n"
                        "[  5] 0 < void\n");
}

/* Victims are 2 to 5; with 3 dies 1, which is none; 5 leaves MPI before its end. */
MEND_TEST(the_victims_of_an_abort_are_one_set)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_ABORT, 0, 2, 4, 77);
    propose(&w, MEND_FACT_DEATHS, 0, 2, 1, 9);
    propose(&w, MEND_FACT_DEATHS, 0, 0, 1, 11); /* not a victim */
    propose(&w, MEND_FACT_DEATHS, 0, 1, 3, 9);
    propose(&w, MEND_FACT_LEFT, 0, 5, 1, 0);
    propose(&w, MEND_FACT_DEATHS, 0, 4, 1, 9);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > abort 2+4\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * abort 2+4:77\n"
                        "[  2] 0 > deaths 2+1\n"
                        "[  2] 0 < kept\n"
                        "[  3] 0 > deaths 0+1\n"
                        "[  3] 0 < entry\n"
                        "[  3] 0 * deaths 0+1:11\n"
                        "[  4] 0 > deaths 1+3\n"
                        "[  4] 0 < kept\n"
                        "[  5] 0 > left 5+1\n"
                        "[  5] 0 < entry\n"
                        "[  5] 0 * left 5+1:77\n"
                        "[  6] 0 > deaths 4+1\n"
                        "[  6] 0 < entry\n"
                        "[  6] 0 * deaths 1+4:9\n");
}

MEND_TEST(the_last_victim_leaves)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_ABORT, 0, 2, 2, 77);
    propose(&w, MEND_FACT_DEATHS, 0, 2, 1, 9);
    propose(&w, MEND_FACT_LEFT, 0, 3, 1, 0);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > abort 2+2\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * abort 2+2:77\n"
                        "[  2] 0 > deaths 2+1\n"
                        "[  2] 0 < kept\n"
                        "[  3] 0 > left 3+1\n"
                        "[  3] 0 < entry\n"
                        "[  3] 0 * left 3+1:77\n"
                        "[  3] 0 * deaths 2+1:9\n");
}

/* A victim of each is at agent 2, and both agents 1 and 2 are lost. */
MEND_TEST(nodes_are_lost_during_an_abort)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_ABORT, 0, 3, 2, 77);
    propose(&w, MEND_FACT_ABORT, 0, 5, 2, 78);
    propose(&w, MEND_FACT_LOST, 2, 0, 0, 0);
    propose(&w, MEND_FACT_LOST, 2, 0, 0, 0);
    propose(&w, MEND_FACT_LOST, 1, 0, 0, 0);
    propose(&w, MEND_FACT_DEATHS, 3, 6, 1, 9);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > abort 3+2\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * abort 3+2:77\n"
                        "[  2] 0 > abort 5+2\n"
                        "[  2] 0 < entry\n"
                        "[  2] 0 * abort 5+2:78\n"
                        "[  3] 2 > lost 0+0\n"
                        "[  3] 2 < kept\n"
                        "[  4] 2 > lost 0+0\n"
                        "[  4] 2 < kept\n"
                        "[  5] 1 > lost 0+0\n"
                        "[  5] 1 < kept\n"
                        "[  6] 3 > deaths 6+1\n"
                        "[  6] 3 < entry\n"
                        "[  6] 1 * lost 2+4:0 6+1:9\n"
                        "[  6] 2 * lost\n");
}

MEND_TEST(aborts_with_a_member_in_common_are_one)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_ABORT, 0, 2, 2, 77);
    propose(&w, MEND_FACT_ABORT, 0, 4, 2, 78);
    propose(&w, MEND_FACT_DEATHS, 0, 4, 1, 9);
    propose(&w, MEND_FACT_ABORT, 0, 3, 2, 79); /* 4 is held */
    propose(&w, MEND_FACT_DEATHS, 0, 5, 1, 9);
    propose(&w, MEND_FACT_DEATHS, 0, 2, 2, 9);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > abort 2+2\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * abort 2+2:77\n"
                        "[  2] 0 > abort 4+2\n"
                        "[  2] 0 < entry\n"
                        "[  2] 0 * abort 4+2:78\n"
                        "[  3] 0 > deaths 4+1\n"
                        "[  3] 0 < kept\n"
                        "[  4] 0 > abort 3+2\n"
                        "[  4] 0 < entry\n"
                        "[  4] 0 * abort 3+1:79\n"
                        "[  5] 0 > deaths 5+1\n"
                        "[  5] 0 < kept\n"
                        "[  6] 0 > deaths 2+2\n"
                        "[  6] 0 < entry\n"
                        "[  6] 0 * deaths 2+4:9\n");
}

MEND_TEST(an_abort_that_takes_too_long)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_ABORT, 0, 2, 3, 77);
    time_out(&w, 2); /* nobody is held */
    propose(&w, MEND_FACT_DEATHS, 0, 2, 1, 9);
    time_out(&w, 4);
    time_out(&w, 2); /* it is declared already */
    propose(&w, MEND_FACT_DEATHS, 0, 3, 1, 9);
    propose(&w, MEND_FACT_DEATHS, 0, 4, 1, 9);
    time_out(&w, 4);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > abort 2+3\n"
                        "[  1] 0 < entry\n"
                        "[  1] 0 * abort 2+3:77\n"
                        "[  2] 0 > timeout 2\n"
                        "[  3] 0 > deaths 2+1\n"
                        "[  3] 0 < kept\n"
                        "[  4] 0 > timeout 4\n"
                        "[  4] 0 * deaths 2+1:9\n"
                        "[  5] 0 > timeout 2\n"
                        "[  6] 0 > deaths 3+1\n"
                        "[  6] 0 < kept\n"
                        "[  7] 0 > deaths 4+1\n"
                        "[  7] 0 < entry\n"
                        "[  7] 0 * deaths 3+2:9\n"
                        "[  8] 0 > timeout 4\n");
}

/* Of one that is held the entry will have it. */
MEND_TEST(a_cause_follows_its_death)
{
    struct world w;

    begin(&w);
    propose(&w, MEND_FACT_CAUSE, 0, 2, 1, 11);
    propose(&w, MEND_FACT_DEATHS, 0, 2, 1, 0);
    propose(&w, MEND_FACT_CAUSE, 0, 2, 2, 11);
    propose(&w, MEND_FACT_ABORT, 0, 4, 2, 77);
    propose(&w, MEND_FACT_DEATHS, 0, 4, 1, 0);
    propose(&w, MEND_FACT_CAUSE, 0, 4, 1, 12);
    propose(&w, MEND_FACT_DEATHS, 0, 5, 1, 0);
    TRANSCRIPT_IS(&w.t, "[  1] 0 > cause 2+1\n"
                        "[  1] 0 < void\n"
                        "[  2] 0 > deaths 2+1\n"
                        "[  2] 0 < entry\n"
                        "[  2] 0 * deaths 2+1:0\n"
                        "[  3] 0 > cause 2+2\n"
                        "[  3] 0 < entry\n"
                        "[  3] 0 * cause 2+1:11\n"
                        "[  4] 0 > abort 4+2\n"
                        "[  4] 0 < entry\n"
                        "[  4] 0 * abort 4+2:77\n"
                        "[  5] 0 > deaths 4+1\n"
                        "[  5] 0 < kept\n"
                        "[  6] 0 > cause 4+1\n"
                        "[  6] 0 < void\n"
                        "[  7] 0 > deaths 5+1\n"
                        "[  7] 0 < entry\n"
                        "[  7] 0 * deaths 4+1:12 5+1:0\n");
}

MEND_TEST(a_ledger_in_words)
{
    struct world w;
    char buf[200];

    begin(&w);
    propose(&w, MEND_FACT_ABORT, 0, 5, 2, 77);
    propose(&w, MEND_FACT_DEATHS, 0, 0, 4, 9);
    propose(&w, MEND_FACT_DEATHS, 0, 5, 1, 9);
    propose(&w, MEND_FACT_LEFT, 0, 7, 1, 9);
    mend_ledger_print(ledger(&w), buf, sizeof(buf));
    CHECK_STR(buf,
              "ledger of agent 0: 0 dead at 0 1 dead at 0 2 dead at 1 3 dead at 1 4 living at 2"
              " 5 held at 2 in abort 5 6 living at 3 in abort 5 7 left at 3");
}

MEND_TEST_MAIN()
