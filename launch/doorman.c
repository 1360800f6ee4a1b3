/* SPDX-License-Identifier: BSD-3-Clause */
/* doorman.c – takes connections for the ranks of this node, and passes each on to its rank.
 *
 *   a process elsewhere ── connects, and names a rank (node/greeting.h) ──> the port of this agent
 *   agent               ── CALLER, with the descriptor ──> the rank, which is rung
 *
 * Ranks listen nowhere, so a node has one port, and a rank that computes delays no caller.  A caller has GREETING_NS
 * to show the key of the job; until then nothing is done for it but to read the bytes of a greeting, and no more than CALLERS
 * are at the door at a time: the one that has been there longest goes.  A caller that is sent away calls again, if it is one
 * of ours.
 *
 * A verdict is not published before the first KNOCKS callers at the port were let in: what a process had sent to a rank of this node before
 * it died has reached the node (R12).  So watchers do that, too, and the callers are guarded by job->lock. */
#include "doorman.h"

#include "base/time.h"
#include "node/greeting.h"
#include "rouse.h"
#include "rt/pass.h"
#include "rt/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREETING_NS (5 * MEND_NS_PER_S)
#define CALLERS     256u
#define KNOCKS      64 /* that are answered at a time */

struct caller {
    struct mend_list link;
    int fd;
    uint32_t n; /* bytes of the greeting that have come */
    mend_time_ns until;
    struct mend_greeting greeting;
};

struct mend_doorman {
    int fd;
    struct mend_list callers; /* the one that has been there longest first */
    uint32_t callers_n;
};

static bool listen_at(int fd, struct mend_door *door)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);

    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0)
        return false;
    door->ipv4 = at.sin_addr.s_addr;
    door->port = at.sin_port;
    return getrandom(door->key, sizeof(door->key), 0) == sizeof(door->key);
}

bool mend_doorman_open(struct job *job)
{
    struct mend_doorman *d;
    int fd;

    if (!job->o.params.net || strcmp(job->o.params.net, "tcp"))
        return true;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || !listen_at(fd, &job->shm->door))
        return false;
    d = job->doorman = mend_xalloc(1, sizeof(*d));
    d->fd = fd;
    mend_list_init(&d->callers);
    return mend_agent_listen_to_door(job, fd, true);
}

/* The file stays open where it was passed on, so its end here does not take it out of the set. */
static void show_out(struct job *job, struct caller *c)
{
    epoll_ctl(job->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
    close(c->fd);
    mend_list_remove(&c->link);
    job->doorman->callers_n--;
    free(c);
}

static struct caller *caller_of(struct mend_doorman *d, int fd)
{
    mend_list_foreach (l, next, &d->callers)
        if (mend_list_entry(l, struct caller, link)->fd == fd)
            return mend_list_entry(l, struct caller, link);
    return NULL;
}

/* A rank of this node that takes calls; NULL: there is none. */
static struct rank *wanted(struct job *job, const struct mend_greeting *g)
{
    struct rank *r = g->to >= 0 && g->to < job->n ? &job->rank[g->to] : NULL;

    return r && g->from >= 0 && g->from < job->n && !r->guest_of && r->ctl_fd >= 0 &&
                   !mend_rank_is_dead(job, g->to)
               ? r
               : NULL;
}

/* A rank whose socket is full does not look at it; its caller calls again. */
static void pass_on(struct job *job, struct rank *r, const struct caller *c)
{
    struct mend_ctl_caller m = {
        .magic = MEND_CTL_MAGIC, .kind = MEND_CTL_CALLER, .greeting = c->greeting};
    mend_atomic_u32 *n = &r->shared->callers_n;

    if (mend_pass(r->ctl_fd, &m, sizeof(m), &c->fd, 1, MSG_DONTWAIT) <= 0)
        return;
    /* release: pairs with the acquire in local_caller() */
    mend_store_release(n, mend_load_relaxed(n) + 1);
    mend_rouse_ring(job, r);
}

static void hear(struct job *job, struct caller *c)
{
    struct rank *r;
    ssize_t n = recv(c->fd, (char *)&c->greeting + c->n, sizeof(c->greeting) - c->n, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->n += n > 0 ? (uint32_t)n : 0;
    if (n > 0 && c->n < sizeof(c->greeting))
        return;
    r = n > 0 && mend_greeting_is(&c->greeting, &job->shm->door, job->shm->job)
            ? wanted(job, &c->greeting)
            : NULL;
    if (r)
        pass_on(job, r, c);
    show_out(job, c);
}

static void let_in(struct job *job, int fd)
{
    struct mend_doorman *d = job->doorman;
    struct caller *c;

    if (d->callers_n == CALLERS)
        show_out(job, mend_list_entry(d->callers.next, struct caller, link));
    c = mend_xalloc(1, sizeof(*c));
    c->fd = fd;
    c->until = mend_time_monotonic_ns() + GREETING_NS;
    mend_list_append(&d->callers, &c->link);
    d->callers_n++;
    if (mend_agent_listen_to_door(job, fd, false))
        hear(job, c); /* the greeting has come with its caller, mostly */
    else
        show_out(job, c);
}

static void answer_knocks(struct job *job)
{
    for (int i = 0; i < KNOCKS; i++) {
        int fd = accept4(job->doorman->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd < 0)
            return;
        let_in(job, fd);
    }
}

void mend_doorman_knock(struct job *job)
{
    pthread_mutex_lock(&job->lock);
    answer_knocks(job);
    pthread_mutex_unlock(&job->lock);
}

void mend_doorman_hear(struct job *job, int fd)
{
    struct caller *c;

    pthread_mutex_lock(&job->lock);
    c = caller_of(job->doorman, fd);
    if (c)
        hear(job, c);
    pthread_mutex_unlock(&job->lock);
}

void mend_doorman_before_verdict(struct job *job)
{
    if (!job->doorman)
        return;
    answer_knocks(job);
    mend_list_foreach (l, next, &job->doorman->callers)
        hear(job, mend_list_entry(l, struct caller, link));
}

mend_time_ns mend_doorman_look(struct job *job, mend_time_ns now)
{
    struct mend_doorman *d = job->doorman;

    mend_time_ns next = MEND_TIME_NEVER;

    if (!d)
        return next;
    pthread_mutex_lock(&job->lock);
    while (next == MEND_TIME_NEVER && !mend_list_empty(&d->callers)) {
        struct caller *c = mend_list_entry(d->callers.next, struct caller, link);

        if (now < c->until)
            next = c->until;
        else
            show_out(job, c);
    }
    pthread_mutex_unlock(&job->lock);
    return next;
}
