/* SPDX-License-Identifier: BSD-3-Clause */
/* shm.h – what other chapters may ask of the shared-memory transport directly. */
#ifndef MEND_NET_SHM_SHM_H
#define MEND_NET_SHM_SHM_H

#include "net/net.h"
#include "node/wake.h"

/* Opens the transport on self->shm_base.  MEND_OK or MEND_ERR_MEM, MEND_ERR_SYS. */
enum mend_status mend_shm_open(struct mend_proc *self);

/* Reserves the pages of a piece of the segment, so that touching them cannot fail.  Idempotent.
 * False: the system has no memory for them. */
bool mend_node_touch(struct mend_proc *self, const void *at, size_t len);

/* The same for a piece that is not mapped yet, by its place in the segment. */
bool mend_node_reserve(struct mend_proc *self, uint64_t at, size_t len);

/* Maps a piece of the segment, for good.  NULL: there is no room for it. */
void *mend_node_map(struct mend_proc *self, uint64_t at, size_t len);

/* Something that `to` may wait for was stored in the segment, apart from any ring. */
static inline void mend_node_nudge(struct mend_node_wakes *w, mend_peer to)
{
    /* No fence but for the compiler: its membarrier in arm() orders this load behind the stores
     * before. */
    atomic_signal_fence(memory_order_seq_cst);
    if (mend_unlikely(mend_load_relaxed(&mend_node_rank_of(w->header, (uint32_t)to)->armed) ==
                      MEND_NODE_ARMED_NUDGED))
        mend_node_wakes_add(w, (uint32_t)to);
}

/* Interrupts a rank, asleep or not: there is something for it in the segment. */
void mend_node_call(struct mend_proc *self, mend_peer to);

/* Gives whole pages back that nobody will look at any more; they read as zero then. */
void mend_node_give_back(struct mend_proc *self, const void *at, size_t len);

#endif
