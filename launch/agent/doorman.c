/* SPDX-License-Identifier: BSD-3-Clause */
/* doorman.c – takes connections for the ranks of this node, and passes each on to its rank.
 *
 *   a process elsewhere ── connects ──> the port of this agent
 *                       <── a nonce ──
 *                       ── names a rank, and proves that it has the key (node/greeting.h) ──>
 *   agent               ── CALLER, with the descriptor ──> the rank, which is rung
 *
 * Ranks listen nowhere, so a node has one port, and a rank that computes delays no caller.  A caller has GREETING_NS
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
 * An agent calls its parent in the same way (MEND_GREETING_AGENT), and the root gets the connection (struct mend_root_here),
 * always from the main thread.
 *
 * A verdict is not published before the first KNOCKS callers at the port were let in: what a process had sent to a rank of this node before
 * it died has reached the node (R12).  So watchers do that, too, and the callers are guarded by agent->ranks.lock. */
#include "agent/doorman.h"

#include "base/time.h"
#include "node/abroad.h"
#include "agent/rouse.h"
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
    int fd;
    struct mend_list callers; /* the one that has been there longest first */
    uint32_t callers_n;
    mend_time_ns rests_until; /* the port is not looked at; 0: it is */
};

static void let_in_all(void *self)
{
    mend_doorman_before_verdict(self);
}

bool mend_doorman_open(struct agent *agent)
{
    int fd = mend_port_listen(&agent->ranks.nodes.at, agent->ports);
    struct mend_doorman *d;

    if (fd < 0)
        return false;
    if (agent->ranks.shm)
        agent->ranks.shm->door.at = agent->ranks.nodes.at;
    d = mend_xalloc(1, sizeof(*d));
    d->fd = fd;
    mend_list_init(&d->callers);
    pthread_mutex_lock(
        &agent->ranks.lock); /* watchers look for it (mend_doorman_before_verdict()) */
    agent->doorman = d;
    agent->verdicts.door = (struct mend_verdict_door){agent, let_in_all};
    pthread_mutex_unlock(&agent->ranks.lock);
    return mend_sources_add_door(&agent->sources, fd, true);
}

