/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies (MPI-5.0 8.5.1, 8.5.2, 8.5.5 to 8.5.7). */
/* RUN: -n 6 */
/* RUN: -n 7 */
#include "../comm/common.h"

/* 3 x 2, periodic in the first dimension. */
static const int dims[] = {3, 2}, periods[] = {1, 0};

static void ask(MPI_Comm cart)
{
    int d[2], p[2], c[2], n = -1, r = -1, from = -9, to = -9, me;

    MPI_Comm_rank(cart, &me);
    CHECK_OK(MPI_Topo_test(cart, &n));
    CHECK_EQ(n, MPI_CART);
    CHECK_OK(MPI_Cartdim_get(cart, &n));
    CHECK_EQ(n, 2);
    CHECK_OK(MPI_Cart_get(cart, 2, d, p, c));
    CHECK(d[0] == 3 && d[1] == 2 && p[0] == 1 && p[1] == 0);
    CHECK(c[0] == me / 2 && c[1] == me % 2);
    CHECK_OK(MPI_Cart_coords(cart, 5, 2, c));
    CHECK(c[0] == 2 && c[1] == 1);
    CHECK_OK(MPI_Cart_rank(cart, (int[]){-1, 1}, &r));
    CHECK_EQ(r, 5);
    CHECK_CLASS(MPI_Cart_rank(cart, (int[]){0, 2}, &r), MPI_ERR_ARG);
    CHECK_OK(MPI_Cart_shift(cart, 0, 1, &from, &to));
    CHECK_EQ(from, (me + 4) % 6);
    CHECK_EQ(to, (me + 2) % 6);
    CHECK_OK(MPI_Cart_shift(cart, 1, 1, &from, &to));
    CHECK_EQ(from, me % 2 ? me - 1 : MPI_PROC_NULL);
    CHECK_EQ(to, me % 2 ? MPI_PROC_NULL : me + 1);
    CHECK_OK(MPI_Cart_shift(cart, 0, -4, &from, &to));
    CHECK_EQ(to, (me + 4) % 6);
}

static void sub(MPI_Comm cart)
{
    MPI_Comm row, column, point;
    int me, r = -1, n = -1, d[1], p[1], c[1];

    MPI_Comm_rank(cart, &me);
    CHECK_OK(MPI_Cart_sub(cart, (int[]){0, 1}, &row));
    CHECK_OK(MPI_Comm_size(row, &n));
    CHECK_OK(MPI_Comm_rank(row, &r));
    CHECK(n == 2 && r == me % 2);
    CHECK_OK(MPI_Cart_sub(cart, (int[]){1, 0}, &column));
    CHECK_OK(MPI_Cart_get(column, 1, d, p, c));
    CHECK(d[0] == 3 && p[0] == 1 && c[0] == me / 2);
    ring(column);
    CHECK_OK(MPI_Cart_sub(cart, (int[]){0, 0}, &point));
    CHECK_OK(MPI_Comm_size(point, &n));
    CHECK_EQ(n, 1);
    CHECK_OK(MPI_Cartdim_get(point, &n));
    CHECK_EQ(n, 0);
    CHECK_OK(MPI_Comm_free(&row));
    CHECK_OK(MPI_Comm_free(&column));
    CHECK_OK(MPI_Comm_free(&point));
}

static void wrong(MPI_Comm cart)
{
    MPI_Comm c = MPI_COMM_SELF;
    int n = -1, a[2], b[2], d[2];

    CHECK_CLASS(MPI_Cart_get(cart, 1, a, b, d), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_coords(cart, 6, 2, a), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Cart_coords(cart, 0, 1, a), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_shift(cart, 2, 1, &n, &n), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_shift(cart, 0, 1, NULL, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_sub(cart, NULL, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_rank(MPI_COMM_WORLD, a, &n), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cart_sub(MPI_COMM_WORLD, a, &c), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Graph_neighbors_count(cart, 0, &n), MPI_ERR_TOPOLOGY);
    CHECK_CLASS(MPI_Cartdim_get(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    CHECK(c == MPI_COMM_SELF);
}

static void wrong_everywhere(void)
{
    MPI_Comm c = MPI_COMM_SELF;

    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){size + 1}, periods, 0, &c),
                MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){0}, periods, 0, &c), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &c), MPI_ERR_DIMS);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, NULL, periods, 0, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Cart_create(MPI_COMM_NULL, 2, dims, periods, 0, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dims_create(0, 1, (int[]){0}), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dims_create(5, 2, (int[]){2, 0}), MPI_ERR_DIMS);
    CHECK(c == MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
    MPI_Comm cart = MPI_COMM_SELF, dup;
    int n = -1, two[] = {0, 0};

    start(&argc, &argv);
    CHECK_OK(MPI_Topo_test(MPI_COMM_WORLD, &n));
    CHECK_EQ(n, MPI_UNDEFINED);
    CHECK_OK(MPI_Dims_create(6, 2, two));
    CHECK(two[0] == 3 && two[1] == 2);
    CHECK_OK(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &n));
    CHECK_EQ(n, rank < 6 ? rank : MPI_UNDEFINED);
    CHECK_OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart));
    CHECK((cart == MPI_COMM_NULL) == (rank >= 6));
    if (cart != MPI_COMM_NULL) {
        ask(cart);
        CHECK_OK(MPI_Comm_dup(cart, &dup)); /* a duplicate has the topology */
        ask(dup);
        CHECK_OK(MPI_Comm_free(&dup));
        sub(cart);
        wrong(cart);
        CHECK_OK(MPI_Comm_free(&cart));
    }
    CHECK_OK(
        MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &cart)); /* one process, no dimension */
    CHECK((cart == MPI_COMM_NULL) == (rank > 0));
    if (rank == 0)
        CHECK_OK(MPI_Comm_free(&cart));
    wrong_everywhere();
    return finish();
}
