/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.c – the agents of the other nodes, from the start of a process that stands for each until it has called.
 *
 *   root    starts it (start/ways.h), writes the letter to its standard input
 *   agent   reads the letter, becomes as mpiexec is, calls the port of the root's node, proves that it has the key
 *   root    proves the same; from then on messages go over this connection (nodes.c)
 *   agent   asks for its lease, by datagrams (lease/beats.h); says READY when it has it
 *
 * An agent that does not come ends the job before a rank runs, with one sentence.  Either its process ends before it has called, and what
 * that has said last is a part of the sentence, or it is too late. */
#include "root/root.h"

#include "base/time.h"
#include "node/greeting.h"
#include "share/port.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAY_AFTER_NS MEND_NS_PER_S       /* how far the start is, on a terminal */
#define SAY_AGAIN_NS (5 * MEND_NS_PER_S) /* if that has changed */
#define LAST_WORD_NS (2 * MEND_NS_PER_S) /* of an agent whose connection has ended */
#define END_MS       2000                /* of ssh behind its agent */

/* ---- starting ---- */

static enum mend_way way_of(const struct root_node *node)
{
    return node->root->o->hosts.at[node->number].here ? MEND_WAY_fork : MEND_WAY_ssh;
}

/* A part of the time is for what is said when it was not enough. */
static int seconds_of(const struct mend_options *o)
{
    mend_time_ns s = o->remote.connect_timeout_ns / MEND_NS_PER_S * 3 / 4;

    return s < 1 ? 1 : s > 86400 ? 86400 : (int)s;
}

/* mpiexec of other hosts. */
static char *program_of(const struct mend_options *o)
{
    char own[4096];
    ssize_t n;

    if (o->remote.agent)
        return mend_xprintf("%s", o->remote.agent);
    if (o->remote.prefix)
        return mend_xprintf("%s/bin/mpiexec", o->remote.prefix);
    n = readlink("/proc/self/exe", own, sizeof(own));
    return mend_xprintf("%.*s", n > 0 ? (int)n : 0, own);
}

static struct mend_errand start_of(const struct root_node *node)
{
    const struct mend_options *o = node->root->o;
    const struct mend_host *host = &o->hosts.at[node->number];

    return (struct mend_errand){.host = host->name ? host->name : "this machine",
                                .user = host->user,
                                .program = node->root->program,
                                .ssh = &o->remote.ssh,
                                .connect_s = seconds_of(o),
                                .before = node->root->before};
}

static void write_letter(struct root_node *node)
{
    struct root_agent *a = &node->begun;
    ssize_t n = write(a->process.letter, a->letter + a->written, a->letter_n - a->written);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        n = 0;
    if (n < 0)
        n = (ssize_t)(a->letter_n - a->written); /* it reads no more: its end tells why */
    a->written += (size_t)n;
    if (a->written < a->letter_n)
        return;
    mend_loop_drop(node->root->loop, a->process.letter);
    if (a->letter)
        explicit_bzero(a->letter, a->letter_n);
    free(a->letter);
    a->letter = NULL;
}

const char *mend_root_name_of(const struct root_node *node)
{
    const struct mend_host *host = &node->root->o->hosts.at[node->number];

    return host->here || !host->name ? "" : host->name;
}

static void make_letter(struct root_node *node, struct mend_letter *l)
{
    const struct mend_errand what = start_of(node);
    const struct mend_build mine = mend_build_of_this();
    struct root *root = node->root;

    l->node = (uint32_t)node->number;
    l->nodes_n = (uint32_t)root->nodes_n;
    l->by_ssh = way_of(node) == MEND_WAY_ssh;
    l->input_fd = l->by_ssh ? 0 : MEND_START_INPUT_FD;
    l->answer_ms = (uint64_t)what.connect_s * 1000;
    l->job = root->job;
    memcpy(l->key, root->key, sizeof(l->key));
    memcpy(l->agents_key, root->agents_key, sizeof(l->agents_key));
    l->parent = root->at;
    l->beats_port = mend_beats_port(&root->beats);
    l->given = root->o->given.at;
    l->given_n = (uint32_t)root->o->given.len;
    l->host = what.host;
    node->begun.letter = mend_letter_encode(l, &mine, &node->begun.letter_n);
}

