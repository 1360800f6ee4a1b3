/* SPDX-License-Identifier: BSD-3-Clause */
/* topo_test.c – factors of process counts, grids, neighbours. */
#include "comm/topo.h"

#include "base/test.h"

static struct mend_proc *self;

static void check_dims(int nodes, int ndims, const int *given, const int *expected)
{
    int dims[8];

    memcpy(dims, given, (size_t)ndims * sizeof(int));
    CHECK_EQ(mend_dims_create(nodes, ndims, dims), MPI_SUCCESS);
    for (int d = 0; d < ndims; d++)
        CHECK_EQ(dims[d], expected[d]);
}

static const int none[8];

MEND_TEST(examples_of_the_standard)
{
    check_dims(6, 2, none, (int[]){3, 2});
    check_dims(7, 2, none, (int[]){7, 1});
    check_dims(6, 3, (int[]){0, 3, 0}, (int[]){2, 3, 1});
    CHECK_EQ(mend_dims_create(7, 3, (int[]){0, 3, 0}), MPI_ERR_DIMS);
}

MEND_TEST(balanced)
{
    check_dims(1, 3, none, (int[]){1, 1, 1});
    check_dims(24, 3, none, (int[]){4, 3, 2});
    check_dims(36, 3, none, (int[]){4, 3, 3});
    check_dims(100, 2, none, (int[]){10, 10});
    check_dims(1024, 3, none, (int[]){16, 8, 8});
    check_dims(2 * 3 * 5 * 7 * 11 * 13, 4, none, (int[]){15, 14, 13, 11});
    check_dims(672600, 3, none, (int[]){118, 76, 75}); /* not {114, 100, 59} */
    check_dims(149760, 4, none, (int[]){26, 20, 18, 16});
    check_dims(12, 4, (int[]){0, 1, 0, 2}, (int[]){3, 1, 2, 2});
    check_dims(2147483647, 2, none, (int[]){2147483647, 1});
    check_dims(1 << 30, 1, none, (int[]){1 << 30});
    check_dims(2 * 1073741789, 3, none, (int[]){1073741789, 2, 1});
    check_dims(1 << 30, 8, none, (int[]){16, 16, 16, 16, 16, 16, 8, 8});
}

MEND_TEST(products_and_order_of_all_small_counts)
{
    for (int n = 1; n <= 400; n++) {
        for (int k = 1; k <= 5; k++) {
            int dims[5] = {0}, product = 1;

            CHECK_EQ(mend_dims_create(n, k, dims), MPI_SUCCESS);
            for (int d = 0; d < k; d++) {
                product *= dims[d];
                CHECK(dims[d] >= 1 && (d == 0 || dims[d] <= dims[d - 1]));
            }
            CHECK_EQ(product, n);
            for (int f = 1; k == 2 && f * f <= n; f++) /* no pair is closer */
                CHECK(n % f || n / f >= dims[0]);
        }
    }
}

/* The smallest distance between the largest and the smallest of three factors of n. */
static int smallest_spread(int n)
{
    int best = n;

    for (int a = 1; a <= n; a++)
        for (int b = a; n % a == 0 && b <= n / a; b++)
            if (n / a % b == 0 && n / a / b >= b && n / a / b - a < best)
                best = n / a / b - a;
    return best;
}

/* MPI-5.0 8.5.2: as close to each other as possible. */
MEND_TEST(no_three_are_closer)
{
    for (int n = 1; n <= 3000; n++) {
        int dims[3] = {0};

        CHECK_EQ(mend_dims_create(n, 3, dims), MPI_SUCCESS);
        CHECK_EQ(dims[0] - dims[2], smallest_spread(n));
    }
}

MEND_TEST(impossible_dimensions)
{
    CHECK_EQ(mend_dims_create(6, 2, (int[]){4, 0}), MPI_ERR_DIMS);
    CHECK_EQ(mend_dims_create(6, 2, (int[]){-1, 0}), MPI_ERR_DIMS);
    CHECK_EQ(mend_dims_create(6, 2, (int[]){2, 2}), MPI_ERR_DIMS);
    CHECK_EQ(mend_dims_create(6, 0, NULL), MPI_ERR_DIMS);
    CHECK_EQ(mend_dims_create(1, 0, NULL), MPI_SUCCESS);
    CHECK_EQ(mend_dims_create(6, 2, (int[]){3, 2}), MPI_SUCCESS);
}

static struct mend_cart *grid(int rank)
{
    if (!self)
        self = mend_proc_create_bare();
    return &mend_topo_cart(self, 3, (int[]){2, 3, 4}, (int[]){0, 1, 0}, rank)->cart;
}

