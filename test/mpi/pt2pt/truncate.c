/* SPDX-License-Identifier: BSD-3-Clause */
/* A message longer than the receive: MPI_ERR_TRUNCATE, nothing behind the buffer is touched, the
 * sender is not disturbed, and what follows is in order (MPI-5.0 3.2.4). */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 5 ; args 5 ; time 60 */
#include "common.h"

static unsigned char *out, *in;

static void one(int peer, int n, int room, bool posted)
{
    MPI_Request r;
    MPI_Status s;
    int follow = n;

    if (rank == 0) {
        fill(out, (size_t)n, 3);
        if (posted)
            MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(MPI_Send(out, n, MPI_BYTE, peer, 2, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&follow, 1, MPI_INT, peer, 2, MPI_COMM_WORLD), MPI_SUCCESS);
        return;
    }
    memset(in, GUARD, (size_t)n + 64);
    if (!posted)
        MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, room, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &r);
    if (posted)
        MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    CHECK_CLASS(MPI_Wait(&r, &s), MPI_ERR_TRUNCATE);
    CHECK(r == MPI_REQUEST_NULL);
    CHECK_EQ(touched(in + room, (size_t)(n + 64 - room)), -1);
    follow = -1;
    CHECK_EQ(MPI_Recv(&follow, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &s), MPI_SUCCESS);
    CHECK_EQ(follow, n);
}

/* Of three receives one is too short: MPI_ERR_IN_STATUS, and each status tells about its own. */
static void in_array(int peer)
{
    int a[4] = {1, 2, 3, 4}, b[3][4];
    MPI_Request r[3];
    MPI_Status s[3];

    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Send(a, 4, MPI_INT, peer, 10 + i, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < 3; i++)
        MPI_Irecv(b[i], i == 1 ? 2 : 4, MPI_INT, 0, 10 + i, MPI_COMM_WORLD, &r[i]);
    CHECK_CLASS(MPI_Waitall(3, r, s), MPI_ERR_IN_STATUS);
    CHECK_EQ(s[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_CLASS(s[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    CHECK_EQ(s[2].MPI_ERROR, MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK(r[i] == MPI_REQUEST_NULL);
    CHECK_EQ(b[2][3], 4);
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 1;

    start(&argc, &argv);
    out = malloc(SIZE_MAX_BYTES);
    in = malloc(SIZE_MAX_BYTES + 64);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int peer = 1; peer < size; peer++) {
        if (rank != 0 && rank != peer)
            continue;
        for (int i = 1; i < SIZES_N; i += step)
            for (int posted = 0; posted < 2; posted++) {
                one(peer, sizes[i], 0, posted);
                one(peer, sizes[i], sizes[i] - 1, posted);
                one(peer, sizes[i], sizes[i] / 2, posted);
            }
        in_array(peer);
    }
    return finish();
}
