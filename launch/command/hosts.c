/* SPDX-License-Identifier: BSD-3-Clause */
/* hosts.c – see hosts.h. */
#include "command/hosts.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

struct placing {
    const struct mend_hosts *h;
    const struct mend_hosts_policy *policy;
    const struct mend_hosts_wish *w;
    int *used;
    int *node_of;
};

/* What one pass over the hosts may fill. */
enum pass {
    PASS_SHARES, /* slots, or one rank for each time that a host is named */
    PASS_ROOM,   /* also any number on hosts without slots */
    PASS_OVER,   /* also more than there are slots */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int limit_of(const struct placing *p, const struct mend_host *x, enum pass pass)
{
    int most = x->slots_max ? x->slots_max : INT_MAX, slots = mend_host_slots(x);
    int per_node = p->policy->per_node;

    if (pass == PASS_OVER)
        return most;
    if (slots && !(per_node && p->policy->oversubscribe))
        most = least(most, slots);
    else if (!slots && !per_node && pass == PASS_SHARES)
        most = least(most, mend_host_share(x));
    return per_node ? least(most, per_node) : most;
}

static int room(const struct placing *p, int node, enum pass pass)
{
    return limit_of(p, &p->h->at[node], pass) - p->used[node];
}

/* ---- one host after the other ---- */

/* count[k]: of those that the wish's k-th node gets. */
static int fill(const struct placing *p, int *count, int left)
{
    for (int k = 0; k < p->w->on.n && left; k++) {
        int node = p->w->on.at[k], n = room(p, node, PASS_SHARES);

        n = n < 0 ? 0 : least(n, left);
        count[k] += n;
        p->used[node] += n;
        left -= n;
    }
    return left;
}

/* a has less for its share than b. */
static bool is_emptier(const struct placing *p, int a, int b)
{
    int64_t a_share = mend_host_share(&p->h->at[a]), b_share = mend_host_share(&p->h->at[b]);

    return p->used[a] * b_share < p->used[b] * a_share;
}

/* The place in the wish of the node that gets the next rank; -1: none has room. */
static int emptiest(const struct placing *p, enum pass pass)
{
    int best = -1;

    for (int k = 0; k < p->w->on.n; k++)
        if (room(p, p->w->on.at[k], pass) > 0 &&
            (best < 0 || is_emptier(p, p->w->on.at[k], p->w->on.at[best])))
            best = k;
    return best;
}

static int spread(const struct placing *p, int *count, int left, enum pass pass)
{
    for (int k; left && (k = emptiest(p, pass)) >= 0; left--) {
        count[k]++;
        p->used[p->w->on.at[k]]++;
    }
    return left;
}

static int by_slot(const struct placing *p, int *count)
{
    int left = fill(p, count, p->w->ranks_n);

    left = spread(p, count, left, PASS_ROOM);
    return p->policy->oversubscribe ? spread(p, count, left, PASS_OVER) : left;
}

/* ---- in turn ---- */

static int deal(const struct placing *p, int *count, int left, enum pass pass)
{
    int before;

    do {
        before = left;
        for (int k = 0; k < p->w->on.n && left; k++)
            if (room(p, p->w->on.at[k], pass) > 0) {
                count[k]++;
                p->used[p->w->on.at[k]]++;
                left--;
            }
    } while (left && left < before);
    return left;
}

static int by_node(const struct placing *p, int *count)
{
    int left = deal(p, count, p->w->ranks_n, PASS_ROOM);

    return p->policy->oversubscribe ? deal(p, count, left, PASS_OVER) : left;
}

/* ---- numbers ---- */

/* turn: how many ranks a node gets before the next one does. */
static void number(const struct placing *p, int *count, int turn)
{
    int i = 0, before;

    do {
        before = i;
        for (int k = 0; k < p->w->on.n; k++)
            for (int t = 0; t < turn && count[k]; t++, count[k]--)
                p->node_of[i++] = p->w->on.at[k];
    } while (i > before);
}

int mend_hosts_place(const struct mend_hosts *h, const struct mend_hosts_policy *policy,
                     const struct mend_hosts_wish *w, int *used, int *node_of)
{
    struct placing p = {.h = h, .policy = policy, .w = w, .used = used, .node_of = node_of};
    int count[w->on.n + 1], left;

    memset(count, 0, sizeof(count));
    left = policy->by_node ? by_node(&p, count) : by_slot(&p, count);
    number(&p, count, policy->number_by_node ? 1 : w->ranks_n);
    return left;
}
