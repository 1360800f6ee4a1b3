/* SPDX-License-Identifier: BSD-3-Clause */
/* The contract of net.h between processes that sockets connect. */
#include "net/contract_test.h"

#include "base/test.h"
#include "net/tcp/door_test.h"

/* A first frame waits for the nonce of the receiver's agent. */
static void deliver(struct mend_proc *from, struct mend_proc *to)
{
    uint64_t end = 0;

    while (!mend_net_tcp.has_left(from, to->me, &end))
        mend_net_tcp.poll(from, MEND_PEER_NONE);
}

static void forge(struct mend_proc *from, struct mend_proc *to, const void *bytes, size_t len)
{
    deliver(from, to);
    CHECK_EQ(send(mend_tcp_of(from, to->me)->fd, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

const struct mend_net_subject mend_net_subject = {
    .net = &mend_net_tcp,
    .begin = open_doors,
    .end = close_doors,
    .deliver = deliver,
    .forge = forge,
};
