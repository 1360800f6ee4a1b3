/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 has no session: it goes through MPI_Init and MPI_Finalize and exits.  Nobody can make a communicator with it any
 * more.  The others are told so when they make one of the whole world in their second session, whether they use sessions
 * only (only) or have called MPI_Init, too (world).  Rank 1 has not failed.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *   S0-1: a call that needs a dead process returns in bounded time
 *
 * RUN: -n 3 ; args only ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "mend:"
 * RUN: -n 3 ; args world ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "mend:"
 * RUN: -n 3 ; args only ; set AGREE_SHM=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args only ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "mend:"
 * RUN: -n 3 ; args world ; set MACHINES=3 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "mend:" */
#include "../common.h"

#include "../../mpi/session/common.h"

enum { PID };

static void try_world(MPI_Session s)
{
    MPI_Group all = pset(s, "mpi://WORLD");
    MPI_Comm c = MPI_COMM_NULL;

    CHECK_CLASS(MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c),
                MPI_ERR_PROC_FAILED);
    CHECK(c == MPI_COMM_NULL);
    MPI_Group_free(&all);
    c = comm_of(s, "mend://alive", "living");
    use(c);
    CHECK_OK(MPI_Comm_free(&c));
}

static void use_session(void (*f)(MPI_Session))
{
    MPI_Session s = open_session();

    if (f)
        f(s);
    close_session(&s);
}

int main(int argc, char **argv)
{
    int me = atoi(getenv("MEND_RANK"));
    bool leaves = me == 1, world = !strcmp(argv[1], "world");

    set_watchdog();
    open_board();
    if (leaves || world)
        MPI_Init(NULL, NULL);
    if (!leaves)
        use_session(NULL);
    if (leaves || world)
        MPI_Finalize();
    if (leaves) {
        __atomic_store_n(&board[PID], (int)getpid(), __ATOMIC_SEQ_CST);
        return 0;
    }
    await(PID, 1);
    await_state(board[PID], 'Z');
    use_session(try_world);
    printf("rank %d ok\n", me);
    return 0;
}
