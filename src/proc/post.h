/* SPDX-License-Identifier: BSD-3-Clause */
/* post.h – frames that find no room, and frames that come too early.
 *
 * Outbox: per peer a queue of things to send, in order; a frame is sent directly only if the queue
 * is empty.  `struct mend_out` is one entry; what it does when there may be room again is its own.
 *
 * Parking: a frame for a context that does not exist here yet is kept and dispatched again when
 * the context appears; a frame for a context that is gone is dropped (tombstones).  A frame for an unknown context is
 * never dropped.
 *
 * Questions are answered all the same: before a frame is kept or dropped, self->on_homeless of its kind sees it, and
 * returns true if it has answered.  So no question depends on whether a tombstone is still there.  The frames to which a process waits for an answer, and what ends
 * the wait, besides the answer and the death of the process that is asked:
 *
 *   frame, answer          context gone there        not there yet             that process is not in MPI, or has left
 *   RTS, CTS               as a message that no receive matches (MPI-5.0 3.5): a receive of it, MPI_Cancel, a revocation.
 *                          A context goes when no operation on it is left, so none has matched it
 *   CTS, DATA              the RTS has named the request, which holds its context; its sender waits in MPI for the end
 *   CANCEL, CANCEL_REPLY   "withdrawn": on_homeless (p2p/p2p.c), which drops the RTS     it is withdrawn when the process
 *                          if it is parked                                               has left (p2p/send.c)
 *   AGREE, AGREE           the decision, or that c is gone:   parked: its call is        counts as dead where the caller
 *                          on_homeless (decide/linger.c)      awaited like any other     may go on (decide/tree.c)
 *   RMA get, flush, lock   dropped: a window goes when all    parked: the creation of    members of a window stay until all
 *                          have come to its end, or when it   a window ends with an      have freed it
 *                          is revoked, which ends the wait    agreement of all
 *   PART offer, match      as RTS
 *   CREATE HELLO, HELLO    as a collective that a member does not call (create/leaders.c); a member whose call fails says so
 *   CREATE NO, its vote    it has voted, or has declined      it makes the meeting's     counts as a no (create/meet.c)
 *                                                             communicator and vetoes
 *   CREATE KNOCK, WELCOME  REFUSE: ports have no context (create/port.c)                 as a call that never comes; the
 *                                                                                        caller may set a time (port.c)
 *   SHARE, copy page       the copy page is a word in memory; an owner copies by itself what nobody takes (p2p/share.c)
 *
 * EAGER, DATA, DECLINE, REVOKE, CREDIT, NOTIFY, CANCEL_REPLY and all answers ask nothing.
 *
 * Other processes wait for these frames, so their memory comes from the reserve if necessary. */
#ifndef MEND_PROC_POST_H
#define MEND_PROC_POST_H

#include "net/net.h"

struct mend_out {
    struct mend_list link;
    /* MEND_OK: done, the entry has been removed from the queue before the call and may be gone;
     * MEND_AGAIN: still no room, the entry is put back in front. */
    enum mend_status (*push)(struct mend_proc *self, mend_peer to, struct mend_out *out);
    /* The peer died: the entry has left the queue and will never be pushed. */
    void (*drop)(struct mend_proc *self, struct mend_out *out);
};

/* Sends a control frame now or queues a copy.  A frame to a dead peer is dropped silently: a process that depends
 * on the answer learns of the death. */
void mend_post(struct mend_proc *self, mend_peer to, const struct mend_frame *f,
               const void *payload);

/* Called by an entry's push that got MEND_AGAIN for a payload of len bytes, which it returns.  If the reason is that
 * there has been no memory for it for a second, the process ends with MPI_ERR_NO_MEM: others wait for the frame, and no
 * call can report it. */
enum mend_status mend_out_starves(struct mend_proc *self, mend_peer to, uint32_t len);

/* Queues an entry behind all others for the peer. */
void mend_out_append(struct mend_proc *self, mend_peer to, struct mend_out *out);

/* Takes an entry back. */
void mend_out_remove(struct mend_proc *self, mend_peer to, struct mend_out *out);

static inline bool mend_out_empty(const struct mend_proc *self, mend_peer to)
{
    const struct mend_list *box;

    if (mend_likely(self->outbox_n == 0))
        return true;
    box = mend_table_get(&self->outboxes, (uint32_t)to);
    return !box || !box->next || mend_list_empty(box); /* its chunk begins as zero */
}

/* Pushes what can be pushed.  Returns true if anything left. */
bool mend_out_flush(struct mend_proc *self);

/* Drops everything queued for the peer. */
void mend_out_drop_all(struct mend_proc *self, mend_peer dead);

/* A frame of a context that is not here: answers it, if it is a question that can be answered without; else keeps it, or
 * drops it if the context is known to be gone. */
void mend_park(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
               const void *payload);

/* The context exists now: dispatches its parked frames, in order of arrival. */
void mend_unpark(struct mend_proc *self, mend_ctx ctx);

/* Drops the first parked frame from that process for that context and channel that the caller's function wants.  False:
 * there is none. */
bool mend_parked_drop(struct mend_proc *self, mend_peer from, mend_ctx ctx,
                      bool (*is_it)(const struct mend_frame *f, const void *payload, void *arg),
                      void *arg);

/* The context is gone: late frames are dropped from now on, and so are those that are parked.  for_good: questions about it
 * may come as long as this process runs, so it is not forgotten, unless there is no memory for it: then it is when 4096
 * others are gone, too. */
void mend_bury(struct mend_proc *self, mend_ctx ctx);
void mend_bury_for_good(struct mend_proc *self, mend_ctx ctx);
bool mend_is_buried(const struct mend_proc *self, mend_ctx ctx);

#endif
