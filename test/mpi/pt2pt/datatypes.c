/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of every predefined type and of every kind of derived type, small and large: sent derived
 * and received as packed bytes, the other way round, and derived on both sides; what lies in gaps and
 * around stays as it was. */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 3 ; time 60 */
#include "common.h"

#define W    MPI_COMM_WORLD
#define EDGE 64

static int left, right;

/* Memory that count elements of a type cover, with an edge on both sides. */
struct area {
    unsigned char *memory;
    size_t bytes;       /* between the edges */
    unsigned char *buf; /* what MPI gets */
};

static struct area area_of(MPI_Datatype t, int count)
{
    MPI_Aint lb, extent, true_lb, true_extent, low, high;
    struct area a;

    MPI_Type_get_extent(t, &lb, &extent);
    MPI_Type_get_true_extent(t, &true_lb, &true_extent);
    low = extent < 0 ? (count - 1) * extent : 0;
    high = extent < 0 ? 0 : (count - 1) * extent;
    a.bytes = count ? (size_t)(high - low + true_extent) : 0;
    a.memory = malloc(a.bytes + 2 * EDGE);
    a.buf = a.memory + EDGE - true_lb - (count ? low : 0);
    return a;
}

static void check_received(MPI_Datatype t, int count, const struct area *to,
                           const unsigned char *packed, int bytes)
{
    unsigned char *again = malloc((size_t)bytes + 1);
    int position = 0;

    MPI_Pack(to->buf, count, t, again, bytes, &position, W);
    CHECK_EQ(position, bytes);
    CHECK(memcmp(again, packed, (size_t)bytes) == 0);
    /* unpacking guard bytes over the data must leave guard bytes everywhere, or a gap was hit */
    memset(again, GUARD, (size_t)bytes);
    position = 0;
    MPI_Unpack(again, bytes, &position, to->buf, count, t, W);
    CHECK_EQ(touched(to->memory, to->bytes + 2 * EDGE), -1);
    free(again);
}

static void round_trip(MPI_Datatype t, int count)
{
    struct area from = area_of(t, count), to = area_of(t, count);
    int bytes = 0, position = 0, n;
    unsigned char *packed, *got;
    MPI_Request r;
    MPI_Status s;

    fill(from.memory, from.bytes + 2 * EDGE, (unsigned)count); /* the same at all ranks */
    MPI_Pack_size(count, t, W, &bytes);
    packed = malloc((size_t)bytes + 1);
    got = calloc(1, (size_t)bytes + 1);
    MPI_Pack(from.buf, count, t, packed, bytes, &position, W);
    bytes = position;

    MPI_Isend(from.buf, count, t, right, 1, W, &r);
    MPI_Recv(got, bytes, MPI_PACKED, left, 1, W, &s);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Get_count(&s, MPI_PACKED, &n);
    CHECK_EQ(n, bytes);
    CHECK(memcmp(got, packed, (size_t)bytes) == 0);

    for (int way = 0; way < 3; way++) { /* packed or derived, to a waiting or a late receive */
        memset(to.memory, GUARD, to.bytes + 2 * EDGE);
        if (way == 1)
            MPI_Irecv(to.buf, count, t, left, 2, W, &r);
        if (way == 1)
            MPI_Send(from.buf, count, t, right, 2, W);
        else if (way == 0)
            MPI_Isend(packed, bytes, MPI_PACKED, right, 2, W, &r);
        else
            MPI_Isend_c(from.buf, count, t, right, 2, W, &r);
        if (way != 1)
            MPI_Recv(to.buf, count, t, left, 2, W, &s);
        MPI_Wait(&r, way == 1 ? &s : MPI_STATUS_IGNORE);
        MPI_Get_count(&s, t, &n);
        if (bytes)
            CHECK_EQ(n, count);
        check_received(t, count, &to, packed, bytes);
    }
    free(packed);
    free(got);
    free(from.memory);
    free(to.memory);
}

/* One element, a few, and enough to be sent in fragments. */
static void try_counts(MPI_Datatype t)
{
    int bytes;

    MPI_Type_size(t, &bytes);
    round_trip(t, 0);
    round_trip(t, 1);
    round_trip(t, 5);
    if (bytes)
        round_trip(t, 8192 / bytes + 2);
    if (bytes)
        round_trip(t, 200000 / bytes + 1);
}

