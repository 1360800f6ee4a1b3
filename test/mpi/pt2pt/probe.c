/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Probe and MPI_Iprobe: by rank and tag and by wildcards, small and large messages; the probed
 * message is the one that a receive with the status' source and tag gets; MPI_PROC_NULL. */
/* RUN: -n 2 */
/* RUN: -n 3 */
/* RUN: -n 8 */
#include "common.h"

#define MESSAGES 60

static unsigned char out[100000], in[100000];

static int length(int from, int i)
{
    return (from * 7919 + i * i * 997) % 100000;
}

static void send_all(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        fill(out, (size_t)length(rank, i), (unsigned)(rank * MESSAGES + i));
        MPI_Send(out, length(rank, i), MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
}

static void look(int source, int tag, int how, MPI_Status *s)
{
    int flag = 0;

    if (how)
        MPI_Probe(source, tag, MPI_COMM_WORLD, s);
    else
        while (!flag)
            MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, s);
}

static void receive_all(void)
{
    int next[64] = {0};

    for (int k = 0; k < MESSAGES * (size - 1); k++) {
        int from = k % (size - 1) + 1, n, n2;
        MPI_Status s, s2;

        if (k % 3 == 0)
            look(MPI_ANY_SOURCE, MPI_ANY_TAG, k % 2, &s);
        else
            do /* a rank may have sent all of its messages that we took by wildcard */
                from = from % (size - 1) + 1;
            while (next[from] == MESSAGES);
        if (k % 3 == 1)
            look(from, MPI_ANY_TAG, k % 2, &s);
        if (k % 3 == 2)
            look(from, next[from], k % 2, &s);
        MPI_Get_count(&s, MPI_BYTE, &n);
        CHECK_EQ(s.MPI_TAG, next[s.MPI_SOURCE]);
        CHECK_EQ(n, length(s.MPI_SOURCE, s.MPI_TAG));
        look(s.MPI_SOURCE, s.MPI_TAG, 1, &s2); /* it is still there */
        MPI_Get_count(&s2, MPI_BYTE, &n2);
        CHECK_EQ(n2, n);
        MPI_Recv(in, n, MPI_BYTE, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, &s2);
        CHECK_EQ(wrong(in, (size_t)n, (unsigned)(s.MPI_SOURCE * MESSAGES + s.MPI_TAG)), -1);
        next[s.MPI_SOURCE]++;
    }
}

static void nothing_there(void)
{
    MPI_Status s = {.MPI_SOURCE = -77};
    int flag = 1, n;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, &s);
    CHECK_EQ(flag, 0);
    CHECK_EQ(s.MPI_SOURCE, -77);
    MPI_Iprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &flag, &s);
    CHECK_EQ(flag, 1);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQ(s.MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(&s, MPI_INT, &n);
    CHECK_EQ(n, 0);
    s.MPI_SOURCE = -77;
    MPI_Probe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Iprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    nothing_there();
    if (rank == 0)
        receive_all();
    else
        send_all();
    return finish();
}
