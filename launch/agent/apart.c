/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.c – see apart.h.
 *
 * What it needs it gets by a letter on its standard input (start/letter.h); it then calls its parent, and everything else comes over that
 * connection.  If that ends, or its parent is silent, it calls that again and its other ancestors in turn, as long as its lease runs (lease/beats.h).
 * When the lease is over the kernel ends it, and so every process of the node.
 *
 * In a job of many nodes it is a parent itself: when it has its lease it starts the agents below it, passes on what they and the root
 * say to each other (relay.h), and grants them leases.
 *
 * Standard input stays open as long as the agent lives: by ssh it is the connection with the machine of mpiexec, and some systems end
 * the processes of a login with it.  Its end says nothing. */
#include "agent/apart.h"

#include "agent/agent.h"
#include "agent/far.h"
#include "agent/parent.h"
#include "agent/relay.h"
#include "base/time.h"
#include "lease/beats.h"
#include "lease/fence.h"
#include "output/iof.h"
#include "share/wire.h"
#include "start/brood.h"
#include "start/settle.h"
#include "start/ways.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#define TURN_MS  20                     /* between two looks whether all output has left */
#define CALL_NS  (100 * MEND_NS_PER_MS) /* for a call when there was a connection before, ... */
#define AGAIN_NS (50 * MEND_NS_PER_MS)  /* ... and until the next one */

#define LETTER_NS (60 * MEND_NS_PER_S) /* until it has come, behind a login */

enum { FROM_ROOT, FROM_BEATS };

