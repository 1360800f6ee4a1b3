/* SPDX-License-Identifier: BSD-3-Clause */
/* self.c – the transport of a process's own entry in its table of peers, and of those that nobody reaches.
 *
 * Messages of a rank to itself never reach a transport (p2p/ delivers them), so nothing is sent. */
#include "net/net.h"

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

static bool self_reach(struct mend_proc *self, mend_peer peer)
{
    return peer == self->me || mend_peer_entry(self, peer)->where.kind == MEND_WHERE_NOWHERE;
}

static void self_sever(struct mend_proc *self, mend_peer dead)
{
}

const struct mend_net mend_net_self = {
    .name = "self",
    .payload_max_bytes = 16384,
    .reach = self_reach,
    .send = self_send,
    .reserve = self_reserve,
    .commit = self_commit,
    .sever = self_sever,
};