static void derived(MPI_Datatype t)
{
    MPI_Type_commit(&t);
    try_counts(t);
    MPI_Type_free(&t);
}

static void predefined(void)
{
    static const MPI_Datatype all[] = {MPI_CHAR,
                                       MPI_SHORT,
                                       MPI_INT,
                                       MPI_LONG,
                                       MPI_LONG_LONG,
                                       MPI_SIGNED_CHAR,
                                       MPI_UNSIGNED_CHAR,
                                       MPI_UNSIGNED_SHORT,
                                       MPI_UNSIGNED,
                                       MPI_UNSIGNED_LONG,
                                       MPI_UNSIGNED_LONG_LONG,
                                       MPI_FLOAT,
                                       MPI_DOUBLE,
                                       MPI_LONG_DOUBLE,
                                       MPI_WCHAR,
                                       MPI_C_BOOL,
                                       MPI_INT8_T,
                                       MPI_INT16_T,
                                       MPI_INT32_T,
                                       MPI_INT64_T,
                                       MPI_UINT8_T,
                                       MPI_UINT16_T,
                                       MPI_UINT32_T,
                                       MPI_UINT64_T,
                                       MPI_AINT,
                                       MPI_COUNT,
                                       MPI_OFFSET,
                                       MPI_C_FLOAT_COMPLEX,
                                       MPI_C_DOUBLE_COMPLEX,
                                       MPI_C_LONG_DOUBLE_COMPLEX,
                                       MPI_BYTE,
                                       MPI_PACKED,
                                       MPI_FLOAT_INT,
                                       MPI_DOUBLE_INT,
                                       MPI_LONG_INT,
                                       MPI_2INT,
                                       MPI_SHORT_INT,
                                       MPI_LONG_DOUBLE_INT};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        try_counts(all[i]);
}

static void regular(void)
{
    MPI_Datatype t, u;
    int sizes3[3] = {6, 7, 8}, part[3] = {2, 3, 4}, at[3] = {1, 2, 3};

    MPI_Type_contiguous(7, MPI_SHORT, &t);
    derived(t);
    MPI_Type_vector(5, 3, 4, MPI_INT, &t);
    derived(t);
    MPI_Type_vector(4, 2, -3, MPI_INT, &t);
    derived(t);
    MPI_Type_create_hvector(6, 1, 9, MPI_DOUBLE, &t);
    derived(t);
    MPI_Type_create_subarray(3, sizes3, part, at, MPI_ORDER_C, MPI_INT, &t);
    derived(t);
    MPI_Type_create_subarray(3, sizes3, part, at, MPI_ORDER_FORTRAN, MPI_CHAR, &t);
    derived(t);
    MPI_Type_vector(3, 1, 2, MPI_INT, &u);
    MPI_Type_create_resized(u, -8, 40, &t);
    derived(t);
    MPI_Type_create_resized(u, 0, 4, &t); /* elements that lie within each other */
    MPI_Type_free(&t);
    MPI_Type_create_hvector(3, 2, 100, u, &t);
    derived(t);
    MPI_Type_free(&u);
    MPI_Type_contiguous(0, MPI_INT, &t);
    derived(t);
}

static void irregular(void)
{
    MPI_Datatype t, u, types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
    int lengths[4] = {1, 3, 0, 2}, displs[4] = {10, 0, 4, 6}, three[3] = {3, 1, 2};
    MPI_Aint far[4] = {100, -16, 0, 33}, fields[3] = {0, 8, 20};

    MPI_Type_indexed(4, lengths, displs, MPI_INT, &t);
    derived(t);
    MPI_Type_create_hindexed(4, lengths, far, MPI_SHORT, &t);
    derived(t);
    MPI_Type_create_indexed_block(4, 2, displs, MPI_FLOAT, &t);
    derived(t);
    MPI_Type_create_hindexed_block(4, 3, far, MPI_CHAR, &t);
    derived(t);
    MPI_Type_create_struct(3, three, fields, types, &t);
    derived(t);
    MPI_Type_create_struct(3, three, fields, types, &u);
    types[1] = u;
    fields[1] = 64;
    fields[2] = 8;
    MPI_Type_create_struct(3, three, fields, types, &t); /* a struct of structs, out of order */
    derived(t);
    MPI_Type_dup(u, &t);
    derived(t);
    MPI_Type_free(&u);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    predefined();
    regular();
    irregular();
    return finish();
}