struct apart {
    struct agent agent;
    struct mend_loop loop;
    struct mend_wire wire;
    struct mend_post own; /* the agent's */
    uint32_t member;      /* of the loop */
    struct mend_letter letter;
    struct mend_fence start; /* ends an agent that stands still before it asks for its lease */
    struct mend_beats beats;
    struct mend_brood brood; /* the agents below this one, ... */
    struct mend_relay relay; /* ... and their connections */
    int32_t radix;
    int parent; /* the node that this one calls; as the tree was started, or another ancestor */
    struct mend_lineage_search search; /* for one */
    bool is_ready;                     /* the root knows */
    mend_time_ns call_at;              /* the next one is called */
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

static mend_time_ns start_ns(const struct mend_letter *l)
{
    return l->answer_ms * MEND_NS_PER_MS * 3 / 2; /* longer than its parent waits, which says why */
}

static void take_letter(struct apart *a)
{
    const struct mend_build mine = mend_build_of_this();
    char *why;

    if (!mend_fence_open(&a->start))
        refuse(mend_xprintf("no timer for its start: %s", strerror(errno)));
    mend_fence_set(&a->start, mend_fence_now() + LETTER_NS);
    if (!mend_letter_read(0, &mine, &a->letter, &why))
        refuse(why);
    mend_fence_set(&a->start, mend_fence_now() + start_ns(&a->letter));
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
static void find_addresses(struct mend_letter *l, const struct mend_options *o,
                           struct mend_address *own_p)
{
    struct mend_address *parent = &l->ancestor[0].door;

    *own_p = *parent;
    if (l->by_ssh)
        find_addresses_of_ssh(l, o, own_p, parent);
    own_p->port = 0;
}

/* Those that the user has said. */
static char *ports(const struct mend_options *o)
{
    if (!o->remote.port_first)
        return mend_xprintf("%s", "");
    return mend_xprintf(", ports %d:%d", o->remote.port_first, o->remote.port_last);
}

static void open_door(struct agent *agent, const struct mend_options *o)
{
    char text[MEND_ADDRESS_TEXT];
    int error;

    if (mend_agent_open_door(agent))
        return;
    error = errno;
    refuse(mend_xprintf("cannot take connections at %s%s: %s; --interface and --port-range say "
                        "where it may",
                        mend_address_text(&agent->ranks.nodes.at, text), ports(o),
                        strerror(error)));
}

static const struct mend_letter_ancestor *ancestor(const struct apart *a, int node)
{
    for (uint32_t i = 0; i < a->letter.ancestors_n; i++)
        if ((int)a->letter.ancestor[i].node == node)
            return &a->letter.ancestor[i];
    return NULL;
}

static struct mend_address beats_of(const struct mend_letter_ancestor *x)
{
    struct mend_address at = x->door;

    at.port = x->beats_port;
    return at;
}

/* It calls that one next if the connection ends, or nothing is heard of it. */
static void keep_to(struct apart *a, const struct mend_letter_ancestor *x)
{
    a->parent = (int)x->node;
    a->agent.parent = x->door;
    mend_lineage_begin(&a->search, a->radix, (int32_t)a->letter.node, a->parent);
}

static void call_parent(struct apart *a)
{
    const struct mend_letter *l = &a->letter;
    const struct mend_letter_ancestor *parent = &l->ancestor[0];
    const mend_time_ns now = mend_time_monotonic_ns(), wait = l->answer_ms * MEND_NS_PER_MS;
    const struct mend_parent_call call = {.to = &parent->door,
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
                            mend_address_text(&parent->door, there), why, strerror(errno)));
    keep_to(a, parent);
    mend_wire_open(&a->wire, fd);
}

static void ask_for_lease(struct apart *a, const struct mend_options *o)
{
    struct mend_lease_config config = mend_beats_config(o->params.lease_ns);
    const struct mend_nodes *nodes = &a->agent.ranks.nodes;
    const struct mend_beats_place place = {(int32_t)nodes->me, (int32_t)nodes->n, a->radix};
    const struct mend_address at = beats_of(&a->letter.ancestor[0]);

    config.start_ns = start_ns(&a->letter);
    if (!mend_beats_open(&a->beats, &config, nodes->agents_key, place, mend_options_ports(o)) ||
        !mend_beats_follow(&a->beats, 1, a->parent, &at)) {
        int error = errno;

        refuse(mend_xprintf("no socket or timer for its lease%s: %s", ports(o), strerror(error)));
    }
    mend_fence_set(&a->start, MEND_TIME_NEVER);
}

/* ---- the agents below ---- */

static void post(struct apart *a, enum mend_message_kind kind, int node, int64_t first,
                 int64_t second, int64_t third)
{
    mend_post(
        &a->agent.tell.root,
        &(struct mend_message){.kind = kind, .rank = -1, .arg = {node, first, second, third}});
}

static void on_failure(void *self, int node, enum mend_brood_failure what, int status,
                       const char *sentence)
{
    struct apart *a = self;

    mend_post(&a->agent.tell.root,
              &(struct mend_message){.kind = MEND_UP_CHILD_FAILS,
                                     .rank = -1,
                                     .arg = {node, what, status},
                                     .data = sentence ? sentence : "",
                                     .len = sentence ? (uint32_t)strlen(sentence) : 0});
}

static void on_words(void *self, int node, const char *line)
{
    struct apart *a = self;

    mend_say(&a->agent.tell, "%s: %s", mend_brood_host(a->agent.o, node), line);
}

/* Their ancestors are this node and its own. */
static void describe(const struct apart *a, struct mend_letter *l_p)
{
    char host[256] = "localhost";

    gethostname(host, sizeof(host) - 1);
    *l_p = a->letter;
    l_p->parent_host = mend_xprintf("%s", host);
    l_p->ancestors_n = 1;
    l_p->ancestor[0] = (struct mend_letter_ancestor){.node = a->letter.node,
                                                     .door = a->agent.ranks.nodes.at,
                                                     .beats_port = mend_beats_port(&a->beats)};
    for (uint32_t i = 0; i < a->letter.ancestors_n && i + 1 < MEND_LINEAGE_EDGES_MAX; i++)
        l_p->ancestor[l_p->ancestors_n++] = a->letter.ancestor[i];
}

static int first_below(const struct apart *a)
{
    return a->radix * (int)a->letter.node + 1;
}

static bool is_below(const struct apart *a, int node)
{
    return node < (int)a->letter.nodes_n && node < first_below(a) + a->radix;
}

static void start_brood(struct apart *a)
{
    for (int k = first_below(a); is_below(a, k); k++) {
        char *why;

        mend_beats_expect(&a->beats, k, 1);
        if (mend_brood_start(&a->brood, k))
            continue;
        why = mend_xprintf("an agent cannot be started by that on %s: %s", a->letter.host,
                           strerror(errno));
        on_failure(a, k, MEND_BROOD_NOT_COME, 0, why);
        free(why);
    }
}

/* They begin as soon as this node has its lease. */
static void on_granted(struct apart *a)
{
    a->is_ready = true;
    if (a->letter.by_ssh)
        dprintf(2, "%s\n", MEND_WAY_READY);
    start_brood(a);
    mend_far_ready(&a->agent.ranks, &a->agent.tell);
}

static void on_beats(struct apart *a)
{
    struct mend_lease_turn turn;
    mend_time_ns silent;
    int k;

    if (mend_beats_are_granted(&a->beats) && !a->is_ready)
        on_granted(a);
    while ((k = mend_beats_next_lost(&a->beats, &turn, &silent)) >= 0)
        post(a, MEND_UP_CHILD_LOST, k, turn.incarnation, turn.turn, (int64_t)silent);
    while ((k = mend_beats_next_asking(&a->beats, &turn)) >= 0)
        post(a, MEND_UP_CHILD_ASKS, k, turn.incarnation, turn.turn, 0);
}

/* ---- messages ---- */

/* Those that the job starts with are all there. */
static void on_nodes(struct apart *a)
{
    for (int k = first_below(a); is_below(a, k); k++)
        mend_brood_ready(&a->brood, k);
}

static void hear(void *self, const struct mend_message *m)
{
    struct apart *a = self;
    int node = (int)m->arg[0];

    switch (m->kind) {
    case MEND_DOWN_CHILD_CALLED:
    case MEND_DOWN_CHILD:
    case MEND_DOWN_CHILD_ENDS:
        mend_relay_hear(&a->relay, m);
        break;
    case MEND_DOWN_CHILD_ADOPTED:
        mend_beats_adopt(&a->beats, node,
                         (struct mend_lease_turn){(uint32_t)m->arg[1], (uint32_t)m->arg[2]});
        break;
    case MEND_DOWN_CHILD_DECLARED:
        mend_beats_declare(&a->beats, node, (uint32_t)m->arg[1]);
        mend_relay_forget(&a->relay, node);
        break;
    case MEND_DOWN_NODES:
        on_nodes(a);
        mend_post(&a->own, m);
        break;
    default:
        mend_post(&a->own, m);
    }
}

static struct mend_post post_of(struct apart *a)
{
    return (struct mend_post){hear, a};
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
    const struct mend_post to = post_of(a);

