/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_test.c – words of two members (node/brief.h): when they are said, when they are looked at, and that a cell has none when
 * another communicator gets it; and which members a veto wakes.  The other member of two is the test, which writes into its word and
 * its slot what it likes. */
#include "decide/job_test.h"

#include "node/brief.h"
#include "node/slots.h"

#define CELL 2
#define SPUN (MEND_CTX_FIRST + 1)

static struct mend_comm *pair[2];

static struct mend_comm *make(mend_peer me, uint64_t counter)
{
    struct mend_proc *self = job.rank[me];
    struct mend_group *two = mend_group_create_range(self, 0, 1, 2);
    struct mend_comm *c = mend_comm_create(self, two, NULL, MEND_CTX_MAKE(0, counter), NULL);

    mend_group_put(self, two);
    c->cell = CELL;
    mend_cells_take(self, CELL);
    mend_unpark(self, c->ctx);
    return c;
}

static void begin_pair(uint64_t counter)
{
    for (mend_peer p = 0; p < 2; p++) {
        job.rank[p]->oversubscribed = false; /* it looks at words only where it spins */
        pair[p] = make(p, counter);
    }
}

static void begin(void)
{
    job_begin(IN_A_CELL);
    for (mend_peer p = 0; p < 2; p++)
        mend_revoke_reserve(job.rank[p], SPUN, 2);
    begin_pair(SPUN);
}

