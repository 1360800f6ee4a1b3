/* SPDX-License-Identifier: BSD-3-Clause */
/* The example of the archive: rank 1 gets an error from a collective and never calls dup; rank 0
 * calls it; it must not hang.
 *
 *   S2-14: a creation ends although another member gave up before it */
/* RUN: -n 3 ; expect "rank 0 ok" */
/* RUN: -n 3 ; set AGREE_SHM=0 ; expect "rank 0 ok" */
/* RUN: -n 9 ; expect "rank 0 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm made;
    int v = 1, sum;

    start(&argc, &argv);
    if (rank == size - 1) {
        await(0, size / 2);
        die_now();
    }
    if (rank % 2 == 0) { /* inside before the death; no rank answers for the dead one */
        post(0);
        CHECK_CLASS(MPI_Comm_dup(MPI_COMM_WORLD, &made), MPI_ERR_PROC_FAILED);
    } else {
        wait_until_dead(MPI_COMM_WORLD, size - 1);
        CHECK_CLASS(MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                    MPI_ERR_PROC_FAILED);
    }
    return finish();
}
