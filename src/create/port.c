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
 * The port of another job: the agents connect the jobs first (launch/agent/contact.c), which the root waits for; the answer
 * comes, or that job's agent ends, or the time of the caller is over.
 *
 * Each root then makes the call that connects two groups, also to tell its group of an error.
 *
 * What a root says next is a machine, ft/visit_sm.h; this file carries it out. */
#include "create/meet.h"

#include "base/time.h"
#include "comm/errcode.h"
#include "create/wire.h"
#include "ft/visit_sm.h"
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
#define DOOR_ROOM 4 /* at first */

_Static_assert(MEND_VISIT_NOBODY == MEND_PEER_NONE, "a peer is a process of the machine");

struct port {
    struct mend_list link; /* in self->create->ports */
    struct mend_visit_door *door;
};

/* A call of connect or accept that waits for the other root; on the caller's stack. */
struct visit {
    struct mend_list link; /* in self->create->visits */
    struct mend_comm *c;
    struct mend_visit x;
    mend_time_ns until; /* MEND_TIME_NEVER: however long it takes */
    int32_t own_error;  /* with which the guest has come */
};

static struct port *find_port(struct mend_proc *self, uint64_t number)
{
    mend_list_foreach (l, next, &self->create->ports) {
        struct port *p = mend_list_entry(l, struct port, link);

        if (p->door->port == number)
            return p;
    }
    return NULL;
}

/* ---- what the machine says ---- */

static const uint8_t kind_of[] = {
    [MEND_VISIT_KNOCK] = MEND_CREATE_KNOCK,   [MEND_VISIT_WELCOME] = MEND_CREATE_WELCOME,
    [MEND_VISIT_REFUSE] = MEND_CREATE_REFUSE, [MEND_VISIT_COMING] = MEND_CREATE_COMING,
    [MEND_VISIT_GONE] = MEND_CREATE_GONE,     [MEND_VISIT_FAILED] = MEND_CREATE_FAILED,
};

static void say(struct mend_proc *self, const struct mend_visit_msg *m)
{
    struct mend_create_wire w = {
        .kind = kind_of[m->word], .error = m->error, .key = m->number, .ctx = m->port};
    struct mend_frame f =
        mend_frame_make(MEND_FRAME_CREATE, MEND_CTX_WORLD | MEND_CHANNEL_FT, 0, 0, sizeof(w));

    mend_post(self, m->peer, &f, &w);
    if (mend_peer_shares_memory(self, m->peer) && m->peer != self->me)
        mend_node_interrupt(self, m->peer); /* it may not know this process yet */
}

static void mark(struct mend_proc *self, enum mend_visit_word word)
{
    if (word == MEND_VISIT_KNOCK)
        mend_event(self, MEND_EV_PORT_KNOCK);
    if (word == MEND_VISIT_WELCOME)
        mend_event(self, MEND_EV_PORT_WELCOME);
    if (word == MEND_VISIT_COMING)
        mend_event(self, MEND_EV_PORT_COMING);
}

static void step(struct mend_proc *self, struct visit *v, const struct mend_visit_event *ev)
{
    struct mend_visit_msg m;

    mend_visit_step(&v->x, ev, &m);
    if (!m.word)
        return;
    say(self, &m);
    mark(self, (enum mend_visit_word)m.word);
}

/* ---- ports ---- */

int mend_port_open(struct mend_proc *self, uint64_t *number_p)
{
    struct port *p = mend_alloc(self, sizeof(*p));
    struct mend_visit_door *d = mend_alloc(self, mend_visit_door_size(DOOR_ROOM));

    if (!p || !d) {
        mend_free(self, p);
        mend_free(self, d);
        return MPI_ERR_NO_MEM;
    }
    *number_p = ++self->create->ports_n;
    mend_visit_door_init(d, DOOR_ROOM, *number_p);
    p->door = d;
    mend_list_append(&self->create->ports, &p->link);
    return MPI_SUCCESS;
}

