/* SPDX-License-Identifier: BSD-3-Clause */
/* guests_test.c – names for processes of connected jobs: one link after the other, no agent left out, none waited for that is lost.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
#include "base/test.h"
#include "root/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NODES 3

static struct root root;
static struct root_node nodes[NODES];
static struct root_rank ranks[MEND_NODE_NAMES];
static int named_n[NODES], births_n, admitted_n;
static int64_t first, born, job, error;

void *mend_xalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);

    CHECK(p != NULL);
    return p;
}

static void deliver(void *to, const struct mend_message *m)
{
    const struct root_node *node = to;

    if (m->kind == MEND_DOWN_GUESTS) {
        named_n[node->number]++;
        first = m->arg[0];
        CHECK(m->len == 4 && !memcmp(m->data, "runs", 4));
    } else if (m->kind == MEND_DOWN_BIRTH) {
        births_n++;
        CHECK_EQ(m->arg[0], 0);
        CHECK_EQ(m->arg[1], first);
        born = m->arg[2];
    } else if (m->kind == MEND_DOWN_ADMITTED) {
        admitted_n++;
        job = m->arg[0];
        error = m->arg[1];
    }
}

static void begin(void)
{
    memset(&root, 0, sizeof(root));
    memset(ranks, 0, sizeof(ranks));
    root.node = nodes;
    root.nodes_n = NODES;
    root.rank = ranks;
    root.n = 4;
    mend_list_init(&root.guests);
    for (int k = 0; k < NODES; k++) {
        nodes[k] = (struct root_node){
            .root = &root, .number = k, .state = NODE_RUNNING, .wire.fd = k ? 99 : -1};
        nodes[k].agent = (struct mend_post){deliver, &nodes[k]};
        named_n[k] = 0;
    }
    births_n = admitted_n = 0;
}

static void ask(int n, int64_t other)
{
    mend_root_guests_asked(
        &root, &(struct mend_message){
                   .kind = MEND_UP_GUESTS, .arg = {n, other}, .data = "runs", .len = 4});
}

static void say_named(int k)
{
    nodes[k].is_asked = false;
}

MEND_TEST(all_agents_and_then_the_log)
{
    begin();
    ask(3, 7);
    ask(2, 8);
    CHECK(!mend_root_name_guests(&root));
    CHECK(named_n[0] == 1 && named_n[1] == 1 && named_n[2] == 1);
    CHECK_EQ(first, 4);
    CHECK(ranks[4].guest && ranks[6].guest && !ranks[3].guest && !ranks[7].guest);
    say_named(0);
    say_named(2);
    CHECK(!mend_root_name_guests(&root));
    CHECK_EQ(births_n, 0); /* one does not know them yet */
    say_named(1);
    CHECK(!mend_root_name_guests(&root));
    CHECK(!mend_root_name_guests(&root));
    CHECK_EQ(births_n, 1);
    CHECK_EQ(born, 3);
    CHECK_EQ(admitted_n, 0);
    root.logged_n = 7;
    CHECK(!mend_root_name_guests(&root)); /* the next link */
    CHECK(admitted_n == 1 && job == 7 && !error);
    CHECK_EQ(first, 7);
    CHECK_EQ(root.n, 9);
}

MEND_TEST(an_agent_that_is_lost_is_not_waited_for)
{
    begin();
    nodes[1].state = NODE_LOST;
    ask(1, 7);
    CHECK(!mend_root_name_guests(&root));
    CHECK_EQ(named_n[1], 0);
    say_named(0);
    nodes[2].state = NODE_LOST;
    CHECK(!mend_root_name_guests(&root));
    root.logged_n = 5;
    CHECK(mend_root_name_guests(&root));
    CHECK_EQ(admitted_n, 1);
}

MEND_TEST(there_are_no_names_left)
{
    begin();
    root.n = (int)MEND_NODE_NAMES - 2;
    ask(3, 7);
    CHECK(mend_root_name_guests(&root));
    CHECK(admitted_n == 1 && error == ENOSPC);
    CHECK_EQ(named_n[0], 0);
    ask(2, 7);
    CHECK(!mend_root_name_guests(&root));
    CHECK_EQ(named_n[0], 1);
}

MEND_TEST_MAIN()
