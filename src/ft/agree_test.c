/* SPDX-License-Identifier: BSD-3-Clause */
/* agree_test.c – agreement, told as transcripts.  Shows, for the protocol, that it waits for every
 * living member and for no dead one (S0-89), gives everybody the same under failures (S0-90), and
 * counts no contribution of a member that died before (S0-91).
 *
 * Every process contributes a value in which its own bit is cleared, so "and0=...f0" says that 0 to
 * 3 took part.  The test moves the messages by hand.
 *
 *   S0-89: an agreement waits for every survivor and for no dead process
 *   S0-90: an agreement never fails and is uniform under deaths
 *   S0-91: dead processes do not contribute to an agreement */
#include "ft/agree_sm.h"
#include "ft/transcript.h"

#define RANKS_MAX 8
#define MSGS_MAX  64

struct job {
    struct transcript t;
    int n, window;
    struct mend_agree *m[RANKS_MAX];
    bool dead[RANKS_MAX];
    bool quiet;
    int msgs_n;
    struct mend_agree_msg msgs[MSGS_MAX]; /* in flight, oldest first */
    int from[MSGS_MAX];
    uint64_t failed[MSGS_MAX], lost[MSGS_MAX]; /* to which value.failed and dead point */
};

static struct job *job_create(int n, int window)
{
    struct job *j = calloc(1, sizeof *j);

    j->n = n;
    j->window = window;
    for (int r = 0; r < n; r++) {
        j->m[r] = malloc(mend_agree_size(n, window));
        mend_agree_init(j->m[r], n, r, 1, window);
    }
    return j;
}

static void job_destroy(struct job *j)
{
    for (int r = 0; r < j->n; r++)
        free(j->m[r]);
    free(j);
}

static void say_msg(struct job *j, int who, const char *what, const struct mend_agree_msg *msg,
                    const char *prep, int other)
{
    char buf[200];

    if (j->quiet)
        return;
    mend_agree_msg_print(msg, buf, sizeof buf);
    transcript_add(&j->t, who, "%s %s %s %d", what, buf, prep, other);
}

static void step(struct job *j, int who, const struct mend_agree_event *ev)
{
    static const char *const refusals[] = {"", "from the dead", "old ballot", "stale", "bad"};
    struct mend_agree_out out;
    struct mend_agree_msg msg;
    struct mend_agree_value v;

    mend_agree_step(j->m[who], ev, &out);
    mend_agree_check(j->m[who]);
    if (out.refusal && !j->quiet)
        transcript_add(&j->t, who, "? refuses: %s", refusals[out.refusal]);
    for (int i = 0; i < out.decided_n; i++) {
        CHECK(mend_agree_result(j->m[who], out.decided_seq[i], &v));
        if (!j->quiet)
            transcript_add(&j->t, who, "* #%d is and0=%llx, %d failed", (int)out.decided_seq[i],
                           (unsigned long long)v.and_word[0], v.nfailed);
    }
    while (mend_agree_next(j->m[who], &msg)) {
        int i = j->msgs_n++;

        CHECK(i < MSGS_MAX);
        say_msg(j, who, "< send", &msg, "to", msg.peer);
        j->msgs[i] = msg;
        j->from[i] = who;
        j->failed[i] = msg.value.nfailed ? msg.value.failed[0] : 0;
        j->lost[i] = msg.ndead ? msg.dead[0] : 0;
    }
    j->t.line++;
}

static void start(struct job *j, int who)
{
    struct mend_agree_value v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &v};

    mend_agree_value_init(&v);
    v.and_word[0] = 0xff & ~(1u << who);
    if (!j->quiet)
        transcript_add(&j->t, who, "> start");
    step(j, who, &ev);
}

static void start_all(struct job *j)
{
    for (int r = 0; r < j->n; r++)
        if (!j->dead[r])
            start(j, r);
}

