/* SPDX-License-Identifier: BSD-3-Clause */
/* The first message to a rank of another node gets there although its sender leaves MPI for ever behind it, and although that rank
 * had not been started when it was called, or calls at the same time.
 *
 * Each rank sends to its neighbour, receives from the other one, and then waits outside of MPI until all have.  In some of the runs
 * an agent is late with its ranks: one in thirty hung when such callers were sent away.
 *
 *   S5-15: a broken connection is made again, nothing lost or doubled */
/* RUN: -n 2 ; set MACHINES=2 ; expect "rank 0 ok" ; times 60 */
/* RUN: -n 6 ; set MACHINES=3 ; expect "rank 0 ok" ; times 30 */
/* RUN: -n 8 ; set MACHINES=8 ; expect "rank 0 ok" ; times 30 */
#include "../common.h"

enum { RECEIVED };

int main(int argc, char **argv)
{
    int mine, theirs = -1, left;

    start(&argc, &argv);
    mine = rank;
    left = (rank + size - 1) % size;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &theirs, 1, MPI_INT, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(theirs, left);
    post(RECEIVED);
    await(RECEIVED, size);
    return finish();
}
