/* SPDX-License-Identifier: BSD-3-Clause */
/* lineage_test.c – the tree of agents, an orphan's search, and which nodes are lost with one, rule by rule; and random
 * histories.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-4: a lost node runs no code of the program, and no byte of it is accepted
 *   S5-6: of two parts of a network the one without the root ends, and the other one goes on */
#include "ft/lineage_sm.h"
#include "base/test.h"

#define N       15
#define L       UINT64_C(1000)
#define LONGEST UINT64_C(1003)

static const struct mend_lease_config config = {L, 100, 50, 500, 100, 5000, 1000, 200};

/* ---- the tree ---- */

MEND_TEST(each_node_is_started_by_one_other)
{
    for (int32_t radix = 1; radix <= 33; radix += 4)
        for (int32_t i = 0, next = 1; next < 200; i++)
            for (int32_t k = 0; k < radix; k++, next++) {
                CHECK_EQ(mend_lineage_parent(radix, next), i);
                CHECK(mend_lineage_is_ancestor(radix, i, next));
                CHECK(mend_lineage_is_ancestor(radix, 0, next));
                CHECK_EQ(mend_lineage_edges(radix, next), mend_lineage_edges(radix, i) + 1);
            }
    CHECK_EQ(mend_lineage_parent(32, 0), -1);
    CHECK(!mend_lineage_is_ancestor(2, 3, 3) && !mend_lineage_is_ancestor(2, 3, 1));
    CHECK(!mend_lineage_is_ancestor(2, 2, 3) && !mend_lineage_is_ancestor(2, -1, 3));
}

MEND_TEST(an_orphan_calls_its_parent_and_then_its_ancestors)
{
    static const struct {
        int32_t node, parent, calls[7];
    } rows[] =
        {
            {7, 3, {3, 1, 0, 3, 1, 0, 3}},
            {7, 1, {1, 3, 0, 1, 3, 0, 1}}, /* it was adopted by an ancestor */
            {7, 0, {0, 3, 1, 0, 3, 1, 0}},
            {2, 0, {0, 0, 0, 0, 0, 0, 0}},
            {3, 1, {1, 0, 1, 0, 1, 0, 1}},
        };

    for (size_t i = 0; i < MEND_COUNT_OF(rows); i++) {
        struct mend_lineage_search s;

        mend_lineage_begin(&s, 2, rows[i].node, rows[i].parent);
        for (size_t k = 0; k < MEND_COUNT_OF(rows[i].calls); k++)
            CHECK_EQ(mend_lineage_next(&s), rows[i].calls[k]);
    }
}

/* ---- the root ---- */

struct root {
    uint64_t store[128];
    struct mend_lineage_out out;
    char lost[128]; /* of the last step: their numbers */
};

static struct mend_lineage *of(struct root *r)
{
    return (struct mend_lineage *)r->store;
}

static void begin(struct root *r)
{
    CHECK(mend_lineage_size(N) <= sizeof(r->store));
    mend_lineage_init(of(r), &config, N, 2, 0);
    mend_lineage_check(of(r));
}

static void step(struct root *r, struct mend_lineage_event ev)
{
    int32_t node, n = 0;
    size_t len = 0;

    mend_lineage_step(of(r), &ev, &r->out);
    r->lost[0] = 0;
    for (; mend_lineage_lost(of(r), &node); n++)
        len +=
            (size_t)snprintf(r->lost + len, sizeof(r->lost) - len, "%s%d", n ? " " : "", (int)node);
    CHECK_EQ(n, r->out.lost_n);
    mend_lineage_check(of(r));
}

static struct mend_lease_turn turn(uint32_t n)
{
    return (struct mend_lease_turn){1, n};
}

static enum mend_lineage_answer adopt(struct root *r, mend_time_ns now, int32_t node, int32_t by,
                                      struct mend_lease_turn t)
{
    step(r, (struct mend_lineage_event){MEND_LINEAGE_EV_ADOPT, now, node, by, t});
    return r->out.answer;
}

static const char *lose(struct root *r, mend_time_ns now, int32_t node, int32_t by,
                        struct mend_lease_turn t)
{
    step(r, (struct mend_lineage_event){MEND_LINEAGE_EV_LOST, now, node, by, t});
    return r->lost;
}