/* Gives the message to its receiver as coming from its sender. */
static void give(struct job *j, int to, int from, struct mend_agree_msg msg)
{
    struct mend_agree_event ev = {.kind = MEND_AGREE_RECV, .msg = &msg};

    msg.peer = from;
    say_msg(j, to, "> recv", &msg, "from", from);
    step(j, to, &ev);
}

/* Delivers the oldest message from one to the other.  False: there is none. */
static bool deliver(struct job *j, int from, int to)
{
    for (int i = 0; i < j->msgs_n; i++) {
        struct mend_agree_msg msg = j->msgs[i];
        uint64_t failed = j->failed[i], lost = j->lost[i];

        if (j->from[i] != from || msg.peer != to)
            continue;
        j->msgs_n--;
        for (int k = i; k < j->msgs_n; k++) {
            j->msgs[k] = j->msgs[k + 1];
            j->from[k] = j->from[k + 1];
            j->failed[k] = j->failed[k + 1];
            j->lost[k] = j->lost[k + 1];
        }
        msg.value.failed = &failed;
        msg.dead = &lost;
        if (!j->dead[to])
            give(j, to, from, msg);
        return true;
    }
    return false;
}

/* Delivers whatever is in flight, oldest first, and what follows from it. */
static void deliver_all(struct job *j)
{
    while (j->msgs_n)
        deliver(j, j->from[0], j->msgs[0].peer);
}

static void dies(struct job *j, int who)
{
    j->dead[who] = true;
    transcript_add(&j->t, who, "! dies");
}

static void hears(struct job *j, int who, int dead)
{
    uint64_t set = UINT64_C(1) << dead;
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = &set};

    if (!j->quiet)
        transcript_add(&j->t, who, "! hears that %d is dead", dead);
    step(j, who, &ev);
}

static void clear(struct job *j)
{
    j->t.len = 0;
    j->t.text[0] = 0;
    j->t.line = 0;
}

/* Brings all processes to the end of agreement 0, except those that wait for DOWN from the root. */
static void start_quietly(struct job *j)
{
    j->quiet = true;
    start_all(j);
    j->quiet = false;
}

static uint64_t result(struct job *j, int who, uint64_t seq)
{
    struct mend_agree_value v;

    CHECK(mend_agree_result(j->m[who], seq, &v));
    return v.and_word[0];
}

MEND_TEST(without_failures_one_message_goes_up_and_one_down_each_edge)
{
    struct job *j = job_create(4, 1);

    start_all(j);
    deliver_all(j);
    TRANSCRIPT_IS(&j->t, "[  0] 0 > start\n"
                         "[  1] 1 > start\n"
                         "[  1] 1 < send UP #0 ballot 0 and0=fd to 0\n"
                         "[  2] 2 > start\n"
                         "[  3] 3 > start\n"
                         "[  3] 3 < send UP #0 ballot 0 and0=f7 to 2\n"
                         "[  4] 0 > recv UP #0 ballot 0 and0=fd from 1\n"
                         "[  5] 2 > recv UP #0 ballot 0 and0=f7 from 3\n"
                         "[  5] 2 < send UP #0 ballot 0 and0=f3 to 0\n"
                         "[  6] 0 > recv UP #0 ballot 0 and0=f3 from 2\n"
                         "[  6] 0 * #0 is and0=f0, 0 failed\n"
                         "[  6] 0 < send DOWN #0 ballot 0 and0=f0 to 2\n"
                         "[  6] 0 < send DOWN #0 ballot 0 and0=f0 to 1\n"
                         "[  7] 2 > recv DOWN #0 ballot 0 and0=f0 from 0\n"
                         "[  7] 2 * #0 is and0=f0, 0 failed\n"
                         "[  7] 2 < send DOWN #0 ballot 0 and0=f0 to 3\n"
                         "[  8] 1 > recv DOWN #0 ballot 0 and0=f0 from 0\n"
                         "[  8] 1 * #0 is and0=f0, 0 failed\n"
                         "[  9] 3 > recv DOWN #0 ballot 0 and0=f0 from 2\n"
                         "[  9] 3 * #0 is and0=f0, 0 failed\n");
    job_destroy(j);
}

