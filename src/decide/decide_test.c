/* SPDX-License-Identifier: BSD-3-Clause */
/* decide_test.c – what is decided is the same at everybody: where votes lie in a cell, in vote blocks, or go by messages;
 * when somebody comes late, dies before or behind its vote, leaves at once, or the communicator is revoked.
 *
 *   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
 *   R45: the agreed group holds what any participant had recorded; nothing is acknowledged
 *   S5-11: a revocation reaches every survivor on every node, and no rank relays it */
#include "decide/job_test.h"

/* What a rank has voted for, and what it was told. */
struct vote {
    bool done;
    struct mend_decision value;
    uint64_t failed; /* ranks */
};

static struct vote votes[RANKS];

static void on_done(void *arg, struct mend_decision *value)
{
    struct vote *v = arg;

    CHECK(!v->done);
    v->done = true;
    v->value = *value;
    for (int i = 0; value->failed && i < value->failed->size; i++)
        v->failed |= UINT64_C(1) << mend_group_peer(value->failed, i);
}

/* Each for all bits but its own, and for its own rank. */
static void vote(int r, enum mend_decide_kind which)
{
    struct mend_decision value = {
        .and_word = {UINT64_MAX, ~(UINT64_C(1) << r), UINT64_MAX, UINT64_MAX},
        .max_word = {(uint64_t)r}};

    votes[r] = (struct vote){.done = false};
    mend_decide_call(job.comm[r], which, &value, on_done, &votes[r]);
}

static void check_same(unsigned who)
{
    int first = __builtin_ctz(who);

    for (int r = 0; r < RANKS; r++)
        if (who >> r & 1) {
            CHECK(votes[r].done);
            CHECK(!memcmp(votes[r].value.and_word, votes[first].value.and_word,
                          sizeof(votes[r].value.and_word)));
            CHECK_EQ(votes[r].value.max_word[0], votes[first].value.max_word[0]);
            CHECK_EQ(votes[r].failed, votes[first].failed);
            CHECK_EQ(votes[r].value.all_acked, votes[first].value.all_acked);
        }
}

/* Of all members, none of which is known to be dead. */
static void check_all_voted(unsigned who)
{
    check_same(who);
    for (int r = 0; r < RANKS; r++)
        if (who >> r & 1) {
            CHECK_EQ(votes[r].value.and_word[0], UINT64_MAX);
            CHECK_EQ(votes[r].value.and_word[1], UINT64_MAX << RANKS);
            CHECK_EQ(votes[r].value.max_word[0], RANKS - 1);
            CHECK_EQ(votes[r].failed, 0);
        }
}

MEND_TEST(all_get_the_same)
{
    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        for (int i = 0; i < 20; i++) { /* a slot of shared memory serves every eighth */
            for (int r = 0; r < RANKS; r++)
                vote(r, MEND_DECIDE_EXPLICIT);
            job_go_on(ALL);
            check_all_voted(ALL);
        }
    }
}

MEND_TEST(who_comes_late_is_waited_for)
{
    for (enum way way = 0; way < WAYS; way++)
        for (int late = 0; late < RANKS; late++) {
            job_begin(way);
            for (int r = 0; r < RANKS; r++)
                if (r != late)
                    vote(r, MEND_DECIDE_EXPLICIT);
            job_go_on(ALL);
            for (int r = 0; r < RANKS; r++)
                CHECK(r == late || !votes[r].done);
            vote(late, MEND_DECIDE_EXPLICIT);
            job_go_on(ALL);
            check_all_voted(ALL);
        }
}

/* One hears of nothing while the others decide and free the communicator. */
MEND_TEST(who_hears_late_gets_it_from_those_who_have_left)
{
    for (enum way way = 0; way < WAYS; way++)
        for (int slow = 0; slow < RANKS; slow++) {
            job_begin(way);
            for (int r = 0; r < RANKS; r++)
                vote(r, MEND_DECIDE_EXPLICIT);
            if (way == BY_MESSAGES)
                job_go_on(ALL); /* its vote may have others below it */
            else
                job_go_on(BUT(slow));
            check_all_voted(BUT(slow));
            for (int r = 0; r < RANKS; r++)
                if (r != slow)
                    mend_decide_free(job.comm[r]);
            job_go_on(BUT(slow));
            job_go_on(ALL);
            check_all_voted(ALL);
        }
}

