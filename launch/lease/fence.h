/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.h – the end of an agent's lease ends its process.
 *
 * The kernel does it, by a timer whose signal is SIGKILL: so it happens to an agent that is stopped, frozen, or gets no processor,
 * too, and before anything else when a machine that slept goes on (CLOCK_BOOTTIME counts that time).  The processes of the node
 * die with their agent. */
#ifndef MEND_LAUNCH_LEASE_FENCE_H
#define MEND_LAUNCH_LEASE_FENCE_H

#include "base/status.h"

#include <stdbool.h>
#include <time.h>

struct mend_fence {
    timer_t timer;
};

/* The clock of leases, in ns. */
mend_time_ns mend_fence_now(void);

/* False: errno. */
bool mend_fence_open(struct mend_fence *f);

/* The process ends at that time of the clock of leases, unless this is called again before; MEND_TIME_NEVER: it does not. */
void mend_fence_set(struct mend_fence *f, mend_time_ns at);

#endif