/* 2 has returned; 1 becomes root, asks, is told by 2, and 3 gets the same value although its DOWN
 * of the old ballot comes too late. */
MEND_TEST(the_root_dies_after_one_down)
{
    struct job *j = job_create(4, 1);

    start_quietly(j);
    deliver(j, 3, 2);
    deliver(j, 1, 0);
    deliver(j, 2, 0);
    deliver(j, 0, 2);
    clear(j);
    dies(j, 0);
    hears(j, 3, 0);
    deliver(j, 2, 3);
    hears(j, 1, 0);
    deliver(j, 3, 2);
    deliver_all(j);
    TRANSCRIPT_IS(&j->t, "[  0] 0 ! dies\n"
                         "[  0] 3 ! hears that 0 is dead\n"
                         "[  0] 3 < send UP #0 ballot 1 and0=f7 failed 1 to 2\n"
                         "[  1] 3 > recv DOWN #0 ballot 0 and0=f0 from 2\n"
                         "[  1] 3 ? refuses: old ballot\n"
                         "[  2] 1 ! hears that 0 is dead\n"
                         "[  2] 1 < send REQUEST #0 ballot 1 to 2\n"
                         "[  3] 2 > recv UP #0 ballot 1 and0=f7 failed 1 from 3\n"
                         "[  3] 2 < send UP #0 ballot 1 decided at 0 and0=f0 to 1\n"
                         "[  4] 1 > recv DOWN #0 ballot 0 and0=f0 from 0\n"
                         "[  4] 1 ? refuses: from the dead\n"
                         "[  5] 2 > recv REQUEST #0 ballot 1 from 1\n"
                         "[  6] 1 > recv UP #0 ballot 1 decided at 0 and0=f0 from 2\n"
                         "[  6] 1 * #0 is and0=f0, 0 failed\n"
                         "[  6] 1 < send DOWN #0 ballot 1 and0=f0 to 2\n"
                         "[  7] 2 > recv DOWN #0 ballot 1 and0=f0 from 1\n"
                         "[  7] 2 < send DOWN #0 ballot 1 and0=f0 to 3\n"
                         "[  8] 3 > recv DOWN #0 ballot 1 and0=f0 from 2\n"
                         "[  8] 3 * #0 is and0=f0, 0 failed\n");
    job_destroy(j);
}

MEND_TEST(a_leaf_dies_before_it_contributed)
{
    struct job *j = job_create(4, 1);

    j->dead[3] = true;
    start_quietly(j);
    clear(j);
    hears(j, 2, 3);
    deliver_all(j);
    TRANSCRIPT_IS(&j->t, "[  0] 2 ! hears that 3 is dead\n"
                         "[  0] 2 < send UP #0 ballot 0 and0=fb failed 1 to 0\n"
                         "[  1] 0 > recv UP #0 ballot 0 and0=fd from 1\n"
                         "[  2] 0 > recv UP #0 ballot 0 and0=fb failed 1 from 2\n"
                         "[  2] 0 * #0 is and0=f8, 1 failed\n"
                         "[  2] 0 < send DOWN #0 ballot 0 and0=f8 failed 1 to 2\n"
                         "[  2] 0 < send DOWN #0 ballot 0 and0=f8 failed 1 to 1\n"
                         "[  3] 2 > recv DOWN #0 ballot 0 and0=f8 failed 1 from 0\n"
                         "[  3] 2 * #0 is and0=f8, 1 failed\n"
                         "[  4] 1 > recv DOWN #0 ballot 0 and0=f8 failed 1 from 0\n"
                         "[  4] 1 * #0 is and0=f8, 1 failed\n");
    job_destroy(j);
}

