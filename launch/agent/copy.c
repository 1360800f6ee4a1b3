/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.c – spares that are made when they are needed, by a process that forks (mpiexec --copies; src/rt/copy.c).
 *
 *   original ──> says that it is in MPI_Init, and whether it can be copied
 *      │
 *   original ──> asked, with a socket ──> a copy says "here" on it: a spare like any other (spare.c)
 *      │               │
 *      │               ├──> the socket ends: a process is started instead
 *      │               └──> it says why not, or nothing for COPY_WAIT_MS: it is ended, for it would not do better next time
 *      └──> dead, stopped or not in MPI_Init yet: a process is started instead
 *
 * The copy is our child before it says "here" (we adopt orphans), and the kernel says which one it is. */
#include "agent/start.h"

#include "agent/tell.h"

#include "base/time.h"
#include "rt/pass.h"
#include "rt/spare.h"
#include "agent/start.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define COPY_WAIT_MS 1000 /* 1 GiB takes 20 ms to fork; the watchers give verdicts meanwhile */

static const char *obstacle(int error)
{
    switch (error) {
    case MEND_COPY_THREADS:
        return "it has threads before MPI_Init";
    case MEND_COPY_CHILDREN:
        return "it has children before MPI_Init";
    case MEND_COPY_DESCRIPTORS:
        return "it has descriptors before MPI_Init that are not of files";
    case MEND_COPY_SHARED:
        return "it has shared memory before MPI_Init";
    default:
        return strerror(error);
    }
}

static void give_up(const struct mend_tell *tell, const struct rank *original, const char *why)
{
    if (!tell->quiet)
        mend_say(tell, "mend: lost ranks of %s are started anew, not copied: %s",
                 original->app->path, why);
    kill(-original->child, SIGKILL);
}

/* Waits for at most COPY_WAIT_MS, or until nobody has the other end. */
static bool await_answer(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    mend_time_ns until = mend_time_monotonic_ns() + COPY_WAIT_MS * MEND_NS_PER_MS, now;

    while ((now = mend_time_monotonic_ns()) < until) {
        int n = poll(&p, 1, (int)((until - now) / MEND_NS_PER_MS) + 1);

        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
    return false;
}

/* The next answer and its sender.  False: none, or a damaged one. */
static bool read_answer(int fd, struct mend_copy_answer *a, pid_t *sender_p)
{
    char control[CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(8)));
    struct iovec iov = {a, sizeof(*a)};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    struct cmsghdr *c;
    struct ucred who;

    if (recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*a) ||
        a->magic != MEND_COPY_MAGIC)
        return false;
    c = CMSG_FIRSTHDR(&msg);
    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
        return false;
    memcpy(&who, CMSG_DATA(c), sizeof(who));
    *sender_p = who.pid;
    return true;
}

static bool is_child(pid_t pid)
{
    siginfo_t si;

    return pid > 0 && waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* 0: there is none. */
static pid_t hear(const struct mend_tell *tell, const struct rank *original, int fd)
{
    struct mend_copy_answer a;
    pid_t sender;

    if (!await_answer(fd)) {
        give_up(tell, original, "it did not answer");
        return 0;
    }
    if (!read_answer(fd, &a, &sender))
        return 0; /* the copy has died, or the original */
    if (a.error) {
        give_up(tell, original, obstacle(a.error));
        return 0;
    }
    return is_child(sender) ? sender : 0;
}

/* It has said that it is in MPI_Init, which stays to be read here, and nothing is in the way of copies. */
static bool is_ready(const struct mend_tell *tell, const struct rank *original)
{
    struct mend_copy_answer a;

    if (recv(original->ctl_fd, &a, sizeof(a), MSG_PEEK | MSG_DONTWAIT) != (ssize_t)sizeof(a))
        return false;
    if (a.error)
        give_up(tell, original, obstacle(a.error));
    return !a.error;
}

bool mend_copy_make(const struct mend_tell *tell, const struct rank *original, struct rank *copy_p)
{
    int pair[2];
    bool asked;

    if (!is_ready(tell, original) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int));
    asked = mend_pass(original->ctl_fd, "", 1, &pair[1], 1, MSG_DONTWAIT) == 1;
    close(pair[1]);
    *copy_p = (struct rank){.index = MEND_RANK_SPARE, .ctl_fd = pair[0], .watch_fd = -1};
    copy_p->child = asked ? hear(tell, original, pair[0]) : 0;
    if (copy_p->child) {
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
        return true;
    }
    close(pair[0]); /* one that comes later finds nobody, and ends */
    return false;
}
