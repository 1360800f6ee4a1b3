/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c – ports: processes that have no communicator in common meet at a name (MPI-5.0 11.9).
 *
 *   root of accept                          root of connect
 *                <──────── KNOCK {port, number} ────          waits; so does the knock, if nobody accepts yet
 *    takes the oldest ──── WELCOME {number} ───────>          still there?
 *                <──────── COMING or GONE {number} ─      GONE: the call has ended meanwhile; also without WELCOME
 *    meet under a tag: the bridge                             (from_group.c)
 *    all of both groups: the intercommunicator                (intercomm.c): at all of them or at none
 *
 * A guest that gives up for a death in its own group, or its revocation, says FAILED: the call that would accept it fails,
 * too (S0-35).
 *
 * What ends the wait of connect: WELCOME; REFUSE, from a port that is not open, or is closed with the knock before it:
 * MPI_ERR_PORT; the death of the other root: MPI_ERR_PORT if it was dead before, else PROC_FAILED (R34); the
 * revocation of the communicator, or a death in it.  What ends the wait of accept: a knock that comes; the same
 * of its communicator; the closing of the port by another thread.  An acceptor that has said WELCOME waits for COMING or
 * GONE, or the other's death: the other answers wherever it is in MPI.
 * Both: the time that the caller gives is over before the other has come: MPI_ERR_PORT.
 *
 * The port of another job: the agents connect the jobs first (launch/link.c), which the root waits for; the answer
 * comes, or that job's agent ends, or the time of the caller is over.
 *
 * Each root then makes the call that connects two groups, also to tell its group of an error. */
#include "create/meet.h"

#include "base/time.h"
#include "comm/errcode.h"
#include "create/wire.h"
#include "net/net.h"
#include "node/abroad.h"
#include "node/bell.h"
#include "node/node.h"
#include "proc/post.h"
#include "req/request.h"
#include "rt/rt.h"

#include <errno.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define TAG_BYTES 96

struct port {
    struct mend_list link; /* in self->create->ports */
    uint64_t number;
};

/* A process that has knocked and was not welcomed yet. */
struct knock {
    struct mend_list link; /* in self->create->knocks, the oldest first */
    mend_peer from;
    uint64_t port, number;
    int error; /* why its group will not come after all; the call that accepts it gets the same */
};

enum knocking { KNOCKING, WELCOME, REFUSED };

/* A call of connect or accept that waits for the other root; on the caller's stack. */
struct visit {
    struct mend_list link; /* in self->create->visits */
    bool host;             /* accept */
    struct mend_comm *c;
    mend_peer other;     /* accept: who was welcomed */
    uint64_t port;       /* accept */
    uint64_t number;     /* of the knock */
    enum knocking state; /* connect; accept: WELCOME until it comes, REFUSED: it has gone */
    bool came;           /* accept */
    mend_time_ns until;  /* MEND_TIME_NEVER: however long it takes */
    int error;
};

static struct port *find_port(struct mend_proc *self, uint64_t number)
{
    mend_list_foreach (l, next, &self->create->ports) {
        struct port *p = mend_list_entry(l, struct port, link);

        if (p->number == number)
            return p;
    }
    return NULL;
}

static void say_why(struct mend_proc *self, mend_peer to, enum mend_create_kind kind,
                    uint64_t number, uint64_t port, int error)
{
    struct mend_create_wire w = {.kind = kind, .error = error, .key = number, .ctx = port};
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_CREATE, MEND_CTX_WORLD | MEND_CHANNEL_FT, 0, 0, sizeof(w));

    mend_post(self, to, &f, &w);
    if (mend_peer_shares_memory(self, to) && to != self->me)
        mend_node_interrupt(self, to); /* it may not know this process yet */
}

static void say(struct mend_proc *self, mend_peer to, enum mend_create_kind kind, uint64_t number,
                uint64_t port)
{
    say_why(self, to, kind, number, port, MPI_SUCCESS);
}

static void refuse(struct mend_proc *self, struct knock *k)
{
    say(self, k->from, MEND_CREATE_REFUSE, k->number, k->port);
    mend_list_remove(&k->link);
    mend_free(self, k);
}

/* ---- ports ---- */

int mend_port_open(struct mend_proc *self, uint64_t *number_p)
{
    struct port *p = mend_alloc(self, sizeof(*p));

    if (!p)
        return MPI_ERR_NO_MEM;
    *number_p = p->number = ++self->create->ports_n;
    mend_list_append(&self->create->ports, &p->link);
    return MPI_SUCCESS;
}