/* Its contribution counts, and nobody waits for it again. */
MEND_TEST(a_leaf_dies_after_it_contributed)
{
    struct job *j = job_create(4, 1);

    start_quietly(j);
    deliver(j, 3, 2);
    clear(j);
    dies(j, 3);
    hears(j, 2, 3);
    deliver(j, 1, 0);
    deliver(j, 2, 0);
    deliver_all(j);
    CHECK_EQ(result(j, 0, 0), 0xf0);
    CHECK_EQ(result(j, 1, 0), 0xf0);
    CHECK_EQ(result(j, 2, 0), 0xf0);
    job_destroy(j);
}

/* An inner process dies with what its child had sent; the child sends again, one level higher. */
MEND_TEST(a_relay_dies)
{
    struct job *j = job_create(4, 1);

    start_quietly(j);
    clear(j);
    dies(j, 2);
    hears(j, 0, 2);
    hears(j, 3, 2);
    deliver_all(j);
    TRANSCRIPT_IS(&j->t, "[  0] 2 ! dies\n"
                         "[  0] 0 ! hears that 2 is dead\n"
                         "[  0] 0 < send REQUEST #0 ballot 0 to 3\n"
                         "[  0] 0 < send REQUEST #0 ballot 0 to 1\n"
                         "[  1] 3 ! hears that 2 is dead\n"
                         "[  1] 3 < send UP #0 ballot 0 and0=f7 to 0\n"
                         "[  2] 0 > recv UP #0 ballot 0 and0=fd from 1\n"
                         "[  3] 3 > recv REQUEST #0 ballot 0 from 0\n"
                         "[  4] 1 > recv REQUEST #0 ballot 0 from 0\n"
                         "[  5] 0 > recv UP #0 ballot 0 and0=f7 from 3\n"
                         "[  5] 0 * #0 is and0=f4, 1 failed\n"
                         "[  5] 0 < send DOWN #0 ballot 0 and0=f4 failed 1 to 3\n"
                         "[  5] 0 < send DOWN #0 ballot 0 and0=f4 failed 1 to 1\n"
                         "[  6] 3 > recv DOWN #0 ballot 0 and0=f4 failed 1 from 0\n"
                         "[  6] 3 * #0 is and0=f4, 1 failed\n"
                         "[  7] 1 > recv DOWN #0 ballot 0 and0=f4 failed 1 from 0\n"
                         "[  7] 1 * #0 is and0=f4, 1 failed\n");
    job_destroy(j);
}

/* 0 dies, then 1 while it takes over, then 2: each new root starts from the promises of its own
 * ballot, and the last one decides. */
MEND_TEST(a_cascade_of_roots)
{
    struct job *j = job_create(4, 1);

    start_quietly(j);
    deliver(j, 3, 2);
    clear(j);
    dies(j, 0);
    hears(j, 1, 0);
    hears(j, 2, 0);
    dies(j, 1);
    hears(j, 2, 1);
    dies(j, 2);
    hears(j, 3, 2);
    hears(j, 3, 1);
    hears(j, 3, 0);
    TRANSCRIPT_IS(&j->t, "[  0] 0 ! dies\n"
                         "[  0] 1 ! hears that 0 is dead\n"
                         "[  0] 1 < send REQUEST #0 ballot 1 to 2\n"
                         "[  1] 2 ! hears that 0 is dead\n"
                         "[  1] 2 < send REQUEST #0 ballot 1 to 3\n"
                         "[  2] 1 ! dies\n"
                         "[  2] 2 ! hears that 1 is dead\n"
                         "[  2] 2 < send REQUEST #0 ballot 2 to 3\n"
                         "[  3] 2 ! dies\n"
                         "[  3] 3 ! hears that 2 is dead\n"
                         "[  3] 3 < send UP #0 ballot 0 and0=f7 to 0\n"
                         "[  4] 3 ! hears that 1 is dead\n"
                         "[  5] 3 ! hears that 0 is dead\n"
                         "[  5] 3 * #0 is and0=f7, 3 failed\n");
    job_destroy(j);
}

/* The promise: 0 decides and is declared dead while its DOWN to 2
 * is on the way.  1 takes over and asks 2, which knows nothing and promises; from then on it must
 * not believe 0, because 1 decides something else. */
