/* SPDX-License-Identifier: BSD-3-Clause */
/* guests.c – names for processes of connected jobs, in a job of several nodes (agent/mirror.c).
 *
 *   agent of node 0 ── GUESTS ──> root ── GUESTS, the first name ──> all agents ── NAMED ──> root ── BIRTH ──> the log of facts
 *                   <─ ADMITTED ─
 *
 * One link after the other, and none beside a request for processes, which gives names, too.  An agent that is lost is not waited
 * for. */
#include "root/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct root_guests {
    struct mend_list link; /* in root->guests */
    int n, first;
    int64_t job;
    bool named; /* the log of facts is told the names */
    uint32_t len;
    char data[];
};

void mend_root_guests_asked(struct root *root, const struct mend_message *m)
{
    struct root_guests *g = mend_xalloc(1, sizeof(*g) + m->len);

    g->n = (int)m->arg[0];
    g->job = m->arg[1];
    g->len = m->len;
    memcpy(g->data, m->data, m->len);
    mend_list_append(&root->guests, &g->link);
}

static struct root_guests *first_of(const struct root *root)
{
    struct mend_list *l = mend_list_first(&root->guests);

    return l ? mend_list_entry(l, struct root_guests, link) : NULL;
}

static void answer(struct root *root, struct root_guests *g, int error)
{
    mend_list_remove(&g->link);
    root->names_guests = false;
    mend_post(
        &root->node[0].agent,
        &(struct mend_message){.kind = MEND_DOWN_ADMITTED, .rank = -1, .arg = {g->job, error}});
    free(g);
}

static void name(struct root *root, struct root_guests *g)
{
    struct mend_message m = {
        .kind = MEND_DOWN_GUESTS, .rank = -1, .arg = {root->n}, .data = g->data, .len = g->len};

    g->first = root->n;
    root->names_guests = true;
    for (int i = g->first; i < g->first + g->n; i++)
        root->rank[i].guest = true;
    root->n += g->n;
    for (int k = 0; k < root->nodes_n; k++) {
        root->node[k].is_asked = mend_root_is_there(&root->node[k]);
        if (root->node[k].is_asked)
            mend_post(&root->node[k].agent, &m);
    }
}

static bool is_asked(const struct root *root)
{
    for (int k = 0; k < root->nodes_n; k++)
        if (root->node[k].is_asked && mend_root_is_there(&root->node[k]))
            return true;
    return false;
}

/* False: it waits for agents. */
static bool go_on(struct root *root, struct root_guests *g)
{
    if (is_asked(root))
        return false;
    if (!g->named)
        mend_post(&root->node[0].agent, &(struct mend_message){.kind = MEND_DOWN_BIRTH,
                                                               .rank = -1,
                                                               .arg = {0, g->first, g->n}});
    g->named = true;
    if (root->logged_n < g->first + g->n)
        return false;
    answer(root, g, 0);
    return true;
}

bool mend_root_name_guests(struct root *root)
{
    struct root_guests *g;

    while ((g = first_of(root))) {
        if (!root->names_guests && g->n > (int)MEND_NODE_NAMES - root->n) {
            answer(root, g, ENOSPC);
            continue;
        }
        if (!root->names_guests)
            name(root, g);
        if (!go_on(root, g))
            return false;
    }
    return true;
}
