/* SPDX-License-Identifier: BSD-3-Clause */
/* connect.c – connections: who begins one, which of two counts, and what follows when one ends.
 *
 * The process that has bytes to write calls, when it first has some and when the connection has ended.  A connection carries the
 * bytes that the sender still keeps, from the first one on, without waiting for an answer of the peer's (stream.h); only for
 * the nonce of the peer's agent it waits.  So it may end at any
 * time, and nothing but time is lost.
 *
 * Each connection of a pair has a number, one more than the highest that its caller knows.  A process takes a connection with
 * a higher number than its own has and refuses one with a lower number.  Equal numbers mean that both have called: the call of
 * the process with the lower name counts, at both.  So both keep the same connection, whichever greeting comes first.  What has
 * reached this process by another one is taken before that is closed.
 *
 * A call that does not succeed is repeated after a pause, which doubles up to PAUSE_MAX, for as long as the peer is not
 * declared dead: no error of a socket says that it is.  If the door of the peer's agent could not be reached for
 * REACH_TIMEOUT, the agent is told, and one of the two is ended.  A peer that does not answer is reached all the same: it may compute. */
#include "net/tcp/internal.h"

#include "base/time.h"
#include "node/abroad.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define PAUSE_MIN     MEND_NS_PER_MS
#define PAUSE_MAX     (64 * MEND_NS_PER_MS)
#define PAUSE_REFUSED (8 * MEND_NS_PER_MS)
#define CUT_SLICE                                                                                  \
    (100 *                                                                                         \
     MEND_NS_PER_MS) /* of a longer time without a look so much counts: this process may not have run */

struct mend_tcp_pair *mend_tcp_pair_to(struct mend_proc *self, mend_peer peer)
{
    struct mend_tcp_pair *p = mend_tcp_of(self, peer);

    if (p)
        return p;
    p = mend_zalloc(self, 1, sizeof(*p));
    if (!p)
        return NULL;
    p->peer = peer;
    p->fd = p->refused = -1;
    return self->tcp->pair[peer] = p;
}

static void change_events(struct mend_proc *self, struct mend_tcp_pair *p, int how)
{
    struct epoll_event e = {.events = EPOLLIN | (p->wants_room ? EPOLLOUT : 0), .data.fd = p->peer};

    epoll_ctl(self->tcp->set, how, p->fd, &e);
}

void mend_tcp_listen(struct mend_proc *self, struct mend_tcp_pair *p, bool for_room)
{
    if (p->wants_room == for_room)
        return;
    p->wants_room = for_room;
    change_events(self, p, EPOLL_CTL_MOD);
}

void mend_tcp_wake_at(struct mend_proc *self, mend_time_ns at)
{
    struct mend_tcp *t = self->tcp;
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(at / MEND_NS_PER_S),
                                           .tv_nsec = (long)(at % MEND_NS_PER_S)}};

    if (t->timer < 0 || (t->wake_at && t->wake_at <= at))
        return;
    t->wake_at = at;
    timerfd_settime(t->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

void mend_tcp_on_timer(struct mend_proc *self)
{
    uint64_t rings;

    while (read(self->tcp->timer, &rings, sizeof(rings)) < 0 && errno == EINTR)
        ;
    self->tcp->wake_at = 0;
}

/* A process without a descriptor for it looks when it wakes. */
static void add_timer(struct mend_tcp *t)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = MEND_PEER_NONE};

    t->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (t->timer >= 0)
        epoll_ctl(t->set, EPOLL_CTL_ADD, t->timer, &e);
}

/* The first connection makes the set, of which the agent is told. */
static bool has_set(struct mend_proc *self)
{
    struct mend_tcp *t = self->tcp;

    if (t->set >= 0)
        return true;
    t->set = epoll_create1(EPOLL_CLOEXEC);
    if (t->set >= 0 && (!self->bell || self->bell->watch(self, t->set) == MEND_OK)) {
        add_timer(t);
        return true;
    }
    if (t->set >= 0)
        close(t->set);
    t->set = -1;
    return false;
}

/* The job whose door this process calls to reach the peer. */
static uint64_t job_of(const struct mend_proc *self, mend_peer peer)
{
    const struct mend_abroad *a = mend_peer_job(self, peer);

    return a ? a->job : self->node->header->job;
}

