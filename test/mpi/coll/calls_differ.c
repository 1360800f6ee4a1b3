/* SPDX-License-Identifier: BSD-3-Clause */
/* Members that are in different collective calls are told so, and which member is in which.  Through shared memory only:
 * messages of different calls are not distinguished.
 *
 * RUN: -n 3 */
#include "mpi/coll/common.h"

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int one = 1, sum, len, err;

    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    err = rank == 1 ? MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)
                    : MPI_Barrier(MPI_COMM_WORLD);
    CHECK_CLASS(err, MPI_ERR_TRUNCATE);
    MPI_Error_string(err, text, &len);
    if (rank == 1)
        CHECK(strstr(text, "rank 0 is in a barrier of 0 bytes, this process in a reduction of 4"));
    else
        CHECK(strstr(text, "rank 1 is in a reduction of 4 bytes, this process in a barrier of 0"));
    CHECK_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(sum == size);
    return finish();
}
