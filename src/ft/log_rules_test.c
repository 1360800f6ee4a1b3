/* SPDX-License-Identifier: BSD-3-Clause */
/* log_rules_test.c – single rules of the log: what one agent does with what it is told.  log_test.c tries all orders. */
#include "ft/log_sm.h"
#include "base/test.h"

#define AGENTS 4
#define NAMES  8

struct agent {
    uint64_t memory[400];
    uint64_t applied;
    int32_t refused;
    int passed;
};

static struct mend_log *of(struct agent *a)
{
    return (struct mend_log *)(void *)a->memory;
}

static struct mend_log_config config_of(int me)
{
    return (struct mend_log_config){.me = me,
                                    .agents_n = AGENTS,
                                    .names_n = NAMES,
                                    .children_max = 3,
                                    .entries_words = 100,
                                    .proposals_words = 40,
                                    .batch_words = 50,
                                    .entries_per_ack = 1};
}

static void begin(struct agent *a, int me)
{
    struct mend_log_config config = config_of(me);

    memset(a, 0, sizeof(*a));
    memset(a->memory, 0xa5, sizeof(a->memory));
    a->refused = MEND_LOG_NOBODY;
    CHECK(mend_log_size(&config) <= sizeof(a->memory));
    mend_log_init(of(a), &config);
}

static void step(struct agent *a, struct mend_log_event ev)
{
    struct mend_log_act act;

    mend_log_step(of(a), &ev);
    while (mend_log_next(of(a), &act)) {
        if (act.kind == MEND_LOG_APPLY) {
            CHECK_EQ(act.number, a->applied + 1);
            a->applied = act.number;
        }
        if (act.kind == MEND_LOG_REFUSE)
            a->refused = act.agent;
        a->passed += act.kind == MEND_LOG_PASS;
    }
    mend_log_check(of(a));
}

static void tell(struct agent *a, enum mend_log_event_kind kind, int other, uint64_t have)
{
    step(a, (struct mend_log_event){.kind = kind, .agent = other, .have = have});
}

static void propose(struct agent *a, enum mend_fact_kind kind, int agent, uint64_t context)
{
    step(a, (struct mend_log_event){.kind = MEND_LOG_PROPOSE,
                                    .what = {.kind = kind, .agent = agent, .context = context}});
}

static void hear(struct agent *a, int from, struct mend_log_msg msg)
{
    step(a, (struct mend_log_event){.kind = MEND_LOG_HEARD, .agent = from, .msg = &msg});
}

static void hear_fact(struct agent *a, int from, struct mend_log_msg msg, struct mend_fact f)
{
    msg.facts = (const uint64_t *)(const void *)&f;
    msg.facts_n = 1;
    hear(a, from, msg);
}

/* What it has to say to one; false: nothing. */
static bool says(struct agent *a, int to, struct mend_log_msg *msg_p)
{
    int32_t to_p;

    return mend_log_send(of(a), &to_p, msg_p) && to_p == to;
}

static void join(struct agent *a, int child, uint64_t have, uint64_t min)
{
    hear(a, child, (struct mend_log_msg){.joins = true, .number = have, .min = min});
}

/* Agents of large jobs have megabytes of it, and touching them takes longer than the rest of their start. */
MEND_TEST(the_store_of_a_log_is_not_touched_before_it_is_used)
{
    struct mend_log_config config = config_of(2);
    struct agent a;

    begin(&a, 2);
    for (size_t i = sizeof(struct mend_log) / 8; i < mend_log_size(&config) / 8; i++)
        CHECK_EQ(a.memory[i], 0xa5a5a5a5a5a5a5a5);
}

MEND_TEST(a_root_alone_applies_what_it_proposes_at_once)
{
    struct agent a;
    struct mend_log_msg msg;

    begin(&a, 0);
    for (uint64_t i = 1; i <= 1000; i++) {
        CHECK(mend_log_has_room(of(&a), 0));
        propose(&a, MEND_FACT_REVOKED, 0, i);
        CHECK_EQ(a.applied, i);
        CHECK_EQ(of(&a)->entries.facts_n + of(&a)->proposals.facts_n, 0);
    }
    CHECK(!says(&a, 1, &msg));
}

