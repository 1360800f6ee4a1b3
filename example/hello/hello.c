/* SPDX-License-Identifier: BSD-3-Clause */
/* hello.c – every rank says who and where it is.
 *
 *     mpicc hello.c -o hello && mpiexec -n 4 ./hello */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, size, length;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(host, &length);
    printf("rank %d of %d on %s\n", rank, size, host);
    return MPI_Finalize();
}