MEND_TEST(a_death_before_the_vote)
{
    for (enum way way = 0; way < WAYS; way++)
        for (int dead = 0; dead < RANKS; dead++) {
            job_begin(way);
            for (int r = 0; r < RANKS; r++)
                if (r != dead)
                    vote(r, MEND_DECIDE_EXPLICIT);
            job_go_on(ALL);
            job_kill(dead);
            job_go_on(ALL);
            check_same(BUT(dead));
            for (int r = 0; r < RANKS; r++)
                CHECK(r == dead || votes[r].failed == UINT64_C(1) << dead);
            CHECK(!votes[dead == 0].value.all_acked);
        }
}

/* The agent of one says later who is dead than the votes of others do. */
MEND_TEST(a_decision_is_given_when_its_dead_are_known)
{
    for (int late = 0; late < RANKS; late++) {
        int dead = (late + 1) % RANKS;

        job_begin(BY_MESSAGES);
        job.deaf = 1u << late;
        job_kill(dead);
        job_go_on(ALL);
        for (int r = 0; r < RANKS; r++)
            if (r != dead)
                vote(r, MEND_DECIDE_EXPLICIT);
        job_go_on(ALL);
        CHECK(!votes[late].done);
        job_tell_all();
        job_go_on(ALL);
        check_same(BUT(dead));
        CHECK_EQ(votes[late].failed, UINT64_C(1) << dead);
    }
}

/* Whether its vote counts is open; but it does at all, or at none. */
MEND_TEST(a_death_between_vote_and_decision)
{
    for (enum way way = 0; way < WAYS; way++)
        for (int dead = 0; dead < RANKS; dead++)
            for (int last = 0; last < RANKS; last++) {
                if (last == dead)
                    continue;
                job_begin(way);
                for (int r = 0; r < RANKS; r++)
                    if (r != last)
                        vote(r, MEND_DECIDE_EXPLICIT);
                job_go_on(1u << dead);
                job_kill(dead);
                job_go_on(1u << last); /* this one knows of the death, the others perhaps not */
                vote(last, MEND_DECIDE_EXPLICIT);
                job_go_on(ALL);
                check_same(BUT(dead));
                CHECK_EQ(votes[last].failed, UINT64_C(1) << dead);
            }
}

/* Some have the decision when the death comes. */
MEND_TEST(a_death_while_some_have_decided)
{
    for (enum way way = 0; way < WAYS; way++)
        for (int dead = 0; dead < RANKS; dead++) {
            job_begin(way);
            for (int r = 0; r < RANKS; r++)
                vote(r, MEND_DECIDE_EXPLICIT);
            for (int i = 0; i < 4 && !votes[dead].done; i++)
                for (int r = RANKS - 1; r >= 0 && !votes[dead].done; r--)
                    mend_progress(job.rank[r], MEND_PEER_NONE);
            job_kill(dead);
            job_go_on(ALL);
            check_same(BUT(dead));
        }
}

static void invalidate(int r)
{
    mend_revoke(job.comm[r]);
}

MEND_TEST(an_agreement_outlives_a_revocation)
{
    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        for (int r = 1; r < RANKS; r++)
            vote(r, MEND_DECIDE_EXPLICIT);
        invalidate(2);
        job_go_on(ALL);
        for (int r = 0; r < RANKS; r++)
            CHECK(job.comm[r]->revoked);
        vote(0, MEND_DECIDE_EXPLICIT);
        job_go_on(ALL);
        check_all_voted(ALL);
    }
}

/* Rank 0 calls for nothing: it has vetoed when it hears of the revocation. */
MEND_TEST(a_revocation_ends_a_creation_at_all)
{
    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        for (int r = 1; r < RANKS; r++)
            vote(r, MEND_DECIDE_CREATION);
        job_go_on(ALL);
        CHECK(!votes[1].done && !votes[2].done && !votes[3].done);
        invalidate(2);
        job_go_on(ALL);
        for (int r = 1; r < RANKS; r++) {
            CHECK(votes[r].done);
            CHECK_EQ(votes[r].value.and_word[0], 0);
            CHECK_EQ(votes[r].value.max_word[1], MEND_CLASS_INVALIDATED);
        }
    }
}