static const char *gone(struct root *r, mend_time_ns now, int32_t node)
{
    step(r, (struct mend_lineage_event){MEND_LINEAGE_EV_GONE, now, node, -1, turn(0)});
    return r->lost;
}

static const char *tick(struct root *r, mend_time_ns now)
{
    step(r, (struct mend_lineage_event){.kind = MEND_LINEAGE_EV_TICK, .now = now});
    return r->lost;
}

/* S5-2 */
MEND_TEST(a_node_is_lost_with_all_below)
{
    static const struct {
        int32_t node;
        const char *lost;
    } rows[] = {{1, "1 3 4 7 8 9 10"}, {2, "2 5 6 11 12 13 14"}, {3, "3 7 8"}, {14, "14"}};
    struct root r;

    for (size_t i = 0; i < MEND_COUNT_OF(rows); i++) {
        int32_t node = rows[i].node, by = mend_lineage_parent(2, node);

        begin(&r);
        CHECK_STR(lose(&r, 10, node, by, turn(1)), rows[i].lost);
        CHECK_STR(lose(&r, 11, node, by, turn(1)), "");
        CHECK_STR(gone(&r, 12, node), "");
        CHECK_EQ(r.out.wake_at, MEND_TIME_NEVER);
    }
}

MEND_TEST(only_the_parent_of_the_turn_is_believed)
{
    struct root r;

    begin(&r);
    CHECK_STR(lose(&r, 10, 7, 1, turn(1)), ""); /* not its parent */
    CHECK_STR(lose(&r, 10, 7, 3, turn(2)), "");
    CHECK_STR(lose(&r, 10, 7, 3, (struct mend_lease_turn){2, 1}), "");
    CHECK_EQ(adopt(&r, 20, 7, 1, turn(2)), MEND_LINEAGE_ADOPTED);
    CHECK_STR(lose(&r, 30, 7, 3, turn(1)), ""); /* it has gone from there */
    CHECK_EQ(adopt(&r, 40, 7, 3, turn(3)), MEND_LINEAGE_ADOPTED);
    CHECK_STR(lose(&r, 50, 7, 3, turn(1)), ""); /* and come back */
    CHECK_STR(lose(&r, 60, 7, 1, turn(2)), "");
    CHECK_STR(lose(&r, 70, 7, 3, turn(3)), "7");
    CHECK_STR(lose(&r, 80, 0, 0, turn(1)), ""); /* no node, or no ancestor of it */
    CHECK_STR(lose(&r, 80, N, 1, turn(1)), "");
    CHECK_STR(lose(&r, 80, -1, 1, turn(1)), "");
    CHECK_STR(gone(&r, 80, 0), "");
    CHECK_STR(gone(&r, 80, N), "");
}

MEND_TEST(an_orphan_belongs_to_the_last_that_it_called)
{
    struct root r;

    begin(&r);
    CHECK_EQ(adopt(&r, 10, 7, 0, turn(4)), MEND_LINEAGE_ADOPTED);
    CHECK_EQ(adopt(&r, 10, 7, 1, turn(3)), MEND_LINEAGE_NO_ANSWER); /* was on its way for long */
    CHECK_EQ(adopt(&r, 10, 7, 1, turn(4)), MEND_LINEAGE_NO_ANSWER);
    CHECK_EQ(of(&r)->node[7].parent, 0);
    CHECK_EQ(adopt(&r, 10, 7, 2, turn(5)), MEND_LINEAGE_NO_ANSWER); /* no ancestor */
    CHECK_EQ(adopt(&r, 10, 7, 7, turn(5)), MEND_LINEAGE_NO_ANSWER);
    CHECK_EQ(adopt(&r, 10, 7, 1, (struct mend_lease_turn){2, 5}), MEND_LINEAGE_NO_ANSWER);
    CHECK_STR(lose(&r, 20, 1, 0, turn(1)), "1 3 4 8 9 10");
    CHECK_EQ(adopt(&r, 30, 7, 1, turn(5)), MEND_LINEAGE_NO_ANSWER); /* by one that is lost */
    CHECK_EQ(of(&r)->node[7].parent, 0);
}

