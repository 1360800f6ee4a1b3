/* SPDX-License-Identifier: BSD-3-Clause */
/* node.h – operations of this process on the memory that its node shares.
 *
 *   pages      reserved before they are touched, so that a lack of memory is an error code and never SIGBUS; given
 *              back when no process will use them any more
 *   interrupt  "there is news for you": increments the counter that the other rank checks, and wakes it
 *   nudge      "what you may wait for has come": wakes the other rank if it sleeps and waits for such news
 *   await      "wake me when you leave MPI": it names the one process that it waits for, which looks for that
 *
 * layout.h describes the memory and names the writer of each word. */
#ifndef MEND_NODE_NODE_H
#define MEND_NODE_NODE_H

#include "node/wake.h"
#include "proc/peer.h"
#include "proc/proc.h"

struct mend_greeting;

struct mend_node {
    struct mend_node_header *header; /* the segment up to its slabs */
    int fd;
    bool holds;
    bool may_sleep;           /* membarrier works: senders need no fence */
    uint32_t wake_seen;       /* of the futex, when this process armed itself */
    struct mend_watch *watch; /* descriptors that wake this process; NULL: none (bell.h) */
    uint32_t read_n;          /* frames that were read from them */
    /* Hands the agent this process's epoll set, which wakes it (watch.h), or with -1 takes it back.  False: the agent
     * cannot be told.  NULL: there is none. */
    bool (*hand)(struct mend_proc *self, int set);
    /* Begins a connection with the peer, by its agent: a socket, perhaps not connected yet, or -1.  Takes one that another
     * process has begun with this one: false: none has come; *fd_p -1: there was no descriptor for it.  NULL: there is no agent. */
    int (*dial)(struct mend_proc *self, mend_peer peer);
    bool (*caller)(struct mend_proc *self, struct mend_greeting *g, int *fd_p);
    /* No connection with the peer could be made for so long that one of the two shall end, as the agent sees to. */
    void (*cut)(struct mend_proc *self, mend_peer peer);
    struct mend_node_wakes wakes; /* wakes that mend_node_hold() delays */
    mend_place mine;              /* this process's */
    struct mend_list pieces;      /* heap.c: of this process's heap */
    mend_peer *peer_at;           /* by place; MEND_PEER_NONE: a process that is unknown here */
    uint32_t places_end;          /* those with a process that is known here lie below */
    mend_peer sharing_n;          /* peers that share memory with this process, itself included */
    uint64_t touched;             /* cells in which this process's control page is reserved */
    uint64_t voted;               /* cells in whose agreement area this process may have written */
    struct mend_table
        slabs; /* vote_blocks.c: by peer, struct mend_node_slab ** by number; NULL: not mapped */
    uint32_t vote_blocks_n,
        vote_block_free;     /* taken at some time; 1 + the first free one, 0: none */
    struct mend_list closed; /* vote blocks that others may still look for */
    uint64_t cells_free;     /* bit k: no communicator here uses cell k */
    uint64_t cells_ready;    /* bit k: the page of this process's votes in cell k is reserved */
    uint64_t cells_offered;  /* bit k: a creation under way may take cell k */
    struct mend_list cells_closed; /* cells.c: of communicators that others may still use */
};

/* self->node, for a segment that is mapped up to its slabs.  MEND_OK or MEND_ERR_MEM. */
enum mend_status mend_node_open(struct mend_proc *self, struct mend_node_header *header, int fd);

/* This process does not communicate any more: it keeps only what the agent maps, too, in which others read how it ended.
 * The rest is gigabytes of addresses, in which a tool that reads all memory at the end of a program (valgrind's search for
 * leaks) would make pages.  After mend_node_return(), which is false if the system refuses, it may communicate again. */
void mend_node_leave(struct mend_proc *self);
bool mend_node_return(struct mend_proc *self);

/* The peer shares the segment, and has this place. */
void mend_node_meet(struct mend_proc *self, mend_peer peer, mend_place place);

/* The peer is elsewhere.  It sends from a place of the segment, or from none. */
void mend_node_meet_elsewhere(struct mend_proc *self, mend_peer peer, struct mend_where where);

/* All processes that this one knows share memory with it. */
static inline bool mend_node_holds_all(const struct mend_proc *self)
{
    return self->node && self->node->sharing_n == self->peers_n;
}

/* From where the peer sends in the segment, also if it is elsewhere: for the transport. */
static inline mend_place mend_node_place_of(const struct mend_proc *self, mend_peer peer)
{
    return mend_peer_entry(self, peer)->where.sends;
}

