/* SPDX-License-Identifier: BSD-3-Clause */
/* door_test.h – for unit tests of the transport by sockets: processes that are values in this one process, and the agent between
 * them, which reads greetings and passes connections on.  A connection is a pair of sockets, or two with a cable between
 * them, which the test moves bytes through, and cuts. */
#ifndef MEND_NET_TCP_DOOR_TEST_H
#define MEND_NET_TCP_DOOR_TEST_H

#include "net/tcp/internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CALLS_MAX 16384

/* A connection that its caller has begun. */
struct call {
    mend_peer from, to;
    int fd; /* the agent's end; -1: it was passed on, or is over */
    uint32_t n;
    unsigned char nonce[MEND_NONCE_BYTES];
    struct mend_greeting greeting;
    int cable[2]; /* between the caller's socket and the other one; -1: there is none */
};

static struct call calls[CALLS_MAX];
static int calls_n, calls_first; /* those before calls_first were passed on, or are over */
static bool with_cables;
static bool door_is_shut;                             /* nobody can be called */
static bool door_is_deaf;                             /* a call gets no answer from the network */
static int dials_without_fd;                          /* so many calls find no descriptor */
static const struct mend_greeting *passed_without_fd; /* NULL: none is */
static int *copy_of_passed; /* the agent still has what it has passed on; NULL: it does not */
static void (*change_greeting)(
    struct mend_greeting *g); /* before it is passed on; NULL: as it is */
static void (*change_challenge)(struct mend_challenge *m); /* the same with what the agent says */
static int
    bell_set[MEND_FRAME_KINDS]; /* of each process: an epoll set, in which its callers are, too */
static struct mend_node nodes[MEND_FRAME_KINDS];
static struct mend_node_header headers[MEND_FRAME_KINDS];

/* A port that listens and has as many calls as it takes. */
static int call_the_deaf(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int port = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = -1;
    socklen_t len = sizeof(at);

    CHECK(bind(port, (struct sockaddr *)&at, len) == 0 && listen(port, 0) == 0 &&
          getsockname(port, (struct sockaddr *)&at, &len) == 0);
    for (int i = 0; i < 4; i++) { /* the last one is the caller's */
        fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        CHECK(connect(fd, (struct sockaddr *)&at, len) == 0 || errno == EINPROGRESS);
    }
    return fd;
}

static void challenge(struct call *c)
{
    struct mend_challenge m = {.magic = MEND_GREETING_MAGIC,
                               .version = MEND_GREETING_VERSION,
                               .bytes = sizeof(c->greeting)};

    memset(c->nonce, 1 + calls_n % 255, sizeof(c->nonce));
    memcpy(m.nonce, c->nonce, sizeof(m.nonce));
    if (change_challenge)
        change_challenge(&m);
    CHECK_EQ(send(c->fd, &m, sizeof(m), MSG_NOSIGNAL), sizeof(m));
}

static int test_dial(struct mend_proc *self, mend_peer peer)
{
    int a[2], b[2];
    struct call *c = &calls[calls_n];

    if (dials_without_fd) {
        dials_without_fd--;
        errno = EMFILE;
        return -1;
    }
    if (door_is_deaf)
        return call_the_deaf();
    if (door_is_shut || calls_n == CALLS_MAX ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, a) != 0)
        return -1;
    *c = (struct call){.from = self->me, .to = peer, .fd = a[1], .cable = {-1, -1}};
    if (with_cables && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, b) == 0) {
        c->cable[0] = a[1];
        c->cable[1] = b[0];
        c->fd = b[1];
    }
    epoll_ctl(bell_set[peer], EPOLL_CTL_ADD, c->fd, &(struct epoll_event){.events = EPOLLIN});
    challenge(c);
    calls_n++;
    return a[0];
}

