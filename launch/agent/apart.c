/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c – see apart.h.
 *
 * What it needs it gets by a letter on its standard input (start/letter.h); it then calls its parent, and everything else comes over that
 * connection.  If that ends the root is gone, and every process of the node is killed.
 *
 * Standard input stays open as long as the agent lives: by ssh it is the connection with the machine of mpiexec, and some systems end
 * the processes of a login with it.  Its end says nothing. */
#include "agent/apart.h"

#include "agent/agent.h"
#include "agent/far.h"
#include "agent/parent.h"
#include "base/time.h"
#include "output/iof.h"
#include "share/wire.h"
#include "start/settle.h"
#include "start/ways.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <poll.h>
#include <string.h>

#define TURN_MS 20 /* between two looks whether all output has left */

struct apart {
    struct agent agent;
    struct mend_loop loop;
    struct mend_wire wire;
    struct mend_post own; /* the agent's */
    uint32_t member;      /* of the loop */
    struct mend_letter letter;
};

static _Noreturn void refuse(char *why)
{
    mend_options_complain("%s", why);
    exit(2);
}

/* What was standard input stays open; a rank that has the terminal reads that of mpiexec. */
static void keep_input(const struct mend_letter *l)
{
    int from = l->input_fd ? (int)l->input_fd : open("/dev/null", O_RDONLY | O_CLOEXEC);

    fcntl(0, F_DUPFD_CLOEXEC, MEND_START_INPUT_FD + 1);
    if (from >= 0 && dup2(from, 0) == 0)
        close(from);
}

static void take_letter(struct apart *a)
{
    const struct mend_build mine = mend_build_of_this();
    char *why;

    if (!mend_letter_read(0, &mine, &a->letter, &why))
        refuse(why);
    keep_input(&a->letter);
}

/* Its own address is the one by which it was reached, and the parent's the one from which that has come. */
static void find_addresses(const struct mend_letter *l, struct mend_address *own_p,
                           struct mend_address *parent_p)
{
    struct mend_address client;
    uint16_t port = l->parent.port;

    *own_p = *parent_p = l->parent;
    own_p->port = 0;
    if (!l->by_ssh)
        return;
    if (!mend_settle_ends(getenv("SSH_CONNECTION"), &client, own_p))
        refuse(mend_xprintf("ssh does not say how %s is reached (SSH_CONNECTION is '%s'); "
                            "--interface does",
                            l->host, getenv("SSH_CONNECTION") ? getenv("SSH_CONNECTION") : ""));
    *parent_p = client;
    parent_p->port = port;
}

static void open_door(struct agent *agent)
{
    char text[MEND_ADDRESS_TEXT];

    if (!mend_agent_open_door(agent))
        refuse(mend_xprintf("cannot take connections at %s: %s; --interface and --port-range say "
                            "where it may",
                            mend_address_text(&agent->ranks.nodes.at, text), strerror(errno)));
}

static void call_parent(struct apart *a, const struct mend_address *parent)
{
    const struct mend_letter *l = &a->letter;
    const struct mend_parent_call call = {.to = parent,
                                          .nodes = &a->agent.ranks.nodes,
                                          .kind = MEND_GREETING_AGENT,
                                          .deadline = mend_time_monotonic_ns() +
                                                      l->answer_ms * MEND_NS_PER_MS};
    char own[MEND_ADDRESS_TEXT], there[MEND_ADDRESS_TEXT];
    struct mend_address from = a->agent.ranks.nodes.at;
    const char *why;
    int fd = mend_parent_call(&call, &why);

    from.port = 0;
    if (fd < 0)
        refuse(mend_xprintf("it (%s) calls mpiexec on %s (%s), and %s: %s; a firewall may be in "
                            "between (--port-range), or another network be meant (--interface)",
                            mend_address_text(&from, own), l->parent_host,
                            mend_address_text(parent, there), why, strerror(errno)));
    a->agent.parent_fd = fd;
    mend_wire_open(&a->wire, fd);
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    struct apart *a = self;

    (void)from, (void)of;
    if (mend_wire_read(&a->wire, &a->own))
        return;
    mend_loop_drop(&a->loop, a->wire.fd);
    mend_post(&a->own, &(struct mend_message){.kind = MEND_DOWN_KILL, .rank = -1});
    mend_post(&a->own, &(struct mend_message){.kind = MEND_DOWN_END, .rank = -1});
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct apart *a = self;

    (void)now;
    mend_wire_flush(&a->wire);
    return MEND_TIME_NEVER;
}

static bool is_done(void *self)
{
    (void)self;
    return true;
}

/* The root takes the rest of the output, or is gone. */
static void await_written(struct apart *a)
{
    struct pollfd p = {.fd = a->wire.fd, .events = POLLIN};

    while (!mend_iof_is_empty(a->agent.tell.iof)) {
        mend_wire_flush(&a->wire);
        if (poll(&p, 1, TURN_MS) > 0 && !mend_wire_read(&a->wire, &a->own))
            return;
    }
}

/* Until it has called there is nothing that anybody else would have to end. */
static void begin(struct apart *a, struct mend_options *o)
{
    struct mend_nodes *nodes = &a->agent.ranks.nodes;
    struct mend_address parent;
    char *why;

    take_letter(a);
    nodes->me = a->letter.node;
    nodes->n = a->letter.nodes_n;
    nodes->job = a->letter.job;
    memcpy(nodes->key, a->letter.key, sizeof(nodes->key));
    find_addresses(&a->letter, &nodes->at, &parent);
    why = mend_settle(&a->letter);
    if (why)
        refuse(why);
    mend_process_prepare(&a->agent.before);
    o->is_agent = true;
    mend_options_parse(a->letter.argv.n, a->letter.argv.at, o);
    if (!mend_loop_open(&a->loop))
        refuse(mend_xprintf("the system has no file descriptors left"));
    mend_agent_join(&a->agent, &a->loop);
    open_door(&a->agent);
    call_parent(a, &parent);
}

int mend_agent_apart(void)
{
    struct apart *a = mend_xalloc(1, sizeof(*a));
    struct mend_options *o = mend_xalloc(1, sizeof(*o));

    begin(a, o);
    a->own = mend_agent_post(&a->agent);
    a->agent.tell.root = mend_wire_post(&a->wire);
    a->member = mend_loop_join(
        &a->loop,
        (struct mend_loop_member){.self = a, .event = on_event, .look = look, .is_done = is_done});
    mend_agent_open(&a->agent, o);
    a->agent.tell.iof = mend_iof_create(o, (int)MEND_NODE_NAMES);
    if (a->agent.tell.iof)
        mend_iof_relay(a->agent.tell.iof, &a->agent.tell.root);
    if (!a->agent.tell.iof || !mend_wire_listen(&a->wire, &a->loop, a->member, 0, 0))
        return 1;
    mend_far_ready(&a->agent.ranks, &a->agent.tell);
    mend_loop_run(&a->loop);
    mend_agent_close(&a->agent);
    mend_process_restore(&a->agent.before);
    await_written(a);
    return mend_iof_finish(a->agent.tell.iof) ? 0 : 1;
}