MEND_TEST(ranks_and_coordinates)
{
    struct mend_cart *g = grid(17); /* (1, 1, 1) */
    int coords[3], rank;

    CHECK(g->coords[0] == 1 && g->coords[1] == 1 && g->coords[2] == 1);
    for (int r = 0; r < 24; r++) {
        mend_cart_coords(g, r, coords);
        CHECK_EQ(mend_cart_rank(g, coords, &rank), MPI_SUCCESS);
        CHECK_EQ(rank, r);
    }
    CHECK_EQ(mend_cart_rank(g, (int[]){0, -4, 0}, &rank), MPI_SUCCESS); /* periodic */
    CHECK_EQ(rank, 8);
    CHECK_EQ(mend_cart_rank(g, (int[]){2, 0, 0}, &rank), MPI_ERR_ARG);
    CHECK_EQ(mend_cart_rank(g, (int[]){0, 0, -1}, &rank), MPI_ERR_ARG);
    CHECK_EQ(mend_cart_nodes(3, (int[]){2, 3, 4}), 24);
    CHECK_EQ(mend_cart_nodes(2, (int[]){1 << 20, 1 << 20}), -1);
    CHECK_EQ(mend_cart_nodes(0, NULL), 1);
}

MEND_TEST(neighbours_of_a_grid)
{
    struct mend_cart *g = grid(1); /* (0, 0, 1) */

    CHECK_EQ(mend_cart_neighbour(g, 0, -1), MPI_PROC_NULL);
    CHECK_EQ(mend_cart_neighbour(g, 0, 1), 13);
    CHECK_EQ(mend_cart_neighbour(g, 1, -1), 9);
    CHECK_EQ(mend_cart_neighbour(g, 1, 4), 5);
    CHECK_EQ(mend_cart_neighbour(g, 2, 3), MPI_PROC_NULL);
    CHECK_EQ(mend_cart_neighbour(g, 1, -(int64_t)INT32_MIN), 9); /* 2^31 mod 3 = 2 */
}

MEND_TEST(neighbours_for_collectives)
{
    struct mend_comm c = {.rank = 1, .size = 4};
    int in[8] = {0}, out[8] = {0}, in_n = 0, out_n = 0;

    c.topo = mend_topo_cart(self, 2, (int[]){2, 2}, (int[]){1, 0}, 1);
    mend_topo_degrees(&c, &in_n, &out_n);
    CHECK(in_n == 4 && out_n == 4);
    mend_topo_neighbours(&c, in, out);
    CHECK(in[0] == 3 && in[1] == 3 && in[2] == 0 && in[3] == MPI_PROC_NULL);
    CHECK(!memcmp(in, out, sizeof(in)));

    c.topo = mend_topo_graph(self, 4, (int[]){2, 3, 4, 6}, (int[]){1, 3, 0, 3, 0, 2});
    mend_topo_degrees(&c, &in_n, &out_n);
    CHECK(in_n == 1 && out_n == 1);
    mend_topo_neighbours(&c, in, out);
    CHECK(in[0] == 0 && out[0] == 0);
    c.rank = 3;
    mend_topo_neighbours(&c, in, out);
    CHECK(in[0] == 0 && in[1] == 2);

    c.topo = mend_topo_dist(
        self, &(struct mend_dist_graph){
                  .in_n = 1, .out_n = 2, .sources = (int[]){2}, .destinations = (int[]){3, 0}});
    mend_topo_degrees(&c, &in_n, &out_n);
    CHECK(in_n == 1 && out_n == 2);
    mend_topo_neighbours(&c, in, out);
    CHECK(in[0] == 2 && out[0] == 3 && out[1] == 0);
}

MEND_TEST(copies_and_memory)
{
    size_t before = self->arena->in_use_bytes;
    struct mend_topo *t = mend_topo_cart(self, 2, (int[]){3, 2}, (int[]){1, 0}, 5);
    struct mend_topo *copy = mend_topo_dup(self, t);

    CHECK(copy->cart.coords[0] == 2 && copy->cart.coords[1] == 1);
    CHECK(copy->cart.periods[0] && !copy->cart.periods[1]);
    mend_topo_free(self, t);
    mend_topo_free(self, copy);
    t = mend_topo_graph(self, 2, (int[]){1, 2}, (int[]){1, 0});
    copy = mend_topo_dup(self, t);
    CHECK_EQ(copy->graph.edges[1], 0);
    mend_topo_free(self, t);
    mend_topo_free(self, copy);
    CHECK_EQ(self->arena->in_use_bytes, before);
}

MEND_TEST_MAIN()
