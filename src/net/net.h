/* SPDX-License-Identifier: BSD-3-Clause */
/* net.h – what a transport is: bytes from process to process, and nothing about deaths.
 *
 * The contract of every transport, against which net/contract_test.c tests each one:
 *   - No call blocks; MEND_AGAIN means poll, then try again.  It may have no memory for a frame, perhaps for ever:
 *     memory_for() tells the two apart.
 *   - Frames from one process arrive in the order in which they were sent; each once.
 *   - sever(peer) delivers what has reached this process when the verdict is carried out; after it returned nothing from that
 *     peer arrives any more, and nothing is sent there.  Where both share memory, what the dead process had published has
 *     reached this one (R12); of what was on its way by a network some may be lost, always the end of it.
 *   - A transport reports what it cannot read (self->on_damage).  It never declares a death.
 *   - Frames that arrive at a descriptor wake the process: the transport hands it to self->bell->watch().  Its poll makes no
 *     system call in a turn of a wait in which self->bell->is_due() says that there is nothing.
 * Each peer is reached by one transport, the first of net.def that says so; a process may use several.
 *
 * struct mend_net is what a network can do as well; struct mend_near, beside it, is what only processes that share memory
 * can. */
#ifndef MEND_NET_NET_H
#define MEND_NET_NET_H

#include "net/frame.h"
#include "net/copypage.h"
#include "proc/peer.h"
#include "proc/proc.h"

/* What processes can do that share memory.  Each may be NULL: the transport cannot. */
struct mend_near {
    /* Copies len bytes out of the memory of the peer (single copy); stamp: of the RTS that named it, or
     * MEND_STAMP_STAYS for memory that stays where it is, as both know: windows.  MEND_AGAIN: the stamp is stale, or an
     * address is bad, what was copied is worth nothing; MEND_ERR_UNSUPPORTED: not possible with this peer;
     * MEND_ERR_PEER: the kernel says that the peer is gone.  All but MEND_OK: the message goes another way. */
    enum mend_status (*pull)(struct mend_proc *self, mend_peer from, void *dst, uint64_t remote,
                             size_t len, uint64_t stamp);
    /* Copies len bytes into the memory of the peer.  MEND_OK, or another status: nobody knows how much of it is there. */
    enum mend_status (*push)(struct mend_proc *self, mend_peer to, const void *src, uint64_t remote,
                             size_t len);

    /* What others pull they know from an RTS with the sender's present stamp.  withdraw() makes all
     * stamps so far stale: memory that was named may change, or go, from then on. */
    uint32_t (*rts_stamp)(struct mend_proc *self);
    void (*withdraw)(struct mend_proc *self);

    /* Where the copy page of a peer, or of this process, lies, which both ends of a message see; NULL: no memory. */
    struct mend_copypage *(*copypage)(struct mend_proc *self, mend_peer owner);
    /* Does the peer wait in MPI now, so that it would help at once? */
    bool (*attends)(struct mend_proc *self, mend_peer peer);
    /* False: room for a payload of len bytes to the peer would come from the peer's cache, and the next such payload from
     * there brings some that has come already. */
    bool (*is_handy)(struct mend_proc *self, mend_peer to, uint32_t len);

    /* The next frame of a peer where it lies, not delivered, and its payload; NULL: none now.  take() is then its delivery.
     * Not while frames are being delivered. */
    const struct mend_frame *(*peek)(struct mend_proc *self, mend_peer from,
                                     const void **payload_p);
    void (*take)(struct mend_proc *self, mend_peer from);
};

#define MEND_STAMP_STAYS UINT64_MAX

enum mend_gather {
    MEND_GATHER_END = 0,
    MEND_GATHER, /* what is sent may stay in this process until the end */
    MEND_GATHER_LENT, /* and long payloads in the memory of their caller until has_left() or displace() */
};

/* Of has_left(): what was sent may have been lent, so the question is also whether its memory is the caller's again. */
#define MEND_NET_LENT UINT64_C(1)

struct mend_net {
    const char *name;
    uint32_t payload_max_bytes;   /* of one frame */
    const struct mend_near *near; /* NULL: to this transport all peers are elsewhere */

    /* Once, before any other call.  MEND_OK; MEND_ERR_UNSUPPORTED: it reaches nobody from here; MEND_ERR_MEM.  NULL: there
     * is nothing to do. */
    enum mend_status (*open)(struct mend_proc *self);
    /* This transport reaches the peer, from now on.  False: it does not. */
    bool (*reach)(struct mend_proc *self, mend_peer peer);

