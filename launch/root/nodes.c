/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c – the agents of a job on several nodes.
 *
 *   root    starts an agent in a process of its own for each node but the first (agents.c)
 *   agents  take connections, call the root, make their segments, say READY
 *   root    says NODES: where all of them take connections; each starts its ranks
 *   agents  talk of facts (agent/facts.h), which the root passes on; say DONE when nothing is left on their nodes
 *   root    says END to all
 *   agents  end what their ranks have left behind, send the rest of the output, say LEAVES
 *
 * A node is lost when its lease is over (lease/beats.h), or when the keeper of its agent says that its processes are gone (tree.c).  The end of a
 * connection says nothing, once all nodes are ready: its agent calls again, and the stream of messages goes on. */
#include "root/root.h"

#include "base/time.h"
#include "proc/presence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWAIT_NS                                                                                   \
    (10 * MEND_NS_PER_S) /* for a word of an agent that has been told that the job is over */

/* ---- starting ---- */

/* All agents are ready: where they take connections. */
static void tell_nodes(struct root *root)
{
    struct mend_node_of_job *all = mend_xalloc((size_t)root->nodes_n, sizeof(*all));
    struct mend_message m = {.kind = MEND_DOWN_NODES, .rank = -1};

    for (int k = 0; k < root->nodes_n; k++)
        all[k] = root->node[k].says;
    m.data = (const char *)all;
    m.len = (uint32_t)((size_t)root->nodes_n * sizeof(*all));
    for (int k = 0; k < root->nodes_n; k++) {
        /* This node is reached by each other one as that has called it. */
        memcpy(all[0].door.at.ip, root->node[k ? k : 1].reached.ip, sizeof(all[0].door.at.ip));
        mend_post(&root->node[k].agent, &m);
    }
    free(all);
}

void mend_root_ready(struct root_node *node, const struct mend_message *m)
{
    if (m->len == sizeof(node->says)) {
        memcpy(&node->says, m->data, sizeof(node->says));
        mend_root_date(node, m->arg[0]);
        node->clock_ns = (uint64_t)m->arg[1];
        node->state = NODE_READY;
        mend_brood_ready(&node->root->brood, node->number);
    }
}

static bool are_all(const struct root *root, enum root_node_state state)
{
    for (int k = 0; k < root->nodes_n; k++)
        if (root->node[k].state < state)
            return false;
    return true;
}

static void report_node(struct root *root, const struct root_node *node)
{
    mend_time_ns now = mend_time_monotonic_ns() - root->start_ns;

    mend_root_report(root, now, node, .node = node->number, .host = node->host,
                     .clock_ns = node->clock_ns + now - (mend_time_ns)node->start_ns);
    for (int i = 0; i < root->o->ranks_n; i++)
        if (mend_root_is_of(root, i, node))
            mend_root_report(root, now, place, .rank = i, .node = node->number);
}

void mend_root_started(struct root_node *node, const struct mend_message *m)
{
    struct root *root = node->root;

    node->state = NODE_RUNNING;
    root->failed |= !m->arg[0];
    snprintf(node->host, sizeof(node->host), "%.*s", (int)m->len, m->data);
    for (int i = 0; i < root->o->ranks_n; i++)
        node->living += mend_root_is_of(root, i, node);
    if (are_all(root, NODE_RUNNING)) /* a single node is so before its main loop begins */
        root->running_ns = root->nodes_n == 1 ? root->start_ns : mend_time_monotonic_ns();
    if (node->number == 0 && m->arg[0])
        mend_root_report(root, 0, start, .ranks = root->n, .host = node->host,
                         .clock_ns = root->start_ns);
    if (root->nodes_n > 1)
        report_node(root, node);
}

/* ---- running ---- */

static void pass_to(struct root_node *from, struct mend_message *copy, enum mend_message_kind kind,
                    int64_t to)
{
    struct root *root = from->root;

    copy->kind = kind;
    if (to >= 0 && to < root->nodes_n && to != from->number)
        mend_post(&root->node[to].agent, copy);
}

static void pass_to_all(struct root_node *from, struct mend_message *copy,
                        enum mend_message_kind kind)
{
    for (int k = 0; k < from->root->nodes_n; k++)
        pass_to(from, copy, kind, k);
}

/* A process that others may know from now on. */
static void note_presence(struct root *root, const struct mend_message *m)
{
    if (m->rank >= 0 && m->rank < root->n && !root->rank[m->rank].guest)
        root->rank[m->rank].begun |= m->arg[0] == MEND_PRESENCE_IN_MPI;
}