/* As the agent does: a greeting that is whole is passed on. */
static bool test_caller(struct mend_proc *self, struct mend_greeting *g, int *fd_p)
{
    if (passed_without_fd && passed_without_fd->to == self->me) {
        *g = *passed_without_fd;
        *fd_p = -1;
        passed_without_fd = NULL;
        return true;
    }
    while (calls_first < calls_n && calls[calls_first].fd < 0)
        calls_first++;
    for (int i = calls_first; i < calls_n; i++) {
        struct call *c = &calls[i];
        ssize_t n;

        if (c->fd < 0 || c->to != self->me)
            continue;
        n = recv(c->fd, (char *)&c->greeting + c->n, sizeof(c->greeting) - c->n, MSG_DONTWAIT);
        c->n += n > 0 ? (uint32_t)n : 0;
        if (c->n == sizeof(c->greeting)) {
            CHECK(mend_greeting_is(&c->greeting, headers[c->from].door.key, headers[c->from].job));
            CHECK(mend_same_bytes(c->greeting.door_nonce, c->nonce, sizeof(c->nonce)));
            epoll_ctl(bell_set[self->me], EPOLL_CTL_DEL, c->fd, NULL);
            *g = c->greeting;
            if (change_greeting)
                change_greeting(g);
            *fd_p = c->fd;
            if (copy_of_passed)
                *copy_of_passed = dup(c->fd);
            c->fd = -1;
            return true;
        }
        if (n == 0) {
            close(c->fd);
            c->fd = -1;
        }
    }
    return false;
}

static void test_arm(struct mend_proc *self, bool nudged)
{
}

static bool test_sleep(struct mend_proc *self, mend_time_ns longest)
{
    struct epoll_event e;

    return epoll_wait(bell_set[self->me], &e, 1, (int)(longest / MEND_NS_PER_MS)) > 0;
}

static void test_disarm(struct mend_proc *self)
{
}

static enum mend_status test_watch(struct mend_proc *self, int fd)
{
    struct epoll_event e = {.events = EPOLLIN};

    return epoll_ctl(bell_set[self->me], EPOLL_CTL_ADD, fd, &e) == 0 ? MEND_OK : MEND_ERR_MEM;
}

static bool test_is_due(struct mend_proc *self, struct mend_look *look)
{
    return true;
}

static const struct mend_bell test_bell = {.arm = test_arm,
                                           .sleep = test_sleep,
                                           .disarm = test_disarm,
                                           .watch = test_watch,
                                           .is_due = test_is_due};

static void open_doors(struct mend_proc *all, mend_peer n)
{
    calls_n = calls_first = dials_without_fd = 0;
    door_is_shut = door_is_deaf = with_cables = false;
    copy_of_passed = NULL;
    for (mend_peer p = 0; p < n; p++) {
        headers[p] = (struct mend_node_header){
            .job = 7, .nodes_n = (uint32_t)n, .door.key = "the job's secret"};
        nodes[p] =
            (struct mend_node){.header = &headers[p], .dial = test_dial, .caller = test_caller};
        all[p].node = &nodes[p];
        bell_set[p] = epoll_create1(EPOLL_CLOEXEC);
        all[p].bell = &test_bell;
        CHECK_EQ(mend_net_tcp.open(&all[p]), MEND_OK);
    }
}

static void close_doors(struct mend_proc *all, mend_peer n)
{
    for (mend_peer p = 0; p < n; p++) {
        for (mend_peer q = 0; q < n; q++)
            mend_net_tcp.forget(&all[p], q);
        if (all[p].tcp->set >= 0)
            close(all[p].tcp->set);
        if (all[p].tcp->timer >= 0)
            close(all[p].tcp->timer);
        close(bell_set[p]);
    }
    for (int i = 0; i < calls_n; i++) {
        if (calls[i].fd >= 0)
            close(calls[i].fd);
        for (int k = 0; k < 2; k++)
            if (calls[i].cable[k] >= 0)
                close(calls[i].cable[k]);
    }
}

#endif
