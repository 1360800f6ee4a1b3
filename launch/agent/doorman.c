/* SPDX-License-Identifier: BSD-3-Clause */
/* doorman.c – takes connections for the ranks of this node, and passes each on to its rank.
 *
 *   a process elsewhere ── connects ──> the port of this agent
 *                       <── a nonce ──
 *                       ── names a rank, and proves that it has the key (node/greeting.h) ──>
 *   agent               ── CALLER, with the descriptor ──> the rank, which is rung
 *
 * Ranks listen nowhere, so a node has one port (a second one, if it was connected on its own machine first, and with a job of
 * several then), and a rank that computes delays no caller.  A caller has GREETING_NS
 * to prove that it has the key of the job; until then nothing is done for it but to read the bytes of a greeting, and no more than CALLERS, nor
 * than a quarter of the descriptors that this process may have, are at the door at a time: the one that has been there longest
 * goes.  A caller that is sent away calls again, if it is one of ours.
 *
 * A caller of ours that names a rank which has not been started yet, or whose socket is full, waits at the door for it, also no longer than
 * GREETING_NS: behind its greeting it has written what it may never write again, because it has left MPI since.
 *
 * Without a descriptor for a caller the one that has been there longest goes, too; if there is none, the port rests for REST_NS:
 * nothing says when a descriptor is free.
 *
 * An agent calls its parent in the same way (MEND_GREETING_AGENT), and the root, or what passes it on to the root (relay.c), gets the
 * connection, always from the main thread.
 *
 * A verdict is not published before the first KNOCKS callers at the port were let in: what a process had sent to a rank of this node before
 * it died has reached the node (R12).  So watchers do that, too, and the callers are guarded by the lock of the ranks. */
#include "agent/doorman.h"

#include "agent/rouse.h"
#include "base/list.h"
#include "base/time.h"
#include "node/abroad.h"
#include "rt/pass.h"
#include "rt/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREETING_NS (5 * MEND_NS_PER_S)
#define CALLERS     256u
#define REST_NS     (10 * MEND_NS_PER_MS)
#define KNOCKS      64 /* that are answered at a time */
#define RETRY_NS    MEND_NS_PER_MS
#define PORTS       2 /* the first one, and one that other machines reach */

struct caller {
    struct mend_list link;
    int fd;
    uint32_t n; /* bytes of the greeting that have come */
    unsigned char nonce[MEND_NONCE_BYTES];
    bool waits; /* for its rank, or an agent for the main thread, and is not heard */
    mend_time_ns until;
    struct mend_greeting greeting;
};

struct mend_doorman {
    struct mend_ranks *ranks;
    const struct mend_sources *sources;
    const struct mend_agent_calls *agents;
    int port[PORTS];          /* -1: not open */
    struct mend_list callers; /* the one that has been there longest first */
    uint32_t callers_n;
    mend_time_ns rests_until; /* the ports are not looked at; 0: they are */
};

/* -1: errno.  The address has the port then, here and in the segment. */
static int open_port(struct mend_ranks *ranks, const struct mend_sources *sources,
                     struct mend_port_range ports)
{
    int fd = mend_port_listen(&ranks->nodes.at, ports);

    if (fd >= 0 && !mend_sources_add_door(sources, fd, true)) {
        close(fd);
        return -1;
    }
    if (fd >= 0 && ranks->shm)
        ranks->shm->door.at = ranks->nodes.at;
    return fd;
}

struct mend_doorman *mend_doorman_open(struct mend_ranks *ranks, const struct mend_sources *sources,
                                       struct mend_port_range ports,
                                       const struct mend_agent_calls *agents)
{
    int fd = open_port(ranks, sources, ports);
    struct mend_doorman *d;

    if (fd < 0)
        return NULL;
    d = mend_xalloc(1, sizeof(*d));
    *d = (struct mend_doorman){
        .ranks = ranks, .sources = sources, .agents = agents, .port = {fd, -1}};
    mend_list_init(&d->callers);
    return d;
}

bool mend_doorman_open_more(struct mend_doorman *d, struct mend_port_range ports)
{
    int fd = open_port(d->ranks, d->sources, ports);

    pthread_mutex_lock(&d->ranks->lock); /* watchers look at the ports */
    d->port[1] = fd;
    pthread_mutex_unlock(&d->ranks->lock);
    return fd >= 0;
}

/* The file stays open where it was passed on, so its end here does not take it out of the set. */
static void show_out(struct mend_doorman *d, struct caller *c)
{
    mend_sources_drop(d->sources, c->fd);
    close(c->fd);
    mend_list_remove(&c->link);
    d->callers_n--;
    free(c);
}

