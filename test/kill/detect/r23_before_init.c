/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that ends before it has called MPI_Init has failed like any other: receives from it,
 * collectives with it and creation return with the error, a shrink leaves it out, and nobody is ended
 * for it.
 *
 *   R23: a process that ends without MPI_Finalize has failed
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S3-3: every survivor can learn of every failure
 *
 * RUN: -n 1 {prog} stays : -n 1 {prog} 0 ; expect "rank 0 ok"
 * RUN: -n 2 {prog} stays : -n 1 {prog} 3 ; exit 3 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 4 {prog} stays : -n 1 {prog} kill ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 15 {prog} stays : -n 1 {prog} 0 ; expect "rank 0 ok" ; expect "rank 14 ok" */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm living, copy;
    int v, n;

    if (!strcmp(argv[1], "kill"))
        die_now();
    if (strcmp(argv[1], "stays") != 0)
        return atoi(argv[1]);
    start(&argc, &argv);
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_PROC_FAILED);
    CHECK_CLASS(MPI_Comm_dup(MPI_COMM_WORLD, &copy), MPI_ERR_PROC_FAILED);
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &living), MPI_SUCCESS);
    MPI_Comm_size(living, &n);
    CHECK_EQ(n, size - 1);
    CHECK_EQ(MPI_Barrier(living), MPI_SUCCESS);
    return finish();
}
