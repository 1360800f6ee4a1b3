/* SPDX-License-Identifier: BSD-3-Clause */
/* cut_test.c – pairs that cannot reach each other: within a job, and of two jobs, of which one root decides.  Whichever ranks complain, in whatever
 * order, of each pair one process ends and of no pair both.
 *
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED */
#include "base/test.h"
#include "base/time.h"
#include "root/root.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURS   3 /* ranks of each job; the guests are behind them */
#define AFTER  (2 * MEND_NS_PER_S)
#define FAR_ON (60 * MEND_NS_PER_S)

/* Two jobs; the first one decides.  What is said to the other one arrives when it is carried (carry()). */
struct job {
    struct root root;
    struct root_node node;
    struct mend_options o;
    struct root_rank rank[MEND_NODE_NAMES];
    int ended[OURS], ended_n; /* its own processes: how often each was told */
    struct said {
        int by, guest;
        bool ends;
    } said[16];
    int said_n, carried_n, lines_n;
    bool is_over; /* the other job, as the agent of the first node knows */
    char line[512];
};

static struct job job[2];

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p != NULL);
    return p;
}

void mend_root_say(struct root *root, const char *format, ...)
{
    struct job *j = (struct job *)((char *)root - offsetof(struct job, root));
    va_list args;

    va_start(args, format);
    vsnprintf(j->line, sizeof(j->line), format, args);
    va_end(args);
    j->lines_n++;
}

static void cut(int k, int ours, int peer, enum mend_cut_judge judge);

static void deliver(void *to, const struct mend_message *m)
{
    struct job *j = to;

    if (m->kind == MEND_DOWN_CUT) {
        CHECK(m->rank < OURS);
        j->ended[m->rank]++;
        j->ended_n++;
    } else {
        CHECK_EQ(m->kind, MEND_DOWN_CUT_ABROAD);
        CHECK(m->rank < OURS && m->arg[0] >= OURS);
        if (j->is_over)
            return;
        if (m->arg[1] == MEND_CUT_HERE_ENDS) {
            cut((int)(j - job), m->rank, (int)m->arg[0], MEND_CUT_DECIDED);
            return;
        }
        j->said[j->said_n++] =
            (struct said){m->rank, (int)m->arg[0], m->arg[1] == MEND_CUT_THERE_ENDS};
    }
}

static void begin(void)
{
    for (int k = 0; k < 2; k++) {
        struct job *j = &job[k];

        while (j->root.cuts.next && !mend_list_empty(&j->root.cuts)) {
            struct mend_list *l = mend_list_first(&j->root.cuts);

            mend_list_remove(l);
            free(l); /* it begins what it is in */
        }
        memset(j, 0, sizeof(*j));
        j->root.node = &j->node;
        j->root.nodes_n = 1;
        j->root.rank = j->rank;
        j->root.o = &j->o;
        j->node = (struct root_node){.root = &j->root, .agent = {deliver, j}, .host = "here"};
        mend_list_init(&j->root.cuts);
    }
}

static void cut(int k, int ours, int peer, enum mend_cut_judge judge)
{
    const struct mend_cut_doors doors = {mend_address_v4(0, htons(7)),
                                         mend_address_v4(htonl(0x0a000002), htons(9))};
    struct mend_message m = {.kind = MEND_UP_CUT,
                             .rank = ours,
                             .arg = {[MEND_CUT_PEER] = peer, [MEND_CUT_JUDGE] = judge}};

    if (peer >= OURS) {
        m.arg[MEND_CUT_THERE] = peer - OURS;
        m.data = (const char *)&doors;
        m.len = sizeof(doors);
    }
    mend_root_note_cut(&job[k].root, &m);
}

/* Process a of job k and process b of the other one, as a complains. */
static void complain(int k, int a, int b)
{
    cut(k, a, OURS + b, k == 0 ? MEND_CUT_OURS : MEND_CUT_THEIRS);
}

/* What the agents make of what a root says to the other job (agent/link_cut.c). */
static void carry(void)
{
    for (int k = 0; k < 2; k++)
        while (job[k].carried_n < job[k].said_n) {
            const struct said *s = &job[k].said[job[k].carried_n++];

            CHECK_EQ(s->ends, k == 0);
            cut(1 - k, s->guest - OURS, OURS + s->by, s->ends ? MEND_CUT_DECIDED : MEND_CUT_OURS);
        }
}

static void look(mend_time_ns after)
{
    for (int i = 0; i < 2; i++) /* again for what the agents have said to that */
        for (int k = 0; k < 2; k++)
            mend_root_look_at_cuts(&job[k].root, mend_time_monotonic_ns() + after);
}

