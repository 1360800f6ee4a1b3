/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing units one after the other, external32, and numbers of elements in a status. */
/* RUN: -n 1 */
#include "common.h"

static void units(void)
{
    int matrix[4][5], row[4], back[4][5] = {{0}}, position = 0, size;
    double x = 2.5, y = 0;
    char buf[100];
    MPI_Datatype column;

    for (int i = 0; i < 20; i++)
        matrix[i / 5][i % 5] = i;
    MPI_Type_vector(4, 1, 5, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Pack_size(1, column, MPI_COMM_WORLD, &size);
    CHECK_EQ(size, 16);
    MPI_Pack(&x, 1, MPI_DOUBLE, buf, sizeof(buf), &position, MPI_COMM_WORLD);
    MPI_Pack(&matrix[0][2], 1, column, buf, sizeof(buf), &position, MPI_COMM_WORLD);
    CHECK_EQ(position, 24);
    position = 0;
    MPI_Unpack(buf, 24, &position, &y, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(buf, 24, &position, row, 4, MPI_INT, MPI_COMM_WORLD);
    CHECK(y == 2.5 && position == 24);
    CHECK(row[0] == 2 && row[1] == 7 && row[2] == 12 && row[3] == 17);
    position = 8;
    MPI_Unpack(buf, 24, &position, &back[0][0], 1, column, MPI_COMM_WORLD);
    CHECK(back[1][0] == 7 && back[3][0] == 17 && back[1][1] == 0);
    MPI_Type_free(&column);
}

static void wide_units(void)
{
    int x[3] = {1, 2, 3}, y[3];
    char buf[12];
    MPI_Count position = 0, size;

    MPI_Pack_size_c(3, MPI_INT, MPI_COMM_WORLD, &size);
    CHECK_EQ(size, 12);
    MPI_Pack_size_c(INT64_C(1) << 40, MPI_INT, MPI_COMM_WORLD, &size);
    CHECK_EQ(size, INT64_C(1) << 42);
    MPI_Pack_c(x, 3, MPI_INT, buf, 12, &position, MPI_COMM_WORLD);
    CHECK_EQ(position, 12);
    position = 4;
    MPI_Unpack_c(buf, 12, &position, y, 2, MPI_INT, MPI_COMM_WORLD);
    CHECK(y[0] == 2 && y[1] == 3 && position == 12);
}

static void external(void)
{
    struct {
        char c;
        long n;
        double d;
    } in = {'x', -5, 1.0}, out = {0, 0, 0};
    static const unsigned char want[13] = {'x', 255, 255, 255, 251, 0x3f, 0xf0};
    unsigned char buf[16];
    int lens[3] = {1, 1, 1};
    MPI_Aint displs[3] = {0, 8, 16}, size, position = 0;
    MPI_Count size_c, position_c = 0;
    MPI_Datatype types[3] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE}, t;

    MPI_Type_create_struct(3, lens, displs, types, &t);
    MPI_Type_commit(&t);
    MPI_Pack_external_size("external32", 2, t, &size);
    CHECK_EQ(size, 26);
    MPI_Pack_external_size_c("external32", 1, t, &size_c);
    CHECK_EQ(size_c, 13);
    MPI_Pack_external("external32", &in, 1, t, buf, sizeof(buf), &position);
    CHECK(position == 13 && !memcmp(buf, want, 13));
    position = 0;
    MPI_Unpack_external("external32", buf, 13, &position, &out, 1, t);
    CHECK(position == 13 && out.c == 'x' && out.n == -5 && out.d == 1.0);
    memset(buf, 0, sizeof(buf));
    MPI_Pack_external_c("external32", &in, 1, t, buf, sizeof(buf), &position_c);
    CHECK(position_c == 13 && !memcmp(buf, want, 13));
    memset(&out, 0, sizeof(out));
    position_c = 0;
    MPI_Unpack_external_c("external32", buf, 13, &position_c, &out, 1, t);
    CHECK(position_c == 13 && out.c == 'x' && out.n == -5 && out.d == 1.0);
    MPI_Type_free(&t);
}

/* A structure of one block of several elements, each of two kinds. */
static void external_block(void)
{
    static const unsigned char want[18] = {0, 1, 0, 0, 0, 2, 0, 3, 0, 0, 0, 4, 0, 5, 0, 0, 0, 6};
    struct {
        short s;
        int i;
    } in[3] = {{1, 2}, {3, 4}, {5, 6}}, out[3] = {{0, 0}};
    unsigned char buf[20] = {0};
    MPI_Aint size, position = 0;
    MPI_Datatype t;

    MPI_Type_create_struct(1, &(int){3}, &(MPI_Aint){0}, &(MPI_Datatype){MPI_SHORT_INT}, &t);
    MPI_Type_commit(&t);
    MPI_Pack_external_size("external32", 1, t, &size);
    CHECK_EQ(size, 18);
    MPI_Pack_external("external32", in, 1, t, buf, sizeof(buf), &position);
    CHECK(position == 18 && !memcmp(buf, want, 18));
    position = 0;
    MPI_Unpack_external("external32", buf, 18, &position, out, 1, t);
    CHECK_EQ(position, 18);
    for (int i = 0; i < 3; i++)
        CHECK(out[i].s == in[i].s && out[i].i == in[i].i);
    MPI_Type_free(&t);
}

/* {double, int, double} as MPI_DOUBLE_INT: one and a half pairs, three elements */
static void elements(void)
{
    MPI_Status status = {.MPI_SOURCE = 3, .MPI_TAG = 4, .MPI_ERROR = 5};
    MPI_Count many;
    int n;

    MPI_Status_set_elements(&status, MPI_DOUBLE_INT, 3);
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &n);
    CHECK_EQ(n, 3);
    MPI_Get_count(&status, MPI_DOUBLE_INT, &n);
    CHECK_EQ(n, MPI_UNDEFINED);
    MPI_Get_count(&status, MPI_BYTE, &n);
    CHECK_EQ(n, 20);
    MPI_Get_elements(&status, MPI_LONG_DOUBLE, &n);
    CHECK_EQ(n, MPI_UNDEFINED);
    CHECK(status.MPI_SOURCE == 3 && status.MPI_TAG == 4 && status.MPI_ERROR == 5);
    MPI_Status_set_elements_x(&status, MPI_INT, INT64_C(1) << 33);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK_EQ(n, MPI_UNDEFINED);
    MPI_Get_count_c(&status, MPI_INT, &many);
    CHECK_EQ(many, INT64_C(1) << 33);
    MPI_Get_elements_x(&status, MPI_2INT, &many);
    CHECK_EQ(many, INT64_C(1) << 33);
    MPI_Status_set_elements_c(&status, MPI_INT, 7);
    MPI_Get_elements_c(&status, MPI_INT, &many);
    CHECK_EQ(many, 7);
}

static void addresses(void)
{
    int x[10];
    MPI_Aint a, b;

    MPI_Get_address(&x[2], &a);
    MPI_Get_address(&x[7], &b);
    CHECK_EQ(MPI_Aint_diff(b, a), 20);
    CHECK_EQ(MPI_Aint_add(a, 20), b);
    CHECK((int *)a == &x[2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    units();
    wide_units();
    external();
    external_block();
    elements();
    addresses();
    MPI_Finalize();
    return 0;
}
