/* SPDX-License-Identifier: BSD-3-Clause */
/* one_core.h – take_one_core(): all ranks share the first core that this process may use, so a process that is woken often
 * runs before the one that has woken it, and finds many frames at once.  Include it first. */
#ifndef MEND_TEST_ONE_CORE_H
#define MEND_TEST_ONE_CORE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sched.h>
#include <stdlib.h>

static inline void take_one_core(void)
{
    cpu_set_t all, one;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof(all), &all) != 0)
        abort();
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0)
        abort();
}

#endif