MEND_TEST(who_has_promised_refuses_the_old_root)
{
    struct job *j = job_create(3, 1);

    start_quietly(j);
    deliver(j, 1, 0);
    deliver(j, 2, 0); /* 0 decides f8 and tells 1 and 2 */
    clear(j);
    hears(j, 1, 0);
    deliver(j, 1, 2);
    deliver(j, 2, 1);
    deliver(j, 0, 2);
    deliver(j, 1, 2);
    TRANSCRIPT_IS(&j->t, "[  0] 1 ! hears that 0 is dead\n"
                         "[  0] 1 < send REQUEST #0 ballot 1 to 2\n"
                         "[  1] 2 > recv REQUEST #0 ballot 1 from 1\n"
                         "[  1] 2 < send UP #0 ballot 1 and0=fb failed 1 to 1\n"
                         "[  2] 1 > recv UP #0 ballot 1 and0=fb failed 1 from 2\n"
                         "[  2] 1 * #0 is and0=f9, 1 failed\n"
                         "[  2] 1 < send DOWN #0 ballot 1 and0=f9 failed 1 to 2\n"
                         "[  3] 2 > recv DOWN #0 ballot 0 and0=f8 from 0\n"
                         "[  3] 2 ? refuses: from the dead\n"
                         "[  4] 2 > recv DOWN #0 ballot 1 and0=f9 failed 1 from 1\n"
                         "[  4] 2 * #0 is and0=f9, 1 failed\n");
    CHECK_EQ(result(j, 0, 0), 0xf8); /* but 0 is excluded */
    job_destroy(j);
}

/* A process that was declared dead may report a decision that no other process ever accepted.  Among the decisions
 * that a new root learns of, that of the highest ballot counts. */
MEND_TEST(of_two_reported_decisions_the_higher_ballot_counts)
{
    struct job *j = job_create(5, 1);
    uint64_t both = 1 << 0 | 1 << 1;
    struct mend_agree_msg up = {.kind = MEND_AGREE_UP, .ballot = 2, .ndead = 2, .dead = &both};

    start_quietly(j);
    hears(j, 2, 0);
    hears(j, 2, 1);
    mend_agree_value_init(&up.value);
    up.accepted = 0;
    up.value.and_word[0] = 0xaa;
    give(j, 2, 3, up);
    up.accepted = 1;
    up.value.and_word[0] = 0xbb;
    give(j, 2, 4, up);
    CHECK_EQ(result(j, 2, 0), 0xbb);
    job_destroy(j);
}

/* 2 has returned at ballot 0; before it answers at ballot 1 its child must have promised again. */
MEND_TEST(who_has_returned_collects_promises_again)
{
    struct job *j = job_create(4, 1);
    uint64_t zero = 1 << 0;
    struct mend_agree_msg request = {
        .kind = MEND_AGREE_REQUEST, .ballot = 1, .accepted = -1, .ndead = 1, .dead = &zero};

    start_quietly(j);
    deliver(j, 3, 2);
    deliver(j, 1, 0);
    deliver(j, 2, 0);
    deliver(j, 0, 2);
    clear(j);
    give(j, 2, 1, request);
    deliver(j, 2, 3);
    deliver(j, 2, 3);
    deliver(j, 3, 2);
    TRANSCRIPT_IS(&j->t, "[  0] 2 > recv REQUEST #0 ballot 1 from 1\n"
                         "[  0] 2 < send REQUEST #0 ballot 1 to 3\n"
                         "[  1] 3 > recv DOWN #0 ballot 0 and0=f0 from 2\n"
                         "[  1] 3 * #0 is and0=f0, 0 failed\n"
                         "[  2] 3 > recv REQUEST #0 ballot 1 from 2\n"
                         "[  2] 3 < send UP #0 ballot 1 decided at 0 and0=f0 to 2\n"
                         "[  3] 2 > recv UP #0 ballot 1 decided at 0 and0=f0 from 3\n"
                         "[  3] 2 < send UP #0 ballot 1 decided at 0 and0=f0 to 1\n");
    job_destroy(j);
}

