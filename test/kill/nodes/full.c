/* SPDX-License-Identifier: BSD-3-Clause */
/* A job with several agents has no room for more processes: a call that asks for some says so, also after a death, and the job goes on. */
/* RUN: -n 4 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 2 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm rest, children;
    int one = 1, sum;

    start(&argc, &argv);
    if (rank == 3)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 3);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, rest, &children,
                         MPI_ERRCODES_IGNORE) != MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, 3);
    return finish();
}
