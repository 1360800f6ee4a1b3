/* SPDX-License-Identifier: BSD-3-Clause */
/* `kill R at in:CALL:RANKS` happens when all these ranks wait in that call, and not before: ranks sleep in another call for a
 * while, one after the other comes to the right one, and the last one of them only after half a second.  The victim
 * dies outside MPI, so only the launcher can know that it is time.
 *
 * RUN: -n 4 ; kill 3 at in:MPI_Recv:0-2 ; expect "rank 0 ok" ; expect "rank 2 ok" ; times 3
 * RUN: -n 4 ; set SPIN=0 ; set YIELD=0 ; kill 3 at in:MPI_Recv:0-2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 9 ; kill 8 at in:MPI_Recv:0-7 ; expect "rank 0 ok" ; expect "rank 7 ok" ; times 3 */
#include "../common.h"

int main(int argc, char **argv)
{
    int v;

    start(&argc, &argv);
    if (rank == size - 1)
        await_kill();
    if (rank == size - 2) {
        await(0, size - 2);
        usleep(
            500000); /* the others sleep in their receives: the launcher must not take that for all */
        CHECK_EQ(posted(1), 0);
        MPI_Send(&rank, 1, MPI_INT, 0, 0,
                 MPI_COMM_WORLD); /* rank 0 has not been in its MPI_Recv yet */
    }
    if (rank == 0) {
        post(0);
        CHECK_EQ(MPI_Probe(size - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&v, 1, MPI_INT, size - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
    } else if (rank < size - 2) {
        post(0);
    }
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    post(1); /* a death has been seen */
    return finish();
}
