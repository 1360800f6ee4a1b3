/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitioned messages around a ring and to oneself: different numbers of partitions at the two ends, partitions of any
 * size, marked in any order by all three calls, started many times; datatypes with gaps; partitions that arrive one by
 * one; MPI_PROC_NULL; messages that are too long or too short. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 3 */
/* RUN: -n 2 ; set SINGLE_COPY=never */
#include "common.h"

#define BYTES  (1 << 20)
#define ROUNDS 6

static unsigned char out[BYTES], in[BYTES + 64];

/* All partitions in an order that depends on the round. */
static void mark(MPI_Request r, int n, int round)
{
    int list[64];

    switch (round % 4) {
    case 0:
        for (int i = 0; i < n; i++)
            CHECK_OK(MPI_Pready(i, r));
        return;
    case 1:
        for (int i = n - 1; i >= 0; i--)
            CHECK_OK(MPI_Pready(i, r));
        return;
    case 2:
        CHECK_OK(MPI_Pready_range(n / 2, n - 1, r));
        CHECK_OK(MPI_Pready_range(0, n / 2 - 1, r));
        return;
    default:
        for (int i = 0; i < n; i++)
            list[i] = (i * 2 + 1) % (n | 1) % n;
        if (n % 2)
            CHECK_OK(MPI_Pready_list(n, list, r));
        else
            CHECK_OK(MPI_Pready_range(0, n - 1, r));
    }
}

static void around(int partitions, int to_partitions, int bytes)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request r[2] = {psend(out, partitions, bytes / partitions, MPI_BYTE, right, 3, W),
                        precv(in, to_partitions, bytes / to_partitions, MPI_BYTE, left, 3, W)};
    MPI_Status s[2];
    int n;

    for (int round = 0; round < ROUNDS; round++) {
        fill(out, (size_t)bytes, (unsigned)(round * 7 + rank));
        memset(in, GUARD, sizeof in);
        if (round % 2)
            CHECK_OK(MPI_Startall(2, r));
        else
            for (int i = 0; i < 2; i++)
                CHECK_OK(MPI_Start(&r[i]));
        mark(r[0], partitions, round);
        CHECK_OK(MPI_Waitall(2, r, s));
        CHECK_EQ(wrong(in, (size_t)bytes, (unsigned)(round * 7 + left)), -1);
        CHECK_EQ(touched(in + bytes, 64), -1);
        MPI_Get_count(&s[1], MPI_BYTE, &n);
        CHECK(n == bytes && s[1].MPI_SOURCE == left && s[1].MPI_TAG == 3);
    }
    CHECK_OK(MPI_Request_free(&r[0]));
    CHECK_OK(MPI_Request_free(&r[1]));
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
}

/* Elements with gaps at one end or both: partitions of `ints` ints, every other one of the buffer. */
static void with_gaps(bool sender, bool receiver)
{
    enum { INTS = 12 * 1024 };
    static int a[2 * INTS], b[2 * INTS];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Datatype gap;
    MPI_Request r[2];

    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gap);
    MPI_Type_commit(&gap);
    r[0] = psend(a, 4, INTS / 4, sender ? gap : MPI_INT, right, 0, W);
    r[1] = precv(b, 3, INTS / 3, receiver ? gap : MPI_INT, left, 0, W);
    for (int i = 0; i < 2 * INTS; i++) {
        a[i] = i;
        b[i] = -1;
    }
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Pready_range(1, 3, r[0]));
    CHECK_OK(MPI_Pready(0, r[0]));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    for (int i = 0; i < INTS; i++) {
        CHECK_EQ(b[receiver ? 2 * i : i], sender ? 2 * i : i);
        CHECK(!receiver || b[2 * i + 1] == -1);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Type_free(&gap);
}

