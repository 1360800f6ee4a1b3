/* SPDX-License-Identifier: BSD-3-Clause */
/* contact_test.c – how the agents of two jobs, or three, connect them, told as transcripts.
 *
 * A connection is a queue in each direction, as of a socket: what is said is in the other one's queue at once, and each test
 * says who reads which connection when. */
#include "ft/contact_sm.h"
#include "ft/transcript.h"

#include <errno.h>
#include <string.h>

#define NUMBERS     16u
#define LINKS       4u
#define ASKS        4u
#define CONNS       12
#define MACHINE_MAX 1024
#define UNTIL       100u

enum { A, B, C, AGENTS };

/* What is in a queue besides words. */
enum { KNOCK = 100, END };

struct end {
    int agent;
    bool closed;
    struct mend_contact_msg in[6];
    int in_n;
};

struct world {
    struct transcript t;
    uint64_t machine[AGENTS][MACHINE_MAX / 8];
    struct end conn[CONNS][2];
    int conns_n;
    bool gone[AGENTS], crowded, unsound;
    uint32_t lot[AGENTS];
};

static struct mend_contact *of(struct world *w, int agent)
{
    return (struct mend_contact *)w->machine[agent];
}

static uint64_t job_of(int agent)
{
    return (uint64_t)agent + 1;
}

static void begin(struct world *w)
{
    memset(w, 0, sizeof(*w));
    CHECK(mend_contact_size(NUMBERS, LINKS, ASKS) <= MACHINE_MAX);
    for (int a = 0; a < AGENTS; a++) {
        mend_contact_init(of(w, a), job_of(a), NUMBERS, LINKS, ASKS);
        w->lot[a] = (uint32_t)a + 1;
    }
}

static struct end *end_of(struct world *w, int conn, int agent, bool other)
{
    int k = w->conn[conn][0].agent == agent ? 0 : 1;

    return &w->conn[conn][other ? !k : k];
}

static void put(struct end *e, struct mend_contact_msg m)
{
    CHECK(e->in_n < (int)MEND_COUNT_OF(e->in));
    if (!e->closed)
        e->in[e->in_n++] = m;
}

static void drain(struct world *w, int agent);

static void step(struct world *w, int agent, struct mend_contact_event ev)
{
    w->t.line++;
    ev.lot = w->lot[agent];
    mend_contact_step(of(w, agent), &ev);
    drain(w, agent);
}

static void call(struct world *w, int agent, uint64_t job)
{
    int to = (int)job - 1, conn = w->conns_n;

    if (w->crowded || w->gone[to]) {
        step(w, agent,
             (struct mend_contact_event){.kind = MEND_CONTACT_UNREACHED,
                                         .link = -1,
                                         .error = w->crowded ? EAGAIN : ENOENT});
        return;
    }
    CHECK(conn < CONNS);
    w->conns_n++;
    w->conn[conn][0].agent = agent;
    w->conn[conn][1].agent = to;
    put(&w->conn[conn][1], (struct mend_contact_msg){.word = KNOCK});
    step(w, agent, (struct mend_contact_event){.kind = MEND_CONTACT_REACHED, .link = conn});
}

static void hang_up(struct world *w, int conn, int agent)
{
    end_of(w, conn, agent, false)->closed = true;
    put(end_of(w, conn, agent, true), (struct mend_contact_msg){.word = END});
}

static void say(struct world *w, int agent, const struct mend_contact_act *act)
{
    static const char *const words[] = {"", "HELLO", "OLLEH", "REFUSE", "PROOF", "ASK", "TELL"};
    const struct mend_contact_msg *m = &act->msg;

    transcript_add(&w->t, agent, "< %s number %d code %d", words[m->word], (int)m->number,
                   (int)m->code);
    put(end_of(w, act->link, agent, true), *m);
}

