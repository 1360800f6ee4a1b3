/* SPDX-License-Identifier: BSD-3-Clause */
/* spread.c – see spread.h.
 *
 * A process for which its nodes have no room takes the place of one that can go elsewhere, and that one perhaps of a third: a
 * path of such moves to a node with room is sought among the wishes and their nodes, nearest first.  If there is none, no other
 * arrangement has room either (a largest flow, found by augmenting paths). */
#include "root/spread.h"

#include "command/options.h"

#include <stdlib.h>
#include <string.h>

#define UNSEEN (-1)

struct spreading {
    const struct mend_spread *x;
    bool by_hosts; /* a wish names some */
    int *placed;   /* of each wish on each node */
    int *used;     /* on each node, of all wishes */

    /* a search: from which node the one that goes here would come, of which wish it is; the nodes to look at */
    int *from, *of, *queue;
    bool *asked; /* wishes of which all nodes are seen */
};

static int *placed_of(const struct spreading *s, int wish)
{
    return s->placed + (size_t)wish * (size_t)s->x->nodes_n;
}

static bool has_room(const struct spreading *s, int node)
{
    return s->used[node] < s->x->node[node].room;
}

static int nodes_of(const struct spreading *s, int wish)
{
    int n = s->x->wish[wish].on.n;

    return n ? n : s->x->nodes_n;
}

static int node_at(const struct spreading *s, int wish, int i)
{
    const struct mend_hosts_list *on = &s->x->wish[wish].on;

    return on->n ? on->at[i] : i;
}

/* ---- the node that is best ---- */

/* A spare makes it emptier than any without. */
static int64_t fullness(const struct spreading *s, int node)
{
    const struct mend_spread_node *x = &s->x->node[node];
    int64_t n = (int64_t)x->taken + s->used[node];

    return x->spares > s->used[node] ? n - INT32_MAX : n;
}

/* The i-th node of the wish before the k-th one. */
static bool is_better(const struct spreading *s, int wish, int i, int k)
{
    const struct mend_hosts_list *on = &s->x->wish[wish].on;
    int a = node_at(s, wish, i), b = node_at(s, wish, k);
    const int *placed = placed_of(s, wish);

    if (!on->n)
        return fullness(s, a) < fullness(s, b);
    return (int64_t)placed[a] * on->share[k] < (int64_t)placed[b] * on->share[i];
}

/* -1: none has room. */
static int best_node(const struct spreading *s, int wish)
{
    int best = -1;

    for (int i = 0; i < nodes_of(s, wish); i++)
        if (has_room(s, node_at(s, wish, i)) && (best < 0 || is_better(s, wish, i, best)))
            best = i;
    return best < 0 ? -1 : node_at(s, wish, best);
}

/* ---- moves ---- */

/* Nodes of the wish that nobody has looked at: one of it goes there from node `from`, or a new one. */
static int see_nodes(struct spreading *s, int wish, int from, int n)
{
    if (s->asked[wish])
        return n;
    s->asked[wish] = true;
    for (int i = 0; i < nodes_of(s, wish); i++) {
        int node = node_at(s, wish, i);

        if (s->from[node] != UNSEEN)
            continue;
        s->from[node] = from < 0 ? node : from;
        s->of[node] = wish;
        s->queue[n++] = node;
    }
    return n;
}

static void move_along(struct spreading *s, int node)
{
    s->used[node]++;
    for (int from; (from = s->from[node]) != node; node = from) {
        placed_of(s, s->of[node])[from]--;
        placed_of(s, s->of[node])[node]++;
    }
    placed_of(s, s->of[node])[node]++;
}

/* Finds room for one more of the wish by moving others.  False: there is none. */
static bool make_room(struct spreading *s, int wish)
{
    const struct mend_spread *x = s->x;
    int n;

    memset(s->asked, 0, (size_t)x->wishes_n);
    for (int k = 0; k < x->nodes_n; k++)
        s->from[k] = UNSEEN;
    n = see_nodes(s, wish, -1, 0);
    for (int i = 0; i < n; i++) {
        if (has_room(s, s->queue[i])) {
            move_along(s, s->queue[i]);
            return true;
        }
        for (int w = 0; w < x->wishes_n; w++)
            if (placed_of(s, w)[s->queue[i]])
                n = see_nodes(s, w, s->queue[i], n);
    }
    return false;
}