/* A partition arrives although others are not marked; the receiver's partitions are other ones. */
static void one_by_one(int bytes)
{
    MPI_Request r;
    int flag;

    if (rank > 1 || size == 1)
        return;
    if (rank == 0) {
        r = psend(out, 8, bytes, MPI_BYTE, 1, 1, W);
        fill(out, (size_t)bytes * 8, 5);
        CHECK_OK(MPI_Start(&r));
        for (int i = 7; i >= 0; i--) {
            CHECK_OK(MPI_Pready(i, r));
            MPI_Recv(NULL, 0, MPI_INT, 1, 0, W, MPI_STATUS_IGNORE); /* it is there */
        }
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    } else {
        r = precv(in, 4, 2 * bytes, MPI_BYTE, 0, 1, W);
        CHECK_OK(MPI_Parrived(r, 3, &flag));
        CHECK(flag); /* inactive */
        CHECK_OK(MPI_Start(&r));
        for (int i = 7; i >= 0; i--) {
            flag = 0;
            if (i % 2 == 0)
                while (!flag)
                    CHECK_OK(MPI_Parrived(r, i / 2, &flag));
            else
                CHECK_OK(MPI_Parrived(r, i / 2, &flag));
            CHECK_EQ(flag, i % 2 == 0);
            if (flag)
                CHECK(in[i * bytes] == pattern(5, (size_t)(i * bytes)) &&
                      in[(i + 2) * bytes - 1] == pattern(5, (size_t)((i + 2) * bytes - 1)));
            MPI_Send(NULL, 0, MPI_INT, 0, 0, W);
        }
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Parrived(r, 0, &flag));
        CHECK(flag);
    }
    CHECK_OK(MPI_Request_free(&r));
}

/* Requests with one envelope match in the order of the init calls, whatever the order of the starts, and a request
 * that is freed without a start takes its partner with it. */
static void order(void)
{
    int a[4], b[4], right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request s[4], r[4];

    for (int i = 0; i < 4; i++) {
        a[i] = 10 + i;
        b[i] = -1;
        if (rank % 2) /* before the offers come, or after */
            r[i] = precv(&b[i], 1, 1, MPI_INT, left, 9, W);
        s[i] = psend(&a[i], 1, 1, MPI_INT, right, 9, W);
    }
    for (int i = 0; rank % 2 == 0 && i < 4; i++)
        r[i] = precv(&b[i], 1, 1, MPI_INT, left, 9, W);
    CHECK_OK(MPI_Request_free(&s[1]));
    CHECK_OK(MPI_Request_free(&r[1]));
    for (int i = 3; i >= 0; i--)
        if (i != 1) {
            CHECK_OK(MPI_Start(&s[i]));
            CHECK_OK(MPI_Start(&r[i]));
            CHECK_OK(MPI_Pready(0, s[i]));
        }
    for (int i = 0; i < 4; i++)
        if (i != 1) {
            CHECK_OK(MPI_Wait(&s[i], MPI_STATUS_IGNORE));
            CHECK_OK(MPI_Wait(&r[i], MPI_STATUS_IGNORE));
            CHECK_EQ(b[i], 10 + i);
            MPI_Request_free(&s[i]);
            MPI_Request_free(&r[i]);
        }
    CHECK_EQ(b[1], -1);
}

/* The freed receive comes first, so it takes the first send. */
static void freed_early(void)
{
    int a[2] = {1, 2}, b[2] = {-1, -1}, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request s[2], r[2];

    r[0] = precv(&b[0], 1, 1, MPI_INT, left, 10, W);
    CHECK_OK(MPI_Request_free(&r[0]));
    r[1] = precv(&b[1], 1, 1, MPI_INT, left, 10, W);
    MPI_Barrier(W);
    for (int i = 0; i < 2; i++)
        s[i] = psend(&a[i], 1, 1, MPI_INT, right, 10, W);
    CHECK_OK(MPI_Start(&r[1]));
    CHECK_OK(MPI_Start(&s[1]));
    CHECK_OK(MPI_Pready(0, s[1]));
    CHECK_OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&s[1], MPI_STATUS_IGNORE));
    CHECK_EQ(b[1], 2);
    MPI_Request_free(&s[0]);
    MPI_Request_free(&s[1]);
    MPI_Request_free(&r[1]);
}

