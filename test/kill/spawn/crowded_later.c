/* SPDX-License-Identifier: BSD-3-Clause */
/* The job gets more ranks than cores while a communicator is made: one of its two members makes its own before, the other
 * one, which was stopped when they had agreed on it, after that.  They still wake each other, and cut a long broadcast into
 * the same pieces.
 *
 *   S0-2: a call that needs no dead process completes normally
 *
 * RUN: -n 2 --universe 3 ; cores 2 ; stop 1 at member.create.decided ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 --universe 3 ; cores 2 ; stop 1 at member.create.decided ; args collective ; expect "rank 0 ok" ;
 *      expect "rank 1 ok"
 * RUN: -n 2 --universe 3 ; cores 2 ; stop 1 at member.create.decided ; set COLL_SHM=0 ; expect "rank 0 ok" ;
 *      expect "rank 1 ok" */
#include "../common.h"

#define LONG 100000 /* bytes */

enum { PID, MADE };

static MPI_Comm pair;

/* Rank 0 goes on when the other one sleeps: it has to be woken. */
static void rank_1_sleeps(void)
{
    if (rank == 0)
        await_state(board[PID], 'S');
}

static void agree(void)
{
    int flag = 3 + 4 * rank;

    rank_1_sleeps();
    CHECK_OK(MPIX_Comm_agree(pair, &flag));
    CHECK_EQ(flag, 3);
}

static void collectives(void)
{
    static char data[LONG];

    CHECK_OK(MPI_Barrier(pair));
    rank_1_sleeps();
    CHECK_OK(MPI_Barrier(pair));
    for (int root = 0; root < 2; root++) {
        memset(data, rank == root ? 7 : 0, sizeof(data));
        CHECK_OK(MPI_Bcast(data, LONG, MPI_CHAR, root, pair));
        CHECK(data[0] == 7 && data[LONG - 1] == 7);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent, child;

    start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    if (rank == 1)
        board[PID] = (int)getpid();
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &pair));
    if (rank == 0) {
        CHECK_OK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                                MPI_ERRCODES_IGNORE));
        await_state(board[PID], 'T');
        kill(board[PID], SIGCONT);
    }
    if (argc > 1)
        collectives();
    else
        agree();
    if (rank == 0)
        MPI_Comm_disconnect(&child);
    return finish();
}
