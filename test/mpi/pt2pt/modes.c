/* SPDX-License-Identifier: BSD-3-Clause */
/* Every send function, blocking and nonblocking, in both widths, against every receive function, for
 * sizes on both sides of the borders; data, status and guard bands are checked. */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 3 ; args 3 ; time 60 */
/* RUN: -n 2 ; set SPIN=0 ; set YIELD=0 ; set SINGLE_COPY=never ; args 3 ; time 60 */
/* RUN: -n 8 ; args 6 ; time 60 */
#include "common.h"

typedef int blocking(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int blocking_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int starting(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
typedef int starting_c(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static const struct {
    blocking *send;
    blocking_c *send_c;
    starting *isend;
    starting_c *isend_c;
} modes[] = {
    {MPI_Send, MPI_Send_c, MPI_Isend, MPI_Isend_c},
    {MPI_Ssend, MPI_Ssend_c, MPI_Issend, MPI_Issend_c},
    {MPI_Bsend, MPI_Bsend_c, MPI_Ibsend, MPI_Ibsend_c},
    {MPI_Rsend, MPI_Rsend_c, MPI_Irsend, MPI_Irsend_c},
};
#define READY 3

static unsigned char *out, *in;

static void send_one(int mode, int form, int n, int to, int tag)
{
    MPI_Request r = MPI_REQUEST_NULL;

    switch (form) {
    case 0:
        modes[mode].send(out, n, MPI_BYTE, to, tag, MPI_COMM_WORLD);
        break;
    case 1:
        modes[mode].send_c(out, n, MPI_BYTE, to, tag, MPI_COMM_WORLD);
        break;
    case 2:
        modes[mode].isend(out, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r);
        break;
    default:
        modes[mode].isend_c(out, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, &r);
    }
    if (form >= 2) {
        CHECK(r != MPI_REQUEST_NULL);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK(r == MPI_REQUEST_NULL);
    }
}

static void check_got(int n, int from, int tag, unsigned seed, const MPI_Status *s)
{
    MPI_Count count_c;
    int count;

    CHECK_EQ(s->MPI_SOURCE, from);
    CHECK_EQ(s->MPI_TAG, tag);
    MPI_Get_count(s, MPI_BYTE, &count);
    MPI_Get_count_c(s, MPI_BYTE, &count_c);
    CHECK_EQ(count, n);
    CHECK_EQ(count_c, n);
    CHECK_EQ(wrong(in, (size_t)n, seed), -1);
    CHECK_EQ(touched(in + n, 64), -1);
}

static void recv_one(int form, int n, int from, int tag, bool ready, unsigned seed)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Status s;

    memset(in, GUARD, (size_t)n + 64);
    if (form < 2 && ready)
        form += 2; /* the receive must be there before the sender is told to go on */
    switch (form) {
    case 0:
        MPI_Recv(in, n + 1, MPI_BYTE, from, tag, MPI_COMM_WORLD, &s);
        break;
    case 1:
        MPI_Recv_c(in, n + 1, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
        break;
    case 2:
        MPI_Irecv(in, n + 1, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r);
        break;
    default:
        MPI_Irecv_c(in, n + 1, MPI_BYTE, from, MPI_ANY_TAG, MPI_COMM_WORLD, &r);
    }
    if (ready)
        MPI_Send(NULL, 0, MPI_BYTE, from, 77, MPI_COMM_WORLD);
    if (form >= 2)
        MPI_Wait(&r, &s);
    check_got(n, from, tag, seed, &s);
}

/* Rank 0 sends to every other rank, and they send back. */
static void exchange(int mode, int send_form, int recv_form, int n)
{
    unsigned seed = (unsigned)(mode * 100 + send_form * 10 + recv_form + n);
    bool ready = mode == READY;
    int tag = mode * 16 + send_form * 4 + recv_form;

    fill(out, (size_t)n, seed);
    for (int other = 1; other < size; other++) {
        if (rank == 0) {
            if (ready)
                MPI_Recv(NULL, 0, MPI_BYTE, other, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send_one(mode, send_form, n, other, tag);
            recv_one(recv_form, n, other, tag, ready, seed);
        } else if (rank == other) {
            recv_one(recv_form, n, 0, tag, ready, seed);
            if (ready)
                MPI_Recv(NULL, 0, MPI_BYTE, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send_one(mode, send_form, n, 0, tag);
        }
    }
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 1, buffer_bytes = 2 * SIZE_MAX_BYTES + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)buffer_bytes), *back;

    start(&argc, &argv);
    out = malloc(SIZE_MAX_BYTES + 64);
    in = malloc(SIZE_MAX_BYTES + 64);
    MPI_Buffer_attach(buffer, buffer_bytes);
    for (int mode = 0; mode < 4; mode++)
        for (int form = 0; form < 4; form++)
            for (int i = form % step; i < SIZES_N; i += step)
                exchange(mode, form, (form + i) % 4, sizes[i]);
    MPI_Buffer_detach(&back, &buffer_bytes);
    CHECK(back == buffer);
    return finish();
}