MEND_TEST(of_two_of_a_job_one_ends)
{
    begin();
    cut(0, 0, 1, MEND_CUT_OURS);
    look(0);
    CHECK_EQ(job[0].ended_n, 0); /* others may say more */
    cut(0, 1, 0, MEND_CUT_OURS);
    look(AFTER);
    CHECK_EQ(job[0].ended_n, 1);
    CHECK_EQ(job[0].ended[1], 1);
    CHECK_EQ(job[0].lines_n, 1);
    begin();
    cut(0, 0, 1, MEND_CUT_OURS);
    cut(0, 0, 2, MEND_CUT_OURS); /* the one of two pairs */
    look(AFTER);
    CHECK_EQ(job[0].ended_n, 1);
    CHECK_EQ(job[0].ended[0], 1);
}

/* Either complains, or both, and what they say crosses. */
MEND_TEST(of_two_of_two_jobs_one_ends)
{
    for (int who = 1; who < 4; who++)
        for (int at_once = 0; at_once < 2; at_once++) {
            begin();
            if (who & 1)
                complain(0, 1, 2);
            if (who & 2)
                complain(1, 2, 1);
            for (int i = 0; i < 3; i++) {
                if (!at_once)
                    carry();
                look(AFTER);
                carry();
            }
            CHECK_EQ(job[0].ended_n + job[1].ended_n, 1);
            CHECK_EQ(job[1].ended[2], 1);
            CHECK_EQ(job[0].lines_n, 0);
            CHECK_EQ(job[1].lines_n, 1);
        }
}

/* The root that decides counts the pairs that only the other job's ranks have noticed; the one that is ended says so. */
MEND_TEST(the_one_of_most_pairs_of_both_jobs)
{
    begin();
    complain(1, 0, 1);
    complain(1, 1, 1);
    complain(0, 1, 2);
    complain(0, 0, 2);
    look(0);
    carry();
    look(AFTER);
    carry();
    look(AFTER);
    CHECK_EQ(job[0].ended[1], 1); /* in three pairs */
    CHECK_EQ(job[1].ended[2], 1); /* whose other one is not cut off */
    CHECK_EQ(job[0].ended_n + job[1].ended_n, 2);
    CHECK(strstr(job[0].line, "rank 1 (here, port 7) and rank ") != NULL);
    CHECK(strstr(job[0].line, " of a connected job (10.0.0.2 port 9) cannot reach each other: "
                              "rank 1 of this job is ended") != NULL);
}

/* The other one of the pair had died, so the agent did not end it; the root was not told that. */
MEND_TEST(one_that_was_not_ended_counts_again)
{
    begin();
    complain(0, 1, 2);
    complain(0, 1, 1);
    look(AFTER);
    CHECK_EQ(job[0].ended[1], 1);
    complain(0, 1, 0);
    look(AFTER);
    CHECK_EQ(job[0].ended_n, 1); /* it has been told */
    CHECK_EQ(job[0].said_n, 0);
    complain(0, 1, 0);
    look(FAR_ON);      /* it still lives */
    complain(0, 1, 0); /* again, before it has ended */
    look(FAR_ON);
    CHECK_EQ(job[0].ended[1], 2);
    job[0].rank[1].dead = true;
    job[0].rank[1].cut_off_until = 0;
    complain(0, 1, 0);
    look(FAR_ON);
    CHECK_EQ(job[0].ended_n, 2);
    CHECK_EQ(job[0].said_n, 0);
}

/* The other job ends while ranks complain of its processes: those are dying, and nobody ends for them. */
MEND_TEST(no_process_ends_for_a_job_that_is_over)
{
    begin();
    job[0].is_over = true;
    complain(0, 1, 2);
    complain(0, 1, 1);
    look(AFTER);
    CHECK_EQ(job[0].ended_n, 0);
    CHECK_EQ(job[0].lines_n, 0);
    job[0].rank[1].cut_off_until = 0;
    cut(0, 1, 2, MEND_CUT_OURS); /* that one is of this job */
    look(FAR_ON);
    CHECK_EQ(job[0].ended_n, 1);
}

/* The root that does not decide says again what its ranks say again, and does nothing by itself. */
MEND_TEST(what_goes_on_is_said_again)
{
    begin();
    complain(1, 2, 0);
    look(0);
    complain(1, 2, 0);
    look(FAR_ON);
    CHECK_EQ(job[1].said_n, 2);
    CHECK_EQ(job[1].ended_n, 0);
}

MEND_TEST(names_out_of_range)
{
    begin();
    cut(0, -1, 0, MEND_CUT_OURS);
    cut(0, 0, MEND_NODE_NAMES, MEND_CUT_OURS);
    cut(0, 1, 1, MEND_CUT_OURS);
    look(AFTER);
    CHECK(mend_list_empty(&job[0].root.cuts));
}

MEND_TEST_MAIN()