/* A fact goes to one agent; what a process says of itself to all others. */
void mend_root_pass_on(struct root_node *from, const struct mend_message *m)
{
    struct root *root = from->root;
    struct mend_message copy = *m;

    switch (m->kind) {
    case MEND_UP_LOG:
        copy.arg[0] = from->number;
        pass_to(from, &copy, MEND_DOWN_LOG, m->arg[0]);
        break;
    case MEND_UP_CONNECT:
        pass_to(from, &copy, MEND_DOWN_CONNECT, 0);
        break;
    case MEND_UP_CONNECTED:
        if (m->rank >= 0 && m->rank < root->n)
            pass_to(from, &copy, MEND_DOWN_CONNECTED, root->rank[m->rank].node);
        break;
    case MEND_UP_SESSION:
        pass_to_all(from, &copy, MEND_DOWN_SESSION);
        break;
    case MEND_UP_PARTED:
        pass_to_all(from, &copy, MEND_DOWN_PARTED);
        break;
    default:
        note_presence(root, m);
        pass_to_all(from, &copy, MEND_DOWN_PRESENCE);
    }
}

static int count_ranks(const struct root *root, const struct root_node *node)
{
    int n = 0;

    for (int i = 0; i < root->n; i++)
        n += mend_root_is_of(root, i, node);
    return n;
}

/* "ranks 3 to 5, 9"; n of them */
static void list_ranks(const struct root *root, const struct root_node *node, int n, char *text,
                       size_t size)
{
    const char *head = n > 1 ? "ranks " : "rank ";
    size_t used = 0;

    snprintf(text, size, "without ranks");
    for (int i = 0, end; i < root->n && used < size; i = end) {
        for (end = i; end < root->n && mend_root_is_of(root, end, node); end++)
            ;
        if (end > i)
            used += (size_t)snprintf(text + used, size - used, "%s%d", used ? ", " : head, i);
        if (end > i + 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, " to %d", end - 1);
        end += end == i;
    }
}

static int living_elsewhere(const struct root *root, const struct root_node *node)
{
    int n = 0;

    for (int k = 0; k < root->nodes_n; k++)
        if (k != node->number && root->node[k].state != NODE_LOST)
            n += root->node[k].living;
    return n;
}

static void say_lost(struct root *root, const struct root_node *node, const char *how)
{
    const char *name = mend_root_name_of(node);
    int n = living_elsewhere(root, node), own_n = count_ranks(root, node);
    char ranks[128];

    mend_iof_end_fed(root->iof, &node->agent);
    mend_root_report(root, mend_time_monotonic_ns() - root->start_ns, lost, .node = node->number,
                     .host = node->host, .how = how, .ranks = own_n);
    if (root->o->quiet)
        return;
    list_ranks(root, node, own_n, ranks, sizeof(ranks));
    mend_root_say(root, "mend: node %d (%s%s%s) is lost: %s; %d rank%s%s", node->number, name,
                  *name ? ", " : "", ranks, how, n, n == 1 ? " goes on" : "s go on",
                  own_n ? "; of its output the end may be missing" : "");
}

/* The first agent, in this process, has started its ranks as soon as it was told the nodes. */
static bool are_told(const struct root *root)
{
    return root->node[0].state >= NODE_RUNNING;
}

bool mend_root_is_starting(const struct root *root)
{
    return root->nodes_n > 1 && !are_told(root);
}

/* All agents were to be told where the others are: without this one nothing begins. */
static void say_not_begun(struct root *root, const struct root_node *node, const char *how)
{
    const char *name = mend_root_name_of(node);

    if (root->failed)
        return; /* one sentence will do */
    mend_root_say(root,
                  "mpiexec: node %d (%s) is lost: %s; the job had not begun, and nothing runs; "
                  "check that the machine runs, and its network",
                  node->number, *name ? name : "this machine", how);
    root->failed = root->not_started = true;
}

void mend_root_bury(struct root_node *node, const char *how)
{
    struct root *root = node->root;

    if (root->ended || node->state == NODE_LOST)
        return;
    node->state = NODE_LOST;
    node->living = 0;
    if (node->wire.fd >= 0)
        mend_loop_drop(root->loop, node->wire.fd);
    mend_wire_close(&node->wire);
    mend_root_note_loss(root, node);
    if (are_told(root))
        say_lost(root, node, how);
    else
        say_not_begun(root, node, how);
    mend_post(&root->node[0].agent,
              &(struct mend_message){.kind = MEND_DOWN_LOST, .rank = -1, .arg = {node->number}});
}

