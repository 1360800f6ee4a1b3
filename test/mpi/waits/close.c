/* SPDX-License-Identifier: BSD-3-Clause */
/* close.c – a rank sleeps while it waits for others to free what it has freed: in MPI_Session_finalize, and in MPI_Comm_disconnect.  They come
 * one after the other; or the last one never comes, and its death, or its agent's, wakes all.  A sleep has no time-out here, so a missing
 * wake-up is a hang.
 *
 *     args MS CALL ORDER     milliseconds from one to the next; session or disconnect; come, never, or agent: the last one kills its
 *                            agent; or memory: as come, but ranks that vote in shared memory sleep only where they are more than cores
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 session come ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set AGREE_SHM=0 ; args 200 session come ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; args 50 session memory ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set MACHINES=3 ; set SPIN=0 ; set YIELD=0 ; args 0 session come ; expect "rank 0 ok" ; times 6
 * RUN: -n 6 --lenient-exit ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 session never ; kill 5 at in:MPI_Session_finalize:0,1,2,3,4 ;
 *   expect "rank 0 ok" ; expect "rank 4 ok"
 * RUN: -n 6 --lenient-exit ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 session agent ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 disconnect come ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set AGREE_SHM=0 ; args 200 disconnect come ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set MACHINES=3 ; set SPIN=0 ; set YIELD=0 ; args 0 disconnect come ; expect "rank 0 ok" ; times 6
 * RUN: -n 6 --lenient-exit ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 disconnect never ; kill 5 at in:MPI_Comm_disconnect:0,1,2,3,4 ;
 *   expect "rank 0 ok" ; expect "rank 4 ok"
 * RUN: -n 6 --lenient-exit ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 disconnect agent ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../../agent.h"
#include "../session/common.h"
#include "busy.h"

#include <signal.h>
#include <unistd.h>

static void await_turn(long ms, const char *order)
{
    if (!strcmp(order, "never") && rank == size - 1)
        pause();
    usleep((useconds_t)(ms * 1000 * rank));
    if (!strcmp(order, "agent") && rank == size - 1) {
        signal_own_agent(SIGKILL);
        pause();
    }
}

int main(int argc, char **argv)
{
    bool disconnects = argc > 2 && !strcmp(argv[2], "disconnect");
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "close");
    double since, busy;

    use(c);
    await_turn(atol(argv[1]), argv[3]);
    if (!disconnects)
        CHECK_OK(MPI_Comm_free(&c));
    since = seconds(CLOCK_MONOTONIC);
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (disconnects)
        CHECK_OK(MPI_Comm_disconnect(&c));
    else
        close_session(&s);
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID) - busy;
    since = seconds(CLOCK_MONOTONIC) - since;
    printf("rank %d: %.1f of %.1f ms on a core\n", rank, busy * 1e3, since * 1e3);
    if (since > 0.1 && strcmp(argv[3], "memory") && is_awake(busy, since))
        return 1;
    if (disconnects)
        close_session(&s);
    printf("rank %d ok\n", rank);
    return 0;
}
