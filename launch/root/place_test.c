/* SPDX-License-Identifier: BSD-3-Clause */
/* place_test.c – requests for processes at the root, with agents that say what the test wants: the order of the acts, and that each
 * wait ends when a node is lost in the middle of any act.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
#include "root/root.h"

#include "base/test.h"
#include "base/time.h"
#include "ft/starter_sm.h"
#include "rt/spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define NODES  3
#define PLACES 8
#define NAMES  64
#define ACTS   (MEND_STARTER_END + 1)

static struct root root;
static struct root_node nodes[NODES];
static struct root_rank ranks[NAMES];
static struct mend_host hosts[NODES];
static struct mend_options options = {.hosts = {hosts, NODES}};
static mend_time_ns now;

/* What each agent was told, how often. */
static int told[NODES][ACTS], births_n, answers_n;
static int taken[NODES], spares[NODES], on_node[NODES],
    lost_at; /* lost_at: node 1 is lost when it is told that act; -1: never */
static bool hopeful, fails[ACTS], log_is_slow;
static struct mend_message said;
static int32_t errors[PLACES];

void *mend_xalloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

int mend_options_places(const struct mend_options *o)
{
    (void)o;
    return PLACES;
}

static bool names_guests;

bool mend_root_name_guests(struct root *r)
{
    (void)r;
    return !names_guests;
}

void mend_root_say(struct root *r, const char *format, ...)
{
    (void)r, (void)format;
}

void mend_root_line(struct root *r, mend_time_ns since, const char *text)
{
    (void)r, (void)since, (void)text;
}

static void on_act(struct root_node *node, const struct mend_message *m)
{
    enum mend_starter_act act = (enum mend_starter_act)m->arg[MEND_ACT_ACT];
    struct mend_message done = {.kind = MEND_UP_ACTED};

    told[node->number][act]++;
    if (node->number == 1 && lost_at == (int)act) {
        node->wire.broken = true;
        return;
    }
    if (act == MEND_STARTER_FIND)
        memcpy(on_node, m->data, sizeof(on_node));
    if (act == MEND_STARTER_START)
        CHECK_EQ(m->arg[MEND_ACT_COUNTER], 40);
    if (act >= MEND_STARTER_WITHDRAW)
        return;
    done.arg[MEND_ACTED_ACT] = act;
    done.arg[MEND_ACTED_GOOD] = act == MEND_STARTER_COUNT ? hopeful : !fails[act] || node->number;
    done.arg[MEND_ACTED_TAKEN] = taken[node->number];
    done.arg[MEND_ACTED_NAMES] = 4;
    done.arg[MEND_ACTED_SPARES] = spares[node->number];
    done.arg[MEND_ACTED_COUNTER] = act == MEND_STARTER_ADMIT && node->number == 0 ? 40 : 0;
    mend_root_acted(node, &done);
}

static void deliver(void *to, const struct mend_message *m)
{
    struct root_node *node = to;

    if (m->kind == MEND_DOWN_ACT) {
        on_act(node, m);
    } else if (m->kind == MEND_DOWN_BIRTH) {
        births_n++;
        if (!log_is_slow)
            root.logged_n = (int)(m->arg[1] + m->arg[2]);
    } else {
        CHECK_EQ(m->kind, MEND_DOWN_SPAWNED);
        answers_n++;
        said = *m;
        memcpy(errors, m->data, m->len < sizeof(errors) ? m->len : sizeof(errors));
    }
}

static void begin(void)
{
    root = (struct root){
        .o = &options, .node = nodes, .nodes_n = NODES, .rank = ranks, .n = 4, .report_fd = -1};
    root.places_n = PLACES;
    mend_list_init(&root.requests);
    for (int k = 0; k < NODES; k++) {
        nodes[k] = (struct root_node){.root = &root, .number = k, .state = NODE_RUNNING};
        nodes[k].agent = (struct mend_post){deliver, &nodes[k]};
        nodes[k].wire.fd = k ? 100 : -1;
        hosts[k] = (struct mend_host){.mentions = 1, .listed = true};
    }
    options.policy.oversubscribe = false;
    memset(told, 0, sizeof(told));
    memset(fails, 0, sizeof(fails));
    memset(errors, 0, sizeof(errors));
    memset(spares, 0, sizeof(spares));
    births_n = answers_n = 0;
    taken[0] = 2;
    taken[1] = taken[2] = 1;
    lost_at = -1;
    hopeful = log_is_slow = false;
    now = MEND_NS_PER_S;
}