static bool start_agent(struct root_node *node, struct mend_letter *l)
{
    const struct mend_errand what = start_of(node);
    struct root *root = node->root;
    struct root_agent *a = &node->begun;
    uint32_t k = (uint32_t)node->number;

    make_letter(node, l);
    if (!mend_way_start(way_of(node), &what, &a->process) ||
        !mend_loop_add(root->loop, root->member, a->process.pidfd, MEND_ROOT_FROM_PROCESS, k))
        return false;
    if (a->process.says >= 0)
        mend_loop_add(root->loop, root->member, a->process.says, MEND_ROOT_FROM_WORDS, k);
    mend_loop_set(root->loop, root->member, a->process.letter, MEND_ROOT_FROM_LETTER, k, true,
                  true);
    if (way_of(node) == MEND_WAY_ssh)
        a->answer_by = mend_time_monotonic_ns() + root->o->remote.connect_timeout_ns;
    return true;
}

bool mend_root_start_agents(struct root *root, const struct mend_address *at)
{
    const struct mend_lease_config config = mend_beats_config(root->o->params.lease_ns);
    const struct mend_port_range range = mend_options_ports(root->o);
    const struct mend_beats_place place = {0, root->nodes_n, root->nodes_n};
    struct mend_letter l = {0};
    char host[256] = "localhost";

    root->at = *at;
    root->program = program_of(root->o);
    if (!mend_beats_open(&root->beats, &config, root->agents_key, place, range) ||
        !mend_loop_add(root->loop, root->member, root->beats.news_fd, MEND_ROOT_FROM_BEATS, 0))
        return false;
    gethostname(host, sizeof(host) - 1);
    mend_settle_describe(&l, root->before);
    l.parent_host = host;
    for (int i = 0; root->o->argv[i]; i++)
        mend_strings_add(&l.argv, root->o->argv[i]);
    for (int k = 1; k < root->nodes_n; k++) {
        mend_beats_expect(&root->beats, k, MEND_ROOT_INCARNATION);
        mend_wire_open(&root->node[k].wire, -1);
        root->node[k].agent = mend_wire_post(&root->node[k].wire);
        root->node[k].begun = (struct root_agent){.answer_by = MEND_TIME_NEVER};
        if (!start_agent(&root->node[k], &l))
            return false;
    }
    return true;
}

/* ---- its call ---- */

static struct root_node *caller(struct root *root, const struct mend_greeting *g)
{
    struct root_node *node =
        g->from > 0 && g->from < root->nodes_n && g->to == 0 ? &root->node[g->from] : NULL;

    return node && node->state != NODE_LOST &&
                   (node->has_called || (!node->begun.fails_at && !root->failed && !root->killing))
               ? node
               : NULL;
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
static bool connect_with(struct root_node *node, int fd, uint64_t taken_there)
{
    struct root *root = node->root;

    if (node->wire.fd >= 0)
        mend_loop_drop(root->loop, node->wire.fd);
    if (!mend_wire_resume(&node->wire, fd, taken_there))
        return false;
    node->has_called = true;
    node->begun.fails_at = 0;
    mend_wire_listen(&node->wire, root->loop, root->member, MEND_ROOT_FROM_NODE,
                     (uint32_t)node->number);
    return true;
}

void mend_root_take_agent(void *self, int fd, const struct mend_greeting *g)
{
    struct root *root = self;
    struct root_node *node = caller(root, g);

    if (node && g->kind == MEND_GREETING_GONE)
        node->is_gone = true;
    if (!node || g->kind != MEND_GREETING_AGENT ||
        !mend_port_ends(fd, &node->begun.reached, &node->begun.calls_from) ||
        !answer(root, fd, g) || !connect_with(node, fd, g->received))
        close(fd);
}

bool mend_root_has_child(const void *self, pid_t pid)
{
    const struct root *root = self;

    for (int k = 1; k < root->nodes_n; k++)
        if (root->node[k].begun.process.pid == pid)
            return true;
    return false;
}

/* ---- one that does not come ---- */

static void drop_words(struct root_node *node)
{
    struct mend_started *p = &node->begun.process;

    if (p->says < 0)
        return;
    mend_loop_drop(node->root->loop, p->says);
    close(p->says);
    p->says = -1;
}

static void hear_words(struct root_node *node)
{
    struct root_agent *a = &node->begun;

    if (a->process.says >= 0 && !mend_way_listen(a->process.says, &a->said))
        drop_words(node);
}

/* status: of waitpid(); -1: the process goes on. */
static void give_up(struct root_node *node, int status)
{
    const struct mend_errand what = start_of(node);
    struct root *root = node->root;
    char *why;

    hear_words(node);
    node->state = NODE_LOST;
    if (root->failed || root->ended)
        return; /* one sentence will do */
    why = mend_way_excuse(way_of(node), &what, status, mend_way_said(&node->begun.said));
    mend_root_say(root, "mpiexec: %s", why);
    free(why);
    root->failed = root->not_started = true;
}

/* Reaps it.  Its status; -1: it goes on, or there is none. */
static int reap(struct root_node *node)
{
    struct mend_started *p = &node->begun.process;
    int status;

    if (p->pid <= 0 || waitpid(p->pid, &status, WNOHANG) != p->pid)
        return -1;
    mend_loop_drop(node->root->loop, p->pidfd);
    p->pid = 0;
    return status;
}

static void on_process(struct root_node *node)
{
    int status = reap(node);

    if (node->state != NODE_STARTING)
        return;
    if (way_of(node) == MEND_WAY_fork)
        mend_root_lose(node, "its agent has ended");
    else if (node->wire.fd < 0) /* else only ssh has ended */
        give_up(node, status);
}

void mend_root_await_excuse(struct root_node *node)
{
    if (node->state != NODE_STARTING || way_of(node) == MEND_WAY_fork)
        return;
    node->begun.fails_at = mend_time_monotonic_ns() + LAST_WORD_NS;
    if (!node->begun.process.pid)
        give_up(node, -1);
}

void mend_root_hear_agent(struct root *root, enum root_from from, int number)
{
    struct root_node *node = &root->node[number];

    if (from == MEND_ROOT_FROM_LETTER)
        write_letter(node);
    else if (from == MEND_ROOT_FROM_WORDS)
        hear_words(node);
    else
        on_process(node);
}

/* ---- how far it is ---- */

static void say_how_far(struct root *root)
{
    char missing[256] = "";
    size_t used = 0;
    int there_n = 1;

    for (int k = 1; k < root->nodes_n; k++)
        if (root->node[k].wire.fd >= 0)
            there_n++;
        else if (used < sizeof(missing))
            used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%s",
                                     used ? ", " : "", start_of(&root->node[k]).host);
    if (there_n == root->nodes_n || there_n == root->said_n)
        return;
    root->said_n = there_n;
    mend_root_say(root, "mpiexec: %d of %d nodes are there; waiting for %s", there_n, root->nodes_n,
                  missing);
}