int mend_port_close(struct mend_proc *self, uint64_t number)
{
    struct port *p = find_port(self, number);
    struct mend_visit_msg m;

    if (!p)
        return MPI_ERR_PORT;
    mend_list_remove(&p->link);
    while (mend_visit_door_refuse(p->door, &m))
        say(self, &m);
    mend_free(self, p->door);
    mend_free(self, p);
    return MPI_SUCCESS;
}

/* For one more guest: it counts on it. */
static void widen(struct mend_proc *self, struct port *p)
{
    uint32_t room = 2 * p->door->room;
    struct mend_visit_door *d;

    if (p->door->n < p->door->room)
        return;
    mend_memory_press(self);
    d = mend_alloc(self, mend_visit_door_size(room));
    mend_memory_relax(self);
    mend_visit_door_move(d, room, p->door);
    mend_free(self, p->door);
    p->door = d;
}

/* ---- frames ---- */

/* False: nobody of ours sends this. */
static bool read_msg(mend_peer from, const struct mend_create_wire *w, struct mend_visit_msg *m_p)
{
    enum mend_visit_word word = MEND_VISIT_KNOCK;

    while (word < MEND_COUNT_OF(kind_of) && kind_of[word] != w->kind)
        word++;
    *m_p = (struct mend_visit_msg){.word = (uint8_t)word,
                                   .peer = from,
                                   .error = word == MEND_VISIT_FAILED ? w->error : 0,
                                   .port = w->ctx,
                                   .number = w->key};
    return word < MEND_COUNT_OF(kind_of);
}

static struct visit *find_visit(struct mend_proc *self, const struct mend_visit_msg *m)
{
    mend_list_foreach (l, next, &self->create->visits) {
        struct visit *v = mend_list_entry(l, struct visit, link);

        if (mend_visit_is_for(&v->x, m))
            return v;
    }
    return NULL;
}

/* Of no call that waits here. */
static void hear_at_door(struct mend_proc *self, const struct mend_visit_msg *m)
{
    struct port *p = find_port(self, m->port);
    struct mend_visit_msg reply;

    if (p && m->word == MEND_VISIT_KNOCK)
        widen(self, p);
    mend_visit_door_hear(p ? p->door : NULL, m, &reply);
    if (reply.word)
        say(self, &reply);
}

bool mend_port_on_frame(struct mend_proc *self, mend_peer from, const struct mend_create_wire *w)
{
    struct mend_visit_msg m;
    struct visit *v;

    if (!read_msg(from, w, &m))
        return false;
    v = find_visit(self, &m);
    if (v)
        step(self, v, &(struct mend_visit_event){.kind = MEND_VISIT_HEARD, .msg = &m});
    else
        hear_at_door(self, &m);
    return true;
}

void mend_port_on_deaths(struct mend_proc *self, const struct mend_death *death, int n)
{
    mend_list_foreach (l, next, &self->create->ports)
        for (int i = 0; i < n; i++)
            mend_visit_door_on_death(mend_list_entry(l, struct port, link)->door, death[i].peer);
}

/* ---- the two calls ---- */

/* Why the call's own group will not come. */
static int own_reason(const struct visit *v)
{
    if (v->own_error)
        return v->own_error;
    if (v->c->revoked)
        return MEND_CLASS_INVALIDATED;
    return mend_comm_is_inactive(v->c) ? MEND_CLASS_PROC_FAILED : MPI_SUCCESS;
}

static bool is_late(const struct visit *v)
{
    return v->until != MEND_TIME_NEVER && mend_time_monotonic_ns() >= v->until;
}