/* A member that has decided succeeds, and so do all; the next one is refused everywhere. */
MEND_TEST(a_revocation_after_the_last_vote)
{
    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        for (int r = 0; r < RANKS; r++)
            vote(r, MEND_DECIDE_CREATION);
        invalidate(1);
        job_go_on(ALL);
        check_all_voted(ALL);
        for (int r = 0; r < RANKS; r++) {
            vote(r, MEND_DECIDE_CREATION);
            CHECK(votes[r].done);
            CHECK_EQ(votes[r].value.max_word[1], MEND_CLASS_INVALIDATED);
        }
    }
}

MEND_TEST(the_death_of_who_revokes)
{
    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        invalidate(3);
        job_kill(3);
        job_go_on(ALL);
        for (int r = 0; r < 3; r++)
            CHECK(job.comm[r]->revoked);
    }
}

/* Where a communicator has no bit, the runtime tells the others, those that have it later as well; and one part of a context is not another. */
MEND_TEST(what_the_runtime_tells)
{
    struct mend_comm *late;

    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        for (int r = 0; r < RANKS; r++)
            job.rank[r]->params.revoke_shm = false;
        late = job_comm(3, MEND_CTX_FIRST + 2, -1);
        invalidate(3);
        mend_revoke(late);
        mend_comm_put(late);
        job_kill(3);
        job_go_on(1u << 1);
        CHECK(job.comm[1]->revoked && !job.comm[2]->revoked);
        job_go_on(ALL);
        for (int r = 0; r < 3; r++)
            CHECK(job.comm[r]->revoked);
        late = job_comm(0, MEND_CTX_FIRST + 2, -1);
        mend_revoke_look(late);
        CHECK(late->revoked);
        mend_comm_put(late);
        late = job_comm(0, MEND_CTX_FIRST + 3, -1);
        mend_revoke_look(late);
        CHECK(!late->revoked);
        late->decide->part = -1; /* of the other context */
        mend_revoke_look(late);
        CHECK(late->revoked);
        mend_comm_put(late);
    }
}

/* Each living rank gives a flag; what they get is the same, with the same error. */
static int agree_on(const int *given, bool logical, int *flag_p)
{
    struct mend_request *r[RANKS];
    int flag[RANKS], error;

    for (int i = 0; i < RANKS; i++)
        if (!job.is_dead[i]) {
            flag[i] = given[i];
            mend_decide_iflag(job.comm[i], logical, &flag[i], &r[i]);
        }
    job_go_on(ALL);
    for (int i = 0; i < RANKS; i++)
        if (!job.is_dead[i]) {
            CHECK(mend_request_is_done(r[i]));
            CHECK_EQ(flag[i], flag[0]);
            CHECK_EQ(r[i]->error, r[0]->error);
        }
    *flag_p = flag[0];
    error = r[0]->error;
    for (int i = 0; i < RANKS; i++)
        if (!job.is_dead[i])
            mend_request_detach(r[i]);
    return error;
}