static struct mend_greeting greeting(const struct mend_proc *self, const struct mend_tcp_pair *p,
                                     enum mend_greeting_kind kind)
{
    bool spans = mend_abroad_has(self, p->peer);

    return (struct mend_greeting){.magic = MEND_GREETING_MAGIC,
                                  .version = MEND_GREETING_VERSION,
                                  .bytes = sizeof(struct mend_greeting),
                                  .job = job_of(self, p->peer),
                                  .from = mend_abroad_common(self, self->me, spans),
                                  .to = mend_abroad_common(self, p->peer, spans),
                                  .kind = kind,
                                  .call = p->call,
                                  .start = p->out.acked,
                                  .received = p->in.received};
}

/* Of the door that was called; of a job that is not known here any key, which fits nothing. */
static const unsigned char *key_of(const struct mend_proc *self, uint64_t job)
{
    const unsigned char *key = job == self->node->header->job ? NULL : mend_abroad_key(self, job);

    return key ? key : self->node->header->door.key;
}

static void sign(const struct mend_proc *self, struct mend_greeting *g)
{
    mend_greeting_sign(g, key_of(self, g->job));
}

/* g answers the call. */
static void answer(const struct mend_proc *self, struct mend_greeting *g,
                   const struct mend_greeting *call)
{
    g->job = call->job;
    memcpy(g->caller_nonce, call->caller_nonce, sizeof(g->caller_nonce));
    memcpy(g->door_nonce, call->door_nonce, sizeof(g->door_nonce));
    sign(self, g);
}

bool mend_tcp_on_challenge(struct mend_proc *self, struct mend_tcp_pair *p)
{
    const struct mend_challenge *c = &p->challenge;

    if (c->magic != MEND_GREETING_MAGIC || c->version != MEND_GREETING_VERSION ||
        c->bytes != sizeof(p->hello))
        return false;
    memcpy(p->hello.door_nonce, c->nonce, sizeof(c->nonce));
    sign(self, &p->hello);
    p->cut = p->missed = false;
    return true;
}

/* From here on the pair has this connection, which begins with the oldest byte that is kept.  call: it is the peer's; NULL: it is
 * this process's. */
static void begin(struct mend_proc *self, struct mend_tcp_pair *p, int fd,
                  const struct mend_greeting *call)
{
    const int one = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    p->fd = fd;
    mend_list_append(&self->tcp->open, &p->open);
    self->tcp->open_n++;
    self->tcp->most = mend_tcp_most();
    p->mine = !call;
    p->out.written = p->out.acked;
    p->challenge_n = p->hello_n = p->answer_n = 0;
    p->hello = greeting(self, p, call ? MEND_GREETING_ANSWER : MEND_GREETING_CALL);
    if (call) {
        answer(self, &p->hello, call);
        p->challenge_n = sizeof(p->challenge);
        p->answer_n = sizeof(p->answer);
    }
    p->in.told = p->in.received;
    p->wants_room = false;
    change_events(self, p, EPOLL_CTL_ADD);
    mend_tcp_probe(self, p);
    mend_tcp_make_due(self, p); /* the greeting */
}

static void pause_before_next(struct mend_proc *self, struct mend_tcp_pair *p)
{
    p->call_at = mend_proc_now(self) + p->pause_ns;
    mend_tcp_wake_at(self, p->call_at);
    p->pause_ns = p->pause_ns ? 2 * p->pause_ns : PAUSE_MIN;
    if (p->pause_ns > PAUSE_MAX)
        p->pause_ns = PAUSE_MAX;
}

static void begin_to_miss(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->cut)
        return;
    p->cut = true;
    p->cut_look = mend_proc_now(self);
    p->cut_ns = 0;
}

void mend_tcp_miss(struct mend_proc *self, struct mend_tcp_pair *p, mend_time_ns already)
{
    begin_to_miss(self, p);
    p->missed = true;
    p->cut_ns = already;
    mend_tcp_make_due(self, p);
}

static bool is_connected(const struct mend_tcp_pair *p)
{
    struct sockaddr_in at;
    socklen_t len = sizeof(at);

    return p->fd >= 0 && getpeername(p->fd, (struct sockaddr *)&at, &len) == 0;
}

