/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of messages that go by RTS come round: no message is lost or taken for another one, and a synchronous send is not
 * complete before its receive begins.  All counters of the library begin shortly before they come round
 * (doc/limits.md); some messages are under way all the time.
 *
 * RUN: -n 2 ; set COUNTERS_LEFT=100
 * RUN: -n 2 ; set COUNTERS_LEFT=101 ; set SINGLE_COPY=never
 * RUN: -n 2 ; set COUNTERS_LEFT=102 ; set SINGLE_COPY=always
 * RUN: -n 2 ; set COUNTERS_LEFT=103 ; set SINGLE_COPY=always
 * RUN: -n 5 ; set COUNTERS_LEFT=400
 * RUN: -n 2 ; set COUNTERS_LEFT=100 ; set MACHINES=2 */
#include "common.h"

#define ROUNDS 300
#define LARGE  200000
#define HELD   4

static unsigned char out[LARGE], in[LARGE];

/* Of ranks 0 and 1: a synchronous send that begins before its receive. */
static void synchronous(int round)
{
    MPI_Request r;
    int v = round, flag;

    if (rank == 0) {
        MPI_Issend(&v, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
        for (int i = 0; i < 20; i++) {
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            CHECK_EQ(flag, 0);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&v, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(v, round);
    }
}

/* Large messages around the ring of all. */
static void around(int round)
{
    int next = (rank + 1) % size, prev = (rank + size - 1) % size;

    fill(out, LARGE, (unsigned)(round * size + rank));
    memset(in, 0, LARGE);
    MPI_Sendrecv(out, LARGE, MPI_BYTE, next, 3, in, LARGE, MPI_BYTE, prev, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(in, LARGE, (unsigned)(round * size + prev)), -1);
}

int main(int argc, char **argv)
{
    static unsigned char held[HELD][LARGE], kept[LARGE];
    int next, prev;
    MPI_Request r[HELD];

    start(&argc, &argv);
    next = (rank + 1) % size;
    prev = (rank + size - 1) % size;
    for (int i = 0; i < HELD; i++) {
        fill(held[i], LARGE, 7000u + (unsigned)(i * size + rank));
        MPI_Isend(held[i], LARGE, MPI_BYTE, next, 10 + i, MPI_COMM_WORLD, &r[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        synchronous(round);
        around(round);
    }
    for (int i = HELD - 1; i >= 0; i--) {
        MPI_Recv(kept, LARGE, MPI_BYTE, prev, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(wrong(kept, LARGE, 7000u + (unsigned)(i * size + prev)), -1);
    }
    MPI_Waitall(HELD, r, MPI_STATUSES_IGNORE);
    return finish();
}
