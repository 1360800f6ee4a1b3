/* SPDX-License-Identifier: BSD-3-Clause */
/* pass.c – sends a datagram with descriptors. */
#include "rt/pass.h"

#include "base/status.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

ssize_t mend_pass(int socket, const void *bytes, size_t len, const int *fd, int n, int flags)
{
    char control[CMSG_SPACE(MEND_PASS_MAX * sizeof(int))] __attribute__((aligned(8))) = {0};
    size_t fd_bytes = (size_t)n * sizeof(int);
    struct iovec iov = {(void *)(uintptr_t)bytes, len};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = CMSG_SPACE(fd_bytes)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
    ssize_t sent;

    MEND_ASSERT(n > 0 && n <= MEND_PASS_MAX);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fd_bytes);
    memcpy(CMSG_DATA(c), fd, fd_bytes);
    while ((sent = sendmsg(socket, &msg, MSG_NOSIGNAL | flags)) < 0 && errno == EINTR)
        ;
    return sent;
}