static bool place_one(struct spreading *s, int wish)
{
    int node = best_node(s, wish);

    if (node < 0)
        return make_room(s, wish);
    placed_of(s, wish)[node]++;
    s->used[node]++;
    return true;
}

static void take_back(struct spreading *s, int wish, int n)
{
    for (int k = 0; n > 0; k++)
        for (; placed_of(s, wish)[k] && n > 0; n--) {
            placed_of(s, wish)[k]--;
            s->used[k]--;
        }
}

/* ---- how many ---- */

static bool names_hosts(const struct mend_spread *x)
{
    for (int w = 0; w < x->wishes_n; w++)
        if (x->wish[w].on.n)
            return true;
    return false;
}

/* For how many of the block, at most `most`, there is room; these are placed.  Without hosts all of them find it. */
static int place_most(struct spreading *s, int wish, int most)
{
    int n = s->by_hosts ? 0 : most;

    while (n < most && place_one(s, wish))
        n++;
    return n;
}

static int count_block(struct mend_spread *x, struct spreading *s, int wish, int block, int rest)
{
    const struct mend_spawn_block *b = &x->block[block];
    int most = b->asked_n < rest ? b->asked_n : rest, there = place_most(s, wish, most);
    int n = b->soft ? mend_spawn_soft(b->soft, there) : there == b->asked_n ? there : -1;

    if (s->by_hosts)
        take_back(s, wish, there - (n < 0 ? 0 : n));
    if (n < 0) {
        x->short_of = block;
        x->short_n = there;
        x->by_hosts = there < most;
    }
    return n;
}

static int count_all(struct mend_spread *x, struct spreading *s)
{
    int total = 0, block = 0;

    for (int w = 0; w < x->wishes_n; w++)
        for (int i = 0; i < x->wish[w].blocks_n; i++, block++) {
            x->n[block] = count_block(x, s, w, block, x->room - total);
            if (x->n[block] < 0)
                return 0;
            total += x->n[block];
        }
    return total;
}

/* ---- where ---- */

static void place_all(const struct mend_spread *x, struct spreading *s)
{
    int block = 0;

    memset(s->used, 0, (size_t)x->nodes_n * sizeof(*s->used));
    memset(s->placed, 0, (size_t)x->wishes_n * (size_t)x->nodes_n * sizeof(*s->placed));
    for (int w = 0; w < x->wishes_n; w++)
        for (int i = 0; i < x->wish[w].blocks_n; i++, block++)
            for (int k = 0; k < x->n[block]; k++)
                place_one(s, w);
}

static void number(const struct spreading *s, int32_t *node_of)
{
    for (int w = 0; w < s->x->wishes_n; w++)
        for (int i = 0; i < nodes_of(s, w); i++) {
            int node = node_at(s, w, i);

            for (int k = 0; k < placed_of(s, w)[node]; k++)
                *node_of++ = node;
        }
}

static struct spreading begin(const struct mend_spread *x)
{
    size_t n = (size_t)x->nodes_n, wishes = (size_t)x->wishes_n;

    return (struct spreading){.x = x,
                              .by_hosts = names_hosts(x),
                              .placed = mend_xalloc(wishes * n, sizeof(int)),
                              .used = mend_xalloc(n, sizeof(int)),
                              .from = mend_xalloc(n, sizeof(int)),
                              .of = mend_xalloc(n, sizeof(int)),
                              .queue = mend_xalloc(n, sizeof(int)),
                              .asked = mend_xalloc(wishes, sizeof(bool))};
}

static void end(struct spreading *s)
{
    free(s->placed);
    free(s->used);
    free(s->from);
    free(s->of);
    free(s->queue);
    free(s->asked);
}

int mend_spread(struct mend_spread *x, int32_t **node_p)
{
    struct spreading s = begin(x);
    int total = count_all(x, &s);

    if (total) {
        *node_p = mend_xalloc((size_t)total, sizeof(**node_p));
        place_all(x, &s);
        number(&s, *node_p);
    }
    end(&s);
    return total;
}
