/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c – two processes of one job with a socket between them make an intercommunicator (MPI-5.0 11.10.8).
 *
 *   one   ── hello {job, process, number of the call} ──>   the other
 *         <── its hello ─────────────────────────────────
 *   meet under a tag of both numbers                        (from_group.c)
 *
 * Each writes one hello and reads one, whatever it says, so the socket is quiet afterwards at both ends, and both decide
 * the same.  Until the other's hello has come nobody knows what process that is: what ends the wait then is the hello, or
 * the end of the socket, which the kernel closes when the other process dies.  After that its death ends the meeting. */
#include "create/create.h"
#include "create/meet.h"

#include "comm/errcode.h"
#include "net/net.h"
#include "node/bell.h"
#include "req/request.h"
#include "rt/rt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define MAGIC     UINT64_C(0x4d454e444a4f4931) /* "MENDJOI1" */
#define TAG_BYTES 96

struct hello {
    uint64_t magic, job, number;
    int64_t peer;
};

/* A call, on the caller's stack. */
struct joining {
    int fd;
    struct hello mine, theirs;
    size_t sent, received;
    const char *trouble; /* why it cannot go on; NULL: it can */
};

/* n: what the system has said.  False: later, or never. */
static bool has_moved(struct joining *j, ssize_t n, size_t *at)
{
    if (n > 0) {
        *at += (size_t)n;
        return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        j->trouble = n == 0 ? "the other end of the socket was closed" : strerror(errno);
    return false;
}

static bool is_sent(struct joining *j)
{
    while (!j->trouble && j->sent < sizeof(j->mine) &&
           has_moved(j,
                     send(j->fd, (char *)&j->mine + j->sent, sizeof(j->mine) - j->sent,
                          MSG_DONTWAIT | MSG_NOSIGNAL),
                     &j->sent))
        ;
    return j->sent == sizeof(j->mine);
}

static bool is_received(struct joining *j)
{
    while (!j->trouble && j->received < sizeof(j->theirs) &&
           has_moved(j,
                     recv(j->fd, (char *)&j->theirs + j->received, sizeof(j->theirs) - j->received,
                          MSG_DONTWAIT),
                     &j->received))
        ;
    return j->received == sizeof(j->theirs);
}

static bool is_over(struct mend_proc *self, void *arg)
{
    struct joining *j = arg;
    bool sent = is_sent(j), received = is_received(j);

    (void)self;
    return j->trouble || (sent && received);
}

/* Sleeps only if the socket wakes it, and nothing is left to send. */
static void exchange(struct mend_proc *self, struct joining *j)
{
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = is_over,
                          .arg = j,
                          .hint = MEND_PEER_NONE,
                          .what = "the process at the other end of the socket"};
    bool watched;

    if (is_over(self, j))
        return;
    watched = j->sent == sizeof(j->mine) && self->bell && self->bell->watch &&
              self->bell->watch(self, j->fd) == MEND_OK;
    w.rings = watched;
    mend_wait_until(self, &w);
    if (watched)
        self->bell->unwatch(self, j->fd);
}

static bool is_connected_stream(int fd)
{
    struct sockaddr_storage other;
    socklen_t other_len = sizeof(other), type_len = sizeof(int);
    int type = 0;

    return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) && type == SOCK_STREAM &&
           !getpeername(fd, (struct sockaddr *)&other, &other_len);
}

static int say(struct mend_proc *self, int class, const char *what)
{
    mend_error_detail(self, class, 0, "%s", what);
    return class;
}

/* What the two hellos say; the other end finds the same. */
static int judge(struct mend_proc *self, const struct joining *j)
{
    if (j->trouble)
        return say(self, MPI_ERR_OTHER, j->trouble);
    if (j->theirs.magic != MAGIC)
        return say(self, MPI_ERR_OTHER, "the socket was in use, or its other end is not Mend's");
    if (j->theirs.job != self->job)
        return say(self, MPI_ERR_UNSUPPORTED_OPERATION, "the other process is of another job");
    if (j->theirs.peer == self->me)
        return say(self, MPI_ERR_UNSUPPORTED_OPERATION, "both ends are of one process");
    if (j->theirs.peer < 0 || j->theirs.peer > INT32_MAX)
        return MPI_ERR_OTHER;
    if (!mend_peer_learn(self, (mend_peer)j->theirs.peer))
        return MPI_ERR_NO_MEM;
    return MPI_SUCCESS;
}

int mend_create_join_socket(struct mend_proc *self, int fd, struct mend_comm **new_p)
{
    struct joining j = {.fd = fd,
                        .mine = {.magic = MAGIC,
                                 .job = self->job,
                                 .number = ++self->create->joined_n,
                                 .peer = self->me}};
    char tag[TAG_BYTES];
    mend_peer other;
    bool first;
    int err;

    if (!is_connected_stream(fd))
        return say(self, MPI_ERR_ARG, "it is not a connected stream socket");
    exchange(self, &j);
    err = judge(self, &j);
    if (err)
        return err;
    other = (mend_peer)j.theirs.peer;
    first = self->me < other;
    snprintf(tag, sizeof(tag), "mend: join %llu %llu",
             (unsigned long long)(first ? j.mine : j.theirs).number,
             (unsigned long long)(first ? j.theirs : j.mine).number);
    return mend_meet_connect(self->comm_self, 0, tag, other, MPI_SUCCESS, new_p);
}