    /* Sends a frame with a contiguous payload of mend_frame_len(f) bytes, which is copied, unless it is lent.
     * MEND_OK, MEND_AGAIN (no room) or MEND_ERR_PEER (severed). */
    enum mend_status (*send)(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
                             const void *payload);
    /* Room for a payload of len bytes that the caller writes itself; NULL: no room now, or severed.
     * Exactly one commit() to the same peer must follow, with a frame of at most that length. */
    void *(*reserve)(struct mend_proc *self, mend_peer to, uint32_t len);
    void (*commit)(struct mend_proc *self, mend_peer to, const struct mend_frame *f);
    /* For a transport at which each send() costs a system call: what is sent until MEND_GATHER_END leaves together.  Nothing in
     * between may wait.  NULL: several sends cost no more than one. */
    void (*gather)(struct mend_proc *self, enum mend_gather how);
    /* Has all that was sent to the peer before the first of these questions left this process, so that it gets there although this
     * process never calls again and its memory changes?  *end: 0, or MEND_NET_LENT, at the first question.  True for a severed peer.  NULL: what
     * send() has taken has left. */
    bool (*has_left)(struct mend_proc *self, mend_peer to, uint64_t *end);
    /* After send() or reserve() has found no room for a payload of len bytes: for how many of them there is memory.
     * len: all, so there will be room; -1: not even for an empty frame.  NULL: there is memory for all. */
    int32_t (*memory_for)(struct mend_proc *self, mend_peer to, uint32_t len);

    /* Delivers what has arrived through self->on_frame, `hint` first if it is a peer that this transport reaches.
     * Returns the number of frames delivered.  Bounded work per call.  NULL: nothing ever arrives. */
    unsigned (*poll)(struct mend_proc *self, mend_peer hint);
    /* A payload that comes in parts may be read to where it belongs at once: self->place() says where, or NULL, when the frame is
     * the next one of its sender; the handler of the frame then finds its payload there.  displace(): that memory, and what was
     * lent, is the transport's no more, whatever is to come from the peer, or to go there.  NULL: it has none. */
    void (*displace)(struct mend_proc *self, mend_peer peer);

    /* The peer is dead: see the contract. */
    void (*sever)(struct mend_proc *self, mend_peer dead);
    /* Frees what is left of a severed peer here, and touches nothing of it any more.  NULL: nothing is. */
    void (*forget)(struct mend_proc *self, mend_peer dead);
};

#define MEND_NET_DEF(name_, what_) extern const struct mend_net mend_net_##name_;
#include "net/net.def"
#undef MEND_NET_DEF

static inline const struct mend_net *mend_net_of(const struct mend_proc *self, mend_peer peer)
{
    return mend_peer_entry(self, peer)->net;
}

/* What both can do if they share memory; a table of NULLs if they do not. */
static inline const struct mend_near *mend_near_of(const struct mend_proc *self, mend_peer peer)
{
    static const struct mend_near nothing;
    const struct mend_net *net = mend_net_of(self, peer);

    return net->near ? net->near : &nothing;
}

static inline bool mend_net_has_left(struct mend_proc *self, mend_peer to, uint64_t *end)
{
    const struct mend_net *net = mend_net_of(self, to);

    return mend_likely(!net->has_left) || net->has_left(self, to, end);
}

static inline void mend_net_gather(struct mend_proc *self, mend_peer to, enum mend_gather how)
{
    const struct mend_net *net = mend_net_of(self, to);

    if (mend_unlikely(net->gather != NULL))
        net->gather(self, how);
}

static inline void mend_net_displace(struct mend_proc *self, mend_peer peer)
{
    const struct mend_net *net = mend_net_of(self, peer);

    if (mend_unlikely(net->displace != NULL))
        net->displace(self, peer);
}

/* For how many of the len bytes of a payload that found no room there is memory. */
static inline int32_t mend_net_memory_for(struct mend_proc *self, mend_peer to, uint32_t len)
{
    const struct mend_net *net = mend_net_of(self, to);

    return net->memory_for ? net->memory_for(self, to, len) : (int32_t)len;
}

/* This transport reaches the peer; if it may bring frames it is polled from now on, once for all transports that share its
 * poll. */
static inline void mend_net_connect(struct mend_proc *self, mend_peer peer,
                                    const struct mend_net *net)
{
    unsigned i = 0;

    mend_peer_entry(self, peer)->net = net;
    while (self->nets[i] && self->nets[i]->poll != net->poll)
        i++;
    MEND_ASSERT(i < MEND_NETS_MAX);
    if (net->poll && !self->nets[i])
        self->nets[i] = net;
}

#endif