/* It has called, and datagrams do not come through. */
static void say_no_lease(struct root_node *node)
{
    struct root *root = node->root;

    node->state = NODE_LOST;
    if (root->failed || root->ended)
        return;
    mend_root_say(root,
                  "mpiexec: the agent on %s has called, but its datagrams (UDP) to port %d of this "
                  "machine, or the answers, do not come through; a firewall has to let them pass "
                  "(--port-range)",
                  start_of(node).host, ntohs(mend_beats_port(&root->beats)));
    root->failed = root->not_started = true;
}

bool mend_root_has_no_lease(struct root_node *node)
{
    if (node->state != NODE_STARTING || way_of(node) == MEND_WAY_fork)
        return false;
    say_no_lease(node);
    return true;
}

static void on_late(struct root_node *node)
{
    if (node->wire.fd >= 0 && !node->begun.fails_at)
        say_no_lease(node);
    else
        give_up(node, -1);
}

mend_time_ns mend_root_look_at_agents(struct root *root, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;
    bool waits = false;

    for (int k = 1; k < root->nodes_n && !root->failed; k++) {
        struct root_node *node = &root->node[k];
        mend_time_ns by = node->begun.fails_at ? node->begun.fails_at : node->begun.answer_by;

        if (node->state != NODE_STARTING)
            continue;
        if (now >= by)
            on_late(node);
        next = by < next ? by : next;
        waits = true;
    }
    if (!waits || root->failed || !root->at_terminal)
        return next;
    if (!root->say_at)
        root->say_at = root->start_ns + SAY_AFTER_NS;
    if (now >= root->say_at) {
        say_how_far(root);
        root->say_at = now + SAY_AGAIN_NS;
    }
    return root->say_at < next ? root->say_at : next;
}

/* ---- its end ---- */

void mend_root_end_agent(struct root_node *node, bool at_once)
{
    struct mend_started *p = &node->begun.process;
    struct pollfd end = {.fd = p->pidfd, .events = POLLIN};

    if (p->letter >= 0)
        close(p->letter); /* so far it has held the connection of ssh open */
    if (p->pid > 0 && (at_once || poll(&end, 1, END_MS) <= 0))
        kill(p->pid, SIGKILL);
    if (p->pid > 0)
        waitpid(p->pid, NULL, 0);
    p->pid = 0;
    p->letter = -1;
    drop_words(node);
    if (p->pidfd >= 0)
        close(p->pidfd);
    p->pidfd = -1;
}