/* The DOWN to 1 is slow; 2 and 3 are already in the next agreement, and 2 dies.  1 still gets
 * decision 0 when it asks, and what is older than that is history. */
MEND_TEST(late_askers_get_the_kept_decision)
{
    struct job *j = job_create(4, 1);
    uint64_t zero = 1 << 0;
    struct mend_agree_msg old = {.kind = MEND_AGREE_UP, .accepted = -1};

    start_quietly(j);
    deliver(j, 3, 2);
    deliver(j, 1, 0);
    deliver(j, 2, 0);
    deliver(j, 0, 2);
    deliver(j, 2, 3);
    j->quiet = true;
    start(j, 2);
    start(j, 3);
    j->quiet = false;
    clear(j);
    dies(j, 0);
    hears(j, 1, 0);
    deliver(j, 1, 2);
    deliver(j, 2, 3);
    deliver(j, 3, 2); /* its UP of #1 */
    deliver(j, 3, 2);
    deliver(j, 2, 1);
    deliver(j, 2, 1);
    CHECK_EQ(result(j, 1, 0), 0xf0);
    CHECK(strstr(j->t.text, "1 * #0 is and0=f0, 0 failed\n"));
    deliver_all(j);
    start(j, 1);
    deliver_all(j);
    CHECK_EQ(result(j, 1, 1), 0xf1);
    CHECK_EQ(result(j, 2, 1), 0xf1);
    CHECK_EQ(result(j, 3, 1), 0xf1);
    clear(j);
    mend_agree_value_init(&old.value);
    old.ballot = 1;
    old.ndead = 1;
    old.dead = &zero;
    give(j, 2, 3, old); /* agreement 0, after 1 was decided */
    CHECK(strstr(j->t.text, "? refuses: stale"));
    job_destroy(j);
}

/* 3 was asked for #0 once more and waits for an end that nobody needs: the process that asked is dead.  Three
 * agreements later the same slot serves #3, and in the very step in which that begins the parent of
 * 3 changes: its old answer must not go out under the new number. */
MEND_TEST(an_answer_that_is_history_is_not_sent_under_a_new_number)
{
    struct job *j = job_create(4, 1);
    uint64_t zero = 1 << 0, two_as_well = zero | 1 << 2;
    struct mend_agree_msg request = {
        .kind = MEND_AGREE_REQUEST, .ballot = 1, .accepted = -1, .ndead = 1, .dead = &zero};

    start_quietly(j);
    j->quiet = true;
    deliver_all(j);
    j->dead[0] = true;
    for (int r = 1; r < 4; r++)
        hears(j, r, 0);
    give(j, 3, 2, request);
    j->msgs_n = 0;
    for (int i = 1; i < 3; i++) {
        start_all(j);
        deliver_all(j);
    }
    j->quiet = false;
    clear(j);
    request.seq = 3;
    request.ndead = 2;
    request.dead = &two_as_well;
    give(j, 3, 1, request);
    TRANSCRIPT_IS(&j->t, "[  0] 3 > recv REQUEST #3 ballot 1 from 1\n");
    job_destroy(j);
}

MEND_TEST(a_window_of_three_may_be_decided_in_any_order)
{
    struct job *j = job_create(2, 3);

    for (int i = 0; i < 3; i++) {
        CHECK(mend_agree_can_start(j->m[1]));
        start(j, 1);
    }
    CHECK(!mend_agree_can_start(j->m[1]));
    for (int i = 0; i < 3; i++)
        start(j, 0);
    deliver_all(j);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK_EQ(result(j, 0, i), 0xfc);
        CHECK_EQ(result(j, 1, i), 0xfc);
    }
    for (int i = 3; i < 50; i++) {
        start(j, 1);
        if (i % 3 == 2) {
            for (int k = 0; k < 3; k++)
                start(j, 0);
            deliver_all(j);
        }
        j->t.len = 0;
    }
    CHECK(!mend_agree_result(j->m[0], 0, &(struct mend_agree_value){0}));
    job_destroy(j);
}

