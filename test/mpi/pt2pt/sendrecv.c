/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Sendrecv, MPI_Sendrecv_replace and their nonblocking forms in a ring, with itself and with
 * MPI_PROC_NULL; all sizes; derived types with gaps, which must stay as they are; many at once. */
/* RUN: -n 1 */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 3 ; args 2 ; time 60 */
/* RUN: -n 3 ; set SPIN=0 ; set YIELD=0 ; args 3 ; time 60 */
/* RUN: -n 8 ; args 5 */
#include "common.h"

static unsigned char *out, *in;
static int left, right;

static void check_status(const MPI_Status *s, int n)
{
    int count;

    MPI_Get_count(s, MPI_BYTE, &count);
    CHECK_EQ(count, n);
    CHECK_EQ(s->MPI_SOURCE, left);
    CHECK_EQ(s->MPI_TAG, 1);
}

static void ring(int n, int form)
{
    MPI_Request r;
    MPI_Status s;
    MPI_Comm c = MPI_COMM_WORLD;

    fill(out, (size_t)n, (unsigned)rank);
    memset(in, GUARD, (size_t)n + 16);
    if (form >= 4)
        fill(in, (size_t)n, (unsigned)rank);
    switch (form) {
    case 0:
        MPI_Sendrecv(out, n, MPI_BYTE, right, 1, in, n + 16, MPI_BYTE, left, 1, c, &s);
        break;
    case 1:
        MPI_Sendrecv_c(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, MPI_ANY_SOURCE, 1, c, &s);
        break;
    case 2:
        MPI_Isendrecv(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, left, MPI_ANY_TAG, c, &r);
        MPI_Wait(&r, &s);
        break;
    case 3:
        MPI_Isendrecv_c(out, n, MPI_BYTE, right, 1, in, n, MPI_BYTE, left, 1, c, &r);
        MPI_Waitall(1, &r, &s);
        break;
    case 4:
        MPI_Sendrecv_replace(in, n, MPI_BYTE, right, 1, left, 1, c, &s);
        break;
    case 5:
        MPI_Sendrecv_replace_c(in, n, MPI_BYTE, right, 1, left, 1, c, &s);
        break;
    case 6:
        MPI_Isendrecv_replace(in, n, MPI_BYTE, right, 1, left, 1, c, &r);
        MPI_Wait(&r, &s);
        break;
    default:
        MPI_Isendrecv_replace_c(in, n, MPI_BYTE, right, 1, left, 1, c, &r);
        MPI_Wait(&r, &s);
    }
    check_status(&s, n);
    CHECK_EQ(wrong(in, (size_t)n, (unsigned)left), -1);
    CHECK_EQ(touched(in + n, 16), -1);
    MPI_Barrier(c); /* a wildcard must not take the next round's message */
}

/* Every second int of an array travels; the others stay. */
static void gaps(int blocks)
{
    int *a = malloc((size_t)blocks * 2 * sizeof *a);
    MPI_Datatype every_second;
    MPI_Request r;

    MPI_Type_vector(blocks, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2 * blocks; i++)
            a[i] = i % 2 ? -1 : rank * blocks + i;
        if (round == 0) {
            MPI_Sendrecv_replace(a, 1, every_second, right, 2, left, 2, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE);
        } else {
            MPI_Isendrecv_replace(a, 1, every_second, right, 2, left, 2, MPI_COMM_WORLD, &r);
            MPI_Type_free(&every_second); /* while in use */
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < 2 * blocks; i++)
            CHECK_EQ(a[i], i % 2 ? -1 : left * blocks + i);
    }
    free(a);
}

static void nobody(void)
{
    MPI_Request r;
    MPI_Status s;
    int a = 4, b = 5;

    MPI_Sendrecv(&a, 1, MPI_INT, MPI_PROC_NULL, 0, &b, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 &s);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_EQ(b, 5);
    MPI_Isendrecv(&a, 1, MPI_INT, MPI_PROC_NULL, 0, &b, 1, MPI_INT, MPI_PROC_NULL, 0,
                  MPI_COMM_WORLD, &r);
    MPI_Wait(&r, &s);
    CHECK_EQ(s.MPI_SOURCE, MPI_PROC_NULL);
    /* a chain: the ends have nobody on one side */
    MPI_Sendrecv_replace(&a, 1, MPI_INT, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, 3,
                         rank ? rank - 1 : MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
    CHECK_EQ(s.MPI_SOURCE, rank ? rank - 1 : MPI_PROC_NULL);
}

static void many(void)
{
    enum { N = 200 };
    static int a[N], b[N];
    MPI_Request r[N];
    int flag = 0;

    for (int i = 0; i < N; i++) {
        a[i] = rank * N + i;
        MPI_Isendrecv(&a[i], 1, MPI_INT, right, i, &b[i], 1, MPI_INT, left, i, MPI_COMM_WORLD,
                      &r[i]);
    }
    while (!flag)
        MPI_Testall(N, r, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        CHECK_EQ(b[i], left * N + i);
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 1;

    start(&argc, &argv);
    out = malloc(SIZE_MAX_BYTES);
    in = malloc(SIZE_MAX_BYTES + 16);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (int i = 0; i < SIZES_N; i += step)
        for (int form = 0; form < 8; form++)
            ring(sizes[i], form);
    gaps(10);
    gaps(50000);
    nobody();
    many();
    return finish();
}
