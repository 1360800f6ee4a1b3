/* SPDX-License-Identifier: BSD-3-Clause */
/* wake.h – waking ranks that sleep, one system call for all of them (of 32).
 *
 *   struct mend_node_wakes w = {header};
 *   mend_node_wakes_add(&w, place) ...       in ascending order: a call for each 32
 *   mend_node_wakes_flush(&w)
 *
 * Each rank sleeps on the futex of its group of 32 with a separate bit.  A rank that is about to sleep and finds the
 * word changed, for any of them, checks its wait again.  With one system call per rank, the
 * first rank that wakes would take the core from the waker, and the others would sleep on. */
#ifndef MEND_NODE_WAKE_H
#define MEND_NODE_WAKE_H

#include "node/layout.h"
#include "node/rank.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mend_node_wakes {
    struct mend_node_header *header;
    uint32_t first; /* of the 32 that the bits are of */
    uint32_t bits;
};

static inline uint32_t mend_node_sleep_bit(mend_place p)
{
    return UINT32_C(1) << p.at % MEND_NODE_SLEEPERS;
}

static inline void mend_node_wakes_flush(struct mend_node_wakes *w)
{
    mend_atomic_u32 *wake;

    if (!w->bits)
        return;
    wake = &mend_node_sleep_of(w->header, mend_place_at(w->first))->wake;
    atomic_fetch_add(wake, 1);
    syscall(SYS_futex, wake, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, w->bits);
    w->bits = 0;
}

static inline void mend_node_wakes_add(struct mend_node_wakes *w, mend_place p)
{
    uint32_t first = p.at - p.at % MEND_NODE_SLEEPERS;

    if (first != w->first)
        mend_node_wakes_flush(w);
    w->first = first;
    w->bits |= mend_node_sleep_bit(p);
}

/* The process has said that it is leaving or gone, and that was stored: wakes those of the first n places that await it
 * (mend_node_await()).  Called by the process itself, or by the agent to which that was told. */
static inline void mend_node_wakes_awaiting(struct mend_node_header *h, uint32_t n, int32_t name)
{
    struct mend_node_wakes w = {.header = h};

    atomic_thread_fence(memory_order_seq_cst); /* pairs with the fence in name_awaited() */
    for (uint32_t k = 0; k < n; k++) {
        uint32_t awaits = mend_load_relaxed(&mend_node_rank_of(h, mend_place_at(k))->awaits);

        if (awaits == (uint32_t)(name + 1) || awaits == MEND_NODE_AWAITS_ANY)
            mend_node_wakes_add(&w, mend_place_at(k));
    }
    /* The flush is also a release: a process that finds the futex changed, and does not sleep, sees what was stored. */
    mend_node_wakes_flush(&w);
}

#endif
