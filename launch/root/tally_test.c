/* SPDX-License-Identifier: BSD-3-Clause */
/* tally_test.c – numbers that the root keeps for ranks: each question has its effect once, in the order in which they come, and is answered
 * with what the number was before, at the node that asked.
 *
 *   S5-22: a file's shared position and what sync reports survive the loss of a node */
#include "root/root.h"

#include "base/test.h"
#include "rt/tally.h"

#include <stdlib.h>

#define NODES 2

static struct root root;
static struct root_node nodes[NODES];
static struct mend_message told[NODES];
static int told_n[NODES];

void *mend_xalloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

static void deliver(void *to, const struct mend_message *m)
{
    int k = ((struct root_node *)to)->number;

    CHECK_EQ(m->kind, MEND_DOWN_TALLIED);
    told[k] = *m;
    told_n[k]++;
}

static void open_job(void)
{
    root = (struct root){.node = nodes, .nodes_n = NODES};
    mend_list_init(&root.tallies);
    mend_list_init(&root.questions);
    for (int k = 0; k < NODES; k++) {
        nodes[k] = (struct root_node){.root = &root, .number = k};
        nodes[k].agent = (struct mend_post){deliver, &nodes[k]};
        told_n[k] = 0;
    }
}

static void ask(int node, int64_t of, enum mend_tally how, int64_t value)
{
    static int64_t question;
    struct mend_message m = {
        .kind = MEND_UP_TALLY, .rank = node, .arg = {of, how, value, ++question}};

    mend_root_note_tally(&nodes[node], &m);
}

/* What it was told last. */
static int64_t was(int node)
{
    mend_root_tally(&root);
    return told[node].arg[1];
}

MEND_TEST(each_question_has_its_effect_once)
{
    open_job();
    ask(0, 7, MEND_TALLY_ADD, 5);
    CHECK_EQ(was(0), 0);
    ask(1, 7, MEND_TALLY_ADD, 3);
    CHECK_EQ(was(1), 5);
    mend_root_tally(&root);
    CHECK_EQ(told_n[0], 1);
    CHECK_EQ(told_n[1], 1);
    ask(0, 7, MEND_TALLY_SET, 100);
    CHECK_EQ(was(0), 8);
    ask(0, 7, MEND_TALLY_ADD, 0);
    CHECK_EQ(was(0), 100);
}

MEND_TEST(questions_keep_their_order)
{
    open_job();
    ask(0, 7, MEND_TALLY_SET, 10);
    ask(1, 7, MEND_TALLY_ADD, 1);
    ask(0, 7, MEND_TALLY_ADD, 1);
    CHECK_EQ(was(1), 10);
    CHECK_EQ(was(0), 11);
    CHECK_EQ(told_n[0], 2);
}

MEND_TEST(numbers_are_apart_and_are_forgotten)
{
    open_job();
    for (int64_t of = 1; of <= 100; of++)
        ask(0, of, MEND_TALLY_SET, of);
    for (int64_t of = 1; of <= 100; of++) {
        ask(1, of, MEND_TALLY_ADD, 0);
        CHECK_EQ(was(1), of);
    }
    for (int64_t of = 1; of <= 100; of++)
        ask(0, of, MEND_TALLY_FORGET, 0);
    told_n[0] = 0;
    mend_root_tally(&root);
    CHECK_EQ(told_n[0], 0);
    CHECK(mend_list_empty(&root.tallies));
    ask(1, 3, MEND_TALLY_ADD, 0);
    CHECK_EQ(was(1), 0);
    CHECK(mend_list_empty(&root.tallies)); /* nobody has changed it */
}

MEND_TEST_MAIN()