static struct caller *caller_of(struct mend_doorman *d, int fd)
{
    mend_list_foreach (l, next, &d->callers)
        if (mend_list_entry(l, struct caller, link)->fd == fd)
            return mend_list_entry(l, struct caller, link);
    return NULL;
}

static uint32_t number_of(int32_t name)
{
    return (uint32_t)name >> MEND_ABROAD_NAME_BITS;
}

/* What a process of this job is called here, also by other jobs; else -1. */
static int own_name(const struct mend_ranks *ranks, int32_t name)
{
    if (number_of(name) && number_of(name) == mend_load_relaxed(&ranks->shm->number))
        name &= (1 << MEND_ABROAD_NAME_BITS) - 1;
    return name >= 0 && name < ranks->n ? name : -1;
}

/* A rank of this node that takes calls; NULL: there is none.  Whether it knows a caller of another job it looks itself. */
static struct rank *wanted(struct mend_ranks *ranks, const struct mend_greeting *g)
{
    int to = own_name(ranks, g->to);
    struct rank *r = to >= 0 ? &ranks->rank[to] : NULL;

    return r && (own_name(ranks, g->from) >= 0 || number_of(g->from)) && mend_rank_is_ours(r) &&
                   r->ctl_fd >= 0 && !mend_rank_is_dead(ranks, to)
               ? r
               : NULL;
}

/* It has no name yet, or has not been started. */
static bool is_expected(struct mend_ranks *ranks, const struct mend_greeting *g)
{
    int to = own_name(ranks, g->to);

    if (to < 0)
        return !number_of(g->to) && g->to >= ranks->n;
    return mend_rank_is_ours(&ranks->rank[to]) && ranks->rank[to].ctl_fd < 0 &&
           !mend_rank_is_dead(ranks, to);
}

/* False: the socket of the rank is full. */
static bool pass_on(struct mend_ranks *ranks, struct rank *r, const struct caller *c)
{
    struct mend_ctl_caller m = {
        .magic = MEND_CTL_MAGIC, .kind = MEND_CTL_CALLER, .greeting = c->greeting};
    mend_atomic_u32 *n = &r->shared->callers_n;

    if (mend_pass(r->ctl_fd, &m, sizeof(m), &c->fd, 1, MSG_DONTWAIT) <= 0)
        return false;
    /* release: pairs with the acquire in local_caller() */
    mend_store_release(n, mend_load_relaxed(n) + 1);
    mend_rouse_ring(ranks, r);
    return true;
}

static bool is_agent(const struct caller *c)
{
    return c->greeting.kind == MEND_GREETING_AGENT || c->greeting.kind == MEND_GREETING_GONE;
}

/* Of a caller that is one of ours: its rank has the connection, or there is none. */
static bool is_served(struct mend_doorman *d, const struct caller *c)
{
    struct rank *r;

    if (is_agent(c))
        return false; /* let_agents_in() does that */
    r = wanted(d->ranks, &c->greeting);
    return r ? pass_on(d->ranks, r, c) : !is_expected(d->ranks, &c->greeting);
}

/* A greeting that was recorded has another nonce. */
static bool is_ours(const struct mend_doorman *d, const struct caller *c)
{
    const struct mend_greeting *g = &c->greeting;

    return (g->kind == MEND_GREETING_CALL || (is_agent(c) && d->agents->take)) &&
           mend_same_bytes(g->door_nonce, c->nonce, sizeof(c->nonce)) &&
           mend_greeting_is(g, is_agent(c) ? d->ranks->nodes.agents_key : d->ranks->shm->door.key,
                            d->ranks->shm->job);
}