/* The file stays open where it was passed on, so its end here does not take it out of the set. */
static void show_out(struct agent *agent, struct caller *c)
{
    mend_loop_drop(agent->sources.loop, c->fd);
    close(c->fd);
    mend_list_remove(&c->link);
    agent->doorman->callers_n--;
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
static int own_name(const struct agent *agent, int32_t name)
{
    if (number_of(name) && number_of(name) == mend_load_relaxed(&agent->ranks.shm->number))
        name &= (1 << MEND_ABROAD_NAME_BITS) - 1;
    return name >= 0 && name < agent->ranks.n ? name : -1;
}

/* A rank of this node that takes calls; NULL: there is none.  Whether it knows a caller of another job it looks itself. */
static struct rank *wanted(struct agent *agent, const struct mend_greeting *g)
{
    int to = own_name(agent, g->to);
    struct rank *r = to >= 0 ? &agent->ranks.rank[to] : NULL;

    return r && (own_name(agent, g->from) >= 0 || number_of(g->from)) && mend_rank_is_ours(r) &&
                   r->ctl_fd >= 0 && !mend_rank_is_dead(&agent->ranks, to)
               ? r
               : NULL;
}

/* It has no name yet, or has not been started. */
static bool is_expected(struct agent *agent, const struct mend_greeting *g)
{
    int to = own_name(agent, g->to);

    if (to < 0)
        return !number_of(g->to) && g->to >= agent->ranks.n;
    return mend_rank_is_ours(&agent->ranks.rank[to]) && agent->ranks.rank[to].ctl_fd < 0 &&
           !mend_rank_is_dead(&agent->ranks, to);
}

/* False: the socket of the rank is full. */
static bool pass_on(struct agent *agent, struct rank *r, const struct caller *c)
{
    struct mend_ctl_caller m = {
        .magic = MEND_CTL_MAGIC, .kind = MEND_CTL_CALLER, .greeting = c->greeting};
    mend_atomic_u32 *n = &r->shared->callers_n;

    if (mend_pass(r->ctl_fd, &m, sizeof(m), &c->fd, 1, MSG_DONTWAIT) <= 0)
        return false;
    /* release: pairs with the acquire in local_caller() */
    mend_store_release(n, mend_load_relaxed(n) + 1);
    mend_rouse_ring(&agent->ranks, r);
    return true;
}

static bool is_agent(const struct caller *c)
{
    return c->greeting.kind == MEND_GREETING_AGENT;
}

/* Of a caller that is one of ours: its rank has the connection, or there is none. */
static bool is_served(struct agent *agent, const struct caller *c)
{
    struct rank *r;

    if (is_agent(c))
        return false; /* let_agents_in() does that */
    r = wanted(agent, &c->greeting);
    return r ? pass_on(agent, r, c) : !is_expected(agent, &c->greeting);
}

/* A greeting that was recorded has another nonce. */
static bool is_ours(const struct agent *agent, const struct caller *c)
{
    const struct mend_greeting *g = &c->greeting;

    return (g->kind == MEND_GREETING_CALL ||
            (g->kind == MEND_GREETING_AGENT && agent->root_here.take)) &&
           mend_same_bytes(g->door_nonce, c->nonce, sizeof(c->nonce)) &&
           mend_greeting_is(g, agent->ranks.shm->door.key, agent->ranks.shm->job);
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

static void hear(struct agent *agent, struct caller *c)
{
    ssize_t n;

    if (c->waits) {
        if (is_served(agent, c))
            show_out(agent, c);
        return;
    }
    n = recv(c->fd, (char *)&c->greeting + c->n, sizeof(c->greeting) - c->n, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->n += n > 0 ? (uint32_t)n : 0;
    if (n > 0 && c->n < sizeof(c->greeting))
        return;
    if (n <= 0 || !is_ours(agent, c) || is_served(agent, c)) {
        show_out(agent, c);
        return;
    }
    c->waits = true;
    mend_loop_drop(agent->sources.loop, c->fd);
}

static bool show_out_oldest(struct agent *agent)
{
    struct mend_list *l = mend_list_first(&agent->doorman->callers);

    if (l)
        show_out(agent, mend_list_entry(l, struct caller, link));
    return l != NULL;
}

static uint32_t most_callers(void)
{
    struct rlimit l = {0};

    getrlimit(RLIMIT_NOFILE, &l);
    return l.rlim_cur / 4 < CALLERS ? (uint32_t)(l.rlim_cur / 4) : CALLERS;
}

static void let_in(struct agent *agent, int fd)
{
    struct mend_doorman *d = agent->doorman;
    struct caller *c;

    if (d->callers_n >= most_callers())
        show_out_oldest(agent);
    c = mend_xalloc(1, sizeof(*c));
    c->fd = fd;
    c->until = mend_time_monotonic_ns() + GREETING_NS;
    mend_list_append(&d->callers, &c->link);
    d->callers_n++;
    if (!challenge(c) || !mend_sources_add_door(&agent->sources, fd, false))
        show_out(agent, c);
}

static bool is_lack(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void rest(struct agent *agent)
{
    struct mend_doorman *d = agent->doorman;

    mend_loop_drop(agent->sources.loop, d->fd);
    d->rests_until = mend_time_monotonic_ns() + REST_NS;
}

static void answer_knocks(struct agent *agent)
{
    for (int i = 0; i < KNOCKS; i++) {
        int fd = accept4(agent->doorman->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            let_in(agent, fd);
        } else if (!is_lack(errno)) {
            return;
        } else if (!show_out_oldest(agent)) {
            rest(agent);
            return;
        }
    }
}

void mend_doorman_knock(struct agent *agent)
{
    pthread_mutex_lock(&agent->ranks.lock);
    answer_knocks(agent);
    pthread_mutex_unlock(&agent->ranks.lock);
}

void mend_doorman_hear(struct agent *agent, int fd)
{
    struct caller *c;

    pthread_mutex_lock(&agent->ranks.lock);
    c = caller_of(agent->doorman, fd);
    if (c)
        hear(agent, c);
    pthread_mutex_unlock(&agent->ranks.lock);
}

void mend_doorman_before_verdict(struct agent *agent)
{
    if (!agent->doorman)
        return;
    answer_knocks(agent);
    mend_list_foreach (l, next, &agent->doorman->callers)
        hear(agent, mend_list_entry(l, struct caller, link));
}

/* With the lock.  Its connection goes on; -1: there is none. */
static int let_agent_in(struct agent *agent, struct mend_greeting *g_p)
{
    mend_list_foreach (l, next, &agent->doorman->callers) {
        struct caller *c = mend_list_entry(l, struct caller, link);
        int fd = c->fd;

        if (!c->waits || !is_agent(c))
            continue;
        *g_p = c->greeting;
        mend_list_remove(&c->link);
        agent->doorman->callers_n--;
        free(c);
        return fd;
    }
    return -1;
}

static void let_agents_in(struct agent *agent)
{
    struct mend_greeting g;
    int fd;

    do {
        pthread_mutex_lock(&agent->ranks.lock);
        fd = let_agent_in(agent, &g);
        pthread_mutex_unlock(&agent->ranks.lock);
        if (fd >= 0)
            agent->root_here.take(agent->root_here.to, fd, &g);
    } while (fd >= 0);
}

mend_time_ns mend_doorman_look(struct agent *agent, mend_time_ns now)
{
    struct mend_doorman *d = agent->doorman;

    mend_time_ns next = MEND_TIME_NEVER;

    if (!d)
        return next;
    let_agents_in(agent);
    pthread_mutex_lock(&agent->ranks.lock);
    if (d->rests_until && now >= d->rests_until) {
        d->rests_until = 0;
        mend_sources_add_door(&agent->sources, d->fd, true);
    }
    mend_list_foreach (l, following, &d->callers) {
        struct caller *c = mend_list_entry(l, struct caller, link);
        mend_time_ns again = c->waits ? now + RETRY_NS : c->until;

        if (now >= c->until)
            show_out(agent, c);
        else if (!c->waits || !is_served(agent, c))
            next = again < next ? again : next;
        else
            show_out(agent, c);
    }
    if (d->rests_until && d->rests_until < next)
        next = d->rests_until;
    pthread_mutex_unlock(&agent->ranks.lock);
    return next;
}
