/* SPDX-License-Identifier: BSD-3-Clause */
/* Thousands of requests at once, finished by each of the array calls; nothing may be quadratic: the
 * watchdog is short. */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 3 ; time 60 */
#include "common.h"

#define N 4000

static int out[N], in[N];
static MPI_Request r[2 * N];
static MPI_Status s[2 * N];
static int indices[2 * N];

/* Receives of odd messages are posted in reverse, the others in order; the tag tells them apart. */
static void begin(int round)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    for (int i = 0; i < N; i++) {
        int tag = i % 2 ? N - i : i;

        in[tag] = -1;
        MPI_Irecv(&in[tag], 1, MPI_INT, i % 5 ? left : MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[i]);
    }
    for (int i = 0; i < N; i++) {
        out[i] = round * N + i + rank;
        MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &r[N + i]);
    }
}

static void check_all(int round)
{
    int left = (rank + size - 1) % size;

    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], round * N + i + left);
    for (int i = 0; i < 2 * N; i++)
        CHECK(r[i] == MPI_REQUEST_NULL);
}

static void by_waitsome(void)
{
    int got = 0, n;

    while (got < 2 * N) {
        MPI_Waitsome(2 * N, r, &n, indices, s);
        CHECK(n > 0);
        for (int k = 0; k < n; k++) {
            CHECK(r[indices[k]] == MPI_REQUEST_NULL);
            if (indices[k] < N)
                CHECK_EQ(s[k].MPI_TAG, indices[k] % 2 ? N - indices[k] : indices[k]);
        }
        got += n;
    }
    MPI_Waitsome(2 * N, r, &n, indices, s);
    CHECK_EQ(n, MPI_UNDEFINED);
}

static void by_waitany(void)
{
    int i;

    for (int got = 0; got < 2 * N; got++) {
        MPI_Status one;

        MPI_Waitany(2 * N, r, &i, &one);
        CHECK(i >= 0 && i < 2 * N && r[i] == MPI_REQUEST_NULL);
    }
    MPI_Waitany(2 * N, r, &i, MPI_STATUS_IGNORE);
    CHECK_EQ(i, MPI_UNDEFINED);
}

static void by_tests(void)
{
    int flag = 0, i, n;

    while (!flag)
        MPI_Testall(N, r, &flag, s);
    for (int got = 0; got < N / 2; got++)
        do
            MPI_Testany(N, r + N, &i, &flag, s);
        while (!flag);
    for (int got = N / 2; got < N; got += n)
        MPI_Testsome(N, r + N, &n, indices, s);
    MPI_Testsome(N, r + N, &n, indices, s);
    CHECK_EQ(n, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int round = 0; round < 4; round++) {
        begin(round);
        if (round == 0)
            MPI_Waitall(2 * N, r, s);
        else if (round == 1)
            by_waitsome();
        else if (round == 2)
            by_waitany();
        else
            by_tests();
        check_all(round);
        MPI_Barrier(MPI_COMM_WORLD); /* the next round uses the same tags with wildcards */
    }
    return finish();
}
