/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h – the origin's side of messages: operations towards one target, in order.
 *
 *   begun ──> unsent ──frames, as there is room──> unanswered ──replies──> over
 *                                   └─ wants none ───────────────────────> over
 *
 * A target keeps replies that find no room, so an origin has at most MEND_RMA_LINK_REPLIES of them under way, and of long ones
 * two.
 *
 * The memory of an operation goes with its end, and an origin has at most MEND_RMA_LINK_OPERATIONS of them: the call that begins
 * one more waits until the target has made room or is dead, or the window is revoked.  When the target dies, all of them
 * are over, with MPI_ERR_PROC_FAILED for those that a request stands for. */
#ifndef MEND_RMA_LINK_H
#define MEND_RMA_LINK_H

#include "rma/op.h"
#include "rma/wire.h"

#define MEND_RMA_LINK_REPLIES    8u
#define MEND_RMA_LINK_OPERATIONS 2048u /* begun and not over, of a few hundred bytes each */

enum mend_rma_link_lock {
    MEND_RMA_LINK_FREE,
    MEND_RMA_LINK_ASKED,
    MEND_RMA_LINK_HELD,
    MEND_RMA_LINK_POISONED
};

struct mend_rma_link {
    struct mend_win *w;
    int target;
    struct mend_list unsent, unanswered; /* struct mend_rma_pending */
    unsigned operations_n;               /* in both */
    struct mend_out out;
    bool pumping;       /* an answer of this process to itself comes in the middle of it */
    bool queued;        /* `out` is in the outbox */
    unsigned replies_n; /* that are under way */
    unsigned polls_n;   /* for a turn, since the target's last long frame (link.c) */
    uint32_t next_id;
    uint32_t
        changes_n; /* frames without an answer: with control words ever, else since the last flush */
    uint32_t faults_n;             /* with control words: of these could not be carried out */
    uint32_t flushes_n, flushed_n; /* without */
    enum mend_rma_link_lock lock;  /* what this process has of the target's lock, by messages */
    int fault; /* error class of what the target could not carry out, for the next synchronization */
    enum mend_rma_kind early_kind; /* 0: none.  An answer about the lock that tells of deaths ... */
    struct mend_rma_head early;    /* ... of which this process has not heard yet */
};

/* The link to a target.  NULL: no memory. */
struct mend_rma_link *mend_link(struct mend_win *w, int target);

/* True if one more operation would have to wait for room: the target lives. */
static inline bool mend_rma_link_is_full(const struct mend_win *w, int target)
{
    const struct mend_rma_link *l = w->links ? w->links[target] : NULL;

    return l && mend_unlikely(l->operations_n >= MEND_RMA_LINK_OPERATIONS) &&
           !mend_win_is_dead(w, target);
}

/* An operation may take effect now: within lock_all each target is asked for its lock when the first message goes there, and so
 * the first operation is one. */
static inline bool mend_rma_link_has_lock(const struct mend_win *w, int target)
{
    return w->shared || w->access != MEND_ACCESS_LOCK_ALL ||
           (w->links && w->links[target] && w->links[target]->lock == MEND_RMA_LINK_HELD);
}

/* Waits until it is not full.  MPI_ERR_INVALIDATED.  Other threads of the program, and callbacks, may have done anything
 * meanwhile. */
int mend_rma_link_await_room(struct mend_win *w, int target);

/* Begins an operation.  *request_p, if it is not NULL, is its request.  MPI_ERR_NO_MEM. */
int mend_rma_link_begin(struct mend_win *w, const struct mend_rma_op *op,
                        struct mend_request **request_p);

/* True if all operations to the target are executed there, or it is dead; asks for that if need be. */
bool mend_rma_link_is_flushed(struct mend_win *w, int target);
/* True if nothing is on its way there, nor unconfirmed. */
bool mend_rma_link_is_idle(const struct mend_win *w, int target);
/* True if their buffers are the program's again. */
bool mend_rma_link_is_local(struct mend_win *w, int target);
/* The error that the target has reported since the last call. */
int mend_rma_link_fault(struct mend_win *w, int target);

/* A long frame of the target was carried out here, which is not answered. */
void mend_rma_link_on_long_frame(struct mend_win *w, int target);

/* Asks for the target's lock: operations wait until it is there. */
void mend_rma_link_ask(struct mend_rma_link *l, enum mend_winlock_kind kind);
/* Gives back what was asked for: of a lock that is held an answer comes. */
void mend_rma_link_give_back(struct mend_rma_link *l, enum mend_winlock_kind kind);

/* Sends one word of news. */
void mend_rma_link_tell(struct mend_win *w, int target, enum mend_rma_kind kind);
void mend_rma_link_say(struct mend_win *w, int target, enum mend_rma_kind kind, uint32_t id,
                       uint64_t at);

/* An answer of a target. */
void mend_rma_link_on_answer(struct mend_win *w, int target, enum mend_rma_kind kind,
                             const struct mend_rma_head *h, const void *data, size_t len);

/* Everything that goes on is over, with this error; buffers are not touched any more. */
void mend_rma_link_end(struct mend_rma_link *l, int error);
void mend_rma_link_on_deaths(struct mend_win *w);
void mend_rma_link_drop_all(struct mend_win *w);

#endif
