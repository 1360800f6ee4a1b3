/* SPDX-License-Identifier: BSD-3-Clause */
/* Members that sleep in a receive are woken by a revocation, and by the death of its caller, also
 * where they are more than sleep on one futex.
 *
 *   S0-57: a revocation reaches all members, in both groups
 *   S0-58: one caller of a revocation suffices, and it does not wait */
/* RUN: -n 2 --lenient-exit ; set SPIN=0 ; set YIELD=0 ; expect "rank 1 ok" */
/* RUN: -n 8 --lenient-exit ; set YIELD=0 ; expect "rank 7 ok" */
/* RUN: -n 16 --lenient-exit ; set YIELD=0 ; expect "rank 15 ok" */
/* RUN: -n 70 --lenient-exit ; set YIELD=0 ; expect "rank 69 ok" */
/* RUN: -n 70 --lenient-exit ; set YIELD=0 ; kill 0 at revoke.sent.one#40 ; expect "rank 69 ok" */
#include "../common.h"

enum { PIDS };

int main(int argc, char **argv)
{
    MPI_Comm c;
    int word;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &c), MPI_SUCCESS);
    board[PIDS + rank] = (int)getpid();
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        for (int r = 1; r < size; r++)
            await_state(board[PIDS + r], 'S');
        CHECK_EQ(MPI_Comm_invalidate(c), MPI_SUCCESS);
    } else {
        CHECK_CLASS(
            MPI_Recv(&word, 1, MPI_INT, rank == 1 ? MPI_ANY_SOURCE : 1, 0, c, MPI_STATUS_IGNORE),
            MPI_ERR_INVALIDATED);
    }
    CHECK_EQ(MPI_Comm_free(&c), MPI_SUCCESS);
    return finish();
}