static void drain(struct world *w, int agent)
{
    struct mend_contact_act act;

    while (mend_contact_next(of(w, agent), &act)) {
        if (act.kind == MEND_CONTACT_SAY) {
            say(w, agent, &act);
        } else if (act.kind == MEND_CONTACT_CALL) {
            transcript_add(&w->t, agent, "< calls %d", (int)act.job);
            call(w, agent, act.job);
        } else if (act.kind == MEND_CONTACT_CLOSE) {
            hang_up(w, act.link, agent);
        } else if (act.kind == MEND_CONTACT_ANSWER) {
            transcript_add(&w->t, agent, "* rank %d, question %d: %d", (int)act.rank,
                           (int)act.number, (int)act.error);
        } else {
            transcript_add(&w->t, agent, "* open to %d, number %d", (int)act.job,
                           (int)of(w, agent)->number);
        }
    }
    mend_contact_check(of(w, agent));
}

static void ask(struct world *w, int agent, int other, int number)
{
    step(w, agent,
         (struct mend_contact_event){.kind = MEND_CONTACT_ASKED,
                                     .link = -1,
                                     .rank = 5,
                                     .job = job_of(other),
                                     .number = (uint64_t)number,
                                     .until = UNTIL});
}

static void look(struct world *w, int agent, mend_time_ns now)
{
    step(w, agent, (struct mend_contact_event){.kind = MEND_CONTACT_LOOK, .link = -1, .now = now});
}

/* The oldest that came over that connection. */
static void hear(struct world *w, int agent, int conn)
{
    struct end *e = end_of(w, conn, agent, false);
    struct mend_contact_msg m = e->in[0];
    struct mend_contact_event ev = {.kind = MEND_CONTACT_HEARD, .link = conn, .msg = &m};

    CHECK(e->in_n > 0);
    e->in_n--;
    memmove(e->in, e->in + 1, (size_t)e->in_n * sizeof(m));
    m.sound = !w->unsound;
    if (m.word == KNOCK)
        ev.kind = MEND_CONTACT_KNOCKED;
    if (m.word == END)
        ev = (struct mend_contact_event){.kind = MEND_CONTACT_ENDED, .link = conn, .error = ENOENT};
    step(w, agent, ev);
}

/* All that there is to read, connection by connection. */
static void run(struct world *w)
{
    bool more = true;

    while (more) {
        more = false;
        for (int c = 0; c < w->conns_n; c++)
            for (int k = 0; k < 2; k++)
                while (w->conn[c][k].in_n && !w->conn[c][k].closed) {
                    hear(w, w->conn[c][k].agent, c);
                    more = true;
                }
    }
}

static void die(struct world *w, int agent)
{
    w->gone[agent] = true;
    for (int c = 0; c < w->conns_n; c++)
        for (int k = 0; k < 2; k++)
            if (w->conn[c][k].agent == agent && !w->conn[c][k].closed)
                hang_up(w, c, agent);
}

static enum mend_contact_state state(struct world *w, int agent, uint32_t i)
{
    CHECK(i < of(w, agent)->links_n);
    return (enum mend_contact_state)mend_contact_links(of(w, agent))[i].state;
}

MEND_TEST(two_jobs_connect)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    run(&w);
    TRANSCRIPT_IS(&w.t, "[  1] 0 < calls 2\n"
                        "[  2] 0 < HELLO number 1 code 0\n"
                        "[  4] 1 < OLLEH number 2 code 0\n"
                        "[  5] 0 * open to 2, number 1\n"
                        "[  5] 0 < PROOF number 0 code 0\n"
                        "[  5] 0 < ASK number 0 code 0\n"
                        "[  6] 1 * open to 1, number 2\n"
                        "[  7] 1 < TELL number 0 code 0\n"
                        "[  8] 0 * rank 5, question 1: 0\n");
}

