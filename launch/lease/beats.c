/* SPDX-License-Identifier: BSD-3-Clause */
/* beats.c – see beats.h.
 *
 * The thread sleeps until a datagram comes, something is due, or the main thread has changed something (wake_fd).  It holds the lock
 * while it looks, and the main thread for a moment only, so neither waits for the other. */
#include "lease/beats.h"

#include "base/sha256.h"
#include "base/thread.h"
#include "base/time.h"
#include "ft/lease_wire.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATAGRAM (MEND_LEASE_WIRE_BYTES + MEND_SHA256_BYTES)
#define LEAST_NS (200 * MEND_NS_PER_MS)
#define PRIORITY 10
#define AT_ONCE  64 /* datagrams between two looks at the time: strangers may send many */

struct mend_beats_child {
    struct mend_lease_child lease;
    mend_time_ns heard_ns;             /* its last beat, ... */
    struct mend_address from;          /* ... and from where it came */
    bool known;                        /* it is expected, or has turned to this node */
    struct mend_lease_turn lost, asks; /* news for the main thread; turn 0: there are none */
};

static void add_one(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void take_all(int fd)
{
    uint64_t n;

    while (read(fd, &n, sizeof(n)) < 0 && errno == EINTR)
        ;
}

/* ---- datagrams ---- */

static void prove(const struct mend_beats *b, const unsigned char *message,
                  unsigned char proof[MEND_SHA256_BYTES])
{
    mend_hmac_sha256(b->key, sizeof(b->key), message, MEND_LEASE_WIRE_BYTES, proof);
}

/* One that the kernel does not take is as one that is lost on the way. */
static void say(const struct mend_beats *b, const struct mend_lease_msg *m,
                const struct mend_address *to)
{
    unsigned char bytes[DATAGRAM];
    struct sockaddr_in6 s = {.sin6_family = AF_INET6, .sin6_port = to->port};
    socklen_t len = sizeof(s);

    memcpy(&s.sin6_addr, to->ip, sizeof(to->ip));
    if (b->family == AF_INET)
        len = mend_address_to(to, &s);

    mend_lease_wire_encode(m, bytes);
    prove(b, bytes, bytes + MEND_LEASE_WIRE_BYTES);
    sendto(b->socket, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL,
           (const struct sockaddr *)&s, len);
}

/* False: it is not one that an agent of the job has sent. */
static bool hear(const struct mend_beats *b, struct mend_lease_msg *m_p,
                 struct mend_address *from_p)
{
    unsigned char bytes[DATAGRAM + 1], proof[MEND_SHA256_BYTES];
    struct sockaddr_in6 s;
    socklen_t len = sizeof(s);

    if (recvfrom(b->socket, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&s, &len) !=
            DATAGRAM ||
        !mend_address_from((struct sockaddr *)&s, from_p))
        return false;
    prove(b, bytes, proof);
    return mend_same_bytes(proof, bytes + MEND_LEASE_WIRE_BYTES, sizeof(proof)) &&
           !mend_lease_wire_decode(bytes, b->place.nodes_n, m_p);
}

/* ---- with the lock: this node's lease ---- */

static void step(struct mend_beats *b, struct mend_lease_event ev)
{
    struct mend_lease_out out;

    ev.now = mend_fence_now();
    mend_lease_step(b->lease, &ev, &out);
    if (out.fence)
        mend_fence_set(&b->fence, out.fence);
    if (out.over)
        mend_fence_set(&b->fence, 0);
    if (out.fence && !b->granted) {
        b->granted = true;
        add_one(b->news_fd);
    }
    if (out.beat)
        say(b, &out.msg, &b->parent);
    if (out.seek && !b->seeks)
        add_one(b->news_fd);
    b->seeks = out.seek;
    b->look_at = out.wake_at;
}

/* ---- with the lock: leases of others ---- */

static struct mend_lease_child_out child_step(struct mend_beats *b, struct mend_beats_child *c,
                                              struct mend_lease_child_event ev)
{
    struct mend_lease_child_out out;

    ev.now = mend_fence_now();
    ev.left = b->lease ? mend_lease_left(b->lease, ev.now) : MEND_TIME_NEVER;
    mend_lease_child_step(&c->lease, &ev, &out);
    if (out.lost.turn)
        c->lost = out.lost;
    if (out.ask.turn)
        c->asks = out.ask;
    if (out.lost.turn || out.ask.turn)
        add_one(b->news_fd);
    if (out.wake_at < b->scan_at)
        b->scan_at = out.wake_at;
    return out;
}

static void note(struct mend_beats *b, int node, uint32_t incarnation, bool expected)
{
    struct mend_beats_child *c = &b->child[node];

    *c = (struct mend_beats_child){.known = true};
    mend_lease_child_init(&c->lease, &b->config, node, incarnation, expected, mend_fence_now());
}

static void on_beat(struct mend_beats *b, const struct mend_lease_msg *m,
                    const struct mend_address *from)
{
    struct mend_beats_child *c = &b->child[m->node];
    struct mend_lease_child_out out;

    if (!mend_lineage_is_ancestor(b->place.radix, b->place.me, m->node))
        return;
    if (!c->known)
        note(b, m->node, 0, false);
    c->heard_ns = mend_fence_now();
    c->from = *from;
    out = child_step(b, c,
                     (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_BEAT, .msg = m});
    if (out.say)
        say(b, &out.msg, from);
}

static void scan(struct mend_beats *b)
{
    b->scan_at = MEND_TIME_NEVER;
    for (int k = 0; k < b->place.nodes_n; k++)
        if (b->child[k].known)
            child_step(b, &b->child[k],
                       (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_TICK});
}

/* ---- the thread ---- */

static void on_datagram(struct mend_beats *b)
{
    struct mend_address from;
    struct mend_lease_msg m;

    if (!hear(b, &m, &from))
        return;
    if (m.word == MEND_LEASE_BEAT)
        on_beat(b, &m, &from);
    else if (b->lease)
        step(b, (struct mend_lease_event){.kind = MEND_LEASE_EV_HEARD, .msg = &m});
}

static bool is_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) > 0;
}

