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

/* Keeps a frame of an unknown context, or drops it if the context is known to be gone. */
void mend_park(struct mend_proc *self, mend_peer from, const struct mend_frame *f,
               const void *payload);

/* The context exists now: dispatches its parked frames, in order of arrival. */
void mend_unpark(struct mend_proc *self, mend_ctx ctx);

/* The context is gone: late frames are dropped from now on. */
void mend_bury(struct mend_proc *self, mend_ctx ctx);
bool mend_is_buried(const struct mend_proc *self, mend_ctx ctx);

#endif
