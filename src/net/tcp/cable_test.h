/* SPDX-License-Identifier: BSD-3-Clause */
/* cable_test.h – for unit tests of the transport by sockets: cables between connections, that carry bytes when the test says so,
 * and are cut. */
#ifndef MEND_NET_TCP_CABLE_TEST_H
#define MEND_NET_TCP_CABLE_TEST_H

#include "net/contract_procs_test.h"
#include "net/tcp/door_test.h"

#include <sys/syscall.h>

static int writes_n;

/* Counts those of the transport. */
ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    writes_n++;
    return syscall(SYS_sendmsg, fd, m, flags);
}

const struct mend_net_subject mend_net_subject = {
    .net = &mend_net_tcp,
    .begin = open_doors,
    .end = close_doors,
};

static uint64_t carried_n; /* bytes, by all cables */

static inline void cut(struct call *c)
{
    for (int k = 0; k < 2; k++) {
        if (c->cable[k] >= 0)
            close(c->cable[k]);
        c->cable[k] = -1;
    }
}

/* Moves up to `most` bytes from one end of a cable to the other one; what has come before an end goes on. */
static inline void carry(struct call *c, int from, uint32_t most)
{
    char bytes[512];
    ssize_t n;

    while (most && c->cable[0] >= 0) {
        n = recv(c->cable[from], bytes, most < sizeof(bytes) ? most : sizeof(bytes),
                 MSG_DONTWAIT | MSG_PEEK);
        if (n == 0)
            cut(c);
        if (n <= 0)
            return;
        n = send(c->cable[!from], bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0)
            return;
        CHECK_EQ(recv(c->cable[from], bytes, (size_t)n, MSG_DONTWAIT), n);
        carried_n += (uint64_t)n;
        most -= (uint32_t)n;
    }
}

static inline void carry_all(void)
{
    for (int i = 0; i < calls_n; i++)
        for (int k = 0; k < 2; k++)
            carry(&calls[i], k, UINT32_MAX);
}

static inline void cut_all(void)
{
    for (int i = 0; i < calls_n; i++)
        cut(&calls[i]);
}

static inline void settle_by_cable(void)
{
    for (mend_time_ns end = soon(); !has_all_come(); poll_until(end))
        carry_all();
}

/* Of all that was sent so far. */
static inline bool has_left(mend_peer from, mend_peer to)
{
    uint64_t end = 0;

    return mend_net_has_left(&procs[from], to, &end);
}

#endif
