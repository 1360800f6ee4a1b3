/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – what the datatype tests share. */
#ifndef TEST_DATATYPE_COMMON_H
#define TEST_DATATYPE_COMMON_H

#include "../../program.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

static inline void check_bounds(MPI_Datatype type, MPI_Count size, MPI_Aint lb, MPI_Aint extent,
                                MPI_Aint true_lb, MPI_Aint true_extent)
{
    MPI_Aint a, b;
    MPI_Count c, d;
    int n;

    CHECK_EQ(MPI_Type_size(type, &n), MPI_SUCCESS);
    CHECK_EQ(n, size <= INT_MAX ? size : MPI_UNDEFINED);
    MPI_Type_size_x(type, &c);
    CHECK_EQ(c, size);
    MPI_Type_size_c(type, &d);
    CHECK_EQ(d, size);
    MPI_Type_get_extent(type, &a, &b);
    CHECK_EQ(a, lb);
    CHECK_EQ(b, extent);
    MPI_Type_get_extent_c(type, &c, &d);
    CHECK(c == lb && d == extent);
    MPI_Type_get_extent_x(type, &c, &d);
    CHECK(c == lb && d == extent);
    MPI_Type_get_true_extent(type, &a, &b);
    CHECK_EQ(a, true_lb);
    CHECK_EQ(b, true_extent);
    MPI_Type_get_true_extent_c(type, &c, &d);
    CHECK(c == true_lb && d == true_extent);
    MPI_Type_get_true_extent_x(type, &c, &d);
    CHECK(c == true_lb && d == true_extent);
}

#endif
