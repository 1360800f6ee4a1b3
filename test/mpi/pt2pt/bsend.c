/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered sends (MPI-5.0 3.6): the buffer of the process and of a communicator, filled to the last
 * message that fits, MPI_ERR_BUFFER beyond, reuse after delivery, flush and iflush, detach that waits,
 * MPI_BUFFER_AUTOMATIC. */
/* RUN: -n 2 */
/* RUN: -n 3 ; time 60 ; set EAGER_MAX=1k */
#include "common.h"

#define W MPI_COMM_WORLD

/* Fills a buffer that has room for exactly `messages` of n bytes by the standard's formula. */
static void fill_up(int messages, int n)
{
    int bytes = messages * (n + MPI_BSEND_OVERHEAD), more = 0, size_back;
    unsigned char *buffer = malloc((size_t)bytes + 3), *out = malloc((size_t)n + 1);
    void *back = NULL;

    if (rank == 0) {
        MPI_Buffer_attach(buffer + 3, bytes); /* as unaligned as can be */
        CHECK_CLASS(MPI_Buffer_attach(buffer, bytes), MPI_ERR_BUFFER);
        for (int i = 0; i < messages; i++) {
            fill(out, (size_t)n, (unsigned)i);
            CHECK_EQ(MPI_Bsend(out, n, MPI_BYTE, 1, i, W), MPI_SUCCESS);
        }
        if (n > 65536) { /* by RTS, and nobody takes them: there is no room for another one */
            CHECK_CLASS(MPI_Bsend(out, n, MPI_BYTE, 1, messages, W), MPI_ERR_BUFFER);
        }
        MPI_Send(&more, 1, MPI_INT, 1, 999, W);
        MPI_Buffer_detach(&back, &size_back); /* waits for delivery */
        CHECK(back == buffer + 3);
        CHECK_EQ(size_back, bytes);
        CHECK_CLASS(MPI_Bsend(out, n, MPI_BYTE, 1, 0, W), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Buffer_detach(&back, &size_back), MPI_ERR_BUFFER);
        memset(buffer, 0, (size_t)bytes);
    } else if (rank == 1) {
        MPI_Recv(&more, 1, MPI_INT, 0, 999, W, MPI_STATUS_IGNORE);
        for (int i = messages - 1; i >= 0; i--) {
            MPI_Recv(out, n, MPI_BYTE, 0, i, W, MPI_STATUS_IGNORE);
            CHECK_EQ(wrong(out, (size_t)n, (unsigned)i), -1);
        }
    }
    MPI_Barrier(W);
    free(buffer);
    free(out);
}

/* The same room again and again; message sizes vary so that gaps appear. */
static void reuse(void)
{
    enum { BYTES = 400000 };
    static unsigned char buffer[BYTES], out[60000], in[60000];
    int n = BYTES;
    void *back;

    if (rank == 0) {
        MPI_Buffer_attach(buffer, BYTES);
        for (int i = 0; i < 300; i++) {
            int len = i * 7919 % 60000;

            fill(out, (size_t)len, (unsigned)i);
            while (MPI_Bsend(out, len, MPI_BYTE, 1, i, W) != MPI_SUCCESS)
                continue;
        }
        MPI_Buffer_detach(&back, &n);
    } else if (rank == 1) {
        for (int i = 0; i < 300; i++) {
            int len = i * 7919 % 60000;

            MPI_Recv(in, len, MPI_BYTE, 0, i, W, MPI_STATUS_IGNORE);
            CHECK_EQ(wrong(in, (size_t)len, (unsigned)i), -1);
        }
    }
    MPI_Barrier(W);
}

/* A buffer of a communicator does not serve others, and goes before that of the process. */
static void of_communicator(void)
{
    enum { N = 70000, BYTES = N + MPI_BSEND_OVERHEAD };
    static unsigned char own[BYTES], data[N];
    MPI_Comm c;
    MPI_Count n_c;
    void *back;
    int n;

    MPI_Comm_dup(W, &c);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Comm_attach_buffer(c, own, BYTES);
        CHECK_EQ(MPI_Bsend(data, N, MPI_BYTE, 1, 0, c), MPI_SUCCESS);
        CHECK_CLASS(MPI_Bsend(data, N, MPI_BYTE, 1, 1, W), MPI_ERR_BUFFER);
        CHECK_CLASS(MPI_Bsend(data, N, MPI_BYTE, 1, 1, c), MPI_ERR_BUFFER);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 2, c);
        MPI_Comm_flush_buffer(c);
        CHECK_EQ(MPI_Bsend_c(data, N, MPI_BYTE, 1, 3, c), MPI_SUCCESS);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 4, c);
        MPI_Comm_detach_buffer_c(c, &back, &n_c);
        CHECK(back == own && n_c == BYTES);
        CHECK_CLASS(MPI_Comm_detach_buffer(c, &back, &n), MPI_ERR_BUFFER);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, c, MPI_STATUS_IGNORE);
        MPI_Recv(data, N, MPI_BYTE, 0, 0, c, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 4, c, MPI_STATUS_IGNORE);
        MPI_Recv(data, N, MPI_BYTE, 0, 3, c, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&c);
}

/* The request of a flush is not done before the message is received. */
static void iflush(void)
{
    enum { N = 70000, BYTES = N + MPI_BSEND_OVERHEAD };
    static unsigned char buffer[BYTES], data[N];
    MPI_Request r;
    int n, flag;
    void *back;

    if (rank == 0) {
        MPI_Buffer_attach(buffer, BYTES);
        MPI_Buffer_iflush(&r); /* nothing in it */
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Bsend(data, N, MPI_BYTE, 1, 0, W);
        MPI_Buffer_iflush(&r);
        for (int i = 0; i < 100; i++) {
            MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            CHECK_EQ(flag, 0);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 1, 1, W);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        CHECK_EQ(MPI_Bsend(data, N, MPI_BYTE, 1, 0, W), MPI_SUCCESS);
        MPI_Buffer_flush();
        MPI_Buffer_detach(&back, &n);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, W, MPI_STATUS_IGNORE);
        MPI_Recv(data, N, MPI_BYTE, 0, 0, W, MPI_STATUS_IGNORE);
        MPI_Recv(data, N, MPI_BYTE, 0, 0, W, MPI_STATUS_IGNORE);
    }
}

static void automatic(void)
{
    static unsigned char data[100000];
    void *back = NULL;
    int n = -1;

    if (rank == 0) {
        MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
        for (int i = 0; i < 50; i++) {
            fill(data, sizeof data, (unsigned)i);
            MPI_Bsend(data, sizeof data, MPI_BYTE, 1, i, W);
        }
        MPI_Send(NULL, 0, MPI_BYTE, 1, 99, W);
        MPI_Buffer_detach(&back, &n);
        CHECK(back == MPI_BUFFER_AUTOMATIC);
        CHECK_EQ(n, 0);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 99, W, MPI_STATUS_IGNORE);
        for (int i = 0; i < 50; i++) {
            MPI_Recv(data, sizeof data, MPI_BYTE, 0, i, W, MPI_STATUS_IGNORE);
            CHECK_EQ(wrong(data, sizeof data, (unsigned)i), -1);
        }
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    fill_up(1, 0);
    fill_up(1, 100);
    fill_up(10, 1001);
    fill_up(10, 70001);
    fill_up(3, 1000000);
    reuse();
    of_communicator();
    iflush();
    automatic();
    return finish();
}
