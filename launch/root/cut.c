/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.c – two processes that cannot reach each other although the agents of both live: one of the two ends.
 *
 *   rank, for REACH_TIMEOUT without a connection ── CUT ──> its agent ──> root ── CUT ──> the agent of the one that ends
 *
 * Both may complain, and there may be more such pairs: the root decides for all of them, so of a pair only one ends.  It is the
 * one that is in more of these pairs, since it is more likely the one that is cut off; of two that are in as many, the one
 * with the higher name.  Nothing is done where one of the two is dead, or was told to end before. */
#include "root/root.h"

#include <stdlib.h>

struct cut {
    struct mend_list link;
    int by, peer;
    bool decided;
};

static struct cut *find(struct root *root, int a, int b)
{
    mend_list_foreach (l, next, &root->cuts) {
        struct cut *c = mend_list_entry(l, struct cut, link);

        if ((c->by == a && c->peer == b) || (c->by == b && c->peer == a))
            return c;
    }
    return NULL;
}

void mend_root_note_cut(struct root *root, const struct mend_message *m)
{
    int peer = (int)m->arg[0];
    struct cut *c;

    if (m->rank < 0 || peer < 0 || m->rank >= (int)MEND_NODE_NAMES ||
        peer >= (int)MEND_NODE_NAMES || peer == m->rank || find(root, m->rank, peer))
        return;
    c = mend_xalloc(1, sizeof(*c));
    c->by = m->rank;
    c->peer = peer;
    mend_list_append(&root->cuts, &c->link);
    root->rank[m->rank].cuts_n++;
    root->rank[peer].cuts_n++;
}

static bool is_ending(const struct root *root, int name)
{
    return root->rank[name].there || root->rank[name].dead || root->rank[name].cut_off;
}

static void decide(struct root *root, struct cut *c)
{
    int by_n = root->rank[c->by].cuts_n, peer_n = root->rank[c->peer].cuts_n;
    bool ends_peer = peer_n > by_n || (peer_n == by_n && c->peer > c->by);
    int end = ends_peer ? c->peer : c->by, other = ends_peer ? c->by : c->peer;

    c->decided = true;
    if (is_ending(root, end) || is_ending(root, other))
        return;
    root->rank[end].cut_off = true;
    if (!root->o->quiet)
        mend_root_say(root, "mend: ranks %d and %d cannot reach each other: rank %d is ended",
                      c->by < c->peer ? c->by : c->peer, c->by < c->peer ? c->peer : c->by, end);
    mend_post(&root->node[mend_root_node_of(root, end)].agent,
              &(struct mend_message){.kind = MEND_DOWN_CUT, .rank = end, .arg = {other}});
}

void mend_root_look_at_cuts(struct root *root)
{
    mend_list_foreach (l, next, &root->cuts)
        if (!mend_list_entry(l, struct cut, link)->decided)
            decide(root, mend_list_entry(l, struct cut, link));
}