static void ask_for(int by, const struct mend_spawn_block *blocks, int n)
{
    struct mend_spawn_file f;
    int fd = mend_spawn_write(blocks, n, 3, 1, &f);

    mend_root_asked(&nodes[by], &(struct mend_message){.rank = 3,
                                                       .arg = {by + 70},
                                                       .data = (const char *)f.h,
                                                       .len = (uint32_t)f.bytes});
    mend_spawn_unmap(&f);
    close(fd);
}

static void ask(int by, int n, const char *soft)
{
    ask_for(by, &(struct mend_spawn_block){.asked_n = n, .command = "x", .soft = soft}, 1);
}

static void check_answer(enum mend_spawn_answer what, int n)
{
    CHECK_EQ(answers_n, 1);
    CHECK_EQ(said.arg[MEND_SPAWNED_ANSWER], what);
    CHECK_EQ(said.arg[MEND_SPAWNED_N], n);
    CHECK(!root.request && mend_list_empty(&root.requests));
}

/* The first node is full, the second has room for one more, and the third is none for ranks. */
MEND_TEST(slots)
{
    begin();
    hosts[0] = (struct mend_host){.slots = 2, .listed = true};
    hosts[1] = (struct mend_host){.slots = 2, .slots_max = 4, .listed = true};
    hosts[2].listed = false;
    ask(1, 1, NULL);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 1);
    CHECK(on_node[0] == 0 && on_node[1] == 1 && on_node[2] == 0);
    begin();
    ask(1, 2, NULL);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 2);
    begin();
    hosts[0] = (struct mend_host){.slots = 2, .listed = true};
    hosts[1] = (struct mend_host){.slots = 2, .slots_max = 4, .listed = true};
    hosts[2].listed = false;
    ask(1, 2, NULL);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_FULL, 0);
    CHECK_EQ(said.arg[MEND_SPAWNED_ROOM], 1);
    hosts[0].slots_max = 2;
    options.policy.oversubscribe = true;
    answers_n = 0;
    ask(1, 3, NULL);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 3);
    CHECK(on_node[0] == 0 && on_node[1] == 3 && on_node[2] == 0);
}

/* A spare node is the emptiest. */
MEND_TEST(spare_nodes)
{
    begin();
    taken[2] = 0;
    hosts[2].spare = true;
    ask(0, 1, NULL);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 1);
    CHECK(on_node[0] == 0 && on_node[1] == 0 && on_node[2] == 1);
}

MEND_TEST(the_emptiest_nodes_are_chosen)
{
    begin();
    ask(1, 3, NULL);
    CHECK_EQ(mend_root_place(&root, now), MEND_TIME_NEVER);
    check_answer(MEND_SPAWN_STARTED, 3);
    CHECK_EQ(said.arg[MEND_SPAWNED_NUMBER], 71);
    CHECK_EQ(said.arg[MEND_SPAWNED_FIRST], 4);
    CHECK(on_node[0] == 1 && on_node[1] == 1 && on_node[2] == 1);
    CHECK(ranks[4].node == 0 && ranks[5].node == 1 && ranks[6].node == 2);
    CHECK_EQ(births_n, 3);
    for (int k = 0; k < NODES; k++)
        CHECK(told[k][MEND_STARTER_START] == 1 && told[k][MEND_STARTER_WITHDRAW] == 0 &&
              told[k][MEND_STARTER_END] == 1);
}

/* Both give names. */
MEND_TEST(a_request_waits_for_guests_to_be_named)
{
    begin();
    names_guests = true;
    ask(1, 3, NULL);
    CHECK_EQ(mend_root_place(&root, now), MEND_TIME_NEVER);
    CHECK_EQ(answers_n, 0);
    CHECK_EQ(told[0][MEND_STARTER_COUNT], 0);
    names_guests = false;
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 3);
}

MEND_TEST(a_replacement_goes_where_a_spare_is)
{
    static const struct mend_spawn_block lost[] = {
        {.asked_n = 1, .again = true, .seat = {1, 1}},
        {.asked_n = 1, .again = true, .seat = {2, 2}},
    };

    begin();
    spares[0] = 1;
    ask_for(1, lost, 2);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 2);
    CHECK(on_node[0] == 1 && on_node[1] == 1 && on_node[2] == 0);
    begin();
    spares[0] = 2;
    ask(1, 2, NULL);
    mend_root_place(&root, now);
    CHECK(on_node[0] == 0 && on_node[1] == 1 && on_node[2] == 1);
}