MEND_TEST(a_flag_is_agreed_on)
{
    static const int given[RANKS] = {6, -2, 14, 7}, one_is_0[RANKS] = {1, 1, 0, 1};
    int flag;

    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        CHECK_EQ(agree_on(given, false, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 6);
        CHECK_EQ(agree_on(given, true, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 1);
        CHECK_EQ(agree_on(one_is_0, true, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
    }
}

/* Each member must have acknowledged all failures; the logical form does not ask (R16). */
MEND_TEST(a_flag_tells_of_failures_that_are_not_acknowledged)
{
    static const int given[RANKS] = {3, 3, 3, 3};
    int flag;

    for (enum way way = 0; way < WAYS; way++) {
        job_begin(way);
        job_kill(3);
        job_kill(2);
        job_go_on(ALL);
        CHECK_EQ(agree_on(given, false, &flag), MEND_CLASS_PROC_FAILED);
        CHECK_EQ(flag, 3);
        CHECK_EQ(mend_p2p_ack(job.comm[0], 2), 2);
        CHECK_EQ(mend_p2p_ack(job.comm[1], 1), 1);
        CHECK_EQ(agree_on(given, false, &flag), MEND_CLASS_PROC_FAILED);
        CHECK_EQ(agree_on(given, true, &flag), MPI_SUCCESS);
        CHECK_EQ(mend_p2p_ack(job.comm[1], 9), 2);
        CHECK_EQ(mend_p2p_ack(job.comm[1], 0), 2); /* nothing is taken back */
        CHECK_EQ(agree_on(given, false, &flag), MPI_SUCCESS);
        CHECK_EQ(flag, 3);
    }
}

static void check_failed(int i, struct mend_request *r, MPI_Group answer, unsigned failed)
{
    const struct mend_group *g = (const struct mend_group *)answer;
    unsigned set = 0;

    CHECK(mend_request_is_done(r));
    CHECK_EQ(r->error, MPI_SUCCESS);
    for (int k = 0; failed && k < g->size; k++)
        set |= 1u << mend_group_peer(g, k);
    CHECK_EQ(set, failed);
    CHECK(failed || answer == MPI_GROUP_EMPTY);
    CHECK_EQ(job.comm[i]->acked_deaths_n, 0);
    mend_request_detach(r);
}

/* One has heard of the death, and the others make progress without hearing of it: they may know of the decision by then, but
 * get it only when they know what it says. */
static void agree_on_failures(struct mend_request *r[RANKS], MPI_Group answer[RANKS])
{
    for (int i = 0; i < RANKS; i++)
        if (!job.is_dead[i])
            mend_decide_ifailed(job.comm[i], &answer[i], &r[i]);
}

static void one_has_heard(enum way way, int dead, int who)
{
    struct mend_request *r[RANKS];
    MPI_Group answer[RANKS];

    job_begin(way);
    agree_on_failures(r, answer);
    job_go_on(ALL);
    for (int i = 0; i < RANKS; i++)
        check_failed(i, r[i], answer[i], 0);
    job_kill(dead);
    job_go_on(1u << who);
    agree_on_failures(r, answer);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < RANKS; i++)
            if (!job.is_dead[i])
                mend_progress(job.rank[i], MEND_PEER_NONE);
    for (int i = 0; i < RANKS; i++)
        CHECK(job.is_dead[i] || i == who || !mend_request_is_done(r[i]));
    job_go_on(ALL);
    for (int i = 0; i < RANKS; i++)
        if (!job.is_dead[i])
            check_failed(i, r[i], answer[i], 1u << dead);
}

MEND_TEST(failures_are_agreed_on)
{
    for (enum way way = 0; way < WAYS; way++)
        for (int dead = 0; dead < RANKS; dead++)
            for (int who = 0; who < RANKS; who++)
                if (who != dead)
                    one_has_heard(way, dead, who);
}

/* One ends all agreements in it alone: those that it waits for, and those of the future, and what the others still say about
 * them ends nothing twice. */
MEND_TEST(abandoned)
{
    for (enum way way = 0; way < WAYS; way++)
        for (enum mend_decide_kind which = 0; which < MEND_DECIDE_KINDS; which++) {
            job_begin(way);
            vote(0, which);
            vote(1, which);
            job_go_on(ALL);
            CHECK(!votes[0].done && !votes[1].done);
            mend_decide_abandon(job.comm[0]);
            CHECK(votes[0].done && !votes[1].done);
            CHECK_EQ(votes[0].value.and_word[0], 0);
            vote(0, which);
            CHECK(votes[0].done);
            CHECK_EQ(votes[0].value.and_word[0], 0);
            for (int r = 2; r < RANKS; r++)
                vote(r, which);
            job_go_on(ALL);
        }
}

/* Of what died together only members count, each where it is one. */
MEND_TEST(deaths_concern_their_communicators)
{
    struct mend_death death[] = {{.peer = 3}, {.peer = 1}};
    struct mend_group *two;
    struct mend_comm *c;
    bool *said_no;

    job_begin(BY_MESSAGES);
    two = mend_group_create_range(job.rank[0], 0, 1, 2);
    c = mend_comm_create(job.rank[0], two, NULL, MEND_CTX_MAKE(0, MEND_CTX_FIRST + 1), NULL);
    mend_group_put(job.rank[0], two);
    said_no = &c->decide->agreements[MEND_DECIDE_CREATION].said_no;
    mend_decide_on_deaths(job.rank[0], death, 1);
    CHECK(!*said_no && job.comm[0]->decide->agreements[MEND_DECIDE_CREATION].said_no);
    mend_decide_on_deaths(job.rank[0], death, 2);
    CHECK(*said_no);
    mend_comm_put(c);
}

MEND_TEST_MAIN()
