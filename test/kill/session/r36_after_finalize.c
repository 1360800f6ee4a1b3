/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks leave with MPI_Finalize and have had no session.  Then all open one, but rank 1:
 *
 *   dies      it is killed where the recipe says, while it is in its session
 *   stopped   the same, and it was stopped and continued while it was behind MPI_Finalize
 *   ends      it ends without a session and has not failed
 *
 * The others get an error for a communicator of all, and make one of the survivors.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *   S0-1: a call that needs a dead process returns in bounded time
 *
 * RUN: -n 3 --lenient-exit ; args dies ; kill 1 at session.open ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --lenient-exit ; args dies ; kill 1 at call:MPI_Comm_create_from_group ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; args dies ; set AGREE_SHM=0 ; kill 1 at call:MPI_Comm_create_from_group ; expect "rank 3 ok"
 * RUN: -n 3 --lenient-exit ; args dies ; set MACHINES=2 ; kill 1 at session.open ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 --lenient-exit ; args stopped ; kill 1 at session.open ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args ends ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "mend:" */
#include "../common.h"

#include "../../mpi/session/common.h"

enum { PID, CONTINUED };

static void make_communicators(void)
{
    MPI_Session s = open_session();
    MPI_Group all = pset(s, "mpi://WORLD");
    MPI_Comm c = MPI_COMM_NULL;

    CHECK_CLASS(MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
                MPI_ERR_PROC_FAILED);
    CHECK(c == MPI_COMM_NULL);
    MPI_Group_free(&all);
    c = comm_of(s, "mend://alive", "living");
    use(c);
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
}

static void stop_and_continue(pid_t pid)
{
    kill(pid, SIGSTOP);
    await_state(pid, 'T');
    kill(pid, SIGCONT);
    while (is_in_state(pid, 'T'))
        sched_yield();
    post(CONTINUED);
}

int main(int argc, char **argv)
{
    bool stopped = !strcmp(argv[1], "stopped");
    int me;

    set_watchdog();
    open_board();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Finalize();
    if (me == 1)
        __atomic_store_n(&board[PID], (int)getpid(), __ATOMIC_SEQ_CST);
    await(PID, 1);
    if (me == 0 && stopped)
        stop_and_continue(board[PID]);
    if (stopped)
        await(CONTINUED, 1);
    if (me == 1 && !strcmp(argv[1], "ends"))
        return 0;
    make_communicators();
    printf("rank %d ok\n", me);
    return 0;
}