MEND_TEST(a_link_is_used_again)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    run(&w);
    w.t.len = 0;
    ask(&w, B, A, 2);
    run(&w);
    TRANSCRIPT_IS(&w.t, "[  9] 1 < ASK number 0 code 0\n"
                        "[ 10] 0 < TELL number 0 code 0\n"
                        "[ 11] 1 * rank 5, question 2: 0\n");
    CHECK_EQ(w.conns_n, 1);
}

/* The call of the smaller id counts; the other agent reads the refusal before the call that is to come. */
MEND_TEST(both_call_at_once)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1); /* connection 0 */
    ask(&w, B, A, 2); /* connection 1 */
    hear(&w, A, 1);
    hear(&w, A, 1); /* HELLO: refuses */
    hear(&w, B, 1); /* REFUSE */
    CHECK_EQ(mend_contact_asks(of(&w, B))[0].stage, MEND_CONTACT_RESTS);
    CHECK_EQ(w.conns_n, 2);
    w.t.len = 0;
    run(&w);
    TRANSCRIPT_IS(&w.t, "[  9] 1 < OLLEH number 2 code 0\n"
                        "[  9] 1 < ASK number 0 code 0\n"
                        "[ 10] 0 * open to 2, number 1\n"
                        "[ 10] 0 < PROOF number 0 code 0\n"
                        "[ 10] 0 < ASK number 0 code 0\n"
                        "[ 11] 0 < TELL number 0 code 0\n"
                        "[ 12] 1 * open to 1, number 2\n"
                        "[ 13] 1 < TELL number 0 code 0\n"
                        "[ 14] 1 * rank 5, question 2: 0\n"
                        "[ 15] 0 * rank 5, question 1: 0\n");
    CHECK_EQ(of(&w, A)->links_n, 1);
    CHECK_EQ(of(&w, B)->links_n, 1);
}

/* The call for which it waits ends silently. */
MEND_TEST(the_other_dies_while_both_call)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    ask(&w, B, A, 2);
    hear(&w, A, 1);
    hear(&w, A, 1);
    hear(&w, B, 1);
    w.conn[0][1].in_n = 1; /* it had not said HELLO */
    die(&w, A);
    w.t.len = 0;
    run(&w);
    look(&w, B, 1);
    TRANSCRIPT_IS(&w.t, "[ 10] 1 < calls 1\n"
                        "[ 11] 1 * rank 5, question 2: 2\n");
}

MEND_TEST(a_number_that_the_other_knows_is_drawn_again)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    run(&w);
    w.lot[C] = 2; /* B's */
    ask(&w, C, A, 2);
    w.lot[C] = 7;
    w.t.len = 0;
    run(&w);
    TRANSCRIPT_IS(&w.t, "[ 12] 0 < REFUSE number 0 code 98\n"
                        "[ 13] 2 < calls 1\n"
                        "[ 14] 2 < HELLO number 7 code 0\n"
                        "[ 16] 0 < OLLEH number 1 code 0\n"
                        "[ 17] 2 * open to 1, number 7\n"
                        "[ 17] 2 < PROOF number 0 code 0\n"
                        "[ 17] 2 < ASK number 0 code 0\n"
                        "[ 18] 0 * open to 3, number 1\n"
                        "[ 19] 0 < TELL number 0 code 0\n"
                        "[ 20] 2 * rank 5, question 2: 0\n");
}

/* A calls B; C's call gives A a number meanwhile.  What B has asked over the link that A gives up is asked again. */
MEND_TEST(a_number_that_changes_under_way)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    ask(&w, C, A, 2);
    w.lot[A] = 9;
    hear(&w, A, 1);
    hear(&w, A, 1);
    ask(&w, B, A, 3);
    run(&w);
    CHECK_EQ(of(&w, A)->number, 9);
    CHECK_EQ(of(&w, A)->asks_n, 0);
    CHECK_EQ(of(&w, B)->asks_n, 0);
    CHECK_EQ(state(&w, B, 0), MEND_CONTACT_OPEN);
    CHECK_EQ(mend_contact_links(of(&w, B))[0].number, 9);
    CHECK(strstr(w.t.text, "0 * rank 5, question 1: 0\n") != NULL);
    CHECK(strstr(w.t.text, "1 * rank 5, question 3: 0\n") != NULL);
}

