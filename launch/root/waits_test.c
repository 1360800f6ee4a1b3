/* SPDX-License-Identifier: BSD-3-Clause */
/* waits_test.c – who is asked what ranks wait for, and what is said of an agent that has not answered.
 *
 *   S5-19: the launcher works with several nodes as with one */
#include "base/test.h"
#include "base/time.h"
#include "root/root.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NODES 3
#define LATER (1000 * MEND_NS_PER_S)

static struct root root;
static struct root_node nodes[NODES];
static int64_t asked[NODES]; /* the last question that it got */
static char said[400];

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p != NULL);
    return p;
}

void mend_root_say(struct root *r, const char *format, ...)
{
    size_t len = strlen(said);
    va_list args;

    va_start(args, format);
    vsnprintf(said + len, sizeof(said) - len, format, args);
    va_end(args);
    strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

const char *mend_root_name_of(const struct root_node *node)
{
    return node->number ? "m" : "";
}

/* The first agent, in this process, runs as soon as all are told to start their ranks. */
bool mend_root_is_starting(const struct root *r)
{
    return r->node[0].state < NODE_RUNNING;
}

void mend_root_compare_calls(struct root *r, struct mend_root_call *all, int n)
{
}

static void deliver(void *to, const struct mend_message *m)
{
    const struct root_node *node = to;

    CHECK_EQ(m->kind, MEND_DOWN_WAITS);
    asked[node->number] = m->arg[0];
}

static void begin(enum root_node_state first, enum root_node_state second,
                  enum root_node_state third)
{
    const enum root_node_state states[NODES] = {first, second, third};

    if (root.waits)
        free(root.waits);
    memset(&root, 0, sizeof(root));
    root.node = nodes;
    root.nodes_n = NODES;
    for (int k = 0; k < NODES; k++) {
        nodes[k] = (struct root_node){.root = &root, .number = k, .state = states[k]};
        nodes[k].agent = (struct mend_post){deliver, &nodes[k]};
        asked[k] = 0;
    }
    said[0] = '\0';
    mend_root_ask_waits(&root);
}

static void answer(int k)
{
    mend_root_note_wait(
        &nodes[k],
        &(struct mend_message){
            .kind = MEND_UP_WAIT, .rank = 2 - k, .arg = {asked[k]}, .data = "waits", .len = 5});
    mend_root_note_wait(
        &nodes[k], &(struct mend_message){.kind = MEND_UP_ANSWERED, .rank = -1, .arg = {asked[k]}});
}

MEND_TEST(all_answer)
{
    begin(NODE_RUNNING, NODE_RUNNING, NODE_RUNNING);
    for (int k = 0; k < NODES; k++) {
        CHECK_EQ(asked[k], 1);
        CHECK(mend_root_look_at_waits(&root, 0) != MEND_TIME_NEVER && mend_root_is_asking(&root));
        answer(k);
    }
    CHECK(mend_root_look_at_waits(&root, 0) == MEND_TIME_NEVER && !mend_root_is_asking(&root));
    CHECK_STR(said, "mend:   rank 0 waits\nmend:   rank 1 waits\nmend:   rank 2 waits\n");
}

/* It was told to start its ranks, and has not said yet that it has. */
MEND_TEST(an_agent_that_starts_its_ranks_answers_then)
{
    begin(NODE_RUNNING, NODE_READY, NODE_RUNNING);
    CHECK_EQ(asked[1], 1);
    answer(0);
    answer(2);
    CHECK(mend_root_look_at_waits(&root, 0) != MEND_TIME_NEVER);
    nodes[1].state = NODE_RUNNING;
    answer(1);
    CHECK(mend_root_look_at_waits(&root, 0) == MEND_TIME_NEVER);
    CHECK_STR(said, "mend:   rank 0 waits\nmend:   rank 1 waits\nmend:   rank 2 waits\n");
}

/* Nothing runs anywhere. */
MEND_TEST(agents_that_are_not_there_yet)
{
    begin(NODE_READY, NODE_STARTING, NODE_READY);
    CHECK(!asked[0] && !asked[1] && !asked[2]);
    CHECK(mend_root_look_at_waits(&root, 0) == MEND_TIME_NEVER);
    CHECK_STR(said, "mend:   the agent of node 1 (m) has not started yet\n");
}

/* Ended or lost they are not waited for; silent they are named. */
MEND_TEST(agents_that_do_not_answer)
{
    begin(NODE_RUNNING, NODE_DONE, NODE_RUNNING);
    CHECK(!asked[1]);
    answer(0);
    nodes[2].state = NODE_LOST;
    CHECK(mend_root_look_at_waits(&root, 0) == MEND_TIME_NEVER);
    CHECK_STR(said, "mend:   rank 2 waits\n");
    begin(NODE_RUNNING, NODE_RUNNING, NODE_LOST);
    answer(0);
    CHECK(mend_root_look_at_waits(&root, 0) != MEND_TIME_NEVER);
    CHECK(mend_root_look_at_waits(&root, mend_time_monotonic_ns() + LATER) == MEND_TIME_NEVER);
    CHECK_STR(said, "mend:   rank 2 waits\nmend:   the agent of node 1 (m) does not answer\n");
}

MEND_TEST_MAIN()