MEND_TEST(entries_that_wait_leave_in_one_message)
{
    struct agent a;
    struct mend_log_msg msg;

    begin(&a, 0);
    join(&a, 1, 0, 0);
    for (uint64_t i = 1; i <= 5; i++)
        propose(&a, MEND_FACT_REVOKED, 0, i);
    CHECK(says(&a, 1, &msg));
    CHECK(msg.down && msg.number == 1 && msg.facts_n == 5);
    CHECK(!says(&a, 1, &msg));
    for (uint64_t i = 6; i <= 13; i++)
        propose(&a, MEND_FACT_REVOKED, 0, i);
    CHECK(says(&a, 1, &msg)); /* a message takes 50 words, and 7 are one fact */
    CHECK(msg.number == 6 && msg.facts_n == 7);
    CHECK(says(&a, 1, &msg));
    CHECK(msg.number == 13 && msg.facts_n == 1);
}

MEND_TEST(one_that_lacks_what_is_gone_is_refused)
{
    struct agent a;

    begin(&a, 0);
    propose(&a, MEND_FACT_REVOKED, 0, 1);
    join(&a, 1, 0, 0);
    CHECK_EQ(a.refused, 1);
    CHECK(!mend_log_child(of(&a), 1));
    join(&a, 2, 1, 1);
    CHECK(mend_log_child(of(&a), 2)->open);
    join(&a, 3, 1, 0); /* one below it does */
    CHECK_EQ(a.refused, 3);
}

MEND_TEST(what_an_awaited_child_lacks_is_kept)
{
    struct agent a;

    begin(&a, 0);
    tell(&a, MEND_LOG_EXPECT, 1, 0);
    propose(&a, MEND_FACT_REVOKED, 0, 1);
    join(&a, 1, 0, 0);
    CHECK_EQ(a.refused, MEND_LOG_NOBODY);
    tell(&a, MEND_LOG_LOST, 1, 0);
    join(&a, 2, 0, 0); /* was below it */
    hear(&a, 2, (struct mend_log_msg){.number = 1, .min = 0});
    CHECK_EQ(of(&a)->entries.facts_n, 1);
    tell(&a, MEND_LOG_SETTLED, 1, 0);
    CHECK_EQ(of(&a)->entries.facts_n, 1);
}

MEND_TEST(a_child_that_is_there_again_is_not_forgotten)
{
    struct agent a;

    begin(&a, 0);
    join(&a, 1, 0, 0);
    tell(&a, MEND_LOG_LOST, 1, 0);
    join(&a, 1, 0, 0);
    tell(&a, MEND_LOG_SETTLED, 1, 0);
    CHECK(mend_log_child(of(&a), 1)->open);
}

MEND_TEST(there_is_no_room_for_more_children)
{
    struct agent a;

    begin(&a, 0);
    for (int child = 1; child <= 4; child++)
        join(&a, child, 0, 0);
    CHECK_EQ(a.refused, 4);
}

MEND_TEST(nothing_of_a_lost_agent_counts)
{
    struct agent a;
    struct mend_fact f = {.kind = MEND_FACT_REVOKED, .by = 2, .seq = 1, .context = 7};

    begin(&a, 0);
    join(&a, 1, 0, 0);
    propose(&a, MEND_FACT_LOST, 2, 0);
    hear_fact(&a, 1, (struct mend_log_msg){0}, f);
    CHECK_EQ(a.applied, 1);
    join(&a, 2, 1, 1);
    CHECK_EQ(a.refused, 2);
    f.by = AGENTS;
    hear_fact(&a, 1, (struct mend_log_msg){0}, f);
    hear_fact(&a, 3, (struct mend_log_msg){0},
              (struct mend_fact){.kind = MEND_FACT_REVOKED, .by = 3, .seq = 1});
    CHECK_EQ(a.applied, 1); /* 3 is not a child */
}

