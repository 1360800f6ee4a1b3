/* SPDX-License-Identifier: BSD-3-Clause */
/* finalize.c – a rank that waits in MPI_Finalize sleeps, and those that it waits for wake it: they come one after the other from
 * the first to the last or from the last to the first, or all at once; or the last one never comes, and its death wakes all.  For a rank of another
 * node the agent wakes them.  One that has threads does not sleep.  A sleep has no time-out here, so a missing wake-up is a hang.
 *
 *     args MS ORDER     milliseconds from one to the next; up, down; never: the last one does not come; agent: it kills its agent instead;
 *                       away: it has a session, which it closes instead; apart: as up, where some do not sleep
 *     freed | kept      each frees a communicator before; all but the last one do
 *
 *   R19: MPI_Finalize succeeds in bounded time at every survivor
 *
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; args 200 up ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; args 200 down ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; args 200 never ; kill 3 at in:MPI_Finalize:0,1,2 ; exit 137 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set SPIN=0 ; set YIELD=0 ; args 0 up ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 40 ; set SLEEP_MAX=0 ; set SPIN=0 ; set YIELD=0 ; args 0 down ; expect "rank 0 ok" ; expect "rank 39 ok"
 * RUN: -n 2 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 2000 up ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 up ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 down ; expect "rank 0 ok" ; expect "rank 5 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set MACHINES=3 ; set SPIN=0 ; set YIELD=0 ; args 0 up ; expect "rank 0 ok" ; expect "rank 5 ok" ; times 6
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 never ; kill 5 at in:MPI_Finalize:0,1,2,3,4 ; exit 137 ; expect "rank 0 ok" ;
 *   expect "rank 4 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; args 200 away ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 away ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 up freed ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 down freed ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=2 ; args 200 down kept ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; set AGREE_SHM=0 ; args 200 up freed ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set MACHINES=3 ; set SPIN=0 ; set YIELD=0 ; args 0 up freed ; expect "rank 0 ok" ; expect "rank 5 ok" ; times 6
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 never freed ; kill 5 at in:MPI_Finalize:0,1,2,3,4 ; exit 137 ; expect "rank 0 ok" ;
 *   expect "rank 4 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 agent freed ; exit 137 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 6 ; set SLEEP_MAX=0 ; set YIELD=64 ; set MACHINES=3 ; args 200 agent ; exit 137 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set SLEEP_MAX=0 ; set YIELD=64 ; args 100 apart threads ; expect "rank 0 ok" ; expect "rank 3 ok" */
#include "../../agent.h"
#include "../../kill/common.h"
#include "busy.h"

#include <string.h>

static void await_turn(long ms, const char *order)
{
    if (!strcmp(order, "never") && rank == size - 1)
        pause();
    usleep((useconds_t)(ms * 1000 * (strcmp(order, "down") ? rank : size - 1 - rank)));
    if (!strcmp(order, "agent") && rank == size - 1) {
        signal_own_agent(SIGKILL);
        pause();
    }
}

enum { DONE };

/* The last process.  False: it is another one. */
static bool uses_session(long ms)
{
    MPI_Session s;
    MPI_Group all;

    CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
    CHECK_OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &all));
    MPI_Group_rank(all, &rank);
    MPI_Group_size(all, &size);
    CHECK_OK(MPI_Group_free(&all));
    if (rank == size - 1)
        usleep((useconds_t)(ms * 1000 * size));
    CHECK_OK(MPI_Session_finalize(&s));
    while (rank == size - 1 && posted(DONE) < size - 1) /* its end would wake them */
        usleep(10000);
    return rank == size - 1;
}

int main(int argc, char **argv)
{
    bool threads = argc > 3 && !strcmp(argv[3], "threads"), frees = argc > 3 && !threads;
    double since, busy;
    MPI_Comm c;
    int level;

    open_board();
    if (!strcmp(argv[2], "away") && uses_session(atol(argv[1])))
        return 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    know_rank();
    if (frees)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    await_turn(atol(argv[1]), argv[2]);
    if (frees && (strcmp(argv[3], "kept") != 0 || rank < size - 1))
        CHECK_OK(MPI_Comm_free(&c));
    since = seconds(CLOCK_MONOTONIC);
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID);
    MPI_Finalize();
    post(DONE);
    busy = seconds(CLOCK_PROCESS_CPUTIME_ID) - busy;
    since = seconds(CLOCK_MONOTONIC) - since;
    printf("rank %d: %.1f of %.1f ms on a core\n", rank, busy * 1e3, since * 1e3);
    if (since > 0.1 && strcmp(argv[2], "apart") && is_awake(busy, since))
        return 1;
    printf("rank %d ok\n", rank);
    return 0;
}
