/* SPDX-License-Identifier: BSD-3-Clause */
/* detour.h – why calls of this process do not take the short way.
 *
 * An MPI call reads one word, `detours`, and looks no further while it is 0.  Each reason is one bit of it, which
 * the folder that it belongs to sets and clears; a set bit costs each call the long way (mpi/check.c), which asks
 * for the reasons one by one.  The word orders nothing: `lock` orders what threads do.
 *
 * Where some members share no memory, what is decided goes by frames, of which no interrupt tells, and another process may ask this one
 * for it.  Calls stay short all the same, and count.  Each MEND_CALLS_PER_LOOK-th one looks for frames of all peers, so a process that
 * only makes short calls answers with one of the next MEND_CALLS_PER_LOOK calls.  Deaths and revocations interrupt, as everywhere:
 * the next call reports them. */
#ifndef MEND_PROC_DETOUR_H
#define MEND_PROC_DETOUR_H

#include "proc/proc.h"

/* A set. */
enum mend_detour {
    MEND_DETOUR_CLOSED = 1 << 0,  /* not running */
    MEND_DETOUR_THREADS = 1 << 1, /* MPI_THREAD_MULTIPLE: take `lock` */
    MEND_DETOUR_LOCKED =
        1 << 2, /* this call holds `lock` although there are no threads: mpi/check.c */
    MEND_DETOUR_EVENTS = 1 << 3, /* there are `events` */
    MEND_DETOUR_TOOL = 1 << 4,   /* a tool has registered for events */
    MEND_DETOUR_NOTIFY = 1 << 5, /* callbacks are registered (notify/): `inside` counts */
};

/* The members of a set of enum mend_detour for which calls leave the short way now. */
static inline uint32_t mend_detours(const struct mend_proc *self, uint32_t of)
{
    return mend_load_relaxed(&self->detours) & of;
}

/* Two that change different members do not disturb each other: a signal may come between (notify/signal.c). */
static inline void mend_detour_begin(struct mend_proc *self, enum mend_detour d)
{
    atomic_fetch_or_explicit(&self->detours, (uint32_t)d, memory_order_relaxed);
}

static inline void mend_detour_end(struct mend_proc *self, enum mend_detour d)
{
    atomic_fetch_and_explicit(&self->detours, ~(uint32_t)d, memory_order_relaxed);
}

/* Several threads may be in MPI at the same time. */
static inline bool mend_proc_has_threads(const struct mend_proc *self)
{
    return mend_detours(self, MEND_DETOUR_THREADS) != 0;
}

#define MEND_CALLS_PER_LOOK  64        /* where questions come as frames */
#define MEND_CALLS_UNCOUNTED INT32_MAX /* elsewhere: then a call takes the long way for nothing */

/* From now on questions may come as frames. */
static inline void mend_proc_hears_by_frames(struct mend_proc *self)
{
    if (self->calls_per_look != MEND_CALLS_PER_LOOK)
        self->calls_left = self->calls_per_look = MEND_CALLS_PER_LOOK;
}

/* A call may take the short way.  With threads the word `detours` is not 0, so no two of them count. */
static inline bool mend_goes_short_way(struct mend_proc *self)
{
    return mend_likely(!mend_detours(self, UINT32_MAX) && !mend_has_news(self) &&
                       --self->calls_left > 0);
}

/* On the long way, which counts those that did not come as far as the count: look for frames? */
static inline bool mend_proc_look_is_due(struct mend_proc *self)
{
    if (self->calls_left > 0 && --self->calls_left > 0)
        return false;
    self->calls_left = self->calls_per_look;
    return self->calls_per_look == MEND_CALLS_PER_LOOK;
}

#endif
