/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a process to itself, on MPI_COMM_SELF and on MPI_COMM_WORLD: receive first, send first,
 * synchronous, buffered, probed, sendrecv, truncated, cancelled. */
/* RUN: alone */
/* RUN: -n 1 */
/* RUN: -n 3 ; time 60 */
#include "common.h"

static unsigned char *out, *in;

static void both_ways(MPI_Comm c, int me, int n)
{
    MPI_Request r[2];
    MPI_Status s;
    int count;

    fill(out, (size_t)n, (unsigned)n);
    memset(in, GUARD, (size_t)n + 16);
    MPI_Irecv(in, n + 16, MPI_BYTE, me, 1, c, &r[0]);
    MPI_Send(out, n, MPI_BYTE, me, 1, c);
    MPI_Wait(&r[0], &s);
    MPI_Get_count(&s, MPI_BYTE, &count);
    CHECK_EQ(count, n);
    CHECK_EQ(s.MPI_SOURCE, me);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)n), -1);
    CHECK_EQ(touched(in + n, 16), -1);

    memset(in, GUARD, (size_t)n + 16);
    MPI_Issend(out, n, MPI_BYTE, me, 2, c, &r[0]);
    MPI_Test(&r[0], &count, MPI_STATUS_IGNORE);
    CHECK_EQ(count, 0);
    MPI_Irecv(in, n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, c, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)n), -1);
    CHECK_EQ(touched(in + n, 16), -1);

    memset(in, GUARD, (size_t)n + 16);
    MPI_Isend(out, n, MPI_BYTE, me, 3, c, &r[0]);
    MPI_Probe(MPI_ANY_SOURCE, 3, c, &s);
    MPI_Get_count(&s, MPI_BYTE, &count);
    CHECK_EQ(count, n);
    MPI_Recv(in, n, MPI_BYTE, me, 3, c, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)n), -1);

    memset(in, GUARD, (size_t)n + 16);
    MPI_Sendrecv(out, n, MPI_BYTE, me, 4, in, n, MPI_BYTE, me, 4, c, MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)n), -1);

    memset(in, GUARD, (size_t)n + 16);
    MPI_Bsend(out, n, MPI_BYTE, me, 5, c);
    memset(out, 0, (size_t)n);
    MPI_Recv(in, n, MPI_BYTE, me, 5, c, MPI_STATUS_IGNORE);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)n), -1);
}

static void truncated(MPI_Comm c, int me, int n)
{
    MPI_Request r;

    MPI_Isend(out, n, MPI_BYTE, me, 6, c, &r);
    memset(in, GUARD, (size_t)n);
    CHECK_CLASS(MPI_Recv(in, n / 2, MPI_BYTE, me, 6, c, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK_EQ(touched(in + n / 2, (size_t)(n - n / 2)), -1);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void cancelled(MPI_Comm c, int me)
{
    MPI_Request r;
    MPI_Status s;
    int flag;

    MPI_Issend(out, 5, MPI_BYTE, me, 7, c, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &s);
    MPI_Test_cancelled(&s, &flag);
    CHECK_EQ(flag, 1);
    MPI_Iprobe(me, 7, c, &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 0);
}

int main(int argc, char **argv)
{
    int buffer_bytes = SIZE_MAX_BYTES + 2 * MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)buffer_bytes);

    start(&argc, &argv);
    out = malloc(SIZE_MAX_BYTES);
    in = malloc(SIZE_MAX_BYTES + 16);
    MPI_Buffer_attach(buffer, buffer_bytes);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < SIZES_N; i++) {
        both_ways(MPI_COMM_SELF, 0, sizes[i]);
        both_ways(MPI_COMM_WORLD, rank, sizes[i]);
        if (sizes[i] > 1) {
            truncated(MPI_COMM_SELF, 0, sizes[i]);
            truncated(MPI_COMM_WORLD, rank, sizes[i]);
        }
    }
    cancelled(MPI_COMM_SELF, 0);
    cancelled(MPI_COMM_WORLD, rank);
    MPI_Buffer_detach(&buffer, &buffer_bytes);
    return finish();
}
