/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments give the right error class and leave outputs alone. */
/* RUN: -n 1 */
#include "common.h"

static MPI_Datatype untouched = MPI_CHAR, *const out = &untouched;

static void constructors(void)
{
    int lens[2] = {1, -1}, good[2] = {1, 1}, displs[2] = {0, 4}, n = 4, sub = 5, start = 0;
    MPI_Aint bytes[2] = {0, 4};
    MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};

    CHECK_CLASS(MPI_Type_contiguous(-1, MPI_INT, out), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, out), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_contiguous(1, NULL, out), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_contiguous(1, (MPI_Datatype)(void *)MPI_COMM_WORLD, out), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_vector(1, -1, 1, MPI_INT, out), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_vector(-1, 1, 1, MPI_INT, out), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_indexed(2, lens, displs, MPI_INT, out), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_indexed(2, NULL, displs, MPI_INT, out), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_indexed_block(2, 1, NULL, MPI_INT, out), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_struct(2, good, bytes, types, out), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_create_struct(2, good, bytes, NULL, out), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_subarray(1, &n, &sub, &start, MPI_ORDER_C, MPI_INT, out),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_subarray(0, &n, &n, &start, MPI_ORDER_C, MPI_INT, out),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_subarray(1, &n, &n, &start, 7, MPI_INT, out), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_contiguous_c(INT64_MAX, MPI_INT, out), MPI_ERR_ARG); /* too large */
    CHECK(untouched == MPI_CHAR);
}

/* Products that no MPI_Count holds. */
static void too_many(void)
{
    const MPI_Count beyond = ((MPI_Count)1 << 61) + 1; /* times 8 is 8 */
    double x[2] = {1, 2}, y[2] = {3, 4};
    MPI_Count position = 0, lens[1] = {1};
    MPI_Datatype sparse;
    MPI_Status status;
    int n = 7;

    CHECK_CLASS(MPI_Pack_c(x, beyond, MPI_DOUBLE, y, 16, &position, MPI_COMM_SELF), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Unpack_c(x, 16, &position, y, beyond, MPI_DOUBLE, MPI_COMM_SELF),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Pack_size_c(beyond, MPI_DOUBLE, MPI_COMM_SELF, &position), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Pack_external_c("external32", x, beyond, MPI_DOUBLE, y, 16, &position),
                MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Pack_external_size_c("external32", beyond, MPI_DOUBLE, &position),
                MPI_ERR_COUNT);
    CHECK_EQ(position, 0);
    CHECK_CLASS(MPI_Reduce_local_c(x, y, beyond, MPI_DOUBLE, MPI_SUM), MPI_ERR_COUNT);
    CHECK(y[0] == 3);
    memset(&status, 0, sizeof status);
    MPI_Status_set_elements(&status, MPI_DOUBLE, 2);
    CHECK_CLASS(MPI_Status_set_elements_c(&status, MPI_DOUBLE, beyond), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Status_set_elements_x(&status, MPI_DOUBLE, beyond), MPI_ERR_COUNT);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    CHECK_EQ(n, 2);
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 61, &sparse);
    MPI_Type_commit(&sparse);
    position = 0;
    CHECK_CLASS(MPI_Pack_c(x, 5, sparse, y, 16, &position, MPI_COMM_SELF), MPI_ERR_COUNT);
    MPI_Type_free(&sparse);
    /* An array of more numbers than any memory has. */
    CHECK_CLASS(MPI_Type_create_hindexed_c(INT64_MAX, lens, lens, MPI_INT, out), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_create_hindexed_block_c(INT64_MAX, 1, lens, MPI_INT, out), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_vector_c(2, 1, INT64_MAX / 2, MPI_INT, out), MPI_ERR_ARG);
}

static void life(void)
{
    MPI_Datatype t = MPI_INT, again;

    CHECK_CLASS(MPI_Type_free(&t), MPI_ERR_TYPE);
    CHECK(t == MPI_INT);
    CHECK_EQ(MPI_Type_commit(&t), MPI_SUCCESS);
    t = MPI_DATATYPE_NULL;
    CHECK_CLASS(MPI_Type_commit(&t), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_free(&t), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_free(NULL), MPI_ERR_ARG);
    MPI_Type_contiguous(2, MPI_INT, &t);
    again = t;
    MPI_Type_free(&t);
    CHECK_CLASS(MPI_Type_free(&again), MPI_ERR_TYPE);
}

static void use(void)
{
    int x[4] = {0}, position = 0, n, y[2];
    MPI_Count m = 0;
    MPI_Datatype t;

    MPI_Type_contiguous(2, MPI_INT, &t);
    CHECK_CLASS(MPI_Pack(x, 1, t, x, 16, &position, MPI_COMM_SELF), MPI_ERR_TYPE); /* commit */
    MPI_Type_commit(&t);
    CHECK_CLASS(MPI_Pack(x, -1, t, y, 8, &position, MPI_COMM_SELF), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Pack(x, 1, t, y, 7, &position, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Pack(x, 1, t, y, 8, &position, MPI_COMM_NULL), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Pack(NULL, 1, t, y, 8, &position, MPI_COMM_SELF), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Pack(x, 1, t, y, 8, NULL, MPI_COMM_SELF), MPI_ERR_ARG);
    CHECK_EQ(position, 0);
    position = 9;
    CHECK_CLASS(MPI_Unpack(x, 8, &position, y, 1, t, MPI_COMM_SELF), MPI_ERR_ARG);
    position = 4;
    CHECK_CLASS(MPI_Unpack(x, 8, &position, y, 1, t, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Pack_external("internal", x, 1, t, y, 8, &m), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_size(t, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_size(MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Get_address(x, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_get_contents(t, 0, 0, 1, x, &m, &t), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_get_contents(MPI_INT, 1, 1, 1, x, &m, &t), MPI_ERR_TYPE);
    MPI_Type_free(&t);
}

static void operators(void)
{
    int a = 1, b = 2;
    MPI_Op op = MPI_SUM;
    MPI_Datatype t;

    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    op = MPI_OP_NULL;
    CHECK_CLASS(MPI_Op_free(&op), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(&a, &b, 1, MPI_BYTE, MPI_SUM), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(&a, &b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Reduce_local(&a, &a, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(NULL, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Reduce_local(&a, &b, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    MPI_Type_contiguous(1, MPI_INT, &t);
    MPI_Type_commit(&t);
    CHECK_CLASS(MPI_Reduce_local(&a, &b, 1, t, MPI_SUM), MPI_ERR_OP);
    MPI_Type_free(&t);
    CHECK_EQ(b, 2);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return_errors();
    constructors();
    too_many();
    life();
    use();
    operators();
    MPI_Finalize();
    return 0;
}