MEND_TEST(an_agent_that_is_lost_falls_silent)
{
    struct agent a;
    struct mend_log_msg msg;
    struct mend_fact two[2] = {{.kind = MEND_FACT_LOST, .by = 1, .agent = 2},
                               {.kind = MEND_FACT_REVOKED, .by = 1}};

    begin(&a, 2);
    tell(&a, MEND_LOG_PARENT, 1, 0);
    CHECK(says(&a, 1, &msg));
    hear(&a, 1,
         (struct mend_log_msg){
             .down = true, .number = 1, .facts_n = 2, .facts = (const uint64_t *)(void *)two});
    CHECK_EQ(a.applied, 1);
    CHECK(of(&a)->ended && !mend_log_has_room(of(&a), 0));
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 2}, two[1]);
    CHECK_EQ(a.applied, 1);
    CHECK(!says(&a, 1, &msg));
}

MEND_TEST(an_entry_out_of_order_is_asked_for_once)
{
    struct agent a;
    struct mend_log_msg msg;
    struct mend_fact f = {.kind = MEND_FACT_REVOKED};

    begin(&a, 2);
    tell(&a, MEND_LOG_PARENT, 1, 0);
    CHECK(says(&a, 1, &msg) && msg.joins);
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 2}, f);
    CHECK(!says(&a, 1, &msg)); /* it has asked already */
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 1}, f);
    CHECK_EQ(a.applied, 1);
    CHECK(says(&a, 1, &msg) && !msg.joins && msg.min == 1);
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 1}, f);
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 3}, f);
    CHECK_EQ(a.applied, 1);
    CHECK(says(&a, 1, &msg) && msg.joins && msg.number == 1);
    hear_fact(&a, 3, (struct mend_log_msg){.down = true, .number = 2}, f);
    CHECK_EQ(a.applied, 1); /* it is not the parent */
}

MEND_TEST(what_all_have_is_said_after_so_many_entries)
{
    struct agent a;
    struct mend_log_config config = config_of(2);
    struct mend_log_msg msg;
    struct mend_fact f = {.kind = MEND_FACT_REVOKED};

    begin(&a, 2);
    config.entries_per_ack = 3;
    mend_log_init(of(&a), &config);
    tell(&a, MEND_LOG_PARENT, 1, 0);
    CHECK(says(&a, 1, &msg));
    for (uint64_t number = 1; number <= 2; number++) {
        hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = number}, f);
        CHECK(!says(&a, 1, &msg));
    }
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 3}, f);
    CHECK(says(&a, 1, &msg) && msg.min == 3);
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .press = true, .number = 4}, f);
    CHECK(says(&a, 1, &msg) && msg.min == 4);
}

/* The first entry left when there was room; the second does not fit until the child says that it has the first. */
MEND_TEST(who_lacks_room_presses_its_children)
{
    static const struct mend_fact_run runs[5] = {
        {0, 1, 0, 1}, {1, 1, 0, 2}, {2, 1, 0, 3}, {3, 1, 0, 4}, {4, 1, 0, 5}};
    struct mend_log_config config = config_of(0);
    struct mend_log_event ev = {
        .kind = MEND_LOG_PROPOSE, .runs = runs, .what = {.kind = MEND_FACT_NAMES, .runs_n = 5}};
    struct mend_log_msg msg;
    struct agent a;

    begin(&a, 0);
    config.entries_words = 23;
    mend_log_init(of(&a), &config);
    step(&a, ev);
    join(&a, 1, 1, 1);
    propose(&a, MEND_FACT_REVOKED, 0, 1);
    propose(&a, MEND_FACT_REVOKED, 0, 2);
    CHECK(says(&a, 1, &msg) && msg.facts_n == 2);
    hear(&a, 1, (struct mend_log_msg){.number = 2, .min = 2});
    ev.what.kind = MEND_FACT_ABORT;
    step(&a, ev);
    CHECK_EQ(a.applied, 3);
    CHECK(of(&a)->thirsty);
    CHECK(says(&a, 1, &msg) && msg.press && msg.facts_n == 0);
    hear(&a, 1, (struct mend_log_msg){.number = 3, .min = 3});
    CHECK_EQ(a.applied, 4);
    CHECK_EQ(of(&a)->proposals.facts_n, 0);
}