static inline mend_peer mend_node_peer_at(const struct mend_proc *self, mend_place place)
{
    return self->node->peer_at[place.at];
}

/* Reserves the pages of a piece of the segment, so that touching them cannot fail.  Idempotent.
 * False: the system has no memory for them. */
bool mend_node_touch(struct mend_proc *self, const void *at, size_t len);

/* What has been touched will be written to: all its pages are mapped in one call, where the kernel can do that. */
void mend_node_map_pages(const void *at, size_t len);

/* As mend_node_touch(), for a piece that is not mapped yet, by its offset in the segment. */
bool mend_node_reserve(struct mend_proc *self, uint64_t at, size_t len);

/* Maps a piece of the segment.  NULL: there is no room for it. */
void *mend_node_map(struct mend_proc *self, uint64_t at, size_t len);
/* The same at a multiple of align, a power of two; 0: of a page. */
void *mend_node_map_aligned(struct mend_proc *self, uint64_t at, size_t len, size_t align);

/* Ends such a mapping. */
void mend_node_unmap(void *base, size_t len);

/* Gives the pages of a piece back, by its offset in the segment; they read as zero then. */
void mend_node_punch(struct mend_proc *self, uint64_t at, size_t len);

/* The agreement area of a cell, in the block of this process, is going to be written to.  Before the cell is used again
 * clear() makes it, and the words beside it, zero as they were. */
void mend_node_votes_open(struct mend_proc *self, int cell);
void mend_node_votes_clear(struct mend_proc *self, int cell);

/* Gives whole pages back that nobody will look at any more; they read as zero then. */
void mend_node_give_back(struct mend_proc *self, const void *at, size_t len);

/* Wakes a rank that sleeps, or is about to: at once, or when what is held is released. */
static inline void mend_node_wake(struct mend_node *n, mend_place p)
{
    mend_node_wakes_add(&n->wakes, p);
    if (!n->holds)
        mend_node_wakes_flush(&n->wakes);
}

/* Between hold and release no rank is woken, by a frame or an interrupt; release wakes all of them, with one call.  Nothing in
 * between may wait.  A process without a segment wakes nobody. */
static inline void mend_node_hold(struct mend_proc *self)
{
    if (self->node)
        self->node->holds = true;
}

static inline void mend_node_release(struct mend_proc *self)
{
    if (!self->node)
        return;
    self->node->holds = false;
    mend_node_wakes_flush(&self->node->wakes);
}

/* The first counter of a context that no process has proposed that had this place; from now on it is n.  For the bit
 * that revokes what it names (layout.h). */
uint64_t mend_node_contexts(const struct mend_proc *self);
void mend_node_count_contexts(struct mend_proc *self, uint64_t n);

/* Interrupts a rank, asleep or not: there is something for it in the segment. */
void mend_node_interrupt(struct mend_proc *self, mend_peer to);

/* When the peer says next that it is leaving or away, it wakes this process, or the agent does that is told of it; what was known
 * before can be seen when this returns.  MEND_PEER_NONE: nobody is to.  A death wakes all. */
void mend_node_await(struct mend_proc *self, mend_peer peer);

/* The same for every peer for which mend_node_may_await() is true. */
void mend_node_await_any(struct mend_proc *self);

/* False for one of another job, which says it in the memory of its own and wakes nobody here. */
bool mend_node_may_await(const struct mend_proc *self, mend_peer peer);

/* This process has said that it is leaving, has left or is away: wakes those that await it. */
void mend_node_wake_awaiting(struct mend_proc *self);

/* There are more ranks than cores, or were: then ranks may sleep while they wait for what others store in the segment.  A
 * rank that sees this before it arms itself is nudged by all that store afterwards. */
static inline bool mend_node_is_oversubscribed(const struct mend_proc *self)
{
    /* A fence for the compiler only, as in mend_node_nudge(): what was stored before is stored before this load. */
    atomic_signal_fence(memory_order_seq_cst);
    return self->node && mend_load_relaxed(&self->node->header->oversubscribed);
}

/* Something that `to` may wait for was stored in the segment, apart from any ring. */
static inline void mend_node_nudge(struct mend_node_wakes *w, mend_place to)
{
    /* A fence for the compiler only: its membarrier in arm() orders this load behind the stores
     * before. */
    atomic_signal_fence(memory_order_seq_cst);
    if (mend_unlikely(mend_load_relaxed(&mend_node_rank_of(w->header, to)->armed) ==
                      MEND_NODE_ARMED_NUDGED))
        mend_node_wakes_add(w, to);
}

#endif
