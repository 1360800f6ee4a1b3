/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.c – two processes that cannot reach each other although the agents of both live: one of the two ends.
 *
 *   rank, for REACH_TIMEOUT without a connection ── CUT ──> its agent ──> root ── CUT ──> the agent of the one that ends
 *
 * Both may complain, and there may be more such pairs: the root hears for GATHER_NS what others say, and decides for all of them, so of a
 * pair only one ends.  It is the
 * one that is in more of these pairs, since it is more likely the one that is cut off; of two that are in as many, the one
 * with the higher name.  Nothing is done where one of the two is dead, or was told to end before.
 *
 * Of two processes of two jobs the root of one decides (agent/link_cut.c), which hears from the other one what its ranks say.  What
 * follows goes to the agent of the first node: it tells the other job, whose root ends its process without a question, or says that the own
 * one is to end: not if the other job has ended meanwhile, and its processes with it.
 *
 * An agent does not end a process if the other one of the pair is dead by then, and the root does not hear of that.  So one that was told to end
 * and lives after ENDING_NS counts as any other again; ranks complain again as long as they cannot reach each other. */
#include "root/root.h"

#include "base/time.h"

#include <stdlib.h>
#include <string.h>

#define GATHER_NS                                                                                  \
    MEND_NS_PER_S /* ranks find the same at times that differ by less (net/tcp/silent.c) */
#define ENDING_NS (10 * MEND_NS_PER_S)

struct cut {
    struct mend_list link;
    int by, peer;
    enum due {
        NOTHING,
        DECIDE,  /* which of the two ends */
        PASS_ON, /* that the other job is to decide */
        END      /* `by` */
    } due;
    mend_time_ns at; /* when that is */
    bool abroad;     /* the peer is a process of another job, ... */
    int there;       /* ... which calls it so */
    struct mend_cut_doors doors;
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

static struct cut *add(struct root *root, const struct mend_message *m)
{
    struct cut *c = mend_xalloc(1, sizeof(*c));

    c->by = m->rank;
    c->peer = (int)m->arg[MEND_CUT_PEER];
    c->there = (int)m->arg[MEND_CUT_THERE];
    c->abroad = m->len == sizeof(c->doors);
    if (c->abroad)
        memcpy(&c->doors, m->data, sizeof(c->doors));
    mend_list_append(&root->cuts, &c->link);
    root->rank[c->by].cuts_n++;
    root->rank[c->peer].cuts_n++;
    return c;
}

/* ---- one ends ---- */

static bool is_ending(const struct root *root, int name, mend_time_ns now)
{
    return root->rank[name].there || root->rank[name].dead || now < root->rank[name].cut_off_until;
}

/* Where processes of the node of `a` are called by that of `b`: the first node as each other one has called it. */
static struct mend_address address_of(const struct root *root, int a, int b)
{
    int node = mend_root_node_of(root, a), from = mend_root_node_of(root, b);
    struct mend_address at = root->node[node].says.door.at;

    if (node == 0)
        memcpy(at.ip, root->node[from].reached.ip, sizeof(at.ip));
    return at;
}

static const char advice[] =
    "a firewall between the two must let through TCP to these ports (--port-range chooses them), "
    "and the addresses must be those of a network that joins them (--interface)";

static void say(struct root *root, int a, int b, int ended)
{
    struct mend_address at_a = address_of(root, a, b), at_b = address_of(root, b, a);
    char text_a[MEND_ADDRESS_TEXT], text_b[MEND_ADDRESS_TEXT];

    mend_root_say(
        root,
        "mend: rank %d (%s, %s) and rank %d (%s, %s) cannot reach each other: rank %d is ended; %s",
        a, root->node[mend_root_node_of(root, a)].host, mend_address_text(&at_a, text_a), b,
        root->node[mend_root_node_of(root, b)].host, mend_address_text(&at_b, text_b), ended,
        advice);
}

/* Which address of this machine the other job calls is not known here. */
static const char *own_text(const struct mend_address *a, char text[MEND_ADDRESS_TEXT])
{
    if (!mend_address_is_any(a))
        return mend_address_text(a, text);
    snprintf(text, MEND_ADDRESS_TEXT, "port %d", ntohs(a->port));
    return text;
}

/* The agent of the first node calls another one on its machine by loopback, and the rank's node by the address at which it calls that. */
static struct mend_address there_of(const struct root *root, const struct cut *c)
{
    int node = mend_root_node_of(root, c->by);
    struct mend_address at = c->doors.there;

