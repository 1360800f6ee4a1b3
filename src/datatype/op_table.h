/* SPDX-License-Identifier: BSD-3-Clause */
/* op_table.h – the loops of predefined operators, one per operator and kind of number.
 *
 * Buffers need no alignment, and may be of any type of that size and kind.  They do not overlap, except one
 * that is another: the result may replace an operand.
 *
 * On x86-64 those of arithmetic are there three times: for any processor, for AVX2 and for AVX-512.  None fuses
 * products with sums (-ffp-contract=off): the bits are the same.  gcc 12 fuses complex products for AVX-512 all the
 * same, so these are there twice. */
#ifndef MEND_DATATYPE_OP_TABLE_H
#define MEND_DATATYPE_OP_TABLE_H

#include "datatype/datatype.h"
#include "datatype/wide.h"

/* Values of mend_op.code: handle - MEND_OP_FIRST. */
#define MEND_OP_FIRST 0x20
enum mend_op_code {
    MEND_OP_SUM = 0x01,
    MEND_OP_MIN = 0x02,
    MEND_OP_MAX = 0x03,
    MEND_OP_PROD = 0x04,
    MEND_OP_BAND = 0x08,
    MEND_OP_BOR = 0x09,
    MEND_OP_BXOR = 0x0a,
    MEND_OP_LAND = 0x10,
    MEND_OP_LOR = 0x11,
    MEND_OP_LXOR = 0x12,
    MEND_OP_MINLOC = 0x18,
    MEND_OP_MAXLOC = 0x19,
    MEND_OP_REPLACE = 0x1c,
    MEND_OP_NO_OP = 0x1d,
    MEND_OP_SLOTS
};

/* to[i] = left[i] op right[i] for n elements. */
typedef void mend_op_fn(const void *left, const void *right, void *to, MPI_Count n);

/* NULL: not defined (MPI-5.0 6.9.2). */
mend_op_fn *mend_op_arith_find(enum mend_op_code code, enum mend_basic basic);
mend_op_fn *mend_op_logic_find(enum mend_op_code code, enum mend_basic basic);
mend_op_fn *mend_op_loc_find(enum mend_op_code code, enum mend_basic value, enum mend_basic index);

/* Types for memory of any alignment and declared type: numbers, and pairs of them. */
#define MEND_OP_TYPE(name_, ctype_) typedef ctype_ name_ __attribute__((aligned(1), may_alias))
#define MEND_OP_STRUCT(name_, first_, second_)                                                     \
    typedef struct __attribute__((may_alias)) {                                                    \
        first_;                                                                                    \
        second_;                                                                                   \
    } name_##_aligned;                                                                             \
    typedef name_##_aligned name_ __attribute__((aligned(1)))

#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* some types have no vectors */
#define MEND_OP_EACH _Pragma("clang loop vectorize(assume_safety)")
#else
#define MEND_OP_EACH _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif

/* The loop as a function; a is of `left`, b of `right`; the statement sets z[i], the element of `to`. */
#define MEND_OP_WALK(name_, type_, statement_)                                                     \
    static void name_(const void *left, const void *right, void *to, MPI_Count n)                  \
    {                                                                                              \
        const type_ *x = left, *y = right;                                                         \
        type_ *z = to;                                                                             \
                                                                                                   \
        MEND_OP_EACH                                                                               \
        for (MPI_Count i = 0; i < n; i++) {                                                        \
            const type_ a = x[i], b = y[i];                                                        \
                                                                                                   \
            statement_;                                                                            \
        }                                                                                          \
    }
#define MEND_OP_FUNCTION(name_, type_, expr_) MEND_OP_WALK(name_, type_, z[i] = expr_)

/* An operator on one kind of number, for each kind of processor. */
struct mend_op_loop {
    mend_op_fn *plain, *avx2, *avx512;
};

#ifdef __x86_64__
#ifdef __clang__
#define MEND_OP_512 "avx512f,avx512vl,avx512dq,avx512bw"
#else
#define MEND_OP_512 "avx512f,avx512vl,avx512dq,avx512bw,prefer-vector-width=512"
#endif
#define MEND_OP_LOOP_256(name_, type_, expr_)                                                      \
    MEND_OP_FUNCTION(name_, type_, expr_)                                                          \
    __attribute__((target("avx2"))) MEND_OP_FUNCTION(name_##_avx2, type_, expr_)
#define MEND_OP_LOOP(name_, type_, expr_)                                                          \
    MEND_OP_LOOP_256(name_, type_, expr_)                                                          \
    __attribute__((target(MEND_OP_512))) MEND_OP_FUNCTION(name_##_avx512, type_, expr_)
#define MEND_OP_ALL_256(name_)                                                                     \
    {                                                                                              \
        name_, name_##_avx2, NULL                                                                  \
    }
#define MEND_OP_ALL(name_)                                                                         \
    {                                                                                              \
        name_, name_##_avx2, name_##_avx512                                                        \
    }
#else
#define MEND_OP_LOOP_256(name_, type_, expr_) MEND_OP_FUNCTION(name_, type_, expr_)
#define MEND_OP_LOOP(name_, type_, expr_)     MEND_OP_FUNCTION(name_, type_, expr_)
#define MEND_OP_ALL_256(name_)                                                                     \
    {                                                                                              \
        name_, NULL, NULL                                                                          \
    }
#define MEND_OP_ALL(name_) MEND_OP_ALL_256(name_)
#endif

/* Those of an operator of arithmetic; NULL: it is of another kind.  mend_op_arith_find() takes one of them. */
const struct mend_op_loop *mend_op_arith_loops(enum mend_op_code code, enum mend_basic basic);

/* The one for this processor. */
static inline mend_op_fn *mend_op_here(const struct mend_op_loop *l)
{
#ifdef __x86_64__
    if (l->avx512 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw"))
        return l->avx512;
    if (l->avx2 && __builtin_cpu_supports("avx2"))
        return l->avx2;
#endif
    return l->plain;
}

#endif