int mend_port_close(struct mend_proc *self, uint64_t number)
{
    struct port *p = find_port(self, number);

    if (!p)
        return MPI_ERR_PORT;
    mend_list_remove(&p->link);
    mend_free(self, p);
    mend_list_foreach (l, next, &self->create->knocks) {
        struct knock *k = mend_list_entry(l, struct knock, link);

        if (k->port == number)
            refuse(self, k);
    }
    return MPI_SUCCESS;
}

/* ---- frames ---- */

/* A guest whose group has failed: the call that accepts it fails, too (S0-35, S0-36). */
static void on_failed(struct mend_proc *self, mend_peer from, const struct mend_create_wire *w,
                      struct visit *v)
{
    if (v)
        v->error = w->error;
    mend_list_foreach (l, next, &self->create->knocks) {
        struct knock *k = mend_list_entry(l, struct knock, link);

        if (k->from == from && k->number == w->key)
            k->error = w->error;
    }
}

static void on_knock(struct mend_proc *self, mend_peer from, const struct mend_create_wire *w)
{
    struct knock *k;

    if (!find_port(self, w->ctx)) {
        say(self, from, MEND_CREATE_REFUSE, w->key, w->ctx);
        return;
    }
    mend_memory_press(self);
    k = mend_alloc(self, sizeof(*k));
    mend_memory_relax(self);
    *k = (struct knock){.from = from, .port = w->ctx, .number = w->key};
    mend_list_append(&self->create->knocks, &k->link);
}

/* A guest waits no longer. */
static void drop_knock(struct mend_proc *self, mend_peer from, uint64_t number)
{
    mend_list_foreach (l, next, &self->create->knocks) {
        struct knock *k = mend_list_entry(l, struct knock, link);

        if (k->from == from && k->number == number) {
            mend_list_remove(&k->link);
            mend_free(self, k);
        }
    }
}

static struct visit *find_visit(struct mend_proc *self, bool host, mend_peer other, uint64_t number)
{
    mend_list_foreach (l, next, &self->create->visits) {
        struct visit *v = mend_list_entry(l, struct visit, link);

        if (v->host == host && v->other == other && v->number == number)
            return v;
    }
    return NULL;
}

bool mend_port_on_frame(struct mend_proc *self, mend_peer from, const struct mend_create_wire *w)
{
    bool from_host = w->kind == MEND_CREATE_WELCOME || w->kind == MEND_CREATE_REFUSE;
    struct visit *v = find_visit(self, !from_host, from, w->key);

    switch (w->kind) {
    case MEND_CREATE_KNOCK:
        on_knock(self, from, w);
        return true;
    case MEND_CREATE_WELCOME:
        say(self, from, v ? MEND_CREATE_COMING : MEND_CREATE_GONE, w->key, w->ctx);
        if (v) {
            v->state = WELCOME;
            mend_event(self, MEND_EV_PORT_COMING);
        }
        return true;
    case MEND_CREATE_FAILED:
        on_failed(self, from, w, v);
        return true;
    case MEND_CREATE_REFUSE:
        if (v)
            v->state = REFUSED;
        return true;
    case MEND_CREATE_COMING:
    case MEND_CREATE_GONE:
        if (v) {
            v->came = w->kind == MEND_CREATE_COMING;
            v->state = v->came ? WELCOME : REFUSED;
        } else if (w->kind == MEND_CREATE_GONE) {
            drop_knock(self, from, w->key);
        }
        return true;
    default:
        return false;
    }
}

void mend_port_on_death(struct mend_proc *self, mend_peer dead)
{
    mend_list_foreach (l, next, &self->create->knocks) {
        struct knock *k = mend_list_entry(l, struct knock, link);

        if (k->from == dead) {
            mend_list_remove(&k->link);
            mend_free(self, k);
        }
    }
}

/* ---- the two calls ---- */

/* Why the call's own group will not come. */
static int own_reason(const struct visit *v)
{
    if (v->c->revoked)
        return MEND_CLASS_INVALIDATED;
    return mend_comm_is_inactive(v->c) ? MEND_CLASS_PROC_FAILED : MPI_SUCCESS;
}

static bool is_late(const struct visit *v)
{
    return v->until != MEND_TIME_NEVER && mend_time_monotonic_ns() >= v->until;
}

static bool is_answered(struct mend_proc *self, void *arg)
{
    struct visit *v = arg;

    if (v->state == REFUSED)
        v->error = MPI_ERR_PORT;
    else if (v->state == KNOCKING && mend_peer_is_dead(self, v->other))
        v->error = MEND_CLASS_PROC_FAILED;
    else if (v->state == KNOCKING)
        v->error = own_reason(v);
    if (v->state == KNOCKING && !v->error && is_late(v))
        v->error = MPI_ERR_PORT;
    return v->state != KNOCKING || v->error;
}

