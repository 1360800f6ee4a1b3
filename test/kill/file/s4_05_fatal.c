/* SPDX-License-Identifier: BSD-3-Clause */
/* A fatal error on a file of some ranks ends these ranks, and no other.
 *
 *   S4-5: fatal errors on windows and files end the object's group */
/* RUN: -n 4 --lenient-exit ; expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 6 --lenient-exit ; expect "rank 0 ok" ; expect "rank 1 ok" ; set MACHINES=2 */
#include "common.h"

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_File f;
    int b = 0;

    start(&argc, &argv);
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, rank >= 2, rank, &half), MPI_SUCCESS);
    f = open_file(half, rank >= 2 ? "upper" : "lower");
    if (rank >= 2) {
        CHECK_EQ(MPI_File_set_errhandler(f, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
        MPI_Barrier(half);
        if (rank == 2)
            MPI_File_write_at(f, -1, &b, 1, MPI_INT, MPI_STATUS_IGNORE);
        for (;;)
            sched_yield(); /* ended from outside */
    }
    for (int r = 2; r < size; r++)
        wait_until_dead(MPI_COMM_WORLD, r);
    CHECK_EQ(MPI_File_sync(f), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&f), MPI_SUCCESS);
    return finish();
}
