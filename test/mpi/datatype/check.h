/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h – what the datatype tests share: one line per expectation. */
#ifndef TEST_DATATYPE_CHECK_H
#define TEST_DATATYPE_CHECK_H

#include <mpi.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond_)                                                                               \
    do {                                                                                           \
        if (!(cond_)) {                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #cond_);                  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

#define CHECK_EQ(a_, b_)                                                                           \
    do {                                                                                           \
        long long va_ = (long long)(a_), vb_ = (long long)(b_);                                    \
        if (va_ != vb_) {                                                                          \
            fprintf(stderr, "%s:%d: %s is %lld, expected %s = %lld\n", __FILE__, __LINE__, #a_,    \
                    va_, #b_, vb_);                                                                \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* The call fails with exactly this error class. */
#define CHECK_CLASS(call_, class_)                                                                 \
    do {                                                                                           \
        int code_ = (call_), got_ = code_;                                                         \
        if (code_ != MPI_SUCCESS)                                                                  \
            MPI_Error_class(code_, &got_);                                                         \
        if (got_ != (class_)) {                                                                    \
            fprintf(stderr, "%s:%d: %s gives class %d, expected %s = %d\n", __FILE__, __LINE__,    \
                    #call_, got_, #class_, (int)(class_));                                         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* Errors of calls without a communicator are raised on MPI_COMM_SELF. */
static inline void return_errors(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

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