/* False: there is no nonce, or no room for it. */
static bool challenge(struct caller *c)
{
    struct mend_challenge m = {
        .magic = MEND_GREETING_MAGIC,
        .version = MEND_GREETING_VERSION,
        .bytes = sizeof(c->greeting),
    };

    if (getrandom(c->nonce, sizeof(c->nonce), 0) != sizeof(c->nonce))
        return false;
    memcpy(m.nonce, c->nonce, sizeof(m.nonce));
    return send(c->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(m);
}

static void hear(struct mend_doorman *d, struct caller *c)
{
    ssize_t n;

    if (c->waits) {
        if (is_served(d, c))
            show_out(d, c);
        return;
    }
    n = recv(c->fd, (char *)&c->greeting + c->n, sizeof(c->greeting) - c->n, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->n += n > 0 ? (uint32_t)n : 0;
    if (n > 0 && c->n < sizeof(c->greeting))
        return;
    if (n <= 0 || !is_ours(d, c) || is_served(d, c)) {
        show_out(d, c);
        return;
    }
    c->waits = true;
    mend_sources_drop(d->sources, c->fd);
}

static bool show_out_oldest(struct mend_doorman *d)
{
    struct mend_list *l = mend_list_first(&d->callers);

    if (l)
        show_out(d, mend_list_entry(l, struct caller, link));
    return l != NULL;
}

static uint32_t most_callers(void)
{
    struct rlimit l = {0};

    getrlimit(RLIMIT_NOFILE, &l);
    return l.rlim_cur / 4 < CALLERS ? (uint32_t)(l.rlim_cur / 4) : CALLERS;
}

static void let_in(struct mend_doorman *d, int fd)
{
    struct caller *c;

    if (d->callers_n >= most_callers())
        show_out_oldest(d);
    c = mend_xalloc(1, sizeof(*c));
    c->fd = fd;
    c->until = mend_time_monotonic_ns() + GREETING_NS;
    mend_list_append(&d->callers, &c->link);
    d->callers_n++;
    if (!challenge(c) || !mend_sources_add_door(d->sources, fd, false))
        show_out(d, c);
}

static bool is_lack(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void rest(struct mend_doorman *d)
{
    for (int i = 0; i < PORTS && d->port[i] >= 0; i++)
        mend_sources_drop(d->sources, d->port[i]);
    d->rests_until = mend_time_monotonic_ns() + REST_NS;
}

static void end_rest(struct mend_doorman *d)
{
    d->rests_until = 0;
    for (int i = 0; i < PORTS && d->port[i] >= 0; i++)
        mend_sources_add_door(d->sources, d->port[i], true);
}

static void answer_knocks_at(struct mend_doorman *d, int port)
{
    for (int i = 0; i < KNOCKS; i++) {
        int fd = accept4(port, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            let_in(d, fd);
        } else if (!is_lack(errno)) {
            return;
        } else if (!show_out_oldest(d)) {
            rest(d);
            return;
        }
    }
}

static void answer_knocks(struct mend_doorman *d)
{
    for (int i = 0; i < PORTS && d->port[i] >= 0; i++)
        answer_knocks_at(d, d->port[i]);
}

void mend_doorman_knock(struct mend_doorman *d)
{
    pthread_mutex_lock(&d->ranks->lock);
    answer_knocks(d);
    pthread_mutex_unlock(&d->ranks->lock);
}

void mend_doorman_hear(struct mend_doorman *d, int fd)
{
    struct caller *c;

    pthread_mutex_lock(&d->ranks->lock);
    c = caller_of(d, fd);
    if (c)
        hear(d, c);
    pthread_mutex_unlock(&d->ranks->lock);
}

void mend_doorman_before_verdict(struct mend_doorman *d)
{
    answer_knocks(d);
    mend_list_foreach (l, next, &d->callers)
        hear(d, mend_list_entry(l, struct caller, link));
}

/* With the lock.  Its connection goes on; -1: there is none. */
static int let_agent_in(struct mend_doorman *d, struct mend_greeting *g_p)
{
    mend_list_foreach (l, next, &d->callers) {
        struct caller *c = mend_list_entry(l, struct caller, link);
        int fd = c->fd;

        if (!c->waits || !is_agent(c))
            continue;
        *g_p = c->greeting;
        mend_list_remove(&c->link);
        d->callers_n--;
        free(c);
        return fd;
    }
    return -1;
}

static void let_agents_in(struct mend_doorman *d)
{
    struct mend_greeting g;
    int fd;

    do {
        pthread_mutex_lock(&d->ranks->lock);
        fd = let_agent_in(d, &g);
        pthread_mutex_unlock(&d->ranks->lock);
        if (fd >= 0)
            d->agents->take(d->agents->to, fd, &g);
    } while (fd >= 0);
}

mend_time_ns mend_doorman_look(struct mend_doorman *d, mend_time_ns now)
{
    mend_time_ns next = MEND_TIME_NEVER;

    if (!d)
        return next;
    let_agents_in(d);
    pthread_mutex_lock(&d->ranks->lock);
    if (d->rests_until && now >= d->rests_until)
        end_rest(d);
    mend_list_foreach (l, following, &d->callers) {
        struct caller *c = mend_list_entry(l, struct caller, link);
        mend_time_ns again = c->waits ? now + RETRY_NS : c->until;

        if (now >= c->until)
            show_out(d, c);
        else if (!c->waits || !is_served(d, c))
            next = again < next ? again : next;
        else
            show_out(d, c);
    }
    if (d->rests_until && d->rests_until < next)
        next = d->rests_until;
    pthread_mutex_unlock(&d->ranks->lock);
    return next;
}
