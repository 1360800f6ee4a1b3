/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c – two processes with a socket between them make an intercommunicator (MPI-5.0 11.10.8).
 *
 *   one   ── hello {job, process, number of the call} ──>   the other
 *         <── its hello ─────────────────────────────────
 *   of two jobs: the one with the smaller id has them connected                              (port.c)
 *         ── whether that was possible ──────────>
 *         <── whether it knows the one ────────────
 *   meet under a tag of both numbers                        (from_group.c)
 *
 * Each writes the same messages and reads the same, so the socket is quiet afterwards at both ends, and both decide the
 * same.  Until the other's hello has come nobody knows what process that is: what ends the wait then is the hello, or
 * the end of the socket, which the kernel closes when the other process dies.  After that its death ends the meeting. */
#include "create/create.h"
#include "create/meet.h"

#include "comm/errcode.h"
#include "net/net.h"
#include "node/abroad.h"
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
    const void *out; /* what is sent, and what is received, of out_len and in_len bytes */
    void *in;
    size_t out_len, in_len, sent, received;
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
    while (!j->trouble && j->sent < j->out_len &&
           has_moved(j,
                     send(j->fd, (const char *)j->out + j->sent, j->out_len - j->sent,
                          MSG_DONTWAIT | MSG_NOSIGNAL),
                     &j->sent))
        ;
    return j->sent == j->out_len;
}

static bool is_received(struct joining *j)
{
    while (!j->trouble && j->received < j->in_len &&
           has_moved(
               j, recv(j->fd, (char *)j->in + j->received, j->in_len - j->received, MSG_DONTWAIT),
               &j->received))
        ;
    return j->received == j->in_len;
}

static bool is_over(struct mend_proc *self, void *arg)
{
    struct joining *j = arg;
    bool sent = is_sent(j), received = is_received(j);

    (void)self;
    return j->trouble || (sent && received);
}

/* Sleeps only if the socket wakes it, and nothing is left to send. */
static void exchange(struct mend_proc *self, struct joining *j, const void *out, size_t out_len,
                     void *in, size_t in_len)
{
    struct mend_wait w = {.cause = MEND_WAIT_CREATION,
                          .until = is_over,
                          .arg = j,
                          .hint = MEND_PEER_NONE,
                          .what = "the process at the other end of the socket"};
    bool watched;

    j->out = out;
    j->out_len = out_len;
    j->in = in;
    j->in_len = in_len;
    j->sent = j->received = 0;
    if (is_over(self, j))
        return;
    watched = j->sent == j->out_len && self->bell && self->bell->watch &&
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
    if (j->theirs.job == self->job && j->theirs.peer == self->me)
        return say(self, MPI_ERR_UNSUPPORTED_OPERATION, "both ends are of one process");
    if (j->theirs.peer < 0 || j->theirs.peer > INT32_MAX)
        return MPI_ERR_OTHER;
    return MPI_SUCCESS;
}

static bool is_first(const struct joining *j)
{
    return j->mine.job != j->theirs.job ? j->mine.job < j->theirs.job
                                        : j->mine.peer < j->theirs.peer;
}

static int32_t find_other(struct mend_proc *self, const struct joining *j)
{
    return mend_abroad_find(self, j->theirs.job, (int32_t)j->theirs.peer);
}

/* Two jobs: both ends know whether each knows the other. */
static int connect_jobs(struct mend_proc *self, struct joining *j)
{
    uint64_t mine = 1, theirs = 0;

    if (is_first(j)) {
        mine =
            !mend_create_connect_job(self, j->theirs.job) && find_other(self, j) != MEND_PEER_NONE;
        exchange(self, j, &mine, sizeof(mine), NULL, 0);
        exchange(self, j, NULL, 0, &theirs, sizeof(theirs));
    } else {
        exchange(self, j, NULL, 0, &theirs, sizeof(theirs));
        mend_interrupt_check(self); /* its agent has told ours */
        mine = theirs && find_other(self, j) != MEND_PEER_NONE;
        exchange(self, j, &mine, sizeof(mine), NULL, 0);
    }
    if (j->trouble)
        return say(self, MPI_ERR_OTHER, j->trouble);
    if (mine && theirs)
        return MPI_SUCCESS;
    return say(self, MPI_ERR_UNSUPPORTED_OPERATION,
               "the other process is of a job that cannot be connected with this one");
}

/* The process at the other end. */
static int find_peer(struct mend_proc *self, struct joining *j, mend_peer *other_p)
{
    int err = judge(self, j);

    if (!err && j->theirs.job != self->job)
        err = connect_jobs(self, j);
    if (err)
        return err;
    *other_p = (mend_peer)j->theirs.peer;
    if (j->theirs.job != self->job)
        *other_p = find_other(self, j);
    else if (!mend_peer_learn(self, *other_p))
        err = MPI_ERR_NO_MEM;
    return err;
}

int mend_create_join_socket(struct mend_proc *self, int fd, struct mend_comm **new_p)
{
    struct joining j = {.fd = fd,
                        .mine = {.magic = MAGIC,
                                 .job = self->job,
                                 .number = ++self->create->joined_n,
                                 .peer = self->me}};
    mend_peer other = MEND_PEER_NONE;
    char tag[TAG_BYTES];
    int err;

    if (!is_connected_stream(fd))
        return say(self, MPI_ERR_ARG, "it is not a connected stream socket");
    exchange(self, &j, &j.mine, sizeof(j.mine), &j.theirs, sizeof(j.theirs));
    err = find_peer(self, &j, &other);
    if (err)
        return err;
    snprintf(tag, sizeof(tag), "mend: join %llu %llu",
             (unsigned long long)(is_first(&j) ? j.mine : j.theirs).number,
             (unsigned long long)(is_first(&j) ? j.theirs : j.mine).number);
    return mend_meet_connect(self->comm_self, 0, tag, other, MPI_SUCCESS, new_p);
}