/* An agent that is late with its nonce is reached all the same. */
void mend_tcp_complain(struct mend_proc *self, struct mend_tcp_pair *p)
{
    mend_time_ns now = mend_proc_now(self), gap = now - p->cut_look,
                 longest = mend_tcp_reach_timeout(self);

    p->cut_look = now;
    p->cut_ns += gap < CUT_SLICE ? gap : CUT_SLICE;
    mend_tcp_wake_at(self, now + CUT_SLICE);
    if (p->cut_ns < longest || !self->node->cut)
        return;
    p->cut_ns = 0;
    if (is_connected(p))
        return;
    self->node->cut(self, p->peer);
}

/* A process that has no descriptor for it ends another connection. */
static int dial(struct mend_proc *self, struct mend_tcp_pair *p)
{
    int fd;

    errno = 0;
    fd = self->node->dial(self, p->peer);
    return fd < 0 && errno == EMFILE && mend_tcp_end_one(self) ? self->node->dial(self, p->peer)
                                                               : fd;
}

void mend_tcp_call(struct mend_proc *self, struct mend_tcp_pair *p)
{
    unsigned char nonce[MEND_NONCE_BYTES];
    int fd;

    if (p->call_at && mend_proc_now(self) < p->call_at) {
        mend_tcp_wake_at(self, p->call_at);
        return;
    }
    if (!mend_tcp_make_room(self, self->tcp->most)) {
        p->cut = false;
        return;
    }
    fd = has_set(self) && getrandom(nonce, sizeof(nonce), 0) == sizeof(nonce) ? dial(self, p) : -1;
    if (fd >= 0 || errno != EMFILE)
        begin_to_miss(self, p);
    if (fd < 0) {
        pause_before_next(self, p);
        return;
    }
    p->call++;
    begin(self, p, fd, NULL);
    memcpy(p->hello.caller_nonce, nonce, sizeof(nonce));
}

/* Bytes that only the kernel had are written again.  Another process may still have the descriptor (the agent that has passed it
 * on, or a child of this one), and then its events go on after the close. */
void mend_tcp_drop(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->fd < 0)
        return;
    change_events(self, p, EPOLL_CTL_DEL);
    close(p->fd);
    p->fd = -1;
    p->wants_room = false;
    mend_list_remove(&p->open);
    self->tcp->open_n--;
    self->tcp->asked = false;
}

void mend_tcp_broken(struct mend_proc *self, struct mend_tcp_pair *p)
{
    mend_tcp_drop(self, p);
    pause_before_next(self, p);
    if (!mend_tcp_is_done(p))
        mend_tcp_make_due(self, p);
}

/* False: the two do not fit together, and it is not the network's fault. */
static bool adopt_positions(struct mend_tcp_pair *p, const struct mend_greeting *g)
{
    if (g->start > p->in.received || g->received > p->out.tail ||
        !mend_tcp_acknowledge(&p->out, (uint32_t)g->received))
        return false;
    p->skip = p->in.received - g->start;
    return true;
}

/* The peer has another connection, or its own call is on its way, for which there is time: a call after that has a higher number. */
static void on_refusal(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->call < p->answer.call)
        p->call = p->answer.call;
    mend_tcp_broken(self, p);
    p->call_at = mend_proc_now(self) + PAUSE_REFUSED;
}

bool mend_tcp_on_greeting(struct mend_proc *self, struct mend_tcp_pair *p)
{
    const struct mend_greeting *g = &p->answer;

    if (!mend_greeting_is(g, key_of(self, p->hello.job), p->hello.job) || g->from != p->hello.to ||
        g->to != p->hello.from ||
        (g->kind != MEND_GREETING_ANSWER && g->kind != MEND_GREETING_REFUSAL) ||
        !mend_same_bytes(g->caller_nonce, p->hello.caller_nonce, MEND_NONCE_BYTES) ||
        !mend_same_bytes(g->door_nonce, p->hello.door_nonce, MEND_NONCE_BYTES))
        return false;
    p->pause_ns = p->call_at = 0;
    if (g->kind == MEND_GREETING_REFUSAL) {
        on_refusal(self, p);
        return true;
    }
    return g->call == p->call && adopt_positions(p, g);
}

/* The agent has looked at the rest of the greeting. */
static bool counts(const struct mend_proc *self, const struct mend_tcp_pair *p,
                   const struct mend_greeting *g)
{
    if (g->call != p->call)
        return g->call > p->call;
    return p->mine && g->from < g->to;
}

