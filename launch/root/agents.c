/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.c – the agents of the other nodes, from their start until they have called.
 *
 *   root    starts it (start/brood.h): a process that stands for it, and a letter on its standard input
 *   agent   reads the letter, becomes as mpiexec is, calls the port of the root's node, proves that it has the key
 *   root    proves the same; from then on messages go over this connection (nodes.c)
 *   agent   asks for its lease, by datagrams (lease/beats.h); says READY when it has it
 *
 * An agent that does not come ends the job before a rank runs, with one sentence. */
#include "root/root.h"

#include "base/time.h"
#include "node/greeting.h"
#include "share/port.h"
#include "start/settle.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SAY_AFTER_NS MEND_NS_PER_S       /* how far the start is, on a terminal */
#define SAY_AGAIN_NS (5 * MEND_NS_PER_S) /* if that has changed */

const char *mend_root_name_of(const struct root_node *node)
{
    const struct mend_host *host = &node->root->o->hosts.at[node->number];

    return host->here || !host->name ? "" : host->name;
}

static bool forks(const struct root_node *node)
{
    return mend_brood_forks(node->root->o, node->number);
}

/* ---- one that does not come ---- */

/* One sentence will do. */
static bool lose_before_start(struct root_node *node)
{
    struct root *root = node->root;
    bool is_first = !root->failed && !root->ended;

    node->state = NODE_LOST;
    if (is_first)
        root->failed = root->not_started = true;
    return is_first;
}

/* It has called, and datagrams do not come through. */
static void say_no_lease(struct root_node *node)
{
    struct root *root = node->root;
    int parent = mend_lineage_parent(root->lineage->radix, node->number);

    if (!lose_before_start(node))
        return;
    if (parent)
        mend_root_say(root,
                      "mpiexec: the agent on %s has called, but its datagrams (UDP) to %s, or the "
                      "answers, do not come through; a firewall has to let them pass "
                      "(--port-range)",
                      mend_brood_host(root->o, node->number), mend_brood_host(root->o, parent));
    else
        mend_root_say(root,
                      "mpiexec: the agent on %s has called, but its datagrams (UDP) to port %d of "
                      "this machine, or the answers, do not come through; a firewall has to let "
                      "them pass (--port-range)",
                      mend_brood_host(root->o, node->number), ntohs(mend_beats_port(&root->beats)));
}

bool mend_root_has_no_lease(struct root_node *node)
{
    if (node->state != NODE_STARTING || forks(node))
        return false;
    say_no_lease(node);
    return true;
}

void mend_root_fail_to_start(struct root_node *node, enum mend_brood_failure what, int status,
                             const char *sentence)
{
    if (node->state != NODE_STARTING)
        return;
    if (what == MEND_BROOD_ENDED)
        mend_root_lose(node, "its agent has ended");
    else if (what == MEND_BROOD_NOT_READY)
        say_no_lease(node);
    else if (lose_before_start(node)) {
        mend_root_say(node->root, "mpiexec: %s", sentence);
        node->root->refused = status;
    }
}

static void on_failure(void *self, int number, enum mend_brood_failure what, int status,
                       const char *sentence)
{
    struct root *root = self;

    mend_root_fail_to_start(&root->node[number], what, status, sentence);
}

static void on_words(void *self, int number, const char *line)
{
    struct root *root = self;

    mend_root_say(root, "%s: %s", mend_brood_host(root->o, number), line);
}

/* ---- starting ---- */

/* What all letters have in common. */
static void describe(const struct root *root, const struct mend_address *at,
                     struct mend_letter *l_p)
{
    char host[256] = "localhost";

    gethostname(host, sizeof(host) - 1);
    mend_settle_describe(l_p, root->before);
    l_p->nodes_n = (uint32_t)root->nodes_n;
    l_p->job = root->job;
    memcpy(l_p->key, root->key, sizeof(l_p->key));
    memcpy(l_p->agents_key, root->agents_key, sizeof(l_p->agents_key));
    l_p->ancestors_n = 1;
    l_p->ancestor[0] = (struct mend_letter_ancestor){
        .node = 0, .door = *at, .beats_port = mend_beats_port(&root->beats)};
    l_p->parent_host = mend_xprintf("%s", host);
    l_p->given = root->o->given.at;
    l_p->given_n = (uint32_t)root->o->given.len;
    for (int i = 0; root->o->argv[i]; i++)
        mend_strings_add(&l_p->argv, root->o->argv[i]);
}