/* The caller calls again, and is heard before the end of the link that it has given up. */
MEND_TEST(a_new_call_overtakes_the_end_of_the_old_link)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1); /* connection 0 */
    hear(&w, B, 0);
    hear(&w, B, 0); /* B: open, not proved */
    ask(&w, C, A, 2);
    w.lot[A] = 9;
    hear(&w, A, 1);
    hear(&w, A, 1); /* A is number 9 now */
    hear(&w, A, 0); /* OLLEH: gives it up */
    look(&w, A, 1); /* and calls on connection 2 */
    CHECK_EQ(w.conns_n, 3);
    hear(&w, B, 2);
    hear(&w, B, 2);
    CHECK_EQ(of(&w, B)->links_n, 1);
    CHECK_EQ(state(&w, B, 0), MEND_CONTACT_OPEN);
    run(&w);
    CHECK(strstr(w.t.text, "0 * rank 5, question 1: 0\n") != NULL);
}

/* B draws the number of a job that A knows, for A only: the next call finds another. */
MEND_TEST(a_number_that_the_caller_refuses_is_drawn_again)
{
    struct world w;

    begin(&w);
    ask(&w, A, C, 1);
    run(&w);
    w.lot[B] = 3; /* C's */
    ask(&w, A, B, 2);
    hear(&w, B, 1);
    hear(&w, B, 1);
    CHECK_EQ(of(&w, B)->number, 3);
    hear(&w, A, 1); /* gives it up, and calls again */
    w.lot[B] = 8;
    run(&w);
    CHECK_EQ(of(&w, B)->number, 8);
    CHECK(strstr(w.t.text, "0 * rank 5, question 2: 0\n") != NULL);
}

MEND_TEST(the_other_agent_dies)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    run(&w);
    ask(&w, A, B, 2);
    die(&w, B);
    w.t.len = 0;
    hear(&w, A, 0);
    ask(&w, A, B, 3);
    CHECK_EQ(state(&w, A, 0), MEND_CONTACT_LOST);
    step(&w, A, (struct mend_contact_event){.kind = MEND_CONTACT_MOURNED, .link = 0});
    ask(&w, A, B, 4);
    step(&w, A, (struct mend_contact_event){.kind = MEND_CONTACT_FORGOTTEN, .link = 0});
    CHECK_EQ(of(&w, A)->links_n, 0);
    ask(&w, A, B, 5);
    TRANSCRIPT_IS(&w.t, "[ 10] 0 * rank 5, question 2: 2\n"
                        "[ 11] 0 * rank 5, question 3: 2\n"
                        "[ 13] 0 * rank 5, question 4: 2\n"
                        "[ 15] 0 < calls 2\n"
                        "[ 16] 0 * rank 5, question 5: 2\n");
}

/* It is late, and is not mistaken for the answer to the next question. */
MEND_TEST(an_answer_that_comes_late)
{
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    run(&w);
    w.t.len = 0;
    ask(&w, A, B, 2);
    CHECK_EQ(mend_contact_due(of(&w, A), 1), UNTIL);
    look(&w, A, UNTIL - 1);
    look(&w, A, UNTIL);
    CHECK(mend_contact_due(of(&w, A), UNTIL) == MEND_TIME_NEVER);
    ask(&w, A, B, 3);
    run(&w);
    TRANSCRIPT_IS(&w.t, "[  9] 0 < ASK number 0 code 0\n"
                        "[ 11] 0 * rank 5, question 2: 110\n"
                        "[ 12] 0 < ASK number 0 code 0\n"
                        "[ 13] 1 < TELL number 0 code 0\n"
                        "[ 14] 1 < TELL number 0 code 0\n"
                        "[ 16] 0 * rank 5, question 3: 0\n");
}

