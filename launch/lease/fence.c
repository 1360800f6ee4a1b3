/* SPDX-License-Identifier: BSD-3-Clause */
/* fence.c – see fence.h. */
#include "lease/fence.h"

#include "base/time.h"

#include <signal.h>

mend_time_ns mend_fence_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (mend_time_ns)t.tv_sec * MEND_NS_PER_S + (mend_time_ns)t.tv_nsec;
}

bool mend_fence_open(struct mend_fence *f)
{
    struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};

    return timer_create(CLOCK_BOOTTIME, &kill, &f->timer) == 0;
}

void mend_fence_set(struct mend_fence *f, mend_time_ns at)
{
    struct itimerspec t = {0};

    if (at != MEND_TIME_NEVER) {
        t.it_value.tv_sec = (time_t)(at / MEND_NS_PER_S);
        t.it_value.tv_nsec = (long)(at % MEND_NS_PER_S) + (at == 0);
    }
    timer_settime(f->timer, TIMER_ABSTIME, &t, NULL);
}
