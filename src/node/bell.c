/* SPDX-License-Identifier: BSD-3-Clause */
/* bell.c – the bell of a process that shares a segment: one futex for 32 of them. */
#include "node/bell.h"

#include "node/node.h"
#include "node/watch.h"

#include <errno.h>
#include <linux/membarrier.h>

#define LOOK_TURNS_ALONE                                                                           \
    16u /* between two looks of a process that spins and that the agent does not ring */
#define DEAF_NS MEND_NS_PER_MS /* sleeps of a process whose descriptors nobody watches */

static struct mend_node_rank *me(struct mend_proc *self)
{
    return mend_node_rank_of(self->node->header, mend_peer_place(self, self->me));
}

static mend_atomic_u32 *word(struct mend_proc *self)
{
    return &mend_node_sleep_of(self->node->header, mend_peer_place(self, self->me))->wake;
}

/* The registration makes this process's own stores visible to others that arm. */
void mend_bell_open(struct mend_proc *self)
{
    self->node->may_sleep =
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
    self->bell = &mend_bell_node;
}

static uint32_t rung_n(struct mend_proc *self)
{
    return mend_load_relaxed(&me(self)->readable_n);
}

static void keep_asking(struct mend_proc *self)
{
    uint32_t n = rung_n(self);

    if (!mend_watch_is_asked(self->node->watch, n))
        mend_watch_ask(self->node->watch, n);
}

static void bell_arm(struct mend_proc *self, bool nudged)
{
    struct mend_node *n = self->node;

    if (!n->may_sleep)
        return;
    n->wake_seen = mend_load_acquire(word(self)); /* pairs with the wake in launch/agent/rouse.c */
    if (mend_unlikely(n->watch != NULL))
        keep_asking(self);
    mend_store_relaxed(&me(self)->armed, nudged ? MEND_NODE_ARMED_NUDGED : MEND_NODE_ARMED);
    /* Every running sender has passed a full fence after this: it either sees `armed`, or what it
     * published before is visible to the poll that follows. */
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

static bool is_deaf(struct mend_proc *self)
{
    return mend_unlikely(self->node->watch != NULL) && mend_load_relaxed(&me(self)->deaf);
}

/* The time-out is absolute and monotonic, as FUTEX_WAIT_BITSET has it. */
static bool sleep_at_most(struct mend_proc *self, mend_time_ns longest)
{
    struct mend_node *n = self->node;
    mend_time_ns end = mend_time_monotonic_ns() + longest;
    struct timespec at = {(time_t)(end / MEND_NS_PER_S), (long)(end % MEND_NS_PER_S)};

    return !n->may_sleep ||
           syscall(SYS_futex, word(self), FUTEX_WAIT_BITSET, n->wake_seen,
                   longest == MEND_TIME_NEVER ? NULL : &at, NULL,
                   mend_node_sleep_bit(mend_peer_place(self, self->me))) == 0 ||
           errno != ETIMEDOUT;
}

/* A sleep that is short because nobody watches the descriptors is not too long. */
static bool bell_sleep(struct mend_proc *self, mend_time_ns longest)
{
    bool deaf = is_deaf(self) && longest > DEAF_NS;

    return sleep_at_most(self, deaf ? DEAF_NS : longest) || deaf;
}

static bool bell_is_readable(struct mend_proc *self)
{
    return mend_unlikely(self->node->watch != NULL) && mend_watch_is_readable(self->node->watch);
}

static uint32_t bell_read_n(struct mend_proc *self)
{
    return self->node->read_n;
}

static void bell_overslept(struct mend_proc *self)
{
    mend_store_relaxed(&me(self)->overslept_n, mend_load_relaxed(&me(self)->overslept_n) + 1);
}

static void bell_disarm(struct mend_proc *self)
{
    mend_store_relaxed(&me(self)->armed, 0);
}

static void bell_rouse(struct mend_proc *self)
{
    struct mend_node_wakes w = {.header = self->node->header};

    mend_node_wakes_add(&w, mend_peer_place(self, self->me));
    mend_node_wakes_flush(&w);
}

static enum mend_status bell_watch(struct mend_proc *self, int fd)
{
    return mend_watch_add(self, &self->node->watch, fd);
}

static void bell_unwatch(struct mend_proc *self, int fd)
{
    mend_watch_remove(self, &self->node->watch, fd);
}

static bool is_armed(struct mend_proc *self)
{
    return mend_load_relaxed(&me(self)->armed) != 0;
}

/* The agent can ring while this process spins, without taking its core. */
static bool has_free_core(struct mend_proc *self)
{
    const struct mend_node_header *h = self->node->header;

    return h->ranks_here_n < h->cores_n;
}

/* A request comes before the look, so what comes behind it rings; but not while the descriptors are known to be readable, which
 * would be an event at once: then the next turn makes it. */
static bool bell_is_due(struct mend_proc *self, struct mend_look *look)
{
    struct mend_watch *w = self->node->watch;
    uint32_t n = rung_n(self);

    bool rung = look->rung_n != n, asks = has_free_core(self);
    uint32_t turns = asks ? MEND_LOOK_TURNS : LOOK_TURNS_ALONE;

    if (self->waits && (!w || !asks || mend_watch_is_asked(w, n)) && !rung &&
        look->yields_n == self->yields_n && ++look->turns_n % turns && !is_armed(self))
        return false;
    look->rung_n = n;
    look->yields_n = self->yields_n;
    if (w && !rung && asks)
        keep_asking(self);
    return true;
}

static void bell_ask(struct mend_proc *self)
{
    if (mend_unlikely(self->node->watch != NULL))
        keep_asking(self);
}

const struct mend_bell mend_bell_node = {
    .arm = bell_arm,
    .sleep = bell_sleep,
    .is_readable = bell_is_readable,
    .read_n = bell_read_n,
    .overslept = bell_overslept,
    .disarm = bell_disarm,
    .rouse = bell_rouse,
    .watch = bell_watch,
    .unwatch = bell_unwatch,
    .is_due = bell_is_due,
    .ask = bell_ask,
};
