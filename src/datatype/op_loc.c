/* SPDX-License-Identifier: BSD-3-Clause */
/* op_loc.c – MPI_MINLOC and MPI_MAXLOC for pairs of a value and an index: table code only.
 *
 * Of equal values the smaller index wins (MPI-5.0 6.9.4).  The two are stored one by one: what lies between them
 * in memory does not belong to the pair and stays as it is. */
#include "datatype/op_table.h"

/* X(C type, basic type) */
#ifdef MEND_HAVE_FLOAT16
#define HALF(X, ...) X(mend_float16, F16, __VA_ARGS__)
#else
#define HALF(X, ...)
#endif
#ifdef MEND_HAVE_FLOAT128
#define QUAD(X, ...) X(mend_float128, F128, __VA_ARGS__)
#else
#define QUAD(X, ...)
#endif
#ifdef MEND_HAVE_INT128
#define WIDE(X, ...) X(mend_int128, I128, __VA_ARGS__)
#else
#define WIDE(X, ...)
#endif

#define VALUES(X, ...)                                                                             \
    X(int8_t, I8, __VA_ARGS__)                                                                     \
    X(int16_t, I16, __VA_ARGS__)                                                                   \
    X(int32_t, I32, __VA_ARGS__)                                                                   \
    X(int64_t, I64, __VA_ARGS__)                                                                   \
    X(uint8_t, U8, __VA_ARGS__)                                                                    \
    X(uint16_t, U16, __VA_ARGS__)                                                                  \
    X(uint32_t, U32, __VA_ARGS__)                                                                  \
    X(uint64_t, U64, __VA_ARGS__)                                                                  \
    X(float, F32, __VA_ARGS__)                                                                     \
    X(double, F64, __VA_ARGS__)                                                                    \
    X(long double, F80, __VA_ARGS__)                                                               \
    HALF(X, __VA_ARGS__) QUAD(X, __VA_ARGS__) WIDE(X, __VA_ARGS__)

/* All pairs: any value with an integer of 4 or 8 bytes; Fortran's pairs of two equal floats. */
#define PAIRS(X)                                                                                   \
    VALUES(X, int32_t, I32)                                                                        \
    VALUES(X, int64_t, I64)                                                                        \
    VALUES(X, uint32_t, U32)                                                                       \
    VALUES(X, uint64_t, U64)                                                                       \
    X(float, F32, float, F32)                                                                      \
    X(double, F64, double, F64)

#define BETTER(better_) (a.value better_ b.value || (a.value == b.value && a.index < b.index))
#define LOOP(name_, type_, better_)                                                                \
    MEND_OP_WALK(name_, type_, z[i].value = BETTER(better_) ? a.value : b.value;                   \
                 z[i].index = BETTER(better_) ? a.index : b.index)

#define LOOPS(value_, value_basic_, index_, index_basic_)                                          \
    MEND_OP_STRUCT(any_##value_basic_##_##index_basic_, value_ value, index_ index);               \
    LOOP(min_##value_basic_##_##index_basic_, any_##value_basic_##_##index_basic_, <)              \
    LOOP(max_##value_basic_##_##index_basic_, any_##value_basic_##_##index_basic_, >)

PAIRS(LOOPS)

struct row {
    mend_op_fn *min, *max;
};

/* Kinds of index, as a column of the table. */
enum { COLUMN_I32, COLUMN_I64, COLUMN_U32, COLUMN_U64, COLUMN_F32, COLUMN_F64, COLUMNS };

static int column_of(enum mend_basic index)
{
    switch (index) {
    case MEND_BASIC_I32:
        return COLUMN_I32;
    case MEND_BASIC_I64:
        return COLUMN_I64;
    case MEND_BASIC_U32:
        return COLUMN_U32;
    case MEND_BASIC_U64:
        return COLUMN_U64;
    case MEND_BASIC_F32:
        return COLUMN_F32;
    case MEND_BASIC_F64:
        return COLUMN_F64;
    default:
        return COLUMNS;
    }
}

mend_op_fn *mend_op_loc_find(enum mend_op_code code, enum mend_basic value, enum mend_basic index)
{
#define ROW(value_, value_basic_, index_, index_basic_)                                            \
    [MEND_BASIC_##value_basic_][COLUMN_##index_basic_] = {min_##value_basic_##_##index_basic_,     \
                                                          max_##value_basic_##_##index_basic_},
    static const struct row table[MEND_BASIC_COUNT][COLUMNS + 1] = {PAIRS(ROW)};
    const struct row *row = &table[value][column_of(index)];

    return code == MEND_OP_MINLOC ? row->min : row->max;
}
