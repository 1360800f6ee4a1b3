/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c – see apart.h.
 *
 * What it needs it gets by a letter on its standard input (start/letter.h); it then calls its parent, and everything else comes over that
 * connection.  If that ends it calls again, as long as its lease runs (lease/beats.h).  When the lease is over the kernel ends it, and
 * so every process of the node.
 *
 * Standard input stays open as long as the agent lives: by ssh it is the connection with the machine of mpiexec, and some systems end
 * the processes of a login with it.  Its end says nothing. */
#include "agent/apart.h"

#include "agent/agent.h"
#include "agent/far.h"
#include "agent/parent.h"
#include "base/time.h"
#include "lease/beats.h"
#include "output/iof.h"
#include "share/wire.h"
#include "start/settle.h"
#include "start/ways.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#define TURN_MS  20                     /* between two looks whether all output has left */
#define CALL_NS  (100 * MEND_NS_PER_MS) /* for a call to a parent that was connected before, ... */
#define AGAIN_NS (50 * MEND_NS_PER_MS)  /* ... and until the next one */

enum { FROM_ROOT, FROM_BEATS };

struct apart {
    struct agent agent;
    struct mend_loop loop;
    struct mend_wire wire;
    struct mend_post own; /* the agent's */
    uint32_t member;      /* of the loop */
    struct mend_letter letter;
    struct mend_beats beats;
    bool is_ready;        /* the root knows */
    mend_time_ns call_at; /* without a connection */
};

