/* SPDX-License-Identifier: BSD-3-Clause */
/* stalled_reader.c – a root that runs ahead writes nothing over what a reader has not read yet.
 *
 * Rank 0 broadcasts as far as it can while nobody reads: until it waits for room.  The readers know when that
 * is without a clock: each sends synchronously to rank 0, which polls only when it waits.  Then they read,
 * and must find every value, and return at all.
 *
 * Where the root stands in its lines, and what it knows of its readers, depends on what was before: so the run
 * is repeated behind 0, 1, 2, ... broadcasts in step.
 *
 * RUN: -n 2 ; args 4 ; expect "44 runs"
 * RUN: -n 2 ; args 1000 ; expect "44 runs"
 * RUN: -n 4 ; args 48 ; expect "44 runs" ; time 60
 * RUN: -n 3 ; args 49 ; expect "44 runs" ; time 60 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS  44 /* more than twice the lines that there are */
#define AHEAD 40
#define BYTES 4096

static int rank, size, bytes, value;

static void bcast(void)
{
    static unsigned char data[BYTES];

    value++;
    memset(data, rank == 0 ? value & 0xff : 0xee, (size_t)bytes);
    MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; i++) {
        if (data[i] != (value & 0xff)) {
            printf("rank %d: byte %d of broadcast %d is that of %d\n", rank, i, value, data[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* Afterwards the root can know that everybody has read everything. */
static void in_step(void)
{
    int token;

    bcast();
    for (int r = 1; rank == 0 && r < size; r++)
        MPI_Recv(&token, 1, MPI_INT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
}

static void run_ahead(MPI_Request *stuck)
{
    int token = 0;

    for (int r = 1; rank == 0 && r < size; r++)
        MPI_Irecv(&token, 1, MPI_INT, r, 2, MPI_COMM_WORLD, &stuck[r]);
    for (int r = 1; rank == 0 && r < size; r++)
        MPI_Send(&value, 1, MPI_INT, r, 3, MPI_COMM_WORLD);
    if (rank != 0) {
        MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD); /* returns when the root waits */
    }
    for (int i = 0; i < AHEAD; i++)
        bcast();
    if (rank == 0)
        MPI_Waitall(size - 1, stuck + 1, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Request *stuck;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes = atoi(argv[1]);
    stuck = calloc((size_t)size, sizeof(MPI_Request));
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < run; i++)
            in_step();
        run_ahead(stuck);
    }
    if (rank == 0)
        printf("%d runs\n", RUNS);
    free(stuck);
    MPI_Finalize();
    return 0;
}
