/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.c – numbers that the job keeps for its ranks: of files whose members are on several nodes, the shared pointers.
 *
 * A number is there from the first question that changes it until a rank says that it is not wanted any more. */
#include "root/root.h"
#include "rt/tally.h"

#include <stdlib.h>

struct tally {
    struct mend_list link; /* in root->tallies, those that were asked for last first */
    int64_t of, value;
};

struct question {
    struct mend_list link; /* in root->questions, in order */
    struct root_node *node;
    struct mend_message asked;
};

void mend_root_note_tally(struct root_node *node, const struct mend_message *m)
{
    struct question *q = mend_xalloc(1, sizeof(*q));

    q->node = node;
    q->asked = *m;
    mend_list_append(&node->root->questions, &q->link);
}

static struct tally *find(struct root *root, int64_t of)
{
    mend_list_foreach (l, next, &root->tallies) {
        struct tally *t = mend_list_entry(l, struct tally, link);

        if (t->of != of)
            continue;
        mend_list_remove(l);
        mend_list_prepend(&root->tallies, l);
        return t;
    }
    return NULL;
}

static void forget(struct root *root, int64_t of)
{
    struct tally *t = find(root, of);

    if (!t)
        return;
    mend_list_remove(&t->link);
    free(t);
}

/* What it was before. */
static int64_t change(struct root *root, int64_t of, int64_t value)
{
    struct tally *t = find(root, of);
    int64_t was = t ? t->value : 0;

    if (!t && value) {
        t = mend_xalloc(1, sizeof(*t));
        t->of = of;
        mend_list_prepend(&root->tallies, &t->link);
    }
    if (t)
        t->value = value;
    return was;
}

static int64_t value_of(struct root *root, int64_t of)
{
    const struct tally *t = find(root, of);

    return t ? t->value : 0;
}

static void carry_out(struct root *root, const struct question *q)
{
    const int64_t *arg = q->asked.arg;
    int64_t of = arg[MEND_TALLY_ARG_OF], value = arg[MEND_TALLY_ARG_VALUE];

    if (arg[MEND_TALLY_ARG_HOW] == MEND_TALLY_FORGET) {
        forget(root, of);
        return;
    }
    if (arg[MEND_TALLY_ARG_HOW] == MEND_TALLY_ADD)
        value = (int64_t)((uint64_t)value + (uint64_t)value_of(root, of));
    mend_post(&q->node->agent, &(struct mend_message){
                                   .kind = MEND_DOWN_TALLIED,
                                   .rank = q->asked.rank,
                                   .arg = {arg[MEND_TALLY_ARG_QUESTION], change(root, of, value)}});
}

void mend_root_tally(struct root *root)
{
    while (!mend_list_empty(&root->questions)) {
        struct question *q = mend_list_entry(root->questions.next, struct question, link);

        mend_list_remove(&q->link);
        carry_out(root, q);
        free(q);
    }
}