static struct knock *oldest(struct mend_proc *self, uint64_t port)
{
    mend_list_foreach (l, next, &self->create->knocks) {
        struct knock *k = mend_list_entry(l, struct knock, link);

        if (k->port == port)
            return k;
    }
    return NULL;
}

static void welcome(struct mend_proc *self, struct visit *v, struct knock *k)
{
    v->error = k->error;
    v->other = k->from;
    v->number = k->number;
    v->state = KNOCKING;
    mend_list_remove(&k->link);
    mend_free(self, k);
    if (v->error)
        return;
    say(self, v->other, MEND_CREATE_WELCOME, v->number, v->port);
    mend_event(self, MEND_EV_PORT_WELCOME);
}

/* One guest after the other until one comes. */
static bool has_guest(struct mend_proc *self, void *arg)
{
    struct visit *v = arg;
    struct knock *k;

    if (self->rt->names) /* a guest may have been started a moment ago */
        mend_peer_learn(self, self->rt->names(self) - 1);
    if (v->came || v->error)
        return true;
    if (v->other != MEND_PEER_NONE && v->state == KNOCKING && !mend_peer_is_dead(self, v->other))
        return false; /* it answers */
    v->other = MEND_PEER_NONE;
    k = oldest(self, v->port);
    if (!find_port(self, v->port))
        v->error = MPI_ERR_PORT;
    else if (!k)
        v->error = own_reason(v) ? own_reason(v) : is_late(v) ? MPI_ERR_PORT : MPI_SUCCESS;
    else
        welcome(self, v, k);
    return v->error != MPI_SUCCESS;
}

/* A descriptor that rings this process when the time is over; -1: the system has none. */
static int open_alarm(struct mend_proc *self, mend_time_ns at)
{
    struct itimerspec t = {.it_value = {.tv_sec = (time_t)(at / MEND_NS_PER_S),
                                        .tv_nsec = (long)(at % MEND_NS_PER_S)}};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

    if (fd >= 0 && self->bell && self->bell->watch &&
        !timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL) && self->bell->watch(self, fd) == MEND_OK)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void close_alarm(struct mend_proc *self, int alarm)
{
    if (alarm < 0)
        return;
    self->bell->unwatch(self, alarm);
    close(alarm);
}

static mend_time_ns end_of(mend_time_ns timeout_ns)
{
    mend_time_ns now = mend_time_monotonic_ns();

    return timeout_ns < MEND_TIME_NEVER - now ? now + timeout_ns : MEND_TIME_NEVER;
}

static void await(struct mend_proc *self, struct visit *v,
                  bool (*until)(struct mend_proc *, void *), const char *what)
{
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = until,
                          .arg = v,
                          .hint = MEND_PEER_NONE,
                          .rings = true,
                          .what = what};
    int alarm = -1;

    if (v->until != MEND_TIME_NEVER) {
        alarm = open_alarm(self, v->until);
        w.rings = alarm >= 0;
    }
    mend_list_append(&self->create->visits, &v->link);
    mend_wait_until(self, &w);
    mend_list_remove(&v->link);
    close_alarm(self, alarm);
}

/* The intercommunicator, or at the root the error that its group gets. */
static int finish(struct mend_comm *c, int root, struct visit *v, mend_peer host, uint64_t port,
                  struct mend_comm **new_p)
{
    struct mend_proc *self = c->self;
    char tag[TAG_BYTES] = "";
    int err = v->error;

    if (c->rank == root && !err) {
        mend_peer guest = host == self->me ? v->other : self->me;
        bool spans = mend_abroad_has(self, v->other);

        snprintf(tag, sizeof(tag), "mend: port %d %llu %d %llu",
                 (int)mend_abroad_common(self, host, spans), (unsigned long long)port,
                 (int)mend_abroad_common(self, guest, spans), (unsigned long long)v->number);
        if (v->other == self->me)
            err = MPI_ERR_PORT;
    }
    mend_event(self, MEND_EV_PORT_MEET);
    return mend_meet_connect(c, root, tag, v->other, err, new_p);
}

int mend_create_accept(struct mend_comm *known, int root, int own_error, uint64_t port,
                       mend_time_ns timeout_ns, struct mend_comm **new_p)
{
    struct mend_comm *c = mend_comm_carrier(known);
    struct mend_proc *self = c->self;
    struct visit v = {.host = true,
                      .c = c,
                      .other = MEND_PEER_NONE,
                      .port = port,
                      .until = end_of(timeout_ns),
                      .error = own_error};
    int err = mend_creation_check(c);

    if (err)
        return err;
    root = mend_group_translate(self, known->group, root, c->group);
    if (c->rank == root && !own_error)
        await(self, &v, has_guest, "a process that connects");
    return finish(c, root, &v, self->me, port, new_p);
}

