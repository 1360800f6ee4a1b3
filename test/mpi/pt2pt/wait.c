/* SPDX-License-Identifier: BSD-3-Clause */
/* The completion calls (MPI-5.0 3.7.3 to 3.7.6): null handles, empty statuses, what each of them takes
 * and leaves, order of indices, MPI_STATUS(ES)_IGNORE, and the calls that only look. */
/* RUN: -n 2 */
/* RUN: -n 4 */
/* RUN: -n 4 ; set SPIN=0 ; set YIELD=0 */
#include "common.h"

#define N 6

static int in[N];
static MPI_Request r[N];
static MPI_Status s[N];

static void check_empty(const MPI_Status *status)
{
    int n, flag;

    CHECK_EQ(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_EQ(status->MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(status, MPI_BYTE, &n);
    CHECK_EQ(n, 0);
    MPI_Test_cancelled(status, &flag);
    CHECK_EQ(flag, 0);
}

static void null_handles(void)
{
    int flag = 0, i = 7, n = 7, indices[2];

    for (int k = 0; k < 2; k++)
        r[k] = MPI_REQUEST_NULL;
    memset(s, 1, sizeof s);
    MPI_Wait(&r[0], &s[0]);
    check_empty(&s[0]);
    CHECK_EQ(s[0].MPI_ERROR, MPI_SUCCESS); /* so it is in an empty status, also of one request */
    MPI_Test(&r[0], &flag, &s[1]);
    CHECK_EQ(flag, 1);
    check_empty(&s[1]);
    MPI_Waitany(2, r, &i, &s[0]);
    CHECK_EQ(i, MPI_UNDEFINED);
    MPI_Testany(2, r, &i, &flag, &s[0]);
    CHECK(flag && i == MPI_UNDEFINED);
    MPI_Waitany(0, NULL, &i, &s[0]);
    CHECK_EQ(i, MPI_UNDEFINED);
    check_empty(&s[0]);
    MPI_Waitsome(2, r, &n, indices, s);
    CHECK_EQ(n, MPI_UNDEFINED);
    MPI_Testsome(0, NULL, &n, NULL, NULL);
    CHECK_EQ(n, MPI_UNDEFINED);
    memset(s, 1, sizeof s);
    MPI_Waitall(2, r, s);
    check_empty(&s[1]);
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    CHECK_EQ(flag, 1);
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &s[0]);
    CHECK_EQ(flag, 1);
    MPI_Request_get_status_all(2, r, &flag, s);
    CHECK_EQ(flag, 1);
    MPI_Request_get_status_any(2, r, &i, &flag, s);
    CHECK(flag && i == MPI_UNDEFINED);
    MPI_Request_get_status_some(2, r, &n, indices, s);
    CHECK_EQ(n, MPI_UNDEFINED);
}

static void post(void)
{
    for (int i = 0; i < N; i++) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &r[i]);
    }
}

static void deliver(int i)
{
    int v = i * 10;

    MPI_Send(&v, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
}

static void one_by_one(void)
{
    int flag = 1, i = 0, n = 0, indices[N];

    post();
    MPI_Test(&r[2], &flag, &s[0]);
    CHECK_EQ(flag, 0);
    MPI_Testany(N, r, &i, &flag, &s[0]);
    CHECK_EQ(flag, 0);
    MPI_Testsome(N, r, &n, indices, s);
    CHECK_EQ(n, 0);
    MPI_Testall(N, r, &flag, s);
    CHECK_EQ(flag, 0);
    deliver(2);
    MPI_Testall(N, r, &flag, s);
    CHECK_EQ(flag, 0);
    CHECK(r[2] != MPI_REQUEST_NULL); /* not taken */
    MPI_Testany(N, r, &i, &flag, &s[0]);
    CHECK(flag && i == 2);
    CHECK_EQ(s[0].MPI_TAG, 2);
    CHECK(r[2] == MPI_REQUEST_NULL);
    deliver(4);
    deliver(1);
    MPI_Waitsome(N, r, &n, indices, s);
    CHECK_EQ(n, 2);
    CHECK(indices[0] + indices[1] == 5 && indices[0] * indices[1] == 4);
    CHECK_EQ(s[0].MPI_TAG, indices[0]);
    CHECK_EQ(s[1].MPI_TAG, indices[1]);
    deliver(5);
    MPI_Waitany(N, r, &i, &s[0]);
    CHECK_EQ(i, 5);
    deliver(0);
    deliver(3);
    MPI_Waitall(N, r, s);
    check_empty(&s[1]);
    CHECK_EQ(s[0].MPI_TAG, 0);
    CHECK_EQ(s[3].MPI_TAG, 3);
    for (int k = 0; k < N; k++)
        CHECK_EQ(in[k], k * 10);
}

/* Looking takes nothing, however often. */
static void looking(void)
{
    int flag, i, n, indices[N];

    post();
    MPI_Request_get_status(r[1], &flag, &s[0]);
    CHECK_EQ(flag, 0);
    MPI_Request_get_status_any(N, r, &i, &flag, &s[0]);
    CHECK_EQ(flag, 0);
    MPI_Request_get_status_some(N, r, &n, indices, s);
    CHECK_EQ(n, 0);
    deliver(1);
    for (int k = 0; k < 2; k++) {
        MPI_Request_get_status(r[1], &flag, &s[0]);
        CHECK_EQ(flag, 1);
        CHECK_EQ(s[0].MPI_TAG, 1);
        MPI_Get_count(&s[0], MPI_INT, &n);
        CHECK_EQ(n, 1);
        MPI_Request_get_status_any(N, r, &i, &flag, &s[0]);
        CHECK(flag && i == 1);
        MPI_Request_get_status_some(N, r, &n, indices, s);
        CHECK(n == 1 && indices[0] == 1);
        CHECK_EQ(s[0].MPI_TAG, 1);
        MPI_Request_get_status_all(N, r, &flag, s);
        CHECK_EQ(flag, 0);
        CHECK(r[1] != MPI_REQUEST_NULL);
    }
    for (int k = 0; k < N; k++)
        if (k != 1)
            deliver(k);
    for (int k = 0; k < 2; k++) {
        MPI_Request_get_status_all(N, r, &flag, s);
        CHECK_EQ(flag, 1);
        CHECK_EQ(s[4].MPI_TAG, 4);
    }
    MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
    for (int k = 0; k < N; k++)
        CHECK(r[k] == MPI_REQUEST_NULL && in[k] == k * 10);
}

/* A wait for a message that another rank sends late. */
static void across(void)
{
    int v = rank, left = (rank + size - 1) % size, right = (rank + 1) % size, got = -1, i;

    for (int k = 0; k < 3; k++)
        r[k] = MPI_REQUEST_NULL;
    MPI_Irecv(&got, 1, MPI_INT, left, 50, MPI_COMM_WORLD, &r[1]);
    if (rank % 2)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&v, 1, MPI_INT, right, 50, MPI_COMM_WORLD);
    if (rank % 2 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitany(3, r, &i, &s[0]);
    CHECK_EQ(i, 1);
    CHECK_EQ(got, left);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    null_handles();
    one_by_one();
    looking();
    across();
    return finish();
}
