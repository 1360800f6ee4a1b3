/* SPDX-License-Identifier: BSD-3-Clause */
/* Several large messages to one process come one after the other, whether they are fetched out of the sender's memory or sent in
 * fragments: the first is complete before anything of the last has come.  One look of the receiver can take more than the rest of the
 * first, but much less than lies between the two.
 *
 * RUN: -n 2 ; set SINGLE_COPY=always ; expect "rank 0 ok"
 * RUN: -n 2 ; set SINGLE_COPY=never ; expect "rank 0 ok"
 * RUN: -n 2 ; set MACHINES=2 ; expect "rank 0 ok" */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N     (4 << 20)
#define TIMES 8

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    unsigned char *buf = calloc(TIMES, N);
    MPI_Request q[TIMES];
    int rank, done = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TIMES; i++) {
        if (rank == 1)
            memset(buf + i * N, i + 1, N);
        if (rank == 1)
            MPI_Isend(buf + i * N, N, MPI_BYTE, 0, i, MPI_COMM_WORLD, &q[i]);
        else
            MPI_Irecv(buf + i * N, N, MPI_BYTE, 1, i, MPI_COMM_WORLD, &q[i]);
    }
    while (rank == 0 && !done)
        MPI_Test(&q[0], &done, MPI_STATUS_IGNORE);
    if (rank == 0 && (buf[0] != 1 || buf[N - 1] != 1))
        fail("the first is not whole");
    if (rank == 0 && buf[(TIMES - 1) * N] == TIMES)
        fail("the last is before its turn");
    MPI_Waitall(TIMES, q, MPI_STATUSES_IGNORE);
    for (int i = 0; i < TIMES; i++)
        if (buf[i * N] != i + 1 || buf[(i + 1) * N - 1] != i + 1)
            fail("a message is damaged");
    printf("rank %d ok\n", rank);
    MPI_Finalize();
    free(buf);
    return 0;
}
