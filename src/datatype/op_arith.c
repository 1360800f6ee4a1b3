/* SPDX-License-Identifier: BSD-3-Clause */
/* op_arith.c – MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX: table code only.
 *
 * Signed sums and products wrap around: they are computed as unsigned numbers, which have the same
 * bits.  Products of complex numbers are those of the textbook, without C's search for infinities.
 * MPI_CHAR and MPI_CHARACTER are numbers, too: the standard has them for text and defines no operator for
 * them (MPI-5.0 6.9.2), but programs reduce them, and other libraries let them.
 *
 * 1. Both operands of a float sum may be exchanged: the result does not depend on which of them is `left`. */
#include "datatype/op_table.h"

MEND_OP_TYPE(chr, char);
MEND_OP_TYPE(i8, int8_t);
MEND_OP_TYPE(i16, int16_t);
MEND_OP_TYPE(i32, int32_t);
MEND_OP_TYPE(i64, int64_t);
MEND_OP_TYPE(u8, uint8_t);
MEND_OP_TYPE(u16, uint16_t);
MEND_OP_TYPE(u32, uint32_t);
MEND_OP_TYPE(u64, uint64_t);
MEND_OP_TYPE(f32, float);
MEND_OP_TYPE(f64, double);
MEND_OP_TYPE(f80, long double);

#define COMPLEX(name_, part_) MEND_OP_STRUCT(name_, part_ re, part_ im)

COMPLEX(c32, float);
COMPLEX(c64, double);
COMPLEX(c80, long double);

#ifdef MEND_HAVE_INT128
MEND_OP_TYPE(i128, mend_int128);
MEND_OP_TYPE(u128, mend_uint128);
#define WIDE_INTS(X) X(i128, u128, I128)
#else
#define WIDE_INTS(X)
#endif
#ifdef MEND_HAVE_FLOAT16
MEND_OP_TYPE(f16, mend_float16);
COMPLEX(c16, mend_float16);
#define HALF_FLOATS(X)    X(f16, f16, F16)
#define HALF_COMPLEXES(X) X(c16, c16, C16)
#else
#define HALF_FLOATS(X)
#define HALF_COMPLEXES(X)
#endif
#ifdef MEND_HAVE_FLOAT128
MEND_OP_TYPE(f128, mend_float128);
COMPLEX(c128, mend_float128);
#define QUAD_FLOATS(X)    X(f128, f128, F128)
#define QUAD_COMPLEXES(X) X(c128, c128, C128)
#else
#define QUAD_FLOATS(X)
#define QUAD_COMPLEXES(X)
#endif

/* X(type that compares, type that computes, basic type) */
#define SIGNED(X)   X(i8, u8, I8) X(i16, u16, I16) X(i32, u32, I32) X(i64, u64, I64) WIDE_INTS(X)
#define UNSIGNED(X) X(u8, u8, U8) X(u16, u16, U16) X(u32, u32, U32) X(u64, u64, U64)
#define FLOATS(X)   X(f32, f32, F32) X(f64, f64, F64) X(f80, f80, F80) HALF_FLOATS(X) QUAD_FLOATS(X)
#define COMPLEXES(X)                                                                               \
    X(c32, c32, C32) X(c64, c64, C64) X(c80, c80, C80) HALF_COMPLEXES(X) QUAD_COMPLEXES(X)
#define CHARS(X)   X(chr, u8, CHAR) /* signed or not, as the compiler's */
#define ORDERED(X) SIGNED(X) UNSIGNED(X) FLOATS(X) CHARS(X)

/* 1u: small types are not promoted to a signed int, whose overflow is undefined. */
#define INT_LOOPS(compare_, compute_, basic_)                                                      \
    MEND_OP_LOOP(sum_##basic_, compute_, (compute_)(a + b))                                        \
    MEND_OP_LOOP(prod_##basic_, compute_, (compute_)(1u * a * b))
#define FLOAT_LOOPS(compare_, compute_, basic_)                                                    \
    MEND_OP_LOOP(sum_##basic_, compute_, a + b)                                                    \
    MEND_OP_LOOP(prod_##basic_, compute_, a *b)
#define COMPLEX_LOOPS(compare_, compute_, basic_)                                                  \
    MEND_OP_LOOP_256(sum_##basic_, compute_, ((compute_){a.re + b.re, a.im + b.im}))               \
    MEND_OP_LOOP_256(prod_##basic_, compute_,                                                      \
                     ((compute_){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}))
#define ORDER_LOOPS(compare_, compute_, basic_)                                                    \
    MEND_OP_LOOP(min_##basic_, compare_, a < b ? a : b)                                            \
    MEND_OP_LOOP(max_##basic_, compare_, a > b ? a : b)

SIGNED(INT_LOOPS)
UNSIGNED(INT_LOOPS)
CHARS(INT_LOOPS)
FLOATS(FLOAT_LOOPS)
COMPLEXES(COMPLEX_LOOPS)
ORDERED(ORDER_LOOPS)

const struct mend_op_loop *mend_op_arith_loops(enum mend_op_code code, enum mend_basic basic)
{
#define SUM(compare_, compute_, basic_)                                                            \
    [MEND_OP_SUM][MEND_BASIC_##basic_] = MEND_OP_ALL(sum_##basic_),
#define PROD(compare_, compute_, basic_)                                                           \
    [MEND_OP_PROD][MEND_BASIC_##basic_] = MEND_OP_ALL(prod_##basic_),
#define COMPLEX_SUM(compare_, compute_, basic_)                                                    \
    [MEND_OP_SUM][MEND_BASIC_##basic_] = MEND_OP_ALL_256(sum_##basic_),
#define COMPLEX_PROD(compare_, compute_, basic_)                                                   \
    [MEND_OP_PROD][MEND_BASIC_##basic_] = MEND_OP_ALL_256(prod_##basic_),
#define MIN(compare_, compute_, basic_)                                                            \
    [MEND_OP_MIN][MEND_BASIC_##basic_] = MEND_OP_ALL(min_##basic_),
#define MAX(compare_, compute_, basic_)                                                            \
    [MEND_OP_MAX][MEND_BASIC_##basic_] = MEND_OP_ALL(max_##basic_),
    static const struct mend_op_loop table[MEND_OP_PROD + 1][MEND_BASIC_COUNT] = {
        ORDERED(SUM) COMPLEXES(COMPLEX_SUM) ORDERED(PROD) COMPLEXES(COMPLEX_PROD) ORDERED(MIN)
            ORDERED(MAX)};

    return code <= MEND_OP_PROD ? &table[code][basic] : NULL;
}

mend_op_fn *mend_op_arith_find(enum mend_op_code code, enum mend_basic basic)
{
    const struct mend_op_loop *loops = mend_op_arith_loops(code, basic);

    return loops ? mend_op_here(loops) : NULL;
}
