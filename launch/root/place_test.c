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
#include <stdarg.h>
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
static int32_t node_of[PLACES];
static int started_n;
static char why[MEND_SPAWN_WHY_BYTES];
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

char *mend_xprintf(const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    CHECK(vasprintf(&text, format, args) >= 0);
    va_end(args);
    return text;
}

/* The machine of mpiexec is also called "front". */
bool mend_host_is_here(const char *name)
{
    return !strcmp(name, "front");
}

bool mend_host_is_any(const char *name)
{
    return !strcmp(name, "localhost");
}

/* One of them may have a domain. */
bool mend_host_is_same(const char *a, const char *b)
{
    size_t len = strcspn(a, ".");

    return len == strcspn(b, ".") && !strncmp(a, b, len) && !(a[len] && b[len] && strcmp(a, b));
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

/* Behind the numbers of all blocks are the nodes. */
static void note_nodes(const struct mend_message *m)
{
    started_n = (int)m->arg[MEND_ACT_TOTAL];
    memset(on_node, 0, sizeof(on_node));
    memcpy(node_of, m->data + (size_t)m->arg[MEND_ACT_BLOCKS] * sizeof(int32_t),
           (size_t)started_n * sizeof(int32_t));
    for (int k = 0; k < started_n; k++)
        on_node[node_of[k]]++;
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
        note_nodes(m);
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

static void note_answer(const struct mend_message *m)
{
    size_t head = (size_t)m->arg[MEND_SPAWNED_ASKED] * sizeof(int32_t);

    memcpy(errors, m->data, head < sizeof(errors) ? head : sizeof(errors));
    snprintf(why, sizeof(why), "%.*s", (int)(m->len - head), m->data + head);
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
        note_answer(m);
    }
}

static void begin(void)
{
    static const char *const names[NODES] = {NULL, "m1", "m2.cluster"};

    root = (struct root){
        .o = &options, .node = nodes, .nodes_n = NODES, .rank = ranks, .n = 4, .report_fd = -1};
    root.places_n = PLACES;
    mend_list_init(&root.requests);
    for (int k = 0; k < NODES; k++) {
        nodes[k] = (struct root_node){.root = &root, .number = k, .state = NODE_RUNNING};
        nodes[k].agent = (struct mend_post){deliver, &nodes[k]};
        nodes[k].wire.fd = k ? 100 : -1;
        snprintf(nodes[k].host, sizeof(nodes[k].host), "own%d", k);
        hosts[k] =
            (struct mend_host){.name = names[k], .mentions = 1, .listed = true, .here = k == 0};
    }
    options.policy.oversubscribe = false;
    memset(told, 0, sizeof(told));
    memset(fails, 0, sizeof(fails));
    memset(errors, 0, sizeof(errors));
    memset(spares, 0, sizeof(spares));
    births_n = answers_n = 0;
    why[0] = '\0';
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

/* Asks from node `by` for n processes on these hosts. */
static void ask_on(int by, int n, const char *host)
{
    ask_for(by, &(struct mend_spawn_block){.asked_n = n, .command = "x", .host = host}, 1);
    mend_root_place(&root, now);
}

/* They are on these nodes, as digits in the order of the processes. */
static void check_nodes(const char *digits)
{
    char text[PLACES + 1] = "";

    for (int k = 0; k < started_n; k++)
        text[k] = (char)('0' + node_of[k]);
    text[started_n] = '\0';
    CHECK_STR(text, digits);
}

/* By the name in the list, with or without its domain, by the machine's own, by number; a name that all machines have is the asking one's. */
MEND_TEST(a_host_by_any_of_its_names)
{
    static const struct {
        const char *host, *nodes;
        int by;
    } good[] = {{"m1", "1", 0},      {"m2", "2", 0},        {"m2.cluster", "2", 0},
                {"own2", "2", 0},    {"own0", "0", 1},      {"front", "0", 2},
                {"node:1", "1", 0},  {"localhost", "2", 2}, {"localhost", "0", 0},
                {" m1 ,m1", "1", 0}, {"m1:3", "1", 0}};

    for (unsigned i = 0; i < MEND_COUNT_OF(good); i++) {
        begin();
        ask_on(good[i].by, 1, good[i].host);
        check_answer(MEND_SPAWN_STARTED, 1);
        check_nodes(good[i].nodes);
    }
}

/* In brackets, if a number follows. */
MEND_TEST(a_host_by_an_address_of_version_6)
{
    static const char *const good[] = {"fd77::2", "[fd77::2]", "m1,[fd77::2]:3"};
    static const char *const right[] = {"2", "2", "1222"};

    for (unsigned i = 0; i < MEND_COUNT_OF(good); i++) {
        begin();
        hosts[2].name = "fd77::2";
        ask_on(0, (int)strlen(right[i]), good[i]);
        check_nodes(right[i]);
    }
}

/* In equal shares, in the order of the list. */
MEND_TEST(a_list_of_hosts)
{
    begin();
    ask_on(0, 4, "m2,own0");
    check_nodes("2200");
    begin();
    ask_on(0, 4, "m1,m2,m1,m1");
    check_nodes("1112");
    begin();
    ask_on(0, 4, "m1:3,m2");
    check_nodes("1112");
}

/* Several machines that one stands for. */
MEND_TEST(all_nodes_of_one_machine_have_its_names)
{
    for (int i = 0; i < 2; i++) {
        begin();
        for (int k = 0; k < NODES; k++)
            hosts[k] = (struct mend_host){.mentions = 1, .listed = true, .here = true};
        ask_on(1, 3, i ? "localhost" : "front");
        check_answer(MEND_SPAWN_STARTED, 3);
        check_nodes("012");
    }
}

static void check_refused(const char *host, const char *text)
{
    ask_on(0, 2, host);
    check_answer(MEND_SPAWN_FAILED, 0);
    CHECK_STR(why, text);
    CHECK(errors[0] && errors[1] && !births_n && !told[1][MEND_STARTER_FIND]);
    CHECK_EQ(told[1][MEND_STARTER_COUNT], 1); /* it does not wait for anything */
}

MEND_TEST(a_host_that_is_not_there)
{
    static const char *const bad[] = {"m9", "m1,m9", "node:3", "node:", "node:70000", "m2.other"};

    for (unsigned i = 0; i < MEND_COUNT_OF(bad); i++) {
        const char *name = strchr(bad[i], ',') ? "m9" : bad[i];
        char text[200];

        begin();
        hopeful = true; /* it does not become room */
        snprintf(text, sizeof(text),
                 "host '%s' is not in this job, which runs on own0, m1, m2.cluster", name);
        check_refused(bad[i], text);
    }
    begin();
    hosts[0].listed = false;
    check_refused("front", "host 'front' is not in this job, which runs on m1, m2.cluster");
    begin();
    nodes[1].wire.broken = true;
    ask_on(0, 2, "m2,m1");
    check_answer(MEND_SPAWN_FAILED, 0);
    CHECK_STR(why, "host 'm1' is lost; this job runs on own0, m2.cluster");
    begin();
    check_refused("m1,m2:x", "'x' is not a number between 1 and 65535");
}

/* A host that is lost while a request for it waits for room there. */
MEND_TEST(a_host_is_lost_while_the_request_waits)
{
    begin();
    hosts[1].slots = 1;
    hosts[1].mentions = 0;
    hopeful = true;
    ask_on(0, 2, "m1");
    CHECK_EQ(answers_n, 0);
    nodes[1].wire.broken = true;
    mend_root_place(&root, now + MEND_NS_PER_MS);
    check_answer(MEND_SPAWN_FAILED, 0);
    CHECK_STR(why, "host 'm1' is lost; this job runs on own0, m2.cluster");
}

MEND_TEST(a_host_that_is_full)
{
    begin();
    hosts[1] = (struct mend_host){.name = "m1", .slots = 2, .listed = true};
    ask_on(0, 2, "m1");
    check_answer(MEND_SPAWN_FULL, 0);
    CHECK_STR(why, "on 'm1' there is room for 1 more process, not for 2 (mpiexec --oversubscribe)");
    answers_n = 0;
    ask_for(0,
            &(struct mend_spawn_block){.asked_n = 3, .command = "x", .host = "m1", .soft = "1:3"},
            1);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 1);
    CHECK(node_of[0] == 1 && errors[0] == 0 && errors[1] == ENOSPC && errors[2] == ENOSPC);
    answers_n = 0;
    ask_on(0, 3, "m1,m2");
    check_answer(MEND_SPAWN_STARTED, 3);
    check_nodes("122");
    begin();
    ask_on(0, 5, "m1"); /* the job is full, not the host */
    check_answer(MEND_SPAWN_FULL, 0);
    CHECK(said.arg[MEND_SPAWNED_ROOM] == 4 && !why[0]);
}

/* Their names are in the order of the blocks; the log of facts hears of each run of one node. */
MEND_TEST(each_block_has_its_hosts)
{
    static const struct mend_spawn_block blocks[] = {
        {.asked_n = 1, .command = "x", .host = "m2"},
        {.asked_n = 1, .command = "x"},
        {.asked_n = 2, .command = "x", .host = "m2,own0"},
    };

    begin();
    ask_for(0, blocks, 3);
    mend_root_place(&root, now);
    check_answer(MEND_SPAWN_STARTED, 4);
    check_nodes("2120");
    CHECK_EQ(births_n, 4);
    CHECK(ranks[4].node == 2 && ranks[5].node == 1 && ranks[6].node == 2 && ranks[7].node == 0);
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
    CHECK_STR(why, "on the hosts of the job there are slots for 1 more process, not for 2 (mpiexec "
                   "--oversubscribe, or more slots)");
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
            CHECK_STR(why, "node 1 (m1) was lost before all were started there");
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