MEND_TEST(values_are_joined)
{
    struct job *j = job_create(2, 1);
    uint64_t failed = 0;
    struct mend_agree_value a, b, v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &a};

    mend_agree_value_init(&a);
    mend_agree_value_init(&b);
    a.and_word[3] = 0x6;
    b.and_word[3] = 0x3;
    a.max_word[1] = 5;
    b.max_word[1] = 9;
    a.max_word[2] = 7;
    failed =
        0x2; /* 0 has heard that 1 is dead; 1 knows better, but that is the detector's affair */
    a.nfailed = 1;
    a.failed = &failed;
    step(j, 0, &ev);
    ev.value = &b;
    step(j, 1, &ev);
    deliver_all(j);
    for (int r = 0; r < 2; r++) {
        CHECK(mend_agree_result(j->m[r], 0, &v));
        CHECK_EQ(v.and_word[3], 0x2);
        CHECK_EQ(v.and_word[0], UINT64_MAX);
        CHECK_EQ(v.max_word[1], 9);
        CHECK_EQ(v.max_word[2], 7);
        CHECK_EQ(v.nfailed, 1);
        CHECK_EQ(v.failed[0], 0x2);
    }
    job_destroy(j);
}

/* Nobody is left to answer but a tombstone. */
MEND_TEST(the_last_agreement_is_answered_by_a_tombstone)
{
    struct job *j = job_create(3, 1);
    struct mend_agree_value v;
    struct mend_agree_event ev = {.kind = MEND_AGREE_START, .value = &v, .last = true};
    struct mend_agree_msg reply;

    mend_agree_value_init(&v);
    for (int r = 0; r < 3; r++)
        step(j, r, &ev);
    deliver(j, 1, 0);
    deliver(j, 2, 0); /* 0 has decided, tells 2, and dies; 2 returns and frees */
    deliver(j, 0, 2);
    j->dead[0] = true;
    clear(j);
    hears(j, 1, 0);
    CHECK_EQ(j->msgs[j->msgs_n - 1].kind, MEND_AGREE_REQUEST);
    CHECK(mend_agree_tomb_reply(0, &j->msgs[j->msgs_n - 1], &reply));
    CHECK(!mend_agree_tomb_reply(7, &j->msgs[j->msgs_n - 1], &reply));
    CHECK_EQ(reply.kind, MEND_AGREE_GONE);
    give(j, 1, 2, reply);
    CHECK(mend_agree_result(j->m[1], 0, &v));
    job_destroy(j);
}

MEND_TEST(who_left_properly_had_decided_the_last_agreement)
{
    struct job *j = job_create(3, 1);
    struct mend_agree_value v;
    struct mend_agree_event start_ev = {.kind = MEND_AGREE_START, .value = &v, .last = true};
    uint64_t two = 1 << 2;
    struct mend_agree_event left_ev = {.kind = MEND_AGREE_LEFT, .dead = &two};

    mend_agree_value_init(&v);
    step(j, 1, &start_ev);
    CHECK(!mend_agree_result(j->m[1], 0, &v));
    step(j, 1, &left_ev);
    CHECK(mend_agree_result(j->m[1], 0, &v));
    job_destroy(j);
}