static void look(struct mend_beats *b)
{
    mend_time_ns now;

    for (int i = 0; i < AT_ONCE && is_readable(b->socket); i++)
        on_datagram(b);
    now = mend_fence_now();
    if (b->lease && now >= b->look_at)
        step(b, (struct mend_lease_event){.kind = MEND_LEASE_EV_TICK});
    if (now >= b->scan_at)
        scan(b);
}

static void sleep_until(struct mend_beats *b, mend_time_ns at)
{
    struct pollfd p[] = {{.fd = b->socket, .events = POLLIN}, {.fd = b->wake_fd, .events = POLLIN}};
    mend_time_ns now = mend_fence_now(), left = at > now ? at - now : 0;
    struct timespec t = {.tv_sec = (time_t)(left / MEND_NS_PER_S),
                         .tv_nsec = (long)(left % MEND_NS_PER_S)};

    if (ppoll(p, MEND_COUNT_OF(p), at == MEND_TIME_NEVER ? NULL : &t, NULL) > 0 && p[1].revents)
        take_all(b->wake_fd);
}

/* Programs shall not delay beats, if we may say so: it is a few microseconds of work at a time. */
static void come_first(void)
{
    const struct sched_param p = {.sched_priority = PRIORITY};

    sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &p);
}

static void *run(void *arg)
{
    struct mend_beats *b = arg;
    mend_time_ns at;

    come_first();
    for (;;) {
        pthread_mutex_lock(&b->lock);
        if (b->over)
            break;
        look(b);
        at = b->scan_at < b->look_at ? b->scan_at : b->look_at;
        pthread_mutex_unlock(&b->lock);
        sleep_until(b, at);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* ---- the main thread ---- */

struct mend_lease_config mend_beats_config(mend_time_ns lease_ns)
{
    struct mend_lease_config c = MEND_LEASE_DEFAULTS;
    mend_time_ns l = lease_ns < LEAST_NS             ? LEAST_NS
                     : lease_ns > MEND_LEASE_MOST_NS ? MEND_LEASE_MOST_NS
                                                     : lease_ns;

    c.lease_ns = l;
    c.beat_ns = c.fence_ns = c.try_ns = l / 10;
    c.silence_ns = l / 2;
    c.slack_ns = l / 5;
    return c;
}

/* For both versions of the protocol, where the system has both.  Port 0: any. */
static int open_socket(int family, uint16_t port)
{
    const int off = 0;
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error;

    if (fd < 0)
        return -1;
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (family == AF_INET6 ? bind(fd, (struct sockaddr *)&six, sizeof(six)) == 0
                           : bind(fd, (struct sockaddr *)&four, sizeof(four)) == 0)
        return fd;
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

static bool find_port(struct mend_beats *b, struct mend_port_range range)
{
    static const int families[] = {AF_INET6, AF_INET};

    for (size_t i = 0; i < MEND_COUNT_OF(families); i++)
        for (uint32_t port = range.first; port <= range.last && b->socket < 0; port++) {
            b->family = families[i];
            b->socket = open_socket(b->family, (uint16_t)port);
            if (b->socket < 0 && errno != EADDRINUSE)
                break;
        }
    return b->socket >= 0;
}

bool mend_beats_open(struct mend_beats *b, const struct mend_lease_config *config,
                     const unsigned char key[MEND_DOOR_KEY_BYTES], struct mend_beats_place place,
                     struct mend_port_range range)
{
    *b = (struct mend_beats){.config = *config,
                             .place = place,
                             .socket = -1,
                             .news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                             .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                             .look_at = MEND_TIME_NEVER,
                             .scan_at = MEND_TIME_NEVER};
    memcpy(b->key, key, sizeof(b->key));
    b->child = calloc((size_t)place.nodes_n, sizeof(*b->child));
    pthread_mutex_init(&b->lock, NULL);
    if (!b->child || b->news_fd < 0 || b->wake_fd < 0 || !find_port(b, range))
        return false;
    b->runs = mend_thread_start(&b->thread, run, b);
    return b->runs;
}

uint16_t mend_beats_port(const struct mend_beats *b)
{
    struct sockaddr_in6 s;
    struct mend_address at = {0};
    socklen_t len = sizeof(s);

    if (getsockname(b->socket, (struct sockaddr *)&s, &len) == 0)
        mend_address_from((struct sockaddr *)&s, &at);
    return at.port;
}

static void wake(struct mend_beats *b)
{
    pthread_mutex_unlock(&b->lock);
    add_one(b->wake_fd);
}

/* With the lock. */
static void set_parent(struct mend_beats *b, int parent, const struct mend_address *at)
{
    b->parent = *at;
    step(b, (struct mend_lease_event){.kind = MEND_LEASE_EV_LINKED, .parent = parent});
}

bool mend_beats_follow(struct mend_beats *b, uint32_t incarnation, int parent,
                       const struct mend_address *at)
{
    struct mend_lease *lease = calloc(1, mend_lease_size(&b->config));

    if (!lease || !mend_fence_open(&b->fence)) {
        free(lease);
        return false;
    }
    pthread_mutex_lock(&b->lock);
    b->lease = lease;
    mend_lease_init(b->lease, &b->config, b->place.me, incarnation, parent, mend_fence_now());
    b->fenced = true;
    mend_fence_set(&b->fence, mend_fence_now() + b->config.start_ns); /* if it is stopped, too */
    set_parent(b, parent, at);
    wake(b);
    return true;
}

void mend_beats_turn(struct mend_beats *b, int parent, const struct mend_address *at)
{
    pthread_mutex_lock(&b->lock);
    set_parent(b, parent, at);
    wake(b);
}

bool mend_beats_seek(struct mend_beats *b)
{
    bool seeks;

    pthread_mutex_lock(&b->lock);
    seeks = b->seeks;
    pthread_mutex_unlock(&b->lock);
    return seeks;
}

void mend_beats_expect(struct mend_beats *b, int node, uint32_t incarnation)
{
    pthread_mutex_lock(&b->lock);
    note(b, node, incarnation, true);
    wake(b);
}

static void judge(struct mend_beats *b, int node, enum mend_lease_child_event_kind verdict,
                  struct mend_lease_turn turn)
{
    struct mend_beats_child *c = &b->child[node];
    struct mend_lease_child_out out;

    pthread_mutex_lock(&b->lock);
    if (c->known) {
        out = child_step(b, c, (struct mend_lease_child_event){.kind = verdict, .turn = turn});
        if (out.say)
            say(b, &out.msg, &c->from);
    }
    wake(b);
}

void mend_beats_adopt(struct mend_beats *b, int node, struct mend_lease_turn turn)
{
    judge(b, node, MEND_LEASE_CHILD_EV_ADOPTED, turn);
}

void mend_beats_declare(struct mend_beats *b, int node, uint32_t incarnation)
{
    judge(b, node, MEND_LEASE_CHILD_EV_DECLARED, (struct mend_lease_turn){incarnation, 1});
}

bool mend_beats_are_granted(struct mend_beats *b)
{
    bool granted;

    take_all(b->news_fd);
    pthread_mutex_lock(&b->lock);
    granted = b->granted;
    pthread_mutex_unlock(&b->lock);
    return granted;
}

int mend_beats_next_lost(struct mend_beats *b, struct mend_lease_turn *turn_p,
                         mend_time_ns *silent_p)
{
    int lost = -1;

    take_all(b->news_fd);
    pthread_mutex_lock(&b->lock);
    for (int k = 0; k < b->place.nodes_n && lost < 0; k++)
        if (b->child[k].lost.turn)
            lost = k;
    if (lost >= 0) {
        *turn_p = b->child[lost].lost;
        b->child[lost].lost = (struct mend_lease_turn){0};
        *silent_p = mend_fence_now() - b->child[lost].heard_ns;
    }
    pthread_mutex_unlock(&b->lock);
    return lost;
}

int mend_beats_next_asking(struct mend_beats *b, struct mend_lease_turn *turn_p)
{
    int asking = -1;

    pthread_mutex_lock(&b->lock);
    for (int k = 0; k < b->place.nodes_n && asking < 0; k++)
        if (b->child[k].asks.turn)
            asking = k;
    if (asking >= 0) {
        *turn_p = b->child[asking].asks;
        b->child[asking].asks = (struct mend_lease_turn){0};
    }
    pthread_mutex_unlock(&b->lock);
    return asking;
}

/* A copy of what this process knows: what it grants is made good in mend_beats_take_back(). */
static _Noreturn void stand_in(struct mend_beats *b, pid_t stopped)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "mend-stand-in");
    setsid(); /* what is sent to the job's group is not for it */
    come_first();
    b->lease = NULL;
    b->look_at = MEND_TIME_NEVER;
    while (getppid() == stopped) {
        look(b);
        sleep_until(b, b->scan_at);
    }
    _exit(0);
}

pid_t mend_beats_hand_over(struct mend_beats *b)
{
    pid_t me = getpid(), pid;

    pthread_mutex_lock(&b->lock);
    pid = fork();
    if (pid == 0)
        stand_in(b, me);
    return pid;
}

void mend_beats_take_back(struct mend_beats *b, pid_t stand_in)
{
    if (stand_in > 0) {
        kill(stand_in, SIGKILL);
        waitpid(stand_in, NULL, 0);
        for (int k = 0; k < b->place.nodes_n; k++)
            if (b->child[k].known)
                child_step(b, &b->child[k],
                           (struct mend_lease_child_event){.kind = MEND_LEASE_CHILD_EV_RESUMED});
    }
    wake(b);
}

void mend_beats_close(struct mend_beats *b)
{
    pthread_mutex_lock(&b->lock);
    b->over = true;
    wake(b);
    if (b->runs)
        pthread_join(b->thread, NULL);
    if (b->fenced)
        mend_fence_set(&b->fence, MEND_TIME_NEVER);
    close(b->socket);
    close(b->news_fd);
    close(b->wake_fd);
    free(b->child);
    free(b->lease);
    pthread_mutex_destroy(&b->lock);
}