static void look(struct mend_proc *self, struct visit *v)
{
    struct port *p = v->x.host ? find_port(self, v->x.port) : NULL;
    struct mend_visit_event ev = {.kind = MEND_VISIT_LOOK,
                                  .own = own_reason(v),
                                  .late = is_late(v),
                                  .dead = v->x.other != MEND_VISIT_NOBODY &&
                                          mend_peer_is_dead(self, v->x.other),
                                  .door = p ? p->door : NULL};

    step(self, v, &ev);
}

static bool has_met(struct mend_proc *self, void *arg)
{
    struct visit *v = arg;

    if (v->x.host && self->rt->names) /* a guest may have been started a moment ago */
        mend_peer_learn(self, self->rt->names(self) - 1);
    look(self, v);
    return mend_visit_is_over(&v->x);
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

static void await(struct mend_proc *self, struct visit *v, const char *what)
{
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = has_met,
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

/* The class of the error with which the call has ended. */
static int class_of(const struct mend_visit *x)
{
    switch ((enum mend_visit_why)x->why) {
    case MEND_VISIT_WELL:
        return MPI_SUCCESS;
    case MEND_VISIT_REFUSED:
    case MEND_VISIT_LATE:
        return MPI_ERR_PORT;
    case MEND_VISIT_LOST:
        return MEND_CLASS_PROC_FAILED;
    case MEND_VISIT_OWN:
    case MEND_VISIT_THEIRS:
        break;
    }
    return x->error;
}

/* What both roots make of the names of the two and the number of the guest's call. */
static void tag_of(char *tag, struct mend_proc *self, const struct mend_visit *x)
{
    bool spans = mend_abroad_has(self, x->other);
    mend_peer host = x->host ? self->me : x->other, guest = x->host ? x->other : self->me;

    snprintf(tag, TAG_BYTES, "mend: port %d %llu %d %llu",
             (int)mend_abroad_common(self, host, spans), (unsigned long long)x->port,
             (int)mend_abroad_common(self, guest, spans), (unsigned long long)x->number);
}

/* The intercommunicator, or the error that the group gets from its root. */
static int finish(struct visit *v, int root, int err, struct mend_comm **new_p)
{
    struct mend_comm *c = v->c;
    struct mend_proc *self = c->self;
    char tag[TAG_BYTES] = "";

    if (c->rank == root && !err) {
        tag_of(tag, self, &v->x);
        if (v->x.other == self->me)
            err = MPI_ERR_PORT;
    }
    mend_event(self, MEND_EV_PORT_MEET);
    return mend_meet_connect(c, root, tag, v->x.other, err, new_p);
}

int mend_create_accept(struct mend_comm *known, int root, int own_error, uint64_t port,
                       mend_time_ns timeout_ns, struct mend_comm **new_p)
{
    struct mend_comm *c = mend_comm_carrier(known);
    struct mend_proc *self = c->self;
    struct visit v = {.c = c, .until = end_of(timeout_ns)};
    int err = mend_creation_check(c);

    if (err)
        return err;
    mend_visit_init_host(&v.x, port);
    root = mend_group_translate(self, known->group, root, c->group);
    if (c->rank == root && !own_error) {
        await(self, &v, "a process that connects");
        own_error = class_of(&v.x);
    }
    return finish(&v, root, own_error, new_p);
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
    if (j->v)
        look(self, j->v);
    return j->ask.answered || (j->v && mend_visit_is_over(&j->v->x));
}

static const char *why_not(int error)
{
    return error == ENOENT      ? "the other job has ended"
           : error == EPERM     ? "the other job is another user's"
           : error == ETIMEDOUT ? "the mpiexec of the other job does not answer: it may be stopped"
           : error == EHOSTUNREACH
               ? "one of the jobs takes connections on this machine only, and the other one has "
                 "processes on others (mpiexec --interface)"
           : error == ENOSPC
               ? "there is no room for the processes of the other job (mpiexec --universe)"
               : "the two jobs cannot be connected";
}

/* first, n: processes of this job that the other one must know.  v: the call that waits; NULL: another one, which does so
 * however long it takes.  0, or an errno value; -1: v is over. */
static int reach_job(struct mend_proc *self, uint64_t job, mend_peer first, uint32_t n,
                     struct visit *v)
{
    struct journey j = {.v = v};
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = is_connected,
                          .arg = &j,
                          .hint = MEND_PEER_NONE,
                          .rings = true,
                          .what = "mpiexec to connect two jobs"};
    int alarm = -1;

    if (!self->rt->connect || !self->rt->connect(self, job, first, n, &j.ask))
        return EOPNOTSUPP;
    mend_event(self, MEND_EV_PORT_JOURNEY);
    if (v && v->until != MEND_TIME_NEVER) {
        alarm = open_alarm(self, v->until);
        w.rings = alarm >= 0;
    }
    mend_wait_until(self, &w);
    close_alarm(self, alarm);
    if (!j.ask.answered) {
        mend_list_remove(&j.ask.link);
        return -1;
    }
    mend_event(self, MEND_EV_PORT_ARRIVED);
    return j.ask.error;
}

static int connect_job(struct mend_proc *self, uint64_t job, struct visit *v)
{
    int error = reach_job(self, job, 0, 0, v);

    if (error > 0)
        mend_error_detail(self, MPI_ERR_PORT, 0, "%s", why_not(error));
    return error ? MPI_ERR_PORT : MPI_SUCCESS;
}

int mend_create_connect_job(struct mend_proc *self, uint64_t job)
{
    return connect_job(self, job, NULL);
}

int mend_create_name_in(struct mend_proc *self, uint64_t job, mend_peer first, uint32_t n)
{
    int error = reach_job(self, job, first, n, NULL);

    if (error == ESRCH)
        return MEND_CLASS_PROC_FAILED;
    if (error)
        mend_error_detail(self, MPI_ERR_SPAWN, 0, "a connected job cannot take them: %s",
                          why_not(error));
    return error ? MPI_ERR_SPAWN : MPI_SUCCESS;
}

/* The process that opened the port, MEND_PEER_NONE: there is none.  It cannot be this one: it would be in both groups, and
 * frames to itself do not exist. */
static mend_peer find_host(struct mend_proc *self, struct visit *v, uint64_t job, int32_t host)
{
    mend_peer p = MEND_PEER_NONE;

    if (job == self->job)
        p = mend_peer_learn(self, host) ? host : MEND_PEER_NONE;
    else if (connect_job(self, job, v) == MPI_SUCCESS)
        p = mend_abroad_find(self, job, host);
    return p != MEND_PEER_NONE && p != self->me && !mend_peer_is_dead(self, p) ? p : MEND_PEER_NONE;
}

/* At the root, until it is welcome or has an error. */
static void travel(struct mend_proc *self, struct visit *v, uint64_t job, int32_t host)
{
    struct mend_visit_event ev = {.kind = MEND_VISIT_ARRIVED};

    ev.host = find_host(self, v, job, host);
    if (!mend_visit_is_over(&v->x))
        step(self, v, &ev);
    if (!mend_visit_is_over(&v->x))
        await(self, v, "the process that accepts");
}

int mend_create_connect(struct mend_comm *known, int root, int own_error, uint64_t job,
                        int32_t host, uint64_t port, mend_time_ns timeout_ns,
                        struct mend_comm **new_p)
{
    struct mend_comm *c = mend_comm_carrier(known);
    struct mend_proc *self = c->self;
    struct visit v = {.c = c, .until = end_of(timeout_ns), .own_error = mend_creation_check(c)};

    mend_visit_init_guest(&v.x, port, ++self->create->knocked_n);
    root = mend_group_translate(self, known->group, root, c->group);
    if (c->rank == root && !own_error) {
        travel(self, &v, job, host);
        own_error = class_of(&v.x);
    }
    return v.own_error ? v.own_error : finish(&v, root, own_error, new_p);
}