    if (node && mend_address_is_loopback(&at))
        memcpy(at.ip, root->node[node].reached.ip, sizeof(at.ip));
    return at;
}

static void say_abroad(struct root *root, const struct cut *c)
{
    char text[MEND_ADDRESS_TEXT], text_there[MEND_ADDRESS_TEXT];
    struct mend_address there = there_of(root, c);

    mend_root_say(root,
                  "mend: rank %d (%s, %s) and rank %d of a connected job (%s) cannot reach each "
                  "other: rank %d of this job is ended; %s",
                  c->by, root->node[mend_root_node_of(root, c->by)].host,
                  own_text(&c->doors.here, text), c->there, mend_address_text(&there, text_there),
                  c->by, advice);
}

static void tell_abroad(struct root *root, const struct cut *c, enum mend_cut_abroad how)
{
    mend_post(
        &root->node[0].agent,
        &(struct mend_message){.kind = MEND_DOWN_CUT_ABROAD, .rank = c->by, .arg = {c->peer, how}});
}

/* It may have been told before that it is to end. */
static void end_one(struct root *root, const struct cut *c, int end, mend_time_ns now)
{
    int other = end == c->by ? c->peer : c->by;

    root->rank[end].cut_off_until = now + ENDING_NS;
    if (!root->o->quiet && c->abroad)
        say_abroad(root, c);
    else if (!root->o->quiet)
        say(root, end < other ? end : other, end < other ? other : end, end);
    mend_post(&root->node[mend_root_node_of(root, end)].agent,
              &(struct mend_message){.kind = MEND_DOWN_CUT, .rank = end, .arg = {other}});
}

/* ---- which ---- */

static void decide(struct root *root, const struct cut *c, mend_time_ns now)
{
    int by_n = root->rank[c->by].cuts_n, peer_n = root->rank[c->peer].cuts_n;
    bool ends_peer = peer_n > by_n || (peer_n == by_n && c->peer > c->by);
    int end = ends_peer ? c->peer : c->by;

    if (is_ending(root, c->by, now) || is_ending(root, c->peer, now))
        return;
    if (!c->abroad) {
        end_one(root, c, end, now);
        return;
    }
    root->rank[end].cut_off_until = now + ENDING_NS;
    tell_abroad(root, c, ends_peer ? MEND_CUT_THERE_ENDS : MEND_CUT_HERE_ENDS);
}

static void act(struct root *root, struct cut *c, mend_time_ns now)
{
    enum due due = c->due;

    c->due = NOTHING;
    if (due == DECIDE)
        decide(root, c, now);
    else if (due == PASS_ON)
        tell_abroad(root, c, MEND_CUT_DECIDE);
    else if (due == END && !root->rank[c->by].there && !root->rank[c->by].dead)
        end_one(root, c, c->by, now);
}

/* When those are decided that were noted before; 0: none is to be. */
static mend_time_ns gathers_until(const struct root *root)
{
    mend_list_foreach (l, next, &root->cuts) {
        const struct cut *c = mend_list_entry(l, struct cut, link);

        if (c->due == DECIDE)
            return c->at;
    }
    return 0;
}

void mend_root_note_cut(struct root *root, const struct mend_message *m)
{
    static const enum due due[] = {
        [MEND_CUT_OURS] = DECIDE, [MEND_CUT_THEIRS] = PASS_ON, [MEND_CUT_DECIDED] = END};
    uint64_t judge = (uint64_t)m->arg[MEND_CUT_JUDGE];
    int peer = (int)m->arg[MEND_CUT_PEER];
    mend_time_ns now = mend_time_monotonic_ns(), until = gathers_until(root);
    struct cut *c;

    if (m->rank < 0 || peer < 0 || m->rank >= (int)MEND_NODE_NAMES ||
        peer >= (int)MEND_NODE_NAMES || peer == m->rank || judge >= sizeof(due) / sizeof(*due))
        return;
    c = find(root, m->rank, peer);
    if (!c)
        c = add(root, m);
    if (c->due == END)
        return;
    c->due = due[judge];
    c->at = c->due != DECIDE ? now : until ? until : now + GATHER_NS;
    if (!root->cuts_at || c->at < root->cuts_at)
        root->cuts_at = c->at;
}

mend_time_ns mend_root_look_at_cuts(struct root *root, mend_time_ns now)
{
    if (!root->cuts_at || now < root->cuts_at)
        return root->cuts_at ? root->cuts_at : MEND_TIME_NEVER;
    root->cuts_at = 0;
    mend_list_foreach (l, next, &root->cuts) {
        struct cut *c = mend_list_entry(l, struct cut, link);

        if (c->due != NOTHING && now >= c->at)
            act(root, c, now);
    }
    /* What an agent of this process has said meanwhile is due, too. */
    mend_list_foreach (l, next, &root->cuts) {
        const struct cut *c = mend_list_entry(l, struct cut, link);

        if (c->due != NOTHING && (!root->cuts_at || c->at < root->cuts_at))
            root->cuts_at = c->at;
    }
    return root->cuts_at ? root->cuts_at : MEND_TIME_NEVER;
}
