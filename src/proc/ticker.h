/* SPDX-License-Identifier: BSD-3-Clause */
/* ticker.h – shorter time slices for threads that spin.
 *
 * Threads of a program that wait for each other by spinning, in a barrier of threads or for a lock, keep their core
 * until the tick of the kernel, usually 4 ms later.  With more such threads than cores one step of the program takes
 * many of these slices, whatever the library does.  A thread that sleeps and wakes up makes the kernel choose again:
 *
 *   core   a spins, 0.5 ms │ ticker │ b spins, 0.5 ms │ ticker │ c goes on │ d ...
 *
 * A process has no ticker until a thread that waits in MPI has been without a core for a whole slice while the process
 * has other threads.  A second after this happened last the ticker sleeps.  With many ranks on a core each of them ticks
 * less often.  TICKER=0 does without.
 *
 * Cost: 2000 wake-ups a second for each rank, at most some 4000 for each core; two processes that compute on 1 MiB each
 * on a core lost 4 % of their time to 2000.  Nothing without MPI_THREAD_MULTIPLE.  Nothing waits for a ticker, and it waits
 * for nothing but the time. */
#ifndef MEND_PROC_TICKER_H
#define MEND_PROC_TICKER_H

#include "proc/proc.h"

#define MEND_TICKER_TICK_NS (MEND_NS_PER_MS / 2)
#define MEND_TICKER_SLICE_NS                                                                       \
    MEND_NS_PER_MS /* a thread that was without a core for so long waited for a whole slice */

struct mend_ticker;

/* A thread got its core back after so long, at least half a tick; lock held.  Without memory or a thread for it
 * nothing changes. */
void mend_ticker_begin(struct mend_proc *self, mend_time_ns turn);

/* The thread ends, if there is one; waits for it at most for a tick. */
void mend_ticker_end(struct mend_proc *self);

/* A thread that waits in MPI has given its core away, and got it back after the time `turn`. */
static inline void mend_ticker_turn(struct mend_proc *self, mend_time_ns turn)
{
    if (mend_unlikely(turn >= MEND_TICKER_TICK_NS / 2))
        mend_ticker_begin(self, turn);
}

#endif