MEND_TEST(a_door_that_is_crowded)
{
    struct world w;

    begin(&w);
    w.crowded = true;
    ask(&w, A, B, 1);
    CHECK_EQ(mend_contact_due(of(&w, A), 7), 7);
    for (mend_time_ns now = 8; now < 30; now++)
        look(&w, A, now);
    CHECK_EQ(mend_contact_asks(of(&w, A))[0].stage, MEND_CONTACT_RESTS);
    w.crowded = false;
    w.t.len = 0;
    look(&w, A, 30);
    run(&w);
    CHECK(strstr(w.t.text, "0 * rank 5, question 1: 0\n") != NULL);
}

MEND_TEST(a_greeting_that_is_wrong)
{
    struct world w;

    begin(&w);
    w.unsound = true;
    ask(&w, A, B, 1);
    run(&w);
    CHECK(strstr(w.t.text, "1 < REFUSE number 0 code 71\n") != NULL);
    CHECK(strstr(w.t.text, "0 * rank 5, question 1: 71\n") != NULL);
    CHECK_EQ(of(&w, A)->links_n + of(&w, B)->links_n, 0);
}

/* Nothing of what an agent may be told in the wrong state makes it fail, or leaves a link open. */
MEND_TEST(words_that_do_not_fit)
{
    for (uint8_t word = MEND_CONTACT_HELLO; word <= MEND_CONTACT_TELL + 1; word++)
        for (int opened = 0; opened < 2; opened++) {
            struct mend_contact_msg m = {.word = word, .job = job_of(B), .to = job_of(A)};
            struct world w;

            begin(&w);
            ask(&w, A, B, 1);
            if (opened)
                run(&w);
            if ((opened && word >= MEND_CONTACT_ASK && word <= MEND_CONTACT_TELL) ||
                (!opened && word == MEND_CONTACT_REFUSE))
                continue;
            step(&w, A,
                 (struct mend_contact_event){.kind = MEND_CONTACT_HEARD, .link = 0, .msg = &m});
            CHECK_EQ(of(&w, A)->links_n, opened);
            CHECK(!opened || state(&w, A, 0) == MEND_CONTACT_LOST);
            CHECK_EQ(of(&w, A)->asks_n, 0);
        }
}

MEND_TEST(a_job_does_not_call_itself)
{
    struct world w;

    begin(&w);
    ask(&w, A, A, 1);
    TRANSCRIPT_IS(&w.t, "[  1] 0 * rank 5, question 1: 2\n");
}

/* Every number is somebody's. */
MEND_TEST(no_number_is_left)
{
    struct world w;

    begin(&w);
    of(&w, A)->store[0] = UINT64_MAX;
    ask(&w, A, B, 1);
    TRANSCRIPT_IS(&w.t, "[  1] 0 < calls 2\n"
                        "[  2] 0 * rank 5, question 1: 99\n");
}

MEND_TEST(more_room)
{
    uint64_t more[MACHINE_MAX / 8];
    struct mend_contact *x = (struct mend_contact *)more;
    struct world w;

    begin(&w);
    ask(&w, A, B, 1);
    run(&w);
    ask(&w, A, B, 2);
    CHECK(mend_contact_size(NUMBERS, LINKS + 2, ASKS + 3) <= sizeof more);
    mend_contact_move(x, LINKS + 2, ASKS + 3, of(&w, A));
    mend_contact_check(x);
    CHECK_EQ(x->number, 1);
    CHECK_EQ(x->links_room, LINKS + 2);
    CHECK_EQ(x->asks_room, ASKS + 3);
    CHECK_EQ(mend_contact_link(x, 0)->number, 2);
    CHECK_EQ(mend_contact_asks(x)[0].number, 2);
    CHECK(x->store[0] == UINT64_C(1) << 2);
}

MEND_TEST_MAIN()
