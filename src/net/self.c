/* SPDX-License-Identifier: BSD-3-Clause */
/* self.c – the transport of a program that was started without a launcher: one rank, no peers.
 *
 * Messages of a rank to itself never reach a transport (p2p/ delivers them), so nothing is sent. */
#include "net/net.h"

#include <sched.h>

static enum mend_status self_send(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                                  const void *payload)
{
    return MEND_ERR_PEER;
}

static void *self_reserve(struct mend_proc *self, mend_peer to, uint32_t len)
{
    return NULL;
}

static void self_commit(struct mend_proc *self, mend_peer to, const struct mend_frame *f)
{
    MEND_ASSERT(!"nothing was reserved");
}

static unsigned self_poll(struct mend_proc *self, mend_peer hint)
{
    return 0;
}

static void self_arm(struct mend_proc *self, bool nudged)
{
}

static void self_nothing(struct mend_proc *self)
{
}

static void self_sever(struct mend_proc *self, mend_peer dead)
{
}

/* No other process could wake us: yield instead. */
static bool self_sleep(struct mend_proc *self, mend_time_ns longest)
{
    sched_yield();
    return true;
}

const struct mend_net mend_net_self = {
    .name = "self",
    .payload_max_bytes = 16384,
    .send = self_send,
    .reserve = self_reserve,
    .commit = self_commit,
    .poll = self_poll,
    .sever = self_sever,
    .arm = self_arm,
    .sleep = self_sleep,
    .disarm = self_nothing,
    .rouse = self_nothing,
    .close = self_nothing,
};
