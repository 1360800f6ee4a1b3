/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c – see port.h. */
#include "share/port.h"

#include "base/time.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

static int bind_one(int fd, struct mend_address *at, uint16_t port)
{
    struct sockaddr_in6 s;
    socklen_t len;

    at->port = htons(port);
    len = mend_address_to(at, &s);
    return bind(fd, (struct sockaddr *)&s, len);
}

static bool bind_any(int fd, struct mend_address *at, struct mend_port_range range)
{
    for (uint32_t port = range.first; port <= range.last; port++) {
        if (bind_one(fd, at, (uint16_t)port) == 0)
            return true;
        if (errno != EADDRINUSE)
            return false;
    }
    return false;
}

static int listen_at(struct mend_address *at_p, struct mend_port_range range)
{
    struct sockaddr_in6 s;
    socklen_t len = mend_address_to(at_p, &s);
    int fd = socket(s.sin6_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error;
    const int off = 0, on = 1;

    if (fd < 0)
        return -1;
    if (s.sin6_family == AF_INET6 && mend_address_is_any(at_p))
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (range.first) /* connections of the job before still wait there */
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind_any(fd, at_p, range) && listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, (struct sockaddr *)&s, &len) == 0) {
        at_p->port = s.sin6_port; /* where version 4 has it, too */
        return fd;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

int mend_port_listen(struct mend_address *at_p, struct mend_port_range range)
{
    int fd = listen_at(at_p, range);
    bool no_version_6 = fd < 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL);

    if (!no_version_6 || !mend_address_is_any(at_p))
        return fd;
    *at_p = mend_address_v4(htonl(INADDR_ANY), 0);
    return listen_at(at_p, range);
}

/* ---- connections ---- */

/* False: it is too late. */
static bool await(int fd, short what, mend_time_ns deadline)
{
    struct pollfd p = {.fd = fd, .events = what};
    mend_time_ns now;

    while ((now = mend_time_monotonic_ns()) < deadline) {
        int n = poll(&p, 1, (int)((deadline - now) / MEND_NS_PER_MS) + 1);

        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
    errno = ETIMEDOUT;
    return false;
}

static bool is_connected(int fd, mend_time_ns deadline)
{
    int error = 0;
    socklen_t len = sizeof(error);

    if (!await(fd, POLLOUT, deadline))
        return false;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
    errno = error;
    return !error;
}

int mend_port_dial(const struct mend_address *to, mend_time_ns deadline)
{
    struct sockaddr_in6 s;
    socklen_t len = mend_address_to(to, &s);
    int fd = socket(s.sin6_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error;
    const int one = 1;

    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&s, len) == 0 ||
        (errno == EINPROGRESS && is_connected(fd, deadline))) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        return fd;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

bool mend_port_read(int fd, void *at, size_t len, mend_time_ns deadline)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = recv(fd, (char *)at + done, len - done, MSG_DONTWAIT);

        if (n > 0)
            done += (size_t)n;
        else if (n == 0)
            errno = ECONNRESET;
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
            (n < 0 && !await(fd, POLLIN, deadline)))
            return false;
    }
    return true;
}

bool mend_port_write(int fd, const void *at, size_t len, mend_time_ns deadline)
{
    size_t done = 0;

    while (done < len) {
        ssize_t n = send(fd, (const char *)at + done, len - done, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n > 0)
            done += (size_t)n;
        else if ((errno != EAGAIN && errno != EINTR) || !await(fd, POLLOUT, deadline))
            return false;
    }
    return true;
}

bool mend_port_ends(int fd, struct mend_address *own_p, struct mend_address *other_p)
{
    struct sockaddr_in6 s;
    socklen_t len = sizeof(s);

    if (getsockname(fd, (struct sockaddr *)&s, &len) != 0 ||
        !mend_address_from((struct sockaddr *)&s, own_p))
        return false;
    len = sizeof(s);
    return getpeername(fd, (struct sockaddr *)&s, &len) == 0 &&
           mend_address_from((struct sockaddr *)&s, other_p);
}
