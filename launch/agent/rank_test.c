/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_test.c – the table of rank_sm.c: what each state admits, the invariants of rank_sm.h, and stories. */
#include "base/test.h"
#include "agent/rank_sm.h"

#include <stddef.h>

#define AT(machine_)   offsetof(struct mend_rank_state, machine_)
#define STATES_MAX     8
#define SET(...)       set_of((int[]){__VA_ARGS__, -1})
#define STORY(s_, ...) story(s_, (int[]){__VA_ARGS__, -1})

static uint32_t set_of(const int *events)
{
    uint32_t set = 0;

    for (; *events >= 0; events++)
        set |= 1U << *events;
    return set;
}

/* Where an event leads in one state of one machine; -1: it means nothing there.  The others stay as they are. */
static int next(size_t machine, int state, enum mend_rank_event ev)
{
    struct mend_rank_state s = {0}, before;
    uint8_t *at = (uint8_t *)&s + machine;
    bool taken;

    *at = (uint8_t)state;
    before = s;
    taken = mend_rank_step(&s, ev);
    state = *at;
    if (!taken)
        CHECK(!memcmp(&s, &before, sizeof(s)));
    else if (state == ((uint8_t *)&before)[machine])
        return -1; /* of another machine */
    return taken ? state : -1;
}

static uint32_t admitted(size_t machine, int state)
{
    uint32_t set = 0;

    for (int ev = 0; ev < MEND_RANK_EVENTS; ev++)
        set |= (uint32_t)(next(machine, state, (enum mend_rank_event)ev) >= 0) << ev;
    return set;
}

/* Set of the states that can follow on one of a set, with itself. */
static uint32_t reached(size_t machine, uint32_t from)
{
    for (int round = 0; round < STATES_MAX; round++)
        for (int state = 0; state < STATES_MAX; state++)
            for (int ev = 0; from >> state & 1 && ev < MEND_RANK_EVENTS; ev++)
                if (next(machine, state, (enum mend_rank_event)ev) >= 0)
                    from |= 1U << next(machine, state, (enum mend_rank_event)ev);
    return from;
}

static bool comes_back(size_t machine, int state)
{
    uint32_t after = 0;

    for (int ev = 0; ev < MEND_RANK_EVENTS; ev++)
        if (next(machine, state, (enum mend_rank_event)ev) >= 0)
            after |= 1U << next(machine, state, (enum mend_rank_event)ev);
    return reached(machine, after) >> state & 1;
}

static void story(struct mend_rank_state *s, const int *events)
{
    for (; *events >= 0; events++)
        CHECK(mend_rank_step(s, (enum mend_rank_event) * events));
}

MEND_TEST(each_state_admits_what_the_picture_shows)
{
    CHECK_EQ(admitted(AT(child), MEND_CHILD_RUNNING), SET(MEND_RANK_STOPS, MEND_RANK_ENDS));
    CHECK_EQ(admitted(AT(child), MEND_CHILD_STOPPED), SET(MEND_RANK_RESUMES, MEND_RANK_ENDS));
    CHECK_EQ(admitted(AT(child), MEND_CHILD_ENDED), 0);
    CHECK_EQ(admitted(AT(who), MEND_WHO_SUPPOSED),
             SET(MEND_RANK_IS_WRAPPED, MEND_RANK_CHILD_JOINS, MEND_RANK_INNER_JOINS));
    CHECK_EQ(admitted(AT(who), MEND_WHO_SCRIPT), SET(MEND_RANK_CHILD_JOINS, MEND_RANK_INNER_JOINS));
    CHECK_EQ(admitted(AT(who), MEND_WHO_CHILD), 0);
    CHECK_EQ(admitted(AT(who), MEND_WHO_INNER), 0);
    CHECK_EQ(admitted(AT(mark), MEND_MARK_NONE),
             SET(MEND_RANK_MARK_EARLY, MEND_RANK_MARK_OTHERS, MEND_RANK_MARK, MEND_RANK_SURVIVES));
    CHECK_EQ(admitted(AT(mark), MEND_MARK_EARLY), SET(MEND_RANK_WORDS, MEND_RANK_SURVIVES));
    CHECK_EQ(admitted(AT(mark), MEND_MARK_HEARD),
             SET(MEND_RANK_MARK_OTHERS, MEND_RANK_MARK, MEND_RANK_SURVIVES));
    CHECK_EQ(admitted(AT(mark), MEND_MARK_THREADS), SET(MEND_RANK_THREADS_END, MEND_RANK_SURVIVES));
    CHECK_EQ(admitted(AT(mark), MEND_MARK_CERTAIN), SET(MEND_RANK_REASON, MEND_RANK_SURVIVES));
    CHECK_EQ(admitted(AT(mark), MEND_MARK_EXPLAINED), SET(MEND_RANK_SURVIVES));
    CHECK_EQ(admitted(AT(mark), MEND_MARK_SURVIVED), 0);
    CHECK_EQ(admitted(AT(ending), MEND_ENDING_UNKNOWN), SET(MEND_RANK_HOLD, MEND_RANK_TELL));
    CHECK_EQ(admitted(AT(ending), MEND_ENDING_HELD), SET(MEND_RANK_TELL));
    CHECK_EQ(admitted(AT(ending), MEND_ENDING_TOLD), 0);
    CHECK_EQ(admitted(AT(news), MEND_NEWS_NONE), SET(MEND_RANK_VERDICT, MEND_RANK_LINGER));
    CHECK_EQ(admitted(AT(news), MEND_NEWS_DEAD), SET(MEND_RANK_PRINT));
    CHECK_EQ(admitted(AT(news), MEND_NEWS_LINGERING), SET(MEND_RANK_PRINT));
    CHECK_EQ(admitted(AT(news), MEND_NEWS_PRINTED), 0);
}

