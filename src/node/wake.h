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

#endif
