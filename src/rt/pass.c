/* SPDX-License-Identifier: BSD-3-Clause */
/* pass.c – sends and receives a datagram with descriptors. */
#include "rt/pass.h"

#include "base/status.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t mend_pass(int socket, const void *bytes, size_t len, const int *fd, int n, int flags)
{
    char control[CMSG_SPACE(MEND_PASS_MAX * sizeof(int))] __attribute__((aligned(8))) = {0};
    size_t fd_bytes = (size_t)n * sizeof(int);
    struct iovec iov = {(void *)(uintptr_t)bytes, len};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = n ? control : NULL,
                         .msg_controllen = n ? CMSG_SPACE(fd_bytes) : 0};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    ssize_t sent;

    MEND_ASSERT(n >= 0 && n <= MEND_PASS_MAX);
    if (c) {
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(fd_bytes);
        memcpy(CMSG_DATA(c), fd, fd_bytes);
    }
    while ((sent = sendmsg(socket, &msg, MSG_NOSIGNAL | flags)) < 0 && errno == EINTR)
        ;
    return sent;
}

/* The kernel gives no more than there is room for, which may be one more than was asked for. */
static void take_descriptors(struct msghdr *msg, int *fd, int max)
{
    struct cmsghdr *c = CMSG_FIRSTHDR(msg);
    int n, one;

    if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
        return;
    n = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < n; i++) {
        memcpy(&one, CMSG_DATA(c) + (size_t)i * sizeof(int), sizeof(one));
        if (i < max)
            fd[i] = one;
        else
            close(one);
    }
}

ssize_t mend_pass_take(int socket, void *bytes, size_t len, int *fd, int max, int flags)
{
    char control[CMSG_SPACE(MEND_PASS_MAX * sizeof(int))] __attribute__((aligned(8)));
    struct iovec iov = {bytes, len};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = CMSG_SPACE((size_t)max * sizeof(int))};
    ssize_t got;

    MEND_ASSERT(max > 0 && max <= MEND_PASS_MAX);
    for (int i = 0; i < max; i++)
        fd[i] = -1;
    while ((got = recvmsg(socket, &msg, flags | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (got > 0)
        take_descriptors(&msg, fd, max);
    return got;
}
