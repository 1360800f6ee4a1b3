/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c – "what does each rank wait for?", asked when the time is over or by SIGUSR1, and the answers of all nodes.
 *
 *   question ──> every agent asks its ranks (agent/waits.c) ──> lines and collective calls ──> all have answered: printed
 *
 * Together the lines are the graph of all waits, in the order of ranks; the collective calls are compared (calls.c).  An agent takes
 * a second at most; one that says nothing for longer, because it is stopped or gets no processor, is named instead. */
#include "root/root.h"

#include "base/time.h"

#include <stdlib.h>
#include <string.h>

#define ANSWER_NS (3 * MEND_NS_PER_S)

struct line {
    int rank;
    char *text;
};

struct mend_root_waits {
    int64_t question; /* the number of the last one */
    bool open;        /* it is not answered */
    mend_time_ns until;
    struct line *line;
    struct mend_root_call *call;
    int lines_n, lines_room, calls_n, calls_room;
};

/* It has ranks, or was told to start them, and hears the question behind that. */
static bool has_ranks(const struct root_node *node)
{
    return node->state == NODE_RUNNING ||
           (node->state == NODE_READY && !mend_root_is_starting(node->root));
}

static bool is_waited_for(const struct root_node *node)
{
    const struct mend_root_waits *w = node->root->waits;

    return node->asked == w->question && node->answered != w->question && has_ranks(node);
}

static void forget(struct mend_root_waits *w)
{
    for (int i = 0; i < w->lines_n; i++)
        free(w->line[i].text);
    w->lines_n = w->calls_n = 0;
}

void mend_root_ask_waits(struct root *root)
{
    struct mend_root_waits *w = root->waits;

    if (!w)
        w = root->waits = mend_xalloc(1, sizeof(*w));
    forget(w);
    w->question++;
    w->open = true;
    w->until = mend_time_monotonic_ns() + ANSWER_NS;
    for (int k = 0; k < root->nodes_n; k++)
        if (has_ranks(&root->node[k])) {
            root->node[k].asked = w->question;
            mend_post(
                &root->node[k].agent,
                &(struct mend_message){.kind = MEND_DOWN_WAITS, .rank = -1, .arg = {w->question}});
        }
}

/* ---- answers ---- */

/* Room for one more. */
static void *grow(void *all, int n, int *room_p, size_t size)
{
    if (n < *room_p)
        return all;
    *room_p = *room_p ? 2 * *room_p : 64;
    all = realloc(all, (size_t)*room_p * size);
    if (!all)
        abort();
    return all;
}

/* The text comes from a program that we do not trust. */
static void clean(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
}

static void note_call(struct mend_root_waits *w, const struct mend_message *m)
{
    struct mend_root_call *c;

    if (m->len != sizeof(c->call))
        return;
    w->call = grow(w->call, w->calls_n, &w->calls_room, sizeof(*w->call));
    c = &w->call[w->calls_n++];
    c->rank = m->rank;
    memcpy(&c->call, m->data, sizeof(c->call));
    clean(c->call.name, sizeof(c->call.name));
    clean(c->call.comm, sizeof(c->call.comm));
}

static void note_line(struct mend_root_waits *w, const struct mend_message *m)
{
    char *text = strndup(m->data, m->len);

    if (!text)
        abort();
    clean(text, strlen(text) + 1);
    w->line = grow(w->line, w->lines_n, &w->lines_room, sizeof(*w->line));
    w->line[w->lines_n++] = (struct line){m->rank, text};
}

void mend_root_note_wait(struct root_node *node, const struct mend_message *m)
{
    struct mend_root_waits *w = node->root->waits;

    if (!w || !w->open || m->arg[0] != w->question || m->rank >= (int)MEND_NODE_NAMES)
        return;
    if (m->kind == MEND_UP_ANSWERED)
        node->answered = w->question;
    else if (m->rank >= 0 && m->kind == MEND_UP_CALL)
        note_call(w, m);
    else if (m->rank >= 0)
        note_line(w, m);
}

/* ---- the list ---- */

static int by_rank(const void *a, const void *b)
{
    return ((const struct line *)a)->rank - ((const struct line *)b)->rank;
}

/* Why no rank runs yet, or none of this node has a line. */
static void say_of_agent(struct root *root, const struct root_node *node)
{
    const char *name = mend_root_name_of(node), *what = NULL;

    if (node->state == NODE_STARTING)
        what = "has not started yet";
    else if (is_waited_for(node))
        what = "does not answer";
    if (what)
        mend_root_say(root, "mend:   the agent of node %d%s%s%s %s", node->number,
                      *name ? " (" : "", name, *name ? ")" : "", what);
}

static void print(struct root *root)
{
    struct mend_root_waits *w = root->waits;

    if (w->lines_n)
        qsort(w->line, (size_t)w->lines_n, sizeof(*w->line), by_rank);
    for (int i = 0; i < w->lines_n; i++)
        mend_root_say(root, "mend:   rank %d %s", w->line[i].rank, w->line[i].text);
    for (int k = 0; k < root->nodes_n; k++)
        say_of_agent(root, &root->node[k]);
    mend_root_compare_calls(root, w->call, w->calls_n);
    forget(w);
}

static bool have_all_answered(const struct root *root)
{
    for (int k = 0; k < root->nodes_n; k++)
        if (is_waited_for(&root->node[k]))
            return false;
    return true;
}

mend_time_ns mend_root_look_at_waits(struct root *root, mend_time_ns now)
{
    struct mend_root_waits *w = root->waits;

    if (!w || !w->open)
        return MEND_TIME_NEVER;
    if (now < w->until && !have_all_answered(root))
        return w->until;
    w->open = false;
    print(root);
    return MEND_TIME_NEVER;
}

bool mend_root_is_asking(const struct root *root)
{
    return root->waits && root->waits->open;
}
