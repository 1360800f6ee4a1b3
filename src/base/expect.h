/* SPDX-License-Identifier: BSD-3-Clause */
/* expect.h – the expectations of a test, one line each; the same for unit tests and for MPI programs.
 *
 *     CHECK(condition)
 *     CHECK_EQ(value, expected)    integers
 *     CHECK_STR(text, expected)
 *
 * An expectation that does not hold prints its place and ends the test: in a unit test the program (base/test.h),
 * in an MPI program the job (test/program.h, which adds CHECK_CLASS for error classes).  The file that includes
 * this one defines how. */
#ifndef MEND_BASE_EXPECT_H
#define MEND_BASE_EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says what was expected, and ends the test. */
static void check_fails(const char *file, int line, const char *func, const char *format, ...)
    __attribute__((format(printf, 4, 5), noreturn));

#define CHECK_FAILS(...) check_fails(__FILE__, __LINE__, __func__, __VA_ARGS__)

#define CHECK(cond_)                                                                               \
    do {                                                                                           \
        if (!(cond_))                                                                              \
            CHECK_FAILS("not true: %s", #cond_);                                                   \
    } while (0)

#define CHECK_EQ(a_, b_)                                                                           \
    do {                                                                                           \
        long long va_ = (long long)(a_), vb_ = (long long)(b_);                                    \
        if (va_ != vb_)                                                                            \
            CHECK_FAILS("%s is %lld, expected %s = %lld", #a_, va_, #b_, vb_);                     \
    } while (0)

#define CHECK_STR(a_, b_)                                                                          \
    do {                                                                                           \
        const char *sa_ = (a_), *sb_ = (b_);                                                       \
        if (strcmp(sa_, sb_))                                                                      \
            CHECK_FAILS("%s is \"%s\", expected \"%s\"", #a_, sa_, sb_);                           \
    } while (0)

#endif