    (void)of;
    if (from == FROM_BEATS)
        on_beats(a);
    else if (a->wire.fd >= 0 && !mend_wire_read(&a->wire, &to))
        on_end(a);
}

static bool listen_to_root(struct apart *a)
{
    return mend_wire_listen(&a->wire, &a->loop, a->member, FROM_ROOT, 0);
}

/* ---- another connection ---- */

/* The connection before may still be there, if its other end is silent. */
static void go_on_over(struct apart *a, int fd, uint64_t taken_there,
                       const struct mend_letter_ancestor *to)
{
    const struct mend_address at = beats_of(to);

    if (a->wire.fd >= 0)
        mend_loop_drop(&a->loop, a->wire.fd);
    if (!mend_wire_resume(&a->wire, fd, taken_there))
        raise(SIGKILL); /* as in on_end() */
    listen_to_root(a);
    keep_to(a, to);
    mend_beats_turn(&a->beats, a->parent, &at);
}

/* All may be gone, or the cable out: then the lease ends. */
static void call_next(struct apart *a, mend_time_ns now)
{
    const struct mend_letter_ancestor *to = ancestor(a, mend_lineage_next(&a->search));
    const struct mend_parent_call call = {.to = to ? &to->door : NULL,
                                          .nodes = &a->agent.ranks.nodes,
                                          .kind = MEND_GREETING_AGENT,
                                          .taken = a->wire.taken,
                                          .deadline = now + CALL_NS};
    uint64_t taken_there;
    const char *why;
    int fd = to ? mend_parent_call(&call, &taken_there, &why) : -1;

    a->call_at = mend_time_monotonic_ns() + AGAIN_NS;
    if (fd >= 0)
        go_on_over(a, fd, taken_there, to);
}

/* The root has no other in its place. */
static bool is_to_call(struct apart *a)
{
    return !a->agent.course.ended && (a->wire.fd < 0 || (a->parent && mend_beats_seek(&a->beats)));
}

static mend_time_ns look(void *self, mend_time_ns now)
{
    struct apart *a = self;

    if (is_to_call(a) && now >= a->call_at)
        call_next(a, now);
    mend_wire_flush(&a->wire);
    return is_to_call(a) ? a->call_at : MEND_TIME_NEVER;
}

static bool is_done(void *self)
{
    (void)self;
    return true;
}

/* The root takes the rest of the output, and ends the connection when it has heard that nothing more comes.  If it is gone the lease ends. */
static void await_written(struct apart *a)
{
    const struct mend_post to = post_of(a);
    bool leaves = false;

    while (!a->wire.broken) {
        struct pollfd p = {.fd = a->wire.fd, .events = POLLIN};

        if (!leaves && mend_iof_is_empty(a->agent.tell.iof)) {
            mend_post(&a->agent.tell.root,
                      &(struct mend_message){.kind = MEND_UP_LEAVES, .rank = -1});
            leaves = true;
        }
        mend_wire_flush(&a->wire);
        if (poll(&p, 1, TURN_MS) > 0 && !mend_wire_read(&a->wire, &to)) {
            if (leaves)
                return;
            mend_wire_cut(&a->wire);
        }
        if (a->wire.fd < 0)
            call_next(a, mend_time_monotonic_ns());
    }
}

static void end_brood(struct apart *a)
{
    for (int k = first_below(a); is_below(a, k); k++)
        mend_brood_end(&a->brood, k, false);
    mend_brood_close(&a->brood);
}

/* Until it has called there is nothing that anybody else would have to end. */
static void begin(struct apart *a, struct mend_options *o)
{
    struct mend_nodes *nodes = &a->agent.ranks.nodes;
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
    a->radix = mend_options_radix(o);
    find_addresses(&a->letter, o, &nodes->at);
    a->agent.ports = mend_options_ports(o);
    if (!mend_loop_open(&a->loop))
        refuse(mend_xprintf("the system has no file descriptors left"));
    mend_agent_join(&a->agent, &a->loop);
    a->agent.agent_calls = (struct mend_agent_calls){
        .to = &a->relay, .take = mend_relay_take, .has_child = mend_relay_has_child};
    open_door(&a->agent, o);
    call_parent(a);
    ask_for_lease(a, o);
}

static void join_tree(struct apart *a, const struct mend_options *o)
{
    struct mend_letter l;

    describe(a, &l);
    mend_brood_open(&a->brood, &a->loop, o, &a->agent.before, &l,
                    (struct mend_brood_owner){.self = a, .fail = on_failure, .tell = on_words});
    mend_relay_join(&a->relay, &a->loop, &a->agent.tell.root, a->agent.ranks.nodes.agents_key,
                    &a->brood);
}

int mend_agent_apart(void)
{
    struct apart *a = mend_xalloc(1, sizeof(*a));
    struct mend_options *o = mend_xalloc(1, sizeof(*o));

    prctl(PR_SET_NAME, "mpiexec"); /* that of /proc/self/exe is "exe" */
    begin(a, o);
    a->own = mend_agent_post(&a->agent);
    a->agent.tell.root = mend_wire_post(&a->wire);
    a->member = mend_loop_join(
        &a->loop,
        (struct mend_loop_member){.self = a, .event = on_event, .look = look, .is_done = is_done});
    join_tree(a, o);
    mend_agent_open(&a->agent, o);
    a->agent.tell.iof = mend_iof_create(o, (int)MEND_NODE_NAMES, &a->agent.tell.root);
    if (!a->agent.tell.iof || !listen_to_root(a) ||
        !mend_loop_add(&a->loop, a->member, a->beats.news_fd, FROM_BEATS, 0))
        return 1;
    mend_loop_run(&a->loop);
    end_brood(a);
    mend_agent_close(&a->agent);
    mend_process_restore(&a->agent.before);
    await_written(a);
    return mend_iof_finish(a->agent.tell.iof) ? 0 : 1;
}
