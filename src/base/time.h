/* SPDX-License-Identifier: BSD-3-Clause */
/* time.h – the monotonic clock of a node.  Code that runs in the simulator asks its process for the
 * time (mend_proc_now) instead. */
#ifndef MEND_BASE_TIME_H
#define MEND_BASE_TIME_H

#include "base/status.h"

#include <time.h>

#define MEND_NS_PER_S  UINT64_C(1000000000)
#define MEND_NS_PER_MS UINT64_C(1000000)
#define MEND_NS_PER_US UINT64_C(1000)

static inline mend_time_ns mend_time_monotonic_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (mend_time_ns)ts.tv_sec * MEND_NS_PER_S + (mend_time_ns)ts.tv_nsec;
}

#endif