void mend_root_hang_up(struct root_node *node)
{
    if (node->wire.fd >= 0)
        mend_loop_drop(node->root->loop, node->wire.fd);
    else
        mend_root_end_call(node);
    mend_wire_cut(&node->wire);
}

void mend_root_disconnected(struct root_node *node)
{
    if (node->state == NODE_LOST)
        return;
    if (node->wire.fd >= 0)
        mend_loop_drop(node->root->loop, node->wire.fd);
    mend_wire_cut(&node->wire);
    mend_brood_await_excuse(&node->root->brood, node->number);
}

/* A stream in which something is missing, or wrong, cannot go on. */
static void bury_the_gone(struct root *root)
{
    for (int k = 1; k < root->nodes_n; k++)
        if (root->node[k].is_gone)
            mend_root_lose(&root->node[k], "its agent has ended");
        else if (root->node[k].wire.broken)
            mend_root_lose(&root->node[k], "its messages are damaged");
}

void mend_root_read_node(struct root *root, int number)
{
    struct root_node *node = &root->node[number];
    struct mend_post post = mend_root_post(node);

    if (node->wire.fd >= 0 && !mend_wire_read(&node->wire, &post))
        mend_root_disconnected(node);
}

/* ---- ending ---- */

static bool are_ready(const struct root *root)
{
    for (int k = 0; k < root->nodes_n; k++)
        if (root->node[k].state != NODE_READY)
            return false;
    return true;
}

static void flush_all(struct root *root)
{
    for (int k = 1; k < root->nodes_n; k++)
        if (root->node[k].wire.fd >= 0)
            mend_wire_flush(&root->node[k].wire);
}

/* Agents that were not told the nodes have started nothing, and say nothing more. */
static bool is_nothing_left(const struct root *root)
{
    return are_all(root, NODE_DONE) || root->failed || (root->killing && !are_told(root));
}

static void end(struct root *root, mend_time_ns now)
{
    root->ended = true;
    root->heard_at = now;
    for (int k = 0; k < root->nodes_n; k++)
        mend_post(&root->node[k].agent, &(struct mend_message){.kind = MEND_DOWN_END, .rank = -1});
}

/* Nothing more comes from it.  One whose connection has ended calls again, unless the job could not begin. */
static bool has_left(const struct root *root, const struct root_node *node)
{
    return node->has_left || node->is_gone || node->wire.broken || node->state == NODE_LOST ||
           (!mend_wire_is_up(&node->wire) && (!node->has_called || root->failed));
}

/* An agent that has left waits until its connection ends. */
static void let_go(struct root *root)
{
    for (int k = 1; k < root->nodes_n; k++)
        if (root->node[k].has_left && mend_wire_is_up(&root->node[k].wire))
            mend_root_hang_up(&root->node[k]);
}

mend_time_ns mend_root_look_at_nodes(struct root *root, mend_time_ns now)
{
    if (root->nodes_n == 1)
        return MEND_TIME_NEVER;
    flush_all(root);
    bury_the_gone(root);
    if (are_ready(root))
        tell_nodes(root);
    if (root->failed && !root->killing)
        mend_root_kill(root);
    if (!root->ended && !root->request && is_nothing_left(root))
        end(root, now);
    if (!root->ended)
        return MEND_TIME_NEVER;
    let_go(root);
    if (!mend_iof_is_empty(root->iof)) /* what has come is being written, however long that takes */
        root->heard_at = now;
    return root->heard_at + AWAIT_NS;
}

bool mend_root_is_over(const struct root *root)
{
    bool have_left = root->ended;

    for (int k = 1; k < root->nodes_n; k++)
        have_left &= has_left(root, &root->node[k]);
    return root->nodes_n == 1 || have_left ||
           (root->ended && mend_time_monotonic_ns() >= root->heard_at + AWAIT_NS);
}

void mend_root_await_agents(struct root *root)
{
    for (int k = 1; k < root->nodes_n; k++) {
        mend_wire_close(&root->node[k].wire);
        mend_brood_end(&root->brood, k, !root->node[k].has_left);
    }
    mend_brood_close(&root->brood);
    if (root->nodes_n > 1)
        mend_beats_close(&root->beats);
}
