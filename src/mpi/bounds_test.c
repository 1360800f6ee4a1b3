/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds_test.c – structures with MPI_LB and MPI_UB, on a toy model of datatypes.
 *
 * The model knows of a type only its bounds, counts the types that exist, and fails on request. */
#include "mpi/bounds.h"
#include "mpi/check.h"

#include "base/test.h"

#define TOYS 64

static struct {
    MPI_Aint lb, ub;
    bool alive;
} toys[TOYS];
static int alive_n, fail_after = -1; /* -1: never */

static MPI_Datatype toy_create(MPI_Aint lb, MPI_Aint ub)
{
    for (int i = 1; i < TOYS; i++) {
        if (!toys[i].alive) {
            toys[i].alive = true;
            toys[i].lb = lb;
            toys[i].ub = ub;
            alive_n++;
            return (MPI_Datatype)(uintptr_t)(0x10000 + i);
        }
    }
    abort();
}

static MPI_Aint toy_bound(MPI_Datatype t, bool upper)
{
    if (t == MPI_INT)
        return upper ? 4 : 0;
    if (t == MPI_DOUBLE)
        return upper ? 8 : 0;
    CHECK((uintptr_t)t > 0x10000 && toys[(uintptr_t)t - 0x10000].alive);
    return upper ? toys[(uintptr_t)t - 0x10000].ub : toys[(uintptr_t)t - 0x10000].lb;
}

static bool fails(void)
{
    return fail_after >= 0 && fail_after-- == 0;
}

int PMPI_Type_create_struct(int n, const int lens[], const MPI_Aint at[],
                            const MPI_Datatype types[], MPI_Datatype *new)
{
    MPI_Aint lb = 0, ub = 0;

    if (fails())
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++) {
        MPI_Aint low = at[i] + toy_bound(types[i], false);
        MPI_Aint high = at[i] + toy_bound(types[i], true) * lens[i];

        lb = i == 0 || low < lb ? low : lb;
        ub = i == 0 || high > ub ? high : ub;
    }
    *new = toy_create(lb, ub);
    return MPI_SUCCESS;
}

int PMPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *new)
{
    (void)toy_bound(old, false);
    if (fails())
        return MPI_ERR_NO_MEM;
    *new = toy_create(lb, lb + extent);
    return MPI_SUCCESS;
}

int PMPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *new)
{
    CHECK(count == 0 && old == MPI_BYTE);
    *new = toy_create(0, 0);
    return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype t, MPI_Aint *lb, MPI_Aint *extent)
{
    *lb = toy_bound(t, false);
    *extent = toy_bound(t, true) - *lb;
    return MPI_SUCCESS;
}

int PMPI_Type_free(MPI_Datatype *t)
{
    CHECK(toys[(uintptr_t)*t - 0x10000].alive);
    toys[(uintptr_t)*t - 0x10000].alive = false;
    alive_n--;
    *t = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* Makes the structure, compares its bounds, and expects that nothing else is left. */
static void expect(int n, MPI_Datatype *types, MPI_Aint *at, MPI_Aint lb, MPI_Aint ub)
{
    int lens[] = {1, 1, 1, 1, 1, 1};
    MPI_Datatype t = MPI_DATATYPE_NULL;

    CHECK_EQ(PMPI_Type_struct(n, lens, at, types, &t), MPI_SUCCESS);
    CHECK_EQ(toy_bound(t, false), lb);
    CHECK_EQ(toy_bound(t, true), ub);
    PMPI_Type_free(&t);
    CHECK_EQ(alive_n, 0);
}

MEND_TEST(without_bounds)
{
    expect(2, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, (MPI_Aint[]){4, 8}, 4, 16);
}

MEND_TEST(upper_bound_at_the_end)
{
    expect(3, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_UB}, (MPI_Aint[]){0, 8, 64}, 0, 64);
}

MEND_TEST(bounds_inside_the_structure_and_in_the_middle)
{
    expect(6, (MPI_Datatype[]){MPI_LB, MPI_INT, MPI_UB, MPI_DOUBLE, MPI_DOUBLE, MPI_LB},
           (MPI_Aint[]){-8, 0, 12, 8, 24, 3}, -8, 12);
}

MEND_TEST(highest_upper_and_lowest_lower_bound_count)
{
    expect(5, (MPI_Datatype[]){MPI_UB, MPI_LB, MPI_INT, MPI_LB, MPI_UB},
           (MPI_Aint[]){20, -1, 0, -4, 10}, -4, 20);
}

MEND_TEST(nothing_but_bounds)
{
    expect(2, (MPI_Datatype[]){MPI_LB, MPI_UB}, (MPI_Aint[]){-2, 6}, -2, 6);
}

/* Whatever step fails, the error comes back, the output is not written and nothing is left over. */
MEND_TEST(failures_leave_nothing)
{
    MPI_Datatype types[] = {MPI_INT, MPI_UB, MPI_INT, MPI_LB, MPI_DOUBLE};
    MPI_Aint at[] = {0, 100, 4, 0, 8};
    int lens[] = {1, 1, 1, 1, 1};

    for (int k = 0; k < 6; k++) {
        MPI_Datatype t = MPI_DATATYPE_NULL;

        fail_after = k;
        CHECK_EQ(PMPI_Type_struct(5, lens, at, types, &t), MPI_ERR_NO_MEM);
        CHECK(t == MPI_DATATYPE_NULL);
        CHECK_EQ(alive_n, 0);
    }
    fail_after = -1;
}

MEND_TEST_MAIN()
