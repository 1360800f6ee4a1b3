/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects that go while operations use them: requests freed while active, a communicator and a type freed
 * before the wait, thousands of times, so that a lost reference would be seen as memory. */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 3 ; time 60 */
#include "common.h"

static int left, right;

static void freed_requests(void)
{
    static int in[2000], out[2000];
    MPI_Request r;

    for (int i = 0; i < 2000; i++) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
        CHECK(r == MPI_REQUEST_NULL);
    }
    for (int i = 0; i < 2000; i++) {
        out[i] = rank * 2000 + i;
        MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
    }
    /* the last message comes last, so that everything has arrived before it */
    MPI_Sendrecv(NULL, 0, MPI_INT, right, 5000, NULL, 0, MPI_INT, left, 5000, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 2000; i++)
        CHECK_EQ(in[i], left * 2000 + i);
}

static void freed_communicator(int n)
{
    static unsigned char out[50000], in[50000];
    MPI_Request r[2];
    MPI_Comm c;

    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    fill(out, (size_t)n, (unsigned)rank);
    MPI_Irecv(in, n, MPI_BYTE, left, 0, c, &r[0]);
    MPI_Isend(out, n, MPI_BYTE, right, 0, c, &r[1]);
    MPI_Comm_free(&c);
    CHECK(c == MPI_COMM_NULL);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)left), -1);
}

/* The message is here and the receive is done before the communicator goes, the wait comes after. */
static void done_before_freed(void)
{
    int a = rank, b = -1, flag = 0;
    MPI_Request r, s;
    MPI_Comm c;

    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Irecv(&b, 1, MPI_INT, left, 0, c, &r);
    MPI_Isend(&a, 1, MPI_INT, right, 0, c, &s);
    while (!flag)
        MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
    MPI_Comm_free(&c);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Wait(&s, MPI_STATUS_IGNORE);
    CHECK_EQ(b, left);
}

static void freed_type(int n)
{
    int *out = malloc((size_t)n * 2 * sizeof(int)), *in = malloc((size_t)n * 2 * sizeof(int));
    MPI_Datatype t;
    MPI_Request r[2];

    MPI_Type_vector(n, 1, 2, MPI_INT, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < 2 * n; i++) {
        out[i] = rank + i;
        in[i] = -1;
    }
    MPI_Irecv(in, 1, t, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, 1, t, right, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Type_free(&t);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 * n; i++)
        CHECK_EQ(in[i], i % 2 ? -1 : left + i);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (int i = 0; i < 10; i++)
        freed_requests();
    for (int i = 0; i < 60; i++) {
        freed_communicator(i % 2 ? 50000 : 10);
        done_before_freed();
        freed_type(i % 2 ? 20000 : 10);
    }
    return finish();
}