MEND_TEST(each_state_can_be_reached)
{
    CHECK_EQ(reached(AT(child), 1), (1 << (MEND_CHILD_ENDED + 1)) - 1);
    CHECK_EQ(reached(AT(who), 1), (1 << (MEND_WHO_INNER + 1)) - 1);
    CHECK_EQ(reached(AT(mark), 1), (1 << (MEND_MARK_SURVIVED + 1)) - 1);
    CHECK_EQ(reached(AT(ending), 1), (1 << (MEND_ENDING_TOLD + 1)) - 1);
    CHECK_EQ(reached(AT(news), 1), (1 << (MEND_NEWS_PRINTED + 1)) - 1);
}

MEND_TEST(only_a_child_comes_back)
{
    CHECK(comes_back(AT(child), MEND_CHILD_STOPPED));
    for (int state = 0; state < STATES_MAX; state++)
        CHECK(!comes_back(AT(who), state) && !comes_back(AT(mark), state) &&
              !comes_back(AT(ending), state) && !comes_back(AT(news), state));
}

MEND_TEST(the_reason_waits_for_the_threads_and_comes_once)
{
    struct mend_rank_state s = {0};

    CHECK(!mend_rank_is_marked(&s));
    STORY(&s, MEND_RANK_MARK_OTHERS);
    CHECK(mend_rank_is_marked(&s) && !mend_rank_step(&s, MEND_RANK_REASON));
    STORY(&s, MEND_RANK_THREADS_END, MEND_RANK_REASON);
    CHECK(s.mark == MEND_MARK_EXPLAINED && !mend_rank_step(&s, MEND_RANK_REASON));
}

MEND_TEST(a_mark_is_acted_on_once_and_after_the_last_words)
{
    struct mend_rank_state s = {0};

    STORY(&s, MEND_RANK_MARK_EARLY);
    CHECK(!mend_rank_is_marked(&s) && !mend_rank_step(&s, MEND_RANK_MARK));
    STORY(&s, MEND_RANK_WORDS, MEND_RANK_MARK);
    CHECK(mend_rank_is_marked(&s) && !mend_rank_step(&s, MEND_RANK_MARK));
    CHECK(!mend_rank_step(&s, MEND_RANK_MARK_EARLY) && !mend_rank_step(&s, MEND_RANK_MARK_OTHERS));
}

MEND_TEST(a_script_whose_process_dies_after_it)
{
    struct mend_rank_state s = {0};

    STORY(&s, MEND_RANK_IS_WRAPPED);
    CHECK(s.who == MEND_WHO_SCRIPT);
    STORY(&s, MEND_RANK_INNER_JOINS, MEND_RANK_ENDS, MEND_RANK_HOLD);
    CHECK(s.who == MEND_WHO_INNER && s.ending == MEND_ENDING_HELD);
    STORY(&s, MEND_RANK_MARK, MEND_RANK_TELL, MEND_RANK_VERDICT, MEND_RANK_PRINT);
    CHECK(!mend_rank_step(&s, MEND_RANK_TELL) && !mend_rank_step(&s, MEND_RANK_PRINT));
}

MEND_TEST(the_word_of_a_child_ends_the_supposition_of_a_script)
{
    struct mend_rank_state s = {0};

    STORY(&s, MEND_RANK_IS_WRAPPED, MEND_RANK_CHILD_JOINS);
    CHECK(s.who == MEND_WHO_CHILD);
    CHECK(!mend_rank_step(&s, MEND_RANK_IS_WRAPPED) && !mend_rank_step(&s, MEND_RANK_INNER_JOINS));
}

MEND_TEST_MAIN()