void mend_tcp_end_refused(struct mend_proc *self, struct mend_tcp_pair *p)
{
    if (p->refused < 0)
        return;
    epoll_ctl(self->tcp->set, EPOLL_CTL_DEL, p->refused, NULL);
    close(p->refused);
    p->refused = -1;
    mend_list_remove(&p->refusal);
    self->tcp->refusals_n--;
}

/* The connection that counts brings the same bytes, unless its caller is dead by then, or outside of MPI. */
void mend_tcp_read_refused(struct mend_proc *self, struct mend_tcp_pair *p)
{
    uint8_t challenge_n = p->challenge_n, answer_n = p->answer_n;
    uint64_t skip = p->skip, came = p->in.received;
    bool ended;

    p->challenge_n = sizeof(p->challenge);
    p->answer_n = sizeof(p->answer);
    p->skip = came - p->refused_at;
    ended = mend_tcp_drain(self, p, p->refused);
    p->refused_at = p->in.received - p->skip;
    p->challenge_n = challenge_n;
    p->answer_n = answer_n;
    p->skip = skip + p->in.received - came;
    if (ended || p->damaged)
        mend_tcp_end_refused(self, p);
}

/* A caller that does not get the answer calls again with the next number, and so on.  Until it has read the answer it may write, and
 * think that this gets here whatever it does then: so the connection is read until its caller ends it. */
static void refuse(struct mend_proc *self, struct mend_tcp_pair *p, const struct mend_greeting *g,
                   int fd)
{
    struct mend_greeting refusal = greeting(self, p, MEND_GREETING_REFUSAL);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = p->peer};

    answer(self, &refusal, g);
    send(fd, &refusal, sizeof(refusal), MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd, SHUT_WR);
    if (p->refused >= 0) /* its caller has ended it before it called again */
        mend_tcp_read_refused(self, p);
    mend_tcp_end_refused(self, p);
    if (g->start > p->in.received || p->damaged) {
        close(fd);
        return;
    }
    p->refused = fd;
    p->refused_at = g->start;
    mend_list_append(&self->tcp->refusals, &p->refusal);
    self->tcp->refusals_n++;
    epoll_ctl(self->tcp->set, EPOLL_CTL_ADD, fd, &e);
    mend_tcp_read_refused(self, p);
}

/* A process that is reached by another transport does not call. */
static bool may_call(struct mend_proc *self, mend_peer from)
{
    return from != MEND_PEER_NONE && mend_net_of(self, from) == &mend_net_tcp &&
           !self->tcp->severed[from];
}

static void take(struct mend_proc *self, const struct mend_greeting *g, int fd)
{
    mend_peer from = mend_abroad_peer(self, g->from);
    struct mend_tcp_pair *p =
        may_call(self, from) && has_set(self) ? mend_tcp_pair_to(self, from) : NULL;

    if (!p) {
        close(fd);
        return;
    }
    if (!counts(self, p, g)) {
        refuse(self, p, g, fd);
        return;
    }
    if (p->fd >= 0)
        mend_tcp_drain(self, p, p->fd);
    mend_tcp_drop(self, p);
    p->call = g->call;
    p->pause_ns = p->call_at = 0;
    p->answer = *g;
    if (!adopt_positions(p, g)) {
        close(fd);
        p->damaged = true;
        self->on_damage(self, p->peer);
        return;
    }
    p->cut = p->missed = false;
    begin(self, p, fd, g);
}

/* There may be a few more of these, as somebody waits at the other end.  What is not taken now stays with the kernel. */
static bool may_take(struct mend_proc *self)
{
    uint32_t most = self->tcp->most + 1 + self->tcp->most / 8;

    return mend_likely(self->tcp->open_n + self->tcp->refusals_n < most) ||
           mend_tcp_make_room(self, most);
}

/* fd -1: this process had no descriptor for it, so the kernel has closed it, and its caller calls again. */
void mend_tcp_take_callers(struct mend_proc *self)
{
    struct mend_greeting g;
    int fd;

    while (may_take(self) && self->node->caller(self, &g, &fd)) {
        if (fd >= 0)
            take(self, &g, fd);
        else
            mend_tcp_end_one(self);
        mend_tcp_make_room(self, self->tcp->most + 1);
    }
}
