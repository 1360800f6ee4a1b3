/* SPDX-License-Identifier: BSD-3-Clause */
/* finalize.c – a rank that waits in MPI_Finalize sleeps, and those that it waits for wake it: they come one after the other from
 * the first to the last or from the last to the first, or all at once; or the last one never comes, and its death wakes all.  A rank of another
 * node wakes nobody, nor does one sleep that has threads.  A sleep has no time-out here, so a missing wake-up is a hang.
 *
 *     args MS ORDER     milliseconds from one to the next; up, down, never, or apart: as up, where some do not sleep
 *
 *   R19: MPI_Finalize succeeds in bounded time at every survivor
 *
 * RUN: -n 4 ; set SLEEP_MAX=0 ; args 200 up ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; args 200 down ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; args 200 never ; kill 3 at in:MPI_Finalize:0,1,2 ; exit 137 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set SPIN=0 ; set YIELD=0 ; args 0 up ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 40 ; set SLEEP_MAX=0 ; set SPIN=0 ; set YIELD=0 ; args 0 down ; expect "rank 0 ok" ; expect "rank 39 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set MACHINES=2 ; args 100 apart ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; args 100 apart threads ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../../program.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define SHARE                                                                                      \
    4 /* of the time that it waits, a rank that sleeps computes less than one part in so many */

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void await_turn(long ms, const char *order)
{
    if (!strcmp(order, "never") && rank == size - 1)
        pause();
    usleep((useconds_t)(ms * 1000 * (strcmp(order, "down") ? rank : size - 1 - rank)));
}

int main(int argc, char **argv)
{
    double since, busy;
    int level;

    MPI_Init_thread(&argc, &argv, argc > 3 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    know_rank();
    await_turn(atol(argv[1]), argv[2]);
    since = seconds(CLOCK_MONOTONIC);
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
    MPI_Finalize();
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID) - busy;
    since = seconds(CLOCK_MONOTONIC) - since;
    printf("rank %d: %.1f of %.1f ms on a core\n", rank, busy * 1e3, since * 1e3);
    if (since > 0.1 && strcmp(argv[2], "apart") && busy * SHARE > since)
        return 1;
    printf("rank %d ok\n", rank);
    return 0;
}
