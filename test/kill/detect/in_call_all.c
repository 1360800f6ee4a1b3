/* SPDX-License-Identifier: BSD-3-Clause */
/* `kill R at in:CALL:RANKS` does not happen while one of these ranks cannot say that it still waits in the call, although it
 * said so before, and the others say it again and again: rank 0 is stopped where it sleeps.  (in_call.c: a rank is in another
 * call, or in none.)
 *
 * RUN: -n 4 ; kill 3 at in:MPI_Recv:0,1 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" */
#include "../common.h"

enum { READY, STOPPED, SEEN, PIDS }; /* slots of the board */

#define SOME_LOOKS_US 20000 /* the launcher looks every millisecond */
#define MANY_LOOKS_US 300000

/* Rank 2, outside MPI: it lets rank 1 follow when rank 0 is stopped. */
static void direct(void)
{
    await(READY, 1);
    await_state(board[PIDS], 'S');
    usleep(SOME_LOOKS_US);
    CHECK_EQ(kill(board[PIDS], SIGSTOP), 0);
    await_state(board[PIDS], 'T');
    post(STOPPED);
    await(READY, 2);
    await_state(board[PIDS + 1], 'S');
    usleep(MANY_LOOKS_US);
    CHECK_EQ(posted(SEEN), 0);
    CHECK(!is_in_state(board[PIDS + 3], 'Z'));
    CHECK_EQ(kill(board[PIDS], SIGCONT), 0);
    await(SEEN, 2);
}

static void receive_from_the_victim(void)
{
    int v;

    if (rank == 1)
        await(STOPPED, 1);
    post(READY);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    post(SEEN);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    board[PIDS + rank] = getpid();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3)
        await_kill();
    if (rank == 2)
        direct();
    else
        receive_from_the_victim();
    return finish();
}