/* ---- jobs ---- */

struct journey {
    struct visit *v;
    struct mend_rt_ask ask;
};

static bool is_connected(struct mend_proc *self, void *arg)
{
    struct journey *j = arg;

    mend_interrupt_check(self); /* what may have been the answer is news only once */
    if (self->rt->names)
        self->rt->names(self);
    return j->ask.answered || (j->v && is_late(j->v));
}

static const char *why_not(int error)
{
    return error == ENOENT  ? "the job of the port has ended"
           : error == EPERM ? "the job of the port is another user's"
           : error == ENOSPC
               ? "there is no room for the processes of the other job (mpiexec --universe)"
               : "the two jobs cannot be connected";
}

/* v: until when it waits; NULL: however long it takes.  A failure of the own group is told to the host after that. */
static int connect_job(struct mend_proc *self, uint64_t job, struct visit *v)
{
    struct journey j = {.v = v};
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = is_connected,
                          .arg = &j,
                          .hint = MEND_PEER_NONE,
                          .rings = true,
                          .what = "mpiexec to connect two jobs"};
    int alarm = -1;

    if (!self->rt->connect || !self->rt->connect(self, job, &j.ask))
        return MPI_ERR_PORT;
    mend_event(self, MEND_EV_PORT_JOURNEY);
    if (v && v->until != MEND_TIME_NEVER) {
        alarm = open_alarm(self, v->until);
        w.rings = alarm >= 0;
    }
    mend_wait_until(self, &w);
    close_alarm(self, alarm);
    if (!j.ask.answered) {
        mend_list_remove(&j.ask.link);
        return MPI_ERR_PORT;
    }
    mend_event(self, MEND_EV_PORT_ARRIVED);
    if (j.ask.error)
        mend_error_detail(self, MPI_ERR_PORT, 0, "%s", why_not(j.ask.error));
    return j.ask.error ? MPI_ERR_PORT : MPI_SUCCESS;
}

int mend_create_connect_job(struct mend_proc *self, uint64_t job)
{
    return connect_job(self, job, NULL);
}

/* At the root: comes to the host's door, and waits there. */
static void knock(struct mend_proc *self, struct visit *v, uint64_t port, int own_error)
{
    v->number = ++self->create->knocked_n;
    say(self, v->other, MEND_CREATE_KNOCK, v->number, port);
    mend_event(self, MEND_EV_PORT_KNOCK);
    if (own_error)
        v->error = own_error;
    else
        await(self, v, is_answered, "the process that accepts");
    if (v->state == KNOCKING && v->error == MPI_ERR_PORT) /* too late */
        say(self, v->other, MEND_CREATE_GONE, v->number, port);
    if (v->state == WELCOME)
        v->error = MPI_SUCCESS; /* it has said that it comes, and tells its reason then */
    if (v->error == MEND_CLASS_INVALIDATED || v->error == MEND_CLASS_PROC_FAILED)
        say_why(self, v->other, MEND_CREATE_FAILED, v->number, port, v->error);
}

/* The process that opened the port.  MPI_ERR_PORT: there is none. */
static int find_host(struct mend_proc *self, struct visit *v, uint64_t job, int32_t host)
{
    int err = MPI_SUCCESS;

    if (job != self->job) {
        err = connect_job(self, job, v);
        v->other = err ? MEND_PEER_NONE : mend_abroad_find(self, job, host);
    } else {
        v->other = mend_peer_learn(self, host) ? host : MEND_PEER_NONE;
    }
    if (!err && (v->other == MEND_PEER_NONE || mend_peer_is_dead(self, v->other)))
        err = MPI_ERR_PORT;
    return err;
}

int mend_create_connect(struct mend_comm *known, int root, int own_error, uint64_t job,
                        int32_t host, uint64_t port, mend_time_ns timeout_ns,
                        struct mend_comm **new_p)
{
    struct mend_comm *c = mend_comm_carrier(known);
    struct mend_proc *self = c->self;
    struct visit v = {
        .c = c, .other = MEND_PEER_NONE, .until = end_of(timeout_ns), .error = own_error};
    int err = mend_creation_check(c);

    root = mend_group_translate(self, known->group, root, c->group);
    if (c->rank == root && !own_error) {
        v.error = find_host(self, &v, job, host);
        if (!v.error)
            knock(self, &v, port, err);
    }
    return err ? err : finish(c, root, &v, v.other, port, new_p);
}