static struct mend_decision flag(uint64_t value)
{
    return (struct mend_decision){.and_word = {value, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
}

static void on_done(void *arg, struct mend_decision *value)
{
    *(struct mend_decision *)arg = *value;
}

/* Rank 1 votes in its slot only. */
static void vote(enum mend_decide_kind which, uint64_t value)
{
    static struct mend_decision result;
    struct mend_decision d = flag(value);

    mend_decide_call(pair[1], which, &d, on_done, &result);
}

/* What rank 0 is told. */
static uint64_t wait_for(enum mend_decide_kind which, uint64_t value)
{
    struct mend_decision d = flag(value);

    mend_decide_wait(pair[0], which, &d);
    return d.and_word[0];
}

static struct mend_brief *words(enum mend_decide_kind which)
{
    return &pair[0]->decide->brief[which == MEND_DECIDE_VALIDATION];
}

static void say(enum mend_decide_kind which, uint64_t number, uint64_t value)
{
    mend_store_release(&words(which)->word[1][number & 1], (number + 1) << 32 | value);
}

static void check_said(enum mend_decide_kind which, uint64_t number, uint64_t vote)
{
    CHECK_EQ(mend_load_acquire(&words(which)->word[0][number & 1]), vote);
}

static const enum mend_decide_kind with_words[] = {MEND_DECIDE_EXPLICIT, MEND_DECIDE_VALIDATION};

MEND_TEST(a_word_or_a_slot)
{
    for (int k = 0; k < 2; k++) {
        enum mend_decide_kind which = with_words[k];

        begin();
        vote(which, 6); /* in a slot */
        CHECK_EQ(wait_for(which, 3), 2);
        check_said(which, 0, UINT64_C(1) << 32 | 3);
        say(which, 1, 12); /* in a word, and nowhere else */
        CHECK_EQ(wait_for(which, 5), 4);
        say(which, 1, 8); /* about another agreement */
        say(which, 4, 8);
        vote(which, UINT64_MAX); /* the one that rank 0 was told of already */
        vote(which, 7);
        CHECK_EQ(wait_for(which, 14), 6);
    }
}

/* Another word of the vote than the first one. */
MEND_TEST(more_than_a_flag)
{
    struct mend_decision more[2] = {flag(7), flag(7)};

    begin();
    more[0].and_word[3] = 0;
    more[1].max_word[2] = 1;
    for (int i = 0; i < 2; i++) {
        vote(MEND_DECIDE_EXPLICIT, 7);
        mend_decide_wait(pair[0], MEND_DECIDE_EXPLICIT, &more[i]);
        check_said(MEND_DECIDE_EXPLICIT, (uint64_t)i, 0);
    }
}

/* There is room for 32 bits, and a word of an earlier agreement does not stay. */
MEND_TEST(a_vote_that_does_not_fit)
{
    begin();
    vote(MEND_DECIDE_EXPLICIT, 7);
    CHECK_EQ(wait_for(MEND_DECIDE_EXPLICIT, 7), 7);
    vote(MEND_DECIDE_EXPLICIT, 7);
    CHECK_EQ(wait_for(MEND_DECIDE_EXPLICIT, UINT64_C(15) << 31), 0);
    check_said(MEND_DECIDE_EXPLICIT, 0, UINT64_C(1) << 32 | 7);
    vote(MEND_DECIDE_EXPLICIT, UINT64_MAX);
    say(MEND_DECIDE_EXPLICIT, 2, 1);
    CHECK_EQ(wait_for(MEND_DECIDE_EXPLICIT, UINT64_C(15) << 31), UINT64_C(15) << 31);
    check_said(MEND_DECIDE_EXPLICIT, 2, 0);
}

/* A creation has no words, a death has no room in them, and its process's place may be another's. */
MEND_TEST(where_no_word_is_said)
{
    begin();
    vote(MEND_DECIDE_CREATION, 5);
    CHECK_EQ(wait_for(MEND_DECIDE_CREATION, 6), 4);
    check_said(MEND_DECIDE_EXPLICIT, 0, 0);
    check_said(MEND_DECIDE_VALIDATION, 0, 0);
    vote(MEND_DECIDE_EXPLICIT, 7);
    CHECK_EQ(wait_for(MEND_DECIDE_EXPLICIT, 7), 7);
    job_kill(3);
    job_go_on(1);
    say(MEND_DECIDE_EXPLICIT, 1, 1);
    vote(MEND_DECIDE_EXPLICIT, 6);
    CHECK_EQ(wait_for(MEND_DECIDE_EXPLICIT, 7), 6);
    check_said(MEND_DECIDE_EXPLICIT, 1, 0);
}

/* Rank 1 has said a word, and rank 0 has voted in nothing. */
MEND_TEST(the_next_communicator_finds_no_words)
{
    struct mend_decision d = flag(1);

    begin();
    mend_decide_say_no(pair[0], MEND_DECIDE_VALIDATION);
    mend_decide_wait(pair[1], MEND_DECIDE_VALIDATION, &d);
    CHECK_EQ(d.and_word[0], 0);
    for (int r = 1; r >= 0; r--)
        mend_comm_put(pair[r]);
    for (int r = 0; r < 2; r++) /* looks which are free */
        mend_cells_settle(job.rank[r], mend_cells_offer(job.rank[r], false, 0));
    begin_pair(SPUN + 1);
    vote(MEND_DECIDE_VALIDATION, 14);
    CHECK_EQ(wait_for(MEND_DECIDE_VALIDATION, 7), 6);
}

/* How often ranks that sleep were woken. */
static uint32_t woken(void)
{
    return mend_load_relaxed(&mend_node_sleep_of(job.segment, mend_place_at(0))->wake);
}

/* A member that sleeps in an agreement that it has voted in is woken by a veto, and by a vote; one that waits for something else,
 * or for another one than that which vetoes, is not woken by the veto. */
MEND_TEST(who_is_woken)
{
    struct mend_decision result, d = flag(UINT64_MAX);
    uint32_t before;

    job_begin(IN_A_CELL);
    mend_store_relaxed(&job.segment->oversubscribed, 1);
    mend_store_relaxed(&mend_node_rank_of(job.segment, mend_place_at(1))->armed,
                       MEND_NODE_ARMED_NUDGED);
    before = woken();
    mend_decide_say_no(job.comm[0], MEND_DECIDE_CREATION);
    CHECK_EQ(woken(), before);
    mend_decide_call(job.comm[1], MEND_DECIDE_CREATION, &d, on_done, &result);
    CHECK_EQ(woken(), before);
    mend_decide_call(job.comm[2], MEND_DECIDE_CREATION, &d, on_done, &result);
    CHECK_EQ(woken(), before + 1);
    mend_decide_say_no(job.comm[2], MEND_DECIDE_CREATION); /* from the next one on */
    CHECK_EQ(woken(), before + 1);
    mend_decide_say_no(job.comm[3], MEND_DECIDE_CREATION);
    CHECK_EQ(woken(), before + 2);
}

MEND_TEST_MAIN()