static _Noreturn void refuse(char *why)
{
    mend_options_fail(2, "%s", why);
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

/* What the user says, or how ssh has come here. */
static void find_addresses_of_ssh(const struct mend_letter *l, const struct mend_options *o,
                                  struct mend_address *own_p, struct mend_address *parent_p)
{
    const char *said = getenv("SSH_CONNECTION");
    struct mend_address client = {0}, server = {0};
    struct sockaddr_storage address;
    bool known = mend_settle_ends(said, &client, &server);

    if (o->remote.interface.text && !mend_here_address(&o->remote.interface, &address))
        refuse(mend_xprintf("--interface: %s has no address that belongs to '%s' ('ip addr' there "
                            "lists them)",
                            l->host, o->remote.interface.text));
    if (!o->remote.interface.text && !known)
        refuse(mend_xprintf("ssh does not say how %s is reached (SSH_CONNECTION is '%s'); "
                            "--interface does",
                            l->host, said ? said : ""));
    *own_p = server;
    if (o->remote.interface.text)
        mend_address_from((struct sockaddr *)&address, own_p);
    else
        memcpy(parent_p->ip, client.ip, sizeof(client.ip));
}

/* Its own address is the one by which it was reached, and the parent's the one from which that has come. */
static void find_addresses(const struct mend_letter *l, const struct mend_options *o,
                           struct mend_address *own_p, struct mend_address *parent_p)
{
    *own_p = *parent_p = l->parent;
    if (l->by_ssh)
        find_addresses_of_ssh(l, o, own_p, parent_p);
    own_p->port = 0;
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
    const mend_time_ns now = mend_time_monotonic_ns(), wait = l->answer_ms * MEND_NS_PER_MS;
    const struct mend_parent_call call = {.to = parent,
                                          .nodes = &a->agent.ranks.nodes,
                                          .kind = MEND_GREETING_AGENT,
                                          .deadline = now + wait,
                                          .again_until = now + wait / 2};
    char own[MEND_ADDRESS_TEXT], there[MEND_ADDRESS_TEXT];
    struct mend_address from = a->agent.ranks.nodes.at;
    const char *why;
    uint64_t none;
    int fd = mend_parent_call(&call, &none, &why);

    from.port = 0;
    if (fd < 0)
        refuse(mend_xprintf("it (%s) calls mpiexec on %s (%s), and %s: %s; a firewall may be in "
                            "between (--port-range), or another network be meant (--interface)",
                            mend_address_text(&from, own), l->parent_host,
                            mend_address_text(parent, there), why, strerror(errno)));
    a->agent.parent = *parent;
    mend_wire_open(&a->wire, fd);
}

static void ask_for_lease(struct apart *a, struct mend_options *o)
{
    struct mend_lease_config config = mend_beats_config(o->params.lease_ns);
    const struct mend_nodes *nodes = &a->agent.ranks.nodes;
    const struct mend_beats_place place = {(int32_t)nodes->me, (int32_t)nodes->n,
                                           (int32_t)nodes->n};
    struct mend_address parent = a->agent.parent;

    parent.port = (uint16_t)a->letter.beats_port;
    config.start_ns = a->letter.answer_ms * MEND_NS_PER_MS * 3 / 2; /* longer than its parent waits */
    if (!mend_beats_open(&a->beats, &config, nodes->agents_key, place, mend_options_ports(o)) ||
        !mend_beats_follow(&a->beats, 1, 0, &parent))
        refuse(mend_xprintf("no socket or timer for its lease: %s", strerror(errno)));
}

/* Nothing runs here before. */
static void on_beats(struct apart *a)
{
    if (!mend_beats_are_granted(&a->beats) || a->is_ready)
        return;
    a->is_ready = true;
    mend_far_ready(&a->agent.ranks, &a->agent.tell);
}

/* A stream in which something is missing, or wrong, cannot go on, and this node not without it: as if the agent had been killed. */
static void on_end(struct apart *a)
{
    if (a->wire.broken)
        raise(SIGKILL);
    mend_loop_drop(&a->loop, a->wire.fd);
    mend_wire_cut(&a->wire);
}

static void on_event(void *self, uint32_t from, uint32_t of)
{
    struct apart *a = self;

    (void)of;
    if (from == FROM_BEATS)
        on_beats(a);
    else if (a->wire.fd >= 0 && !mend_wire_read(&a->wire, &a->own))
        on_end(a);
}

static bool listen_to_root(struct apart *a)
{
    return mend_wire_listen(&a->wire, &a->loop, a->member, FROM_ROOT, 0);
}

/* The root may be gone, or the cable out: then the lease ends. */
static void call_again(struct apart *a, mend_time_ns now)
{
    const struct mend_parent_call call = {.to = &a->agent.parent,
                                          .nodes = &a->agent.ranks.nodes,
                                          .kind = MEND_GREETING_AGENT,
                                          .taken = a->wire.taken,
                                          .deadline = now + CALL_NS};
    uint64_t taken_there;
    const char *why;
    int fd = mend_parent_call(&call, &taken_there, &why);

    a->call_at = mend_time_monotonic_ns() + AGAIN_NS;
    if (fd >= 0 && mend_wire_resume(&a->wire, fd, taken_there))
        listen_to_root(a);
    else if (fd >= 0)
        close(fd);
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct apart *a = self;

    if (a->wire.fd < 0 && !a->agent.course.ended && now >= a->call_at)
        call_again(a, now);
    mend_wire_flush(&a->wire);
    return a->wire.fd < 0 ? a->call_at : MEND_TIME_NEVER;
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

    while (a->wire.fd >= 0 && !mend_iof_is_empty(a->agent.tell.iof)) {
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

    mend_options_be_agent();
    take_letter(a);
    nodes->me = a->letter.node;
    nodes->n = a->letter.nodes_n;
    nodes->job = a->letter.job;
    memcpy(nodes->key, a->letter.key, sizeof(nodes->key));
    memcpy(nodes->agents_key, a->letter.agents_key, sizeof(nodes->agents_key));
    why = mend_settle(&a->letter);
    if (why)
        refuse(why);
    mend_process_prepare(&a->agent.before);
    o->is_agent = true;
    o->node = (int)a->letter.node;
    o->given = (struct mend_given_bytes){(unsigned char *)a->letter.given, a->letter.given_n};
    mend_options_parse(a->letter.argv.n, a->letter.argv.at, o);
    find_addresses(&a->letter, o, &nodes->at, &parent);
    a->agent.ports = mend_options_ports(o);
    if (!mend_loop_open(&a->loop))
        refuse(mend_xprintf("the system has no file descriptors left"));
    mend_agent_join(&a->agent, &a->loop);
    open_door(&a->agent);
    call_parent(a, &parent);
    ask_for_lease(a, o);
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
    a->agent.tell.iof = mend_iof_create(o, (int)MEND_NODE_NAMES, &a->agent.tell.root);
    if (!a->agent.tell.iof || !listen_to_root(a) ||
        !mend_loop_add(&a->loop, a->member, a->beats.news_fd, FROM_BEATS, 0))
        return 1;
    mend_loop_run(&a->loop);
    mend_agent_close(&a->agent);
    mend_process_restore(&a->agent.before);
    await_written(a);
    return mend_iof_finish(a->agent.tell.iof) ? 0 : 1;
}