static void lengths(void)
{
    static const int bytes[2][2] = {{4000, 1000}, {1000, 4000}};
    int right = (rank + 1) % size, left = (rank + size - 1) % size, n;

    for (int k = 0; k < 2; k++) {
        MPI_Request s = psend(out, 2, bytes[k][0] / 2, MPI_BYTE, right, 0, W);
        MPI_Request r = precv(in, 4, bytes[k][1] / 4, MPI_BYTE, left, 0, W);
        MPI_Status status;

        fill(out, BYTES, 3);
        memset(in, GUARD, sizeof in);
        CHECK_OK(MPI_Start(&s));
        CHECK_OK(MPI_Start(&r));
        CHECK_OK(MPI_Pready_range(0, 1, s));
        CHECK_CLASS(MPI_Wait(&r, &status), k ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
        CHECK_OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
        MPI_Get_count(&status, MPI_BYTE, &n);
        CHECK_EQ(n, 1000);
        CHECK_EQ(wrong(in, 1000, 3), -1);
        CHECK_EQ(touched(in + 1000, 4000), -1);
        MPI_Request_free(&s);
        MPI_Request_free(&r);
    }
}

static void nothing(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, flag;
    MPI_Request r[2] = {psend(NULL, 3, 0, MPI_INT, right, 4, W),
                        precv(NULL, 2, 0, MPI_INT, left, 4, W)};

    for (int round = 0; round < 3; round++) {
        CHECK_OK(MPI_Startall(2, r));
        CHECK_OK(MPI_Pready_range(0, 1, r[0]));
        CHECK_OK(MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        CHECK_OK(MPI_Pready(2, r[0]));
        CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    r[0] = psend(NULL, 0, 10, MPI_INT, right, 4, W);
    r[1] = precv(NULL, 0, 5, MPI_INT, left, 4, W);
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Pready_range(0, -1, r[0]));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void nobody(void)
{
    MPI_Request r[2] = {psend(out, 3, 10, MPI_INT, MPI_PROC_NULL, 4, W),
                        precv(in, 2, 10, MPI_INT, MPI_PROC_NULL, 4, W)};
    MPI_Status s[2];
    int flag;

    for (int round = 0; round < 3; round++) {
        CHECK_OK(MPI_Startall(2, r));
        CHECK_OK(MPI_Pready_range(0, 2, r[0]));
        CHECK_OK(MPI_Parrived(r[1], 1, &flag));
        CHECK(flag);
        CHECK_OK(MPI_Waitall(2, r, s));
        CHECK_EQ(s[1].MPI_SOURCE, MPI_PROC_NULL);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* Freed communicators live on for the requests; other messages with the same tag are others. */
static void beside_messages(void)
{
    int a = rank, b = -1, c = -1, right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request r[3];
    MPI_Comm comm;

    MPI_Comm_dup(W, &comm);
    MPI_Irecv(&c, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &r[2]);
    r[0] = psend(&a, 1, 1, MPI_INT, right, 7, comm);
    r[1] = precv(&b, 1, 1, MPI_INT, left, 7, comm);
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Pready(0, r[0]));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_EQ(b, left);
    MPI_Send(&size, 1, MPI_INT, right, 7, comm);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    CHECK_EQ(c, size);
    MPI_Comm_free(&comm);
    b = -1;
    CHECK_OK(MPI_Startall(2, r));
    CHECK_OK(MPI_Pready(0, r[0]));
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    CHECK_EQ(b, left);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

int main(int argc, char **argv)
{
    static const int partitions[] = {1, 2, 4, 7, 16, 64};

    MPI_Init(&argc, &argv);
    know_rank();
    return_errors();
    for (unsigned i = 0; i < sizeof partitions / sizeof partitions[0]; i++)
        for (unsigned k = 0; k < sizeof partitions / sizeof partitions[0]; k++) {
            int unit = partitions[i] * partitions[k];

            around(partitions[i], partitions[k], unit);
            around(partitions[i], partitions[k], unit * (4000 / unit + 1));
            around(partitions[i], partitions[k], BYTES / 2 / unit * unit);
        }
    for (int k = 0; k < 4; k++)
        with_gaps(k & 1, k & 2);
    one_by_one(8);
    one_by_one(5000);
    one_by_one(100000);
    order();
    freed_early();
    lengths();
    nothing();
    nobody();
    beside_messages();
    MPI_Finalize();
    return 0;
}