/* S5-6 */
MEND_TEST(a_declared_node_is_never_adopted)
{
    struct root r;

    begin(&r);
    lose(&r, 10, 3, 1, turn(1));
    for (uint32_t t = 1; t < 4; t++) {
        CHECK_EQ(adopt(&r, 20, 7, 1, turn(t)), MEND_LINEAGE_DECLARED);
        CHECK_EQ(adopt(&r, 20, 3, 0, turn(t)), MEND_LINEAGE_DECLARED);
    }
}

/* S5-4: it has got its lease from another, and not yet lost it. */
MEND_TEST(a_node_that_was_adopted_lately_is_not_lost_with_its_new_parent)
{
    struct root r;

    begin(&r);
    CHECK_EQ(adopt(&r, 500, 3, 0, turn(2)), MEND_LINEAGE_ADOPTED);
    CHECK_EQ(adopt(&r, 600, 3, 1, turn(3)), MEND_LINEAGE_ADOPTED);
    CHECK_STR(lose(&r, 1000, 1, 0, turn(1)), "1 4 9 10");
    CHECK_EQ(r.out.wake_at, 600 + LONGEST);
    CHECK_STR(tick(&r, 600 + LONGEST - 1), "");
    CHECK_STR(tick(&r, 600 + LONGEST), "3 7 8");
    begin(&r);
    CHECK_EQ(adopt(&r, 500, 3, 0, turn(2)), MEND_LINEAGE_ADOPTED);
    CHECK_EQ(adopt(&r, 600, 3, 1, turn(3)), MEND_LINEAGE_ADOPTED);
    CHECK_STR(lose(&r, 600 + LONGEST, 1, 0, turn(1)), "1 3 4 7 8 9 10");
    begin(&r);
    CHECK_EQ(adopt(&r, 500, 7, 1, turn(2)), MEND_LINEAGE_ADOPTED);
    CHECK_STR(lose(&r, 501, 7, 1, turn(2)), "7"); /* who adopted it has waited as long */
}

MEND_TEST(the_children_of_one_that_is_gone_have_time_to_be_adopted)
{
    struct root r;

    begin(&r);
    CHECK_STR(gone(&r, 100, 1), "1");
    CHECK_EQ(r.out.wake_at, 100 + LONGEST);
    CHECK_EQ(adopt(&r, 110, 3, 0, turn(2)), MEND_LINEAGE_ADOPTED);
    CHECK_EQ(adopt(&r, 110, 9, 0, turn(2)), MEND_LINEAGE_ADOPTED); /* whose parent lives */
    CHECK_STR(tick(&r, 100 + LONGEST), "4 10");
    CHECK_EQ(r.out.wake_at, MEND_TIME_NEVER);
    CHECK_EQ(adopt(&r, 2000, 4, 0, turn(2)), MEND_LINEAGE_DECLARED);
    begin(&r);
    gone(&r, 100, 1);
    CHECK_STR(gone(&r, 200, 3), "3");               /* an orphan is gone, too */
    CHECK_STR(lose(&r, 300, 10, 4, turn(1)), "10"); /* a child of an orphan is lost to it */
    CHECK_STR(lose(&r, 400, 7, 3, turn(1)), "7");   /* said before 3 was gone */
    CHECK_STR(tick(&r, 100 + LONGEST), "4 9");
    CHECK_STR(tick(&r, 200 + LONGEST), "8");
}

MEND_TEST(what_is_due_comes_before_what_is_asked)
{
    struct root r;

    begin(&r);
    gone(&r, 100, 1);
    CHECK_EQ(adopt(&r, 100 + LONGEST, 3, 0, turn(2)), MEND_LINEAGE_DECLARED);
    CHECK_STR(r.lost, "3 4 7 8 9 10");
}

MEND_TEST(the_next_incarnation_is_another_node)
{
    struct mend_lease_turn next = {2, 1};
    struct root r;

    begin(&r);
    lose(&r, 10, 3, 1, turn(1));
    step(&r, (struct mend_lineage_event){MEND_LINEAGE_EV_STARTED, 20, 3, 0, {2, 0}});
    CHECK_EQ(adopt(&r, 30, 3, 1, turn(9)), MEND_LINEAGE_DECLARED); /* the old one */
    CHECK_STR(lose(&r, 30, 3, 0, turn(1)), "");
    CHECK_STR(gone(&r, 30, 3), "");
    CHECK_EQ(adopt(&r, 30, 3, 1, (struct mend_lease_turn){2, 2}), MEND_LINEAGE_ADOPTED);
    CHECK_STR(lose(&r, 30, 3, 0, next), "");
    CHECK_STR(lose(&r, 30, 3, 1, (struct mend_lease_turn){2, 2}),
              "3"); /* 7 and 8 were lost before */
}