bool mend_root_start_agents(struct root *root, const struct mend_address *at)
{
    const struct mend_lease_config config = mend_beats_config(root->o->params.lease_ns);
    const struct mend_port_range range = mend_options_ports(root->o);
    const struct mend_beats_place place = {0, root->nodes_n, mend_options_radix(root->o)};
    struct mend_letter l = {0};

    if (!mend_beats_open(&root->beats, &config, root->agents_key, place, range) ||
        !mend_root_open_tree(root, place.radix) ||
        !mend_loop_add(root->loop, root->member, root->beats.news_fd, MEND_ROOT_FROM_BEATS, 0))
        return false;
    describe(root, at, &l);
    mend_brood_open(&root->brood, root->loop, root->o, root->before, &l,
                    (struct mend_brood_owner){.self = root, .fail = on_failure, .tell = on_words});
    for (int k = 1; k < root->nodes_n; k++) {
        mend_wire_open(&root->node[k].wire, -1);
        root->node[k].agent = mend_wire_post(&root->node[k].wire);
    }
    for (int k = 1; k < root->nodes_n && k <= place.radix; k++) {
        mend_beats_expect(&root->beats, k, MEND_ROOT_INCARNATION);
        if (!mend_brood_start(&root->brood, k))
            return false;
    }
    return true;
}

bool mend_root_has_child(const void *self, pid_t pid)
{
    const struct root *root = self;

    return mend_brood_has_child(&root->brood, pid);
}

/* ---- its call ---- */

bool mend_root_is_welcome(const struct root_node *node)
{
    return node->state != NODE_LOST &&
           (node->has_called || (!node->root->failed && !node->root->killing));
}

void mend_root_connected(struct root_node *node, const struct mend_address *reached)
{
    node->has_called = true;
    node->reached = *reached;
    mend_brood_called(&node->root->brood, node->number);
}

static struct root_node *caller(struct root *root, const struct mend_greeting *g)
{
    struct root_node *node =
        g->from > 0 && g->from < root->nodes_n && g->to == 0 ? &root->node[g->from] : NULL;

    return node && mend_root_is_welcome(node) ? node : NULL;
}

static bool answer(struct root *root, int fd, const struct mend_greeting *g)
{
    struct mend_greeting a = *g;

    a.kind = MEND_GREETING_ANSWER;
    a.from = g->to;
    a.to = g->from;
    a.received = root->node[g->from].wire.taken;
    mend_greeting_sign(&a, root->agents_key);
    return send(fd, &a, sizeof(a), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(a);
}

/* Also anew, before this end knows that the connection before has ended. */
static bool connect_with(struct root_node *node, int fd, uint64_t taken_there,
                         const struct mend_address *reached)
{
    struct root *root = node->root;

    if (node->wire.fd >= 0)
        mend_loop_drop(root->loop, node->wire.fd);
    if (!mend_wire_resume(&node->wire, fd, taken_there))
        return false;
    node->carrier = 0;
    mend_root_connected(node, reached);
    mend_wire_listen(&node->wire, root->loop, root->member, MEND_ROOT_FROM_NODE,
                     (uint32_t)node->number);
    return true;
}

void mend_root_take_agent(void *self, int fd, const struct mend_greeting *g)
{
    struct root *root = self;
    struct root_node *node = caller(root, g);
    struct mend_address reached, calls_from;

    if (node && g->kind == MEND_GREETING_GONE)
        node->is_gone = true;
    if (!node || g->kind != MEND_GREETING_AGENT || !mend_port_ends(fd, &reached, &calls_from) ||
        !answer(root, fd, g) || !connect_with(node, fd, g->received, &reached))
        close(fd);
}

/* ---- how far it is ---- */

static void say_how_far(struct root *root)
{
    char missing[256] = "";
    size_t used = 0;
    int there_n = 1;

    for (int k = 1; k < root->nodes_n; k++)
        if (mend_wire_is_up(&root->node[k].wire))
            there_n++;
        else if (used < sizeof(missing))
            used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%s",
                                     used ? ", " : "", mend_brood_host(root->o, k));
    if (there_n == root->nodes_n || there_n == root->said_n)
        return;
    root->said_n = there_n;
    mend_root_say(root, "mpiexec: %d of %d nodes are there; waiting for %s", there_n, root->nodes_n,
                  missing);
}

static bool waits(const struct root *root)
{
    for (int k = 1; k < root->nodes_n; k++)
        if (root->node[k].state == NODE_STARTING)
            return true;
    return false;
}

mend_time_ns mend_root_look_at_agents(struct root *root, mend_time_ns now)
{
    if (!root->at_terminal || root->failed || !waits(root))
        return MEND_TIME_NEVER;
    if (!root->say_at)
        root->say_at = root->start_ns + SAY_AFTER_NS;
    if (now >= root->say_at) {
        say_how_far(root);
        root->say_at = now + SAY_AGAIN_NS;
    }
    return root->say_at;
}
