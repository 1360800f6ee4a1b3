/* SPDX-License-Identifier: BSD-3-Clause */
/* A flood that its receiver does not want yet: beyond UNEXPECTED_MAX small sends wait for their
 * receives, whatever the communicator, nothing is lost, the order stays, and when
 * the receiver has caught up small sends complete at once again. */
/* RUN: -n 2 ; set UNEXPECTED_MAX=256k ; time 60 */
/* RUN: -n 3 ; set UNEXPECTED_MAX=1k ; time 60 */
/* RUN: -n 5 ; set UNEXPECTED_MAX=64k ; set SPIN=0 ; set YIELD=0 ; time 60 */
/* RUN: -n 2 ; set UNEXPECTED_MAX=256k ; set SINGLE_COPY=never ; set EAGER_MAX=4k ; time 60 */
#include "common.h"

#define BYTES      1000
#define N          3000
#define RING_BYTES (256 * 1024) /* what lies in the ring when the receiver asks to wait */
#define LAST       32000

/* What one message adds to the receiver's memory is at least its payload. */
static int may_complete(void)
{
    const char *max_kib = getenv("MEND_UNEXPECTED_MAX");

    return ((max_kib ? atoi(max_kib) * 1024 : 0) + RING_BYTES) / BYTES + 128;
}

static MPI_Comm comm_of(int i, MPI_Comm other)
{
    return i % 3 ? MPI_COMM_WORLD : other;
}

/* What completes before the synchronous message, behind which all have arrived, was not asked for. */
static void flood(MPI_Comm other)
{
    static unsigned char data[N][BYTES];
    static MPI_Request r[N];
    int done = 0, flag;

    for (int i = 0; i < N; i++) {
        fill(data[i], BYTES, (unsigned)(rank * N + i));
        MPI_Isend(data[i], BYTES, MPI_BYTE, 0, i % 7, comm_of(i, other), &r[i]);
    }
    MPI_Ssend(NULL, 0, MPI_BYTE, 0, LAST, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) {
        MPI_Request_get_status(r[i], &flag, MPI_STATUS_IGNORE);
        done += flag;
    }
    CHECK(done <= may_complete());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
}

static void drink(MPI_Comm other)
{
    static unsigned char data[BYTES];

    for (int from = 1; from < size; from++)
        MPI_Recv(NULL, 0, MPI_BYTE, from, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int tag = 6; tag >= 0; tag--)
        for (int i = tag; i < N; i += 7)
            for (int from = 1; from < size; from++) {
                MPI_Recv(data, BYTES, MPI_BYTE, from, tag, comm_of(i, other), MPI_STATUS_IGNORE);
                CHECK_EQ(wrong(data, BYTES, (unsigned)(from * N + i)), -1);
            }
}

/* The receiver has nothing of ours any more: a small send is over before it is received. */
static void at_once(void)
{
    MPI_Request r;
    int flag, word = rank;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        MPI_Isend(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r);
        MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
        CHECK_EQ(flag, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int from = 1; rank == 0 && from < size; from++)
        MPI_Recv(&word, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm other;

    start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0)
        drink(other);
    else
        flood(other);
    at_once();
    MPI_Comm_free(&other);
    return finish();
}
