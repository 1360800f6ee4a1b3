/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between different types of one signature, of sizes around the borders of the transport:
 * vector, indexed, struct, subarray, backwards, absolute addresses; partial receives. */
/* RUN: -n 2 */
/* RUN: -n 2 ; set SINGLE_COPY=never */
#include "common.h"

#define N_MAX 200000

static int rank, in[4 * N_MAX], out[4 * N_MAX];

/* 4n ints of `from` at rank 0 arrive as `to` at rank 1; the plain sequence decides what is right. */
static void transfer(MPI_Datatype from, int from_n, MPI_Datatype to, int to_n)
{
    static int want[4 * N_MAX], got[4 * N_MAX];
    MPI_Status status;
    int bytes, position = 0, size;

    MPI_Type_size(from, &size);
    bytes = size * from_n;
    for (int i = 0; i < 4 * N_MAX; i++) {
        in[i] = i * 7 + 1;
        out[i] = -1;
    }
    MPI_Pack(in, from_n, from, want, sizeof(want), &position, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Send(in, from_n, from, 1, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Recv(out, to_n, to, 0, 0, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, to, &size);
    CHECK_EQ(size, bytes / 4);
    position = 0;
    MPI_Pack(out, to_n, to, got, sizeof(got), &position, MPI_COMM_WORLD);
    CHECK(!memcmp(want, got, (size_t)bytes));
    position = 0;
    for (int i = 0; i < 4 * N_MAX; i++)
        position += out[i] != -1;
    CHECK_EQ(position, bytes / 4); /* nothing else was touched */
}

static MPI_Datatype ready(MPI_Datatype t)
{
    MPI_Type_commit(&t);
    return t;
}

static void all_pairs(int n)
{
    int sizes[3] = {4, n, 4}, subs[3] = {2, n, 2}, starts[3] = {1, 0, 2}, displs[4], lens[4];
    MPI_Datatype t[6], types[2] = {MPI_INT, MPI_INT};
    MPI_Aint bytes[2] = {0, 2 * n * (MPI_Aint)sizeof(int)};

    for (int i = 0; i < 4; i++) {
        displs[i] = (3 - i) * n;
        lens[i] = n;
    }
    MPI_Type_contiguous(4 * n, MPI_INT, &t[0]);
    MPI_Type_vector(2 * n, 2, 4, MPI_INT, &t[1]);
    MPI_Type_indexed(4, lens, displs, MPI_INT, &t[2]);
    lens[0] = n;
    lens[1] = 3 * n;
    MPI_Type_create_struct(2, lens, bytes, types, &t[3]);
    MPI_Type_create_subarray(3, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &t[4]);
    MPI_Type_create_resized(MPI_INT, 0, 8, &t[5]);
    if (4 * n > N_MAX / 4) /* 16 n ints are as much as fits */
        return;
    for (int i = 0; i < 6; i++) {
        t[i] = ready(t[i]);
        for (int j = 0; j <= i; j++) {
            transfer(t[i], i == 5 ? 4 * n : 1, t[j], j == 5 ? 4 * n : 1);
            transfer(t[j], j == 5 ? 4 * n : 1, t[i], i == 5 ? 4 * n : 1);
        }
    }
    for (int i = 0; i < 6; i++)
        MPI_Type_free(&t[i]);
}

/* A message of one and a half elements */
static void partial(void)
{
    struct {
        double d;
        int i;
    } pairs[2] = {{1, 1}, {2, 2}};
    MPI_Status status;
    MPI_Datatype t, kinds[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Aint displs[2] = {0, 8};
    int lens[2] = {1, 1}, n;
    char bytes[20] = {0};

    MPI_Type_create_struct(2, lens, displs, kinds, &t);
    MPI_Type_commit(&t);
    if (rank == 0) {
        MPI_Send(bytes, 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(pairs, 2, t, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, t, &n);
        CHECK_EQ(n, MPI_UNDEFINED);
        MPI_Get_elements(&status, t, &n);
        CHECK_EQ(n, 3);
        CHECK(pairs[0].d == 0 && pairs[0].i == 0 && pairs[1].d == 0 && pairs[1].i == 2);
    }
    MPI_Type_free(&t);
}

/* MPI_BOTTOM and addresses of two variables */
static void absolute(void)
{
    int a = 10 + rank, b = 20 + rank, lens[2] = {1, 1};
    MPI_Aint at[2];
    MPI_Datatype t;

    MPI_Get_address(&a, &at[0]);
    MPI_Get_address(&b, &at[1]);
    MPI_Type_create_hindexed(2, lens, at, MPI_INT, &t);
    MPI_Type_commit(&t);
    if (rank == 0)
        MPI_Send(MPI_BOTTOM, 1, t, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, 1, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(a == 10 && b == 20);
    MPI_Type_free(&t);
}

/* The handle may go while the message is under way. */
static void freed_early(void)
{
    MPI_Datatype t;
    MPI_Request request;

    MPI_Type_vector(N_MAX, 1, 2, MPI_INT, &t);
    MPI_Type_commit(&t);
    for (int i = 0; i < 2 * N_MAX; i++)
        in[i] = rank == 0 ? i : -1;
    if (rank == 0)
        MPI_Isend(in, 1, t, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(in, 1, t, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&t);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * N_MAX; i++)
        CHECK_EQ(in[i], rank == 0 || i % 2 == 0 ? i : -1);
}

int main(int argc, char **argv)
{
    static const int ns[] = {1, 3, 16, 100, 511, 512, 513, 2000, 4096, 12000};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < (int)(sizeof(ns) / sizeof(ns[0])); i++)
        all_pairs(ns[i]);
    partial();
    absolute();
    freed_early();
    MPI_Finalize();
    return 0;
}