/* 1 of 4 is asked by processes that cannot be its parent, and told by processes that cannot know. */
MEND_TEST(what_nobody_of_ours_sends_is_refused)
{
    static const uint64_t two = 1 << 2, me_too = 1 << 0 | 1 << 1;
    static const struct {
        int from;
        struct mend_agree_msg msg;
    } bad[] = {
        {1, {.kind = MEND_AGREE_UP, .accepted = -1}}, /* from myself */
        {-1, {.kind = MEND_AGREE_UP, .accepted = -1}},
        {4, {.kind = MEND_AGREE_UP, .accepted = -1}},
        {0, {.kind = MEND_AGREE_UP, .accepted = -1}},              /* from above */
        {3, {.kind = MEND_AGREE_DOWN, .accepted = -1}},            /* from below */
        {3, {.kind = MEND_AGREE_UP, .accepted = -1}},              /* not below me at ballot 0 */
        {3, {.kind = MEND_AGREE_UP, .ballot = 2, .accepted = -1}}, /* I am dead to it */
        {3, {.kind = MEND_AGREE_UP, .ballot = 1, .accepted = 2}},  /* decided in the future */
        {0, {.kind = MEND_AGREE_REQUEST, .ballot = -1, .accepted = -1}},
        {3, {.kind = MEND_AGREE_UP, .ballot = 1, .accepted = -1}}, /* does not say that 0 is dead */
        {3, {.kind = MEND_AGREE_UP, .ballot = 1, .accepted = -1, .ndead = 1, .dead = &two}},
        {3, {.kind = MEND_AGREE_UP, .ballot = 1, .accepted = -1, .ndead = 2, .dead = &me_too}},
        {0, {.kind = 9, .accepted = -1}},
    };
    struct job *j = job_create(4, 1);

    start_quietly(j);
    for (size_t i = 0; i < MEND_COUNT_OF(bad); i++) {
        struct mend_agree_msg msg = bad[i].msg;
        struct mend_agree_event ev = {.kind = MEND_AGREE_RECV, .msg = &msg};
        struct mend_agree_out out;

        msg.peer = bad[i].from;
        mend_agree_step(j->m[1], &ev, &out);
        CHECK_EQ(out.refusal, MEND_AGREE_BAD);
        CHECK(!mend_agree_next(j->m[1], &msg));
        mend_agree_check(j->m[1]);
    }
    job_destroy(j);
}

/* 0, 2 and 3 die together, and 3 has voted.  1 hears of that from 4 only, which went on with 1 as its root:
 * 1 decides that all three have failed. */
MEND_TEST(those_that_die_together_fail_together)
{
    struct job *j = job_create(6, 1);
    uint64_t all = 1 << 0 | 1 << 2 | 1 << 3;
    struct mend_agree_event ev = {.kind = MEND_AGREE_DEATH, .dead = &all};
    struct mend_agree_value v;

    start_quietly(j);
    j->dead[0] = j->dead[2] = j->dead[3] = true;
    j->quiet = true;
    step(j, 4, &ev);
    deliver_all(j);
    CHECK(mend_agree_result(j->m[1], 0, &v));
    CHECK_EQ(v.nfailed, 3);
    CHECK_EQ(v.failed[0], all);
    CHECK(mend_agree_result(j->m[5], 0, &v));
    CHECK_EQ(v.failed[0], all);
    job_destroy(j);
}

MEND_TEST(who_is_declared_dead_falls_silent)
{
    struct job *j = job_create(2, 1);

    start_all(j);
    clear(j);
    hears(j, 1, 1);
    deliver_all(j);
    TRANSCRIPT_IS(&j->t, "[  0] 1 ! hears that 1 is dead\n"
                         "[  1] 0 > recv UP #0 ballot 0 and0=fd from 1\n"
                         "[  1] 0 * #0 is and0=fc, 0 failed\n"
                         "[  1] 0 < send DOWN #0 ballot 0 and0=fc to 1\n"
                         "[  2] 1 > recv DOWN #0 ballot 0 and0=fc from 0\n");
    job_destroy(j);
}

MEND_TEST(one_line_tells_the_state)
{
    struct job *j = job_create(4, 1);
    char buf[200];

    start_all(j);
    hears(j, 0, 3);
    mend_agree_print(j->m[0], buf, sizeof buf);
    CHECK_STR(buf, "agree 0/4 root 0 parent 0 next #1 dead {3} | #0 gather");
    CHECK_EQ(mend_agree_print(j->m[0], buf, 10), (int)strlen("agree 0/4 root 0 parent 0 next #1 "
                                                             "dead {3} | #0 gather"));
    CHECK_STR(buf, "agree 0/4");
    job_destroy(j);
}

MEND_TEST_MAIN()
