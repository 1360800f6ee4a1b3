/* SPDX-License-Identifier: BSD-3-Clause */
/* All constructors of chapter 5 in both widths: sizes and bounds, and that both widths give equal
 * types; a type outlives the handles of what it was made from. */
/* RUN: -n 1 */
#include "common.h"

static void both(MPI_Datatype narrow, MPI_Datatype wide, MPI_Count size, MPI_Aint lb,
                 MPI_Aint extent, MPI_Aint true_lb, MPI_Aint true_extent)
{
    check_bounds(narrow, size, lb, extent, true_lb, true_extent);
    check_bounds(wide, size, lb, extent, true_lb, true_extent);
    MPI_Type_free(&narrow);
    MPI_Type_free(&wide);
    CHECK(narrow == MPI_DATATYPE_NULL && wide == MPI_DATATYPE_NULL);
}

static void regular(void)
{
    MPI_Datatype a, b;

    MPI_Type_contiguous(3, MPI_INT, &a);
    MPI_Type_contiguous_c(3, MPI_INT, &b);
    both(a, b, 12, 0, 12, 0, 12);
    MPI_Type_vector(3, 2, 4, MPI_INT, &a);
    MPI_Type_vector_c(3, 2, 4, MPI_INT, &b);
    both(a, b, 24, 0, 40, 0, 40);
    MPI_Type_create_hvector(3, 2, -20, MPI_INT, &a);
    MPI_Type_create_hvector_c(3, 2, -20, MPI_INT, &b);
    both(a, b, 24, -40, 48, -40, 48);
    MPI_Type_create_resized(MPI_INT, -3, 9, &a);
    MPI_Type_create_resized_c(MPI_INT, -3, 9, &b);
    both(a, b, 4, -3, 9, 0, 4);
    MPI_Type_contiguous(0, MPI_INT, &a);
    MPI_Type_contiguous_c(0, MPI_INT, &b);
    both(a, b, 0, 0, 0, 0, 0);
}

static void irregular(void)
{
    int lens[3] = {2, 0, 3}, displs[3] = {5, 100, 0};
    MPI_Count lens_c[3] = {2, 0, 3}, displs_c[3] = {5, 100, 0}, bytes_c[3] = {20, 400, 0};
    MPI_Aint bytes[3] = {20, 400, 0};
    MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_SHORT}, a, b;

    MPI_Type_indexed(3, lens, displs, MPI_INT, &a);
    MPI_Type_indexed_c(3, lens_c, displs_c, MPI_INT, &b);
    both(a, b, 20, 0, 28, 0, 28);
    MPI_Type_create_hindexed(3, lens, bytes, MPI_INT, &a);
    MPI_Type_create_hindexed_c(3, lens_c, bytes_c, MPI_INT, &b);
    both(a, b, 20, 0, 28, 0, 28);
    MPI_Type_create_indexed_block(3, 2, displs, MPI_SHORT, &a);
    MPI_Type_create_indexed_block_c(3, 2, displs_c, MPI_SHORT, &b);
    both(a, b, 12, 0, 204, 0, 204);
    MPI_Type_create_hindexed_block(2, 2, bytes, MPI_SHORT, &a);
    MPI_Type_create_hindexed_block_c(2, 2, bytes_c, MPI_SHORT, &b);
    both(a, b, 8, 20, 384, 20, 384);
    MPI_Type_create_struct(3, lens, bytes, types, &a);
    MPI_Type_create_struct_c(3, lens_c, bytes_c, types, &b);
    both(a, b, 14, 0, 28, 0, 28);
    MPI_Type_indexed(0, NULL, NULL, MPI_INT, &a);
    MPI_Type_indexed_c(0, NULL, NULL, MPI_INT, &b);
    both(a, b, 0, 0, 0, 0, 0);
}

static void arrays(void)
{
    int sizes[2] = {5, 8}, subs[2] = {3, 4}, starts[2] = {1, 2};
    MPI_Count sizes_c[2] = {5, 8}, subs_c[2] = {3, 4}, starts_c[2] = {1, 2};
    int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, psizes[2] = {2, 2};
    MPI_Datatype a, b;

    MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_C, MPI_INT, &a);
    MPI_Type_create_subarray_c(2, sizes_c, subs_c, starts_c, MPI_ORDER_C, MPI_INT, &b);
    both(a, b, 48, 0, 160, 40, 80);
    MPI_Type_create_subarray(2, sizes, subs, starts, MPI_ORDER_FORTRAN, MPI_INT, &a);
    MPI_Type_create_subarray_c(2, sizes_c, subs_c, starts_c, MPI_ORDER_FORTRAN, MPI_INT, &b);
    both(a, b, 48, 0, 160, 44, 72);
    /* Rank 3 of a 2 x 2 grid: rows 3 and 4, columns 2 3 6 7 */
    MPI_Type_create_darray(4, 3, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &a);
    MPI_Type_create_darray_c(4, 3, 2, sizes_c, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &b);
    both(a, b, 32, 0, 160, 104, 56);
}

static void parts_may_go(void)
{
    MPI_Datatype inner, middle, outer;
    int in[12], out[6], position = 0;

    MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
    MPI_Type_dup(inner, &middle);
    MPI_Type_free(&inner);
    MPI_Type_contiguous(2, middle, &outer);
    MPI_Type_free(&middle);
    MPI_Type_commit(&outer);
    for (int i = 0; i < 12; i++)
        in[i] = i;
    MPI_Pack(in, 1, outer, out, sizeof(out), &position, MPI_COMM_SELF);
    CHECK_EQ(position, 24);
    CHECK(out[0] == 0 && out[1] == 2 && out[2] == 4 && out[3] == 5 && out[4] == 7 && out[5] == 9);
    MPI_Type_free(&outer);
}

/* A type of 2^31 bytes: sizes that do not fit into an int are MPI_UNDEFINED. */
static void large(void)
{
    MPI_Count n = INT64_C(1) << 29;
    MPI_Datatype a, b;

    MPI_Type_contiguous_c(n, MPI_INT, &a);
    check_bounds(a, 4 * n, 0, 4 * n, 0, 4 * n);
    MPI_Type_vector_c(n, 1, 2, a, &b);
    check_bounds(b, 4 * n * n, 0, (2 * n - 1) * 4 * n, 0, (2 * n - 1) * 4 * n);
    MPI_Type_free(&a);
    MPI_Type_free(&b);
}

/* MPI_LB and MPI_UB, as programs of MPI-2 give them to MPI_Type_create_struct, too. */
static void old_bounds(void)
{
    int lens[4] = {1, 2, 1, 1};
    MPI_Aint bytes[4] = {-8, 0, 16, 48};
    MPI_Datatype types[4] = {MPI_LB, MPI_INT, MPI_DOUBLE, MPI_UB}, a, b, none;

    CHECK(MPI_Type_create_struct(4, lens, bytes, types, &a) == MPI_SUCCESS);
    CHECK(MPI_Type_struct(4, lens, bytes, types, &b) == MPI_SUCCESS);
    both(a, b, 16, -8, 56, 0, 24);
    CHECK(MPI_Type_create_struct(3, lens + 1, bytes + 1, types + 1, &a) == MPI_SUCCESS);
    CHECK(MPI_Type_struct(3, lens + 1, bytes + 1, types + 1, &b) == MPI_SUCCESS);
    both(a, b, 16, 0, 48, 0, 24);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK(MPI_Type_contiguous(2, MPI_UB, &none) == MPI_ERR_TYPE); /* nowhere else */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    regular();
    irregular();
    old_bounds();
    arrays();
    parts_may_go();
    large();
    MPI_Finalize();
    return 0;
}
