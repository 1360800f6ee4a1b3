/* SPDX-License-Identifier: BSD-3-Clause */
/* Matched probes: a message that was taken is seen by nobody else, keeps its place in no order, and is
 * received by MPI_Mrecv or MPI_Imrecv whenever the program likes; under load, by name and wildcard,
 * small and large, truncated, to itself, MPI_MESSAGE_NO_PROC. */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 8 */
#include "common.h"

#define MESSAGES 40
#define LARGEST  60000

static int length(int from, int i)
{
    return (from * 7919 + i * i * 997) % LARGEST;
}

static unsigned char out[MESSAGES][LARGEST];

static void send_all(void)
{
    MPI_Request r[MESSAGES];

    for (int i = 0; i < MESSAGES; i++) {
        fill(out[i], (size_t)length(rank, i), (unsigned)(rank * MESSAGES + i));
        MPI_Isend(out[i], length(rank, i), MPI_BYTE, 0, i, MPI_COMM_WORLD, &r[i]);
    }
    MPI_Waitall(MESSAGES, r, MPI_STATUSES_IGNORE);
}

static MPI_Message take(int source, int tag, int how, MPI_Status *s)
{
    MPI_Message m = MPI_MESSAGE_NULL;
    int flag = 0;

    if (how)
        MPI_Mprobe(source, tag, MPI_COMM_WORLD, &m, s);
    else
        while (!flag)
            MPI_Improbe(source, tag, MPI_COMM_WORLD, &flag, &m, s);
    CHECK(m != MPI_MESSAGE_NULL);
    return m;
}

/* Takes everything first, then receives in reverse order. */
static void receive_all(void)
{
    int total = MESSAGES * (size - 1), next[64] = {0};
    MPI_Message *m = malloc((size_t)total * sizeof *m);
    MPI_Status *s = malloc((size_t)total * sizeof *s), got;
    unsigned char *in = malloc(LARGEST + 16);

    for (int k = 0; k < total; k++) {
        m[k] = take(MPI_ANY_SOURCE, MPI_ANY_TAG, k % 2, &s[k]);
        CHECK_EQ(s[k].MPI_TAG, next[s[k].MPI_SOURCE]++);
    }
    for (int k = total - 1; k >= 0; k--) {
        int n;
        unsigned seed = (unsigned)(s[k].MPI_SOURCE * MESSAGES + s[k].MPI_TAG);

        MPI_Get_count(&s[k], MPI_BYTE, &n);
        CHECK_EQ(n, length(s[k].MPI_SOURCE, s[k].MPI_TAG));
        memset(in, GUARD, (size_t)n + 16);
        if (k % 4 == 0) {
            MPI_Mrecv(in, n, MPI_BYTE, &m[k], &got);
        } else if (k % 4 == 1) {
            MPI_Mrecv_c(in, n + 5, MPI_BYTE, &m[k], &got);
        } else {
            MPI_Request r;

            if (k % 4 == 2)
                MPI_Imrecv(in, n, MPI_BYTE, &m[k], &r);
            else
                MPI_Imrecv_c(in, n + 5, MPI_BYTE, &m[k], &r);
            CHECK(m[k] == MPI_MESSAGE_NULL);
            MPI_Wait(&r, &got);
        }
        CHECK(m[k] == MPI_MESSAGE_NULL);
        CHECK_EQ(got.MPI_SOURCE, s[k].MPI_SOURCE);
        CHECK_EQ(got.MPI_TAG, s[k].MPI_TAG);
        CHECK_EQ(wrong(in, (size_t)n, seed), -1);
        CHECK_EQ(touched(in + n, 16), -1);
    }
    free(in);
    free(m);
    free(s);
}

/* A taken message is hidden from probes and receives; the next one overtakes it. */
static void hidden(void)
{
    int a = 1, b = 2, got = 0, flag;
    MPI_Request r[2];
    MPI_Message m;

    MPI_Isend(&a, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&b, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[1]);
    m = take(rank, 1, 1, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(got, 2);
    MPI_Iprobe(rank, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 0);
    MPI_Mrecv(&got, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
    CHECK_EQ(got, 1);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void no_process(void)
{
    MPI_Message m = MPI_MESSAGE_NULL;
    MPI_Request r;
    MPI_Status s;
    int flag = 0, n;

    MPI_Mprobe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &m, &s);
    CHECK(m == MPI_MESSAGE_NO_PROC);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Mrecv(&n, 1, MPI_INT, &m, &s);
    CHECK(m == MPI_MESSAGE_NULL);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Improbe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &flag, &m, &s);
    CHECK(flag && m == MPI_MESSAGE_NO_PROC);
    MPI_Imrecv(&n, 1, MPI_INT, &m, &r);
    CHECK(m == MPI_MESSAGE_NULL);
    MPI_Wait(&r, &s);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK_EQ(n, 0);
}

static void truncated(void)
{
    static unsigned char in[LARGEST];
    MPI_Message m;
    MPI_Request r;

    for (int n = 100; n <= LARGEST; n *= 600) {
        MPI_Isend(out[0], n, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &r);
        m = take(rank, 2, 1, MPI_STATUS_IGNORE);
        memset(in, GUARD, sizeof in);
        CHECK_CLASS(MPI_Mrecv(in, 10, MPI_BYTE, &m, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        CHECK(m == MPI_MESSAGE_NULL);
        CHECK_EQ(touched(in + 10, sizeof in - 10), -1);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    hidden();
    no_process();
    truncated();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        receive_all();
    else
        send_all();
    return finish();
}
