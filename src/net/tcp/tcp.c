/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c – the transport between nodes: a stream of frames for each pair of processes, over TCP.
 *
 *   p2p, coll, …                                             on_frame
 *        │ send                                                 ^ deliver, in place
 *        v                                                      │
 *   ring of the pair ── write ──> kernel ~~~~ kernel ── read ── buffer of the process
 *   keeps all bytes                                             puts frames together
 *        ^                                                      │
 *        └──────────── frame.seq of what goes the other way ────┘  "I have so many bytes"
 *
 * stream.h has the stream, connect.c the connections that carry it, bound.c how many there are, silent.c when one is given up,
 * node/greeting.h how one begins.
 *
 * What a dead process had sent may be lost at its end, where it had not reached this process's kernel when the verdict is
 * carried out: a completed send means that its own kernel had the bytes.  Why no protocol needs more:
 *
 *   p2p, part      a receive that waits for the dead process ends with its failure, whatever it had sent
 *   agreement      a vote that is missing is one of a dead member; a decision that somebody has seen is asked for (decide/linger.c)
 *   revocation     each receiver passes it on before it acts on it: what nobody got binds nobody
 *   creation       an agreement decides, in which the death counts
 *   windows        the target or the origin is dead, and the epoch fails
 *   notification   it is told of the death, or that it was not delivered
 *
 * What ends a wait here: there is none.  Bytes for a process that hangs fill its ring and nobody else's; its death frees it.
 *
 * Cost: a system call for each write and for each read that finds something; a poll that is hinted at a peer reads its
 * connection, others ask the bell first.  256 KiB for each process that bytes were sent to, and, once a
 * large message was, 4 MiB of addresses for loans that have to be copied. */
#include "net/tcp/internal.h"

#include "node/abroad.h"

static enum mend_status begin(struct mend_proc *self)
{
    struct mend_tcp *t = mend_zalloc(self, 1, sizeof(*t));

    if (!t)
        return MEND_ERR_MEM;
    t->set = t->timer = -1;
    mend_list_init(&t->due);
    mend_list_init(&t->open);
    mend_list_init(&t->refusals);
    mend_list_init(&t->lenders);
    t->most = mend_tcp_most();
    t->pair = mend_zalloc(self, (size_t)self->peers_max, sizeof(*t->pair));
    t->severed = mend_zalloc(self, (size_t)self->peers_max, 1);
    t->buffer = mend_alloc(self, MEND_TCP_READ_BYTES + 8);
    if (!t->pair || !t->severed || !t->buffer)
        return MEND_ERR_MEM;
    self->tcp = t;
    return MEND_OK;
}

static enum mend_status tcp_open(struct mend_proc *self)
{
    if (!self->node || !self->node->dial || !self->node->header->nodes_n)
        return MEND_ERR_UNSUPPORTED;
    return begin(self);
}

/* The first process of a job that is reached by sockets opens the transport: other processes may wait for this one there. */
static bool has_opened(struct mend_proc *self)
{
    bool open;

    if (self->tcp)
        return true;
    mend_memory_press(self);
    open = begin(self) == MEND_OK;
    mend_memory_relax(self);
    return open;
}

static bool tcp_reach(struct mend_proc *self, mend_peer peer)
{
    const struct mend_where *where = &mend_peer_entry(self, peer)->where;

    if (peer == self->me)
        return false;
    return where->kind == MEND_WHERE_NODE
               ? self->tcp != NULL
               : where->job && where->job->by_sockets && has_opened(self);
}

static void drop_pair(struct mend_proc *self, mend_peer dead)
{
    struct mend_tcp *t = self->tcp;
    struct mend_tcp_pair *p = t->pair[dead];

    if (!p)
        return;
    mend_tcp_drop(self, p);
    mend_tcp_end_refused(self, p);
    if (mend_list_linked(&p->due))
        mend_list_remove(&p->due);
    if (mend_list_linked(&p->lender))
        mend_list_remove(&p->lender);
    if (t->from == p)
        t->from = NULL;
    mend_free(self, p->out.ring);
    mend_free(self, p->out.loans);
    mend_free(self, p->payload);
    mend_free(self, p);
    t->pair[dead] = NULL;
}

static void tcp_forget(struct mend_proc *self, mend_peer dead)
{
    self->tcp->severed[dead] = 1;
    drop_pair(self, dead);
}

/* What the kernel has of it is delivered; a call that the agent has passed on may have brought something, too. */
static void tcp_sever(struct mend_proc *self, mend_peer dead)
{
    struct mend_tcp *t = self->tcp;

    if (t->severed[dead])
        return;
    t->polling = true;
    mend_tcp_deliver_rest(self);
    mend_tcp_take_callers(self);
    if (t->pair[dead] && t->pair[dead]->refused >= 0)
        mend_tcp_read_refused(self, t->pair[dead]);
    if (t->pair[dead] && t->pair[dead]->fd >= 0)
        mend_tcp_drain(self, t->pair[dead], t->pair[dead]->fd);
    t->polling = false;
    tcp_forget(self, dead);
}

const struct mend_net mend_net_tcp = {
    .name = "tcp",
    .payload_max_bytes = MEND_TCP_PAYLOAD_MAX,
    .open = tcp_open,
    .reach = tcp_reach,
    .send = mend_tcp_send,
    .reserve = mend_tcp_reserve,
    .commit = mend_tcp_commit,
    .gather = mend_tcp_gather,
    .has_left = mend_tcp_has_left,
    .memory_for = mend_tcp_memory_for,
    .poll = mend_tcp_poll,
    .displace = mend_tcp_displace,
    .sever = tcp_sever,
    .forget = tcp_forget,
};