MEND_TEST(a_node_may_be_started_again_while_it_has_orphans)
{
    struct root r;

    begin(&r);
    gone(&r, 100, 1);
    step(&r, (struct mend_lineage_event){MEND_LINEAGE_EV_STARTED, 200, 1, 0, {2, 0}});
    CHECK_EQ(r.out.wake_at, 100 + LONGEST);
    CHECK_EQ(adopt(&r, 300, 3, 1, turn(2)), MEND_LINEAGE_ADOPTED); /* by the new one */
    CHECK_STR(lose(&r, 400, 1, 0, (struct mend_lease_turn){2, 1}), "1");
    CHECK_STR(tick(&r, 100 + LONGEST), "4 9 10");
    CHECK_STR(tick(&r, 300 + LONGEST), "3 7 8");
}

/* ---- random histories ---- */

static uint32_t seed = 1;

static int32_t chance(int32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (int32_t)((seed >> 8) % (uint32_t)n);
}

static void start_again(struct root *r, mend_time_ns now, int32_t node, int32_t by)
{
    const struct mend_lineage *x = of(r);
    uint32_t incarnation = x->node[node].turn.incarnation + 1;

    tick(r, now);
    if (x->node[node].declared && !x->node[by].declared)
        step(r,
             (struct mend_lineage_event){MEND_LINEAGE_EV_STARTED, now, node, by, {incarnation, 0}});
}

/* Something happens, most often an adoption. */
static void play(struct root *r, mend_time_ns *now)
{
    int32_t node = 1 + chance(N - 1), by = mend_lineage_parent(2, node);
    struct mend_lineage *x = of(r);
    struct mend_lease_turn t = x->node[node].turn, next = {t.incarnation, t.turn + 1};

    *now += (mend_time_ns)chance(300);
    for (int32_t up = chance(3); up && by > 0; up--)
        by = mend_lineage_parent(2, by);
    switch (chance(9)) {
    case 0:
        lose(r, *now, node, by, t);
        break;
    case 1:
        step(r, (struct mend_lineage_event){MEND_LINEAGE_EV_GONE, *now, node, -1, t});
        break;
    case 2:
        tick(r, *now);
        break;
    case 3:
        start_again(r, *now, node, by);
        break;
    default:
        if (adopt(r, *now, node, by, next) == MEND_LINEAGE_ADOPTED)
            CHECK(!x->node[by].declared && x->node[node].parent == by);
    }
}

/* Nobody comes back but as another incarnation, and one whose parent is lost has a limited time. */
static void judge(struct root *r, uint32_t lost[N], mend_time_ns now)
{
    const struct mend_lineage *x = of(r);

    for (int32_t i = 1; i < N; i++) {
        const struct mend_lineage_node *q = &x->node[i];

        CHECK(q->declared || q->turn.incarnation > lost[i]);
        if (q->declared)
            lost[i] = q->turn.incarnation;
        if (!q->declared && x->node[q->parent].declared)
            CHECK(q->orphan_end > now);
        CHECK(!q->orphan_end || (q->orphan_end > now && q->orphan_end <= now + LONGEST));
    }
}

MEND_TEST(whatever_happens_each_node_is_someones_or_lost)
{
    for (int round = 0; round < 3000; round++) {
        uint32_t lost[N] = {0};
        mend_time_ns now = 0;
        struct root r;

        begin(&r);
        for (int k = 0; k < 60; k++) {
            play(&r, &now);
            judge(&r, lost, now);
        }
        tick(&r, now + LONGEST);
        CHECK_EQ(r.out.wake_at, MEND_TIME_NEVER);
        for (int32_t i = 1; i < N; i++)
            CHECK(of(&r)->node[i].declared || !of(&r)->node[of(&r)->node[i].parent].declared);
    }
}

MEND_TEST_MAIN()