MEND_TEST(nothing_starts_before_the_log_has_the_names)
{
    begin();
    log_is_slow = true;
    ask(2, 2, NULL);
    mend_root_place(&root, now);
    CHECK(births_n == 2 && !told[0][MEND_STARTER_START] && !answers_n);
    root.logged_n = 5;
    mend_root_place(&root, now);
    CHECK(births_n == 2 && !told[0][MEND_STARTER_START]);
    root.logged_n = 6;
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 2);
}

MEND_TEST(a_node_that_is_lost_before_the_log_has_the_names)
{
    begin();
    log_is_slow = true;
    ask(2, 2, NULL);
    mend_root_place(&root, now);
    nodes[1].wire.broken = true;
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_FAILED, 0);
    CHECK(errors[0] == EHOSTDOWN && told[0][MEND_STARTER_END] == 1 && !told[0][MEND_STARTER_START]);
}

/* One that is lost while places are counted starts nothing; later the request fails. */
MEND_TEST(a_node_that_is_lost_in_each_act)
{
    for (int act = MEND_STARTER_COUNT; act <= MEND_STARTER_START; act++) {
        if (act == MEND_STARTER_HOLD)
            continue;
        begin();
        lost_at = act;
        ask(2, 2, NULL);
        mend_root_place(&root, now);
        if (act == MEND_STARTER_COUNT) {
            check_answer(MEND_SPAWN_STARTED, 2);
            CHECK(on_node[0] == 1 && on_node[1] == 0 && on_node[2] == 1);
        } else {
            check_answer(MEND_SPAWN_FAILED, 0);
            CHECK_EQ(errors[1], EHOSTDOWN);
        }
        CHECK_EQ(told[2][MEND_STARTER_WITHDRAW], act == MEND_STARTER_START);
        CHECK_EQ(told[2][MEND_STARTER_END], 1);
    }
}

MEND_TEST(an_agent_that_cannot)
{
    for (int act = MEND_STARTER_FIND; act <= MEND_STARTER_START; act++) {
        begin();
        fails[act] = true;
        ask(2, 2, NULL);
        mend_root_place(&root, now);
        check_answer(MEND_SPAWN_FAILED, 0);
        CHECK_EQ(errors[0], 0);
    }
}

MEND_TEST(a_full_job)
{
    begin();
    ask(0, 5, NULL);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_FULL, 0);
    CHECK_EQ(said.arg[MEND_SPAWNED_ROOM], 4);
    CHECK_EQ(told[1][MEND_STARTER_COUNT], 2); /* also for places of those that have left */
    begin();
    ask(0, 5, "1:5");
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 4);
    CHECK(errors[3] == 0 && errors[4] == ENOSPC);
}

/* While it may get room the others are carried out. */
MEND_TEST(a_request_that_waits_for_room)
{
    mend_time_ns next;

    begin();
    hopeful = true;
    ask(0, 5, NULL);
    ask(1, 1, NULL);
    next = mend_root_place(&root, now);
    CHECK(next > now && next < now + MEND_NS_PER_S);
    CHECK(answers_n == 1 && said.arg[MEND_SPAWNED_NUMBER] == 71);
    taken[0] = 1;
    mend_root_place(&root, next);
    CHECK(answers_n == 2 && said.arg[MEND_SPAWNED_NUMBER] == 70);
    CHECK_EQ(said.arg[MEND_SPAWNED_ANSWER], MEND_SPAWN_STARTED);
}

MEND_TEST(a_request_that_waits_in_vain)
{
    begin();
    hopeful = true;
    ask(0, 5, NULL);
    for (int i = 0; i < 100000 && !answers_n; i++)
        now = mend_root_place(&root, now);
    check_answer(MEND_SPAWN_FULL, 0);
}

MEND_TEST(the_node_of_the_rank_that_asks_is_lost)
{
    begin();
    ask(1, 2, NULL);
    nodes[1].wire.broken = true;
    mend_root_place(&root, now);
    CHECK(answers_n == 0 && told[0][MEND_STARTER_COUNT] == 0 && !root.request);
}

MEND_TEST_MAIN()