MEND_TEST(pressure_is_passed_on)
{
    struct agent a;
    struct mend_log_msg msg;

    begin(&a, 2);
    tell(&a, MEND_LOG_PARENT, 1, 0);
    join(&a, 3, 0, 0);
    CHECK(says(&a, 1, &msg));
    hear_fact(&a, 1, (struct mend_log_msg){.down = true, .number = 1},
              (struct mend_fact){.kind = MEND_FACT_REVOKED});
    CHECK(says(&a, 3, &msg) && msg.facts_n == 1 && !msg.press);
    hear(&a, 1, (struct mend_log_msg){.down = true, .press = true, .number = 2});
    CHECK(says(&a, 3, &msg) && msg.facts_n == 0 && msg.press);
}

/* What is said to have been had does not get less, nor more than was sent. */
MEND_TEST(a_child_cannot_take_back_what_it_has)
{
    struct agent a;
    struct mend_log_msg msg;

    begin(&a, 0);
    join(&a, 1, 0, 0);
    propose(&a, MEND_FACT_REVOKED, 0, 1);
    propose(&a, MEND_FACT_REVOKED, 0, 2);
    CHECK(says(&a, 1, &msg));
    hear(&a, 1, (struct mend_log_msg){.number = 1, .min = 1});
    hear(&a, 1, (struct mend_log_msg){.number = 2, .min = 0});
    hear(&a, 1, (struct mend_log_msg){.number = 9, .min = 9});
    CHECK_EQ(mend_log_child(of(&a), 1)->min, 1);
    CHECK_EQ(of(&a)->entries.facts_n, 1);
}

MEND_TEST(proposals_are_bounded)
{
    struct agent a;
    int n = 0;

    begin(&a, 2);
    for (; mend_log_has_room(of(&a), 0); n++)
        propose(&a, MEND_FACT_REVOKED, 0, (uint64_t)n);
    CHECK_EQ(n, 40 / 7);
    CHECK_EQ(of(&a)->proposals.facts_n, n);
}

MEND_TEST(what_children_propose_goes_on_at_once)
{
    struct agent a;
    struct mend_log_msg msg;
    struct mend_fact f = {.kind = MEND_FACT_REVOKED, .by = 3, .seq = 1};

    begin(&a, 2);
    join(&a, 3, 0, 0);
    hear_fact(&a, 3, (struct mend_log_msg){0}, f);
    CHECK_EQ(a.passed, 0); /* to nobody */
    tell(&a, MEND_LOG_PARENT, 1, 0);
    CHECK(says(&a, 1, &msg) && msg.joins);
    CHECK(says(&a, 3, &msg) && msg.again); /* so it is said again */
    hear_fact(&a, 3, (struct mend_log_msg){0}, f);
    CHECK_EQ(a.passed, 1);
    CHECK_EQ(of(&a)->proposals.facts_n, 0);
}

MEND_TEST(a_log_in_words)
{
    struct agent a;
    char buf[200];

    begin(&a, 0);
    join(&a, 1, 0, 0);
    propose(&a, MEND_FACT_REVOKED, 0, 1);
    mend_log_print(of(&a), buf, sizeof(buf));
    CHECK_STR(buf, "log of agent 0 parent -1: 1 entries, 1 kept, 7 words; all have 0; proposes 0");
}

MEND_TEST_MAIN()
