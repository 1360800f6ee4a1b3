/* SPDX-License-Identifier: BSD-3-Clause */
/* busy.h – how much of a core a wait may take that sleeps. */
#ifndef TEST_MPI_WAITS_BUSY_H
#define TEST_MPI_WAITS_BUSY_H

#include <stdbool.h>
#include <time.h>

/* Before it sleeps, and of the time that it sleeps: a rank that yields to others has computed less than 3 % of a time, where these wanted both
 * cores.  Recipes set YIELD, since the yields before a sleep may take 20 ms where no more ranks than cores are. */
#define FIRST_S 0.005
#define SHARE   0.01

static inline double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* busy: of so long a wait, in seconds. */
static inline bool is_awake(double busy, double since)
{
    return busy > FIRST_S + SHARE * since;
}

#endif
