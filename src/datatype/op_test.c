/* SPDX-License-Identifier: BSD-3-Clause */
/* op_test.c – predefined operators on every kind of number, where they are defined, operators of
 * users in both widths. */
#include "datatype/make.h"
#include "datatype/op.h"
#include "datatype/op_table.h"
#include "datatype/types.h"
#include "datatype/wide.h"

#include <complex.h>
#include <limits.h>

#define N 37 /* no multiple of a vector register */

/* A long double has bytes that no value fills. */
static bool equal(type t, const char *a, const char *b)
{
    size_t size = (size_t)t->size, number = sizeof(long double);
    bool extended = t->basic == MEND_BASIC_F80 || t->basic == MEND_BASIC_C80;

    if (!extended || LDBL_MANT_DIG != 64)
        return !memcmp(a, b, size);
    return !memcmp(a, b, 10) && (size == number || !memcmp(a + number, b + number, 10));
}

static void fill(char *to, size_t size, const void *value)
{
    for (size_t i = 0; i < N; i++)
        memcpy(to + i * size, value, size);
}

static void expect_all(type t, const char *got, const void *want)
{
    for (size_t i = 0; i < N; i++)
        CHECK(equal(t, got + i * (size_t)t->size, want));
}

/* a and b, N times and not aligned, must give N times want, wherever the result goes. */
static void expect(MPI_Op op, type t, MPI_Datatype handle, const void *a, const void *b,
                   const void *want)
{
    size_t size = (size_t)t->size;
    char left[N * 32 + 1], right[N * 32 + 1], to[N * 32 + 1] = {0};

    CHECK_EQ(mend_op_check(mend_op_of(op), t), MPI_SUCCESS);
    fill(left + 1, size, a);
    fill(right + 1, size, b);
    mend_op_combine(mend_op_of(op), left + 1, right + 1, to + 1, N, t);
    expect_all(t, to + 1, want);
    mend_op_combine(mend_op_of(op), left + 1, right + 1, left + 1, N, t);
    expect_all(t, left + 1, want);
    fill(left + 1, size, a);
    mend_op_apply(mend_op_of(op), left + 1, right + 1, N, t, handle);
    expect_all(t, right + 1, want);
}

#define EXPECT(op_, type_, ctype_, a_, b_, want_)                                                  \
    expect(op_, P(type_), MPI_##type_, &(ctype_){a_}, &(ctype_){b_}, &(ctype_){want_})

#define ORDERED(type_, ctype_)                                                                     \
    EXPECT(MPI_SUM, type_, ctype_, 3, 4, 7);                                                       \
    EXPECT(MPI_PROD, type_, ctype_, 3, 4, 12);                                                     \
    EXPECT(MPI_MIN, type_, ctype_, 3, 4, 3);                                                       \
    EXPECT(MPI_MIN, type_, ctype_, 4, 3, 3);                                                       \
    EXPECT(MPI_MAX, type_, ctype_, 3, 4, 4);                                                       \
    EXPECT(MPI_MAX, type_, ctype_, 4, 3, 4)
#define INTEGRAL(type_, ctype_)                                                                    \
    ORDERED(type_, ctype_);                                                                        \
    EXPECT(MPI_LAND, type_, ctype_, 6, 3, 1);                                                      \
    EXPECT(MPI_LAND, type_, ctype_, 0, 3, 0);                                                      \
    EXPECT(MPI_LOR, type_, ctype_, 6, 0, 1);                                                       \
    EXPECT(MPI_LOR, type_, ctype_, 0, 0, 0);                                                       \
    EXPECT(MPI_LXOR, type_, ctype_, 6, 3, 0);                                                      \
    EXPECT(MPI_LXOR, type_, ctype_, 6, 0, 1);                                                      \
    EXPECT(MPI_BAND, type_, ctype_, 6, 3, 2);                                                      \
    EXPECT(MPI_BOR, type_, ctype_, 6, 3, 7);                                                       \
    EXPECT(MPI_BXOR, type_, ctype_, 6, 3, 5)
#define SIGNED(type_, ctype_)                                                                      \
    INTEGRAL(type_, ctype_);                                                                       \
    EXPECT(MPI_MIN, type_, ctype_, -3, 4, -3);                                                     \
    EXPECT(MPI_MAX, type_, ctype_, -3, -4, -3);                                                    \
    EXPECT(MPI_PROD, type_, ctype_, -3, 4, -12);                                                   \
    EXPECT(MPI_SUM, type_, ctype_, -3, 4, 1)
#define UNSIGNED(type_, ctype_)                                                                    \
    INTEGRAL(type_, ctype_);                                                                       \
    EXPECT(MPI_MAX, type_, ctype_, (ctype_)-1, 1, (ctype_)-1)
#define FLOATING(type_, ctype_)                                                                    \
    ORDERED(type_, ctype_);                                                                        \
    EXPECT(MPI_SUM, type_, ctype_, (ctype_)-0.5, (ctype_)2.25, (ctype_)1.75)
#define COMPLEX(type_, ctype_)                                                                     \
    EXPECT(MPI_SUM, type_, ctype_, 1 + 2 * I, 3 - 5 * I, 4 - 3 * I);                               \
    EXPECT(MPI_PROD, type_, ctype_, 1 + 2 * I, 3 - 5 * I, 13 + 1 * I)
#define LOGICAL(type_, ctype_)                                                                     \
    EXPECT(MPI_LAND, type_, ctype_, 1, 1, 1);                                                      \
    EXPECT(MPI_LAND, type_, ctype_, 1, 0, 0);                                                      \
    EXPECT(MPI_LOR, type_, ctype_, 0, 1, 1);                                                       \
    EXPECT(MPI_LXOR, type_, ctype_, 1, 1, 0)

MEND_TEST(integers)
{
    INTEGRAL(CHAR, char);
    EXPECT(MPI_MIN, CHAR, char, (char)-3, 4, (char)-3 < 4 ? (char)-3 : 4); /* as the compiler's */
    SIGNED(SIGNED_CHAR, signed char);
    SIGNED(SHORT, short);
    SIGNED(INT, int);
    SIGNED(LONG, long);
    SIGNED(LONG_LONG_INT, long long);
    UNSIGNED(UNSIGNED_CHAR, unsigned char);
    UNSIGNED(UNSIGNED_SHORT, unsigned short);
    UNSIGNED(UNSIGNED, unsigned);
    UNSIGNED(UNSIGNED_LONG, unsigned long);
    UNSIGNED(UNSIGNED_LONG_LONG, unsigned long long);
    SIGNED(INT8_T, int8_t);
    SIGNED(INT16_T, int16_t);
    SIGNED(INT32_T, int32_t);
    SIGNED(INT64_T, int64_t);
    UNSIGNED(UINT8_T, uint8_t);
    UNSIGNED(UINT16_T, uint16_t);
    UNSIGNED(UINT32_T, uint32_t);
    UNSIGNED(UINT64_T, uint64_t);
    SIGNED(AINT, MPI_Aint);
    SIGNED(OFFSET, MPI_Offset);
    SIGNED(COUNT, MPI_Count);
    SIGNED(INTEGER, int);
    SIGNED(INTEGER1, int8_t);
    SIGNED(INTEGER2, int16_t);
    SIGNED(INTEGER4, int32_t);
    SIGNED(INTEGER8, int64_t);
#ifdef MEND_HAVE_INT128
    SIGNED(INTEGER16, mend_int128);
#endif
}

MEND_TEST(sums_wrap_around)
{
    EXPECT(MPI_SUM, INT, int, INT_MAX, 1, INT_MIN);
    EXPECT(MPI_PROD, UNSIGNED_SHORT, unsigned short, 65535, 65535, 1);
    EXPECT(MPI_SUM, SIGNED_CHAR, signed char, 127, 1, -128);
}

MEND_TEST(floating_point)
{
    FLOATING(FLOAT, float);
    FLOATING(DOUBLE, double);
    FLOATING(LONG_DOUBLE, long double);
    FLOATING(REAL, float);
    FLOATING(DOUBLE_PRECISION, double);
    FLOATING(REAL4, float);
    FLOATING(REAL8, double);
#ifdef MEND_HAVE_FLOAT16
    FLOATING(REAL2, mend_float16);
#endif
#ifdef MEND_HAVE_FLOAT128
    FLOATING(REAL16, mend_float128);
#endif
    COMPLEX(C_FLOAT_COMPLEX, float _Complex);
    COMPLEX(C_DOUBLE_COMPLEX, double _Complex);
    COMPLEX(C_LONG_DOUBLE_COMPLEX, long double _Complex);
    COMPLEX(COMPLEX, float _Complex);
    COMPLEX(DOUBLE_COMPLEX, double _Complex);
    COMPLEX(CXX_DOUBLE_COMPLEX, double _Complex);
    COMPLEX(COMPLEX8, float _Complex);
    COMPLEX(COMPLEX16, double _Complex);
}

MEND_TEST(logical_and_bytes)
{
    LOGICAL(C_BOOL, _Bool);
    LOGICAL(CXX_BOOL, _Bool);
    LOGICAL(LOGICAL, int);
    LOGICAL(LOGICAL1, int8_t);
    LOGICAL(LOGICAL2, int16_t);
    LOGICAL(LOGICAL4, int32_t);
    LOGICAL(LOGICAL8, int64_t);
    EXPECT(MPI_LAND, LOGICAL, int, -1, -1, 1);
    EXPECT(MPI_BAND, BYTE, unsigned char, 6, 3, 2);
    EXPECT(MPI_BOR, BYTE, unsigned char, 6, 3, 7);
    EXPECT(MPI_BXOR, BYTE, unsigned char, 6, 3, 5);
}

/* What an element of `bytes` has between its value and its index, and behind that, is as it was. */
static bool gaps_are(const void *elements, size_t bytes, size_t value_end, size_t index_at,
                     size_t index_end, unsigned char c)
{
    const unsigned char *p = elements;

    for (size_t k = 0; k < 4 * bytes; k++) {
        size_t at = k % bytes;

        if (((at >= value_end && at < index_at) || at >= index_end) && p[k] != c)
            return false;
    }
    return true;
}

#define GAPS_ARE(elements_, c_)                                                                    \
    gaps_are(elements_, sizeof(elements_[0]), sizeof(elements_[0].v),                              \
             (size_t)((char *)&elements_[0].i - (char *)elements_),                                \
             (size_t)((char *)(&elements_[0].i + 1) - (char *)elements_), c_)

/* Sets the values and indices of four pairs, and all bytes between them to c. */
#define SET_PAIRS(to_, from_, c_)                                                                  \
    do {                                                                                           \
        memset(to_, c_, sizeof(to_));                                                              \
        for (int k_ = 0; k_ < 4; k_++) {                                                           \
            memcpy(&(to_)[k_].v, &(from_)[k_].v, sizeof((to_)[k_].v));                             \
            memcpy(&(to_)[k_].i, &(from_)[k_].i, sizeof((to_)[k_].i));                             \
        }                                                                                          \
    } while (0)

/* One pair type: a smaller value, a greater one, equal ones. */
#define PAIR(type_, value_, index_)                                                                \
    do {                                                                                           \
        struct {                                                                                   \
            value_ v;                                                                              \
            index_ i;                                                                              \
        } left_[4] = {{1, 5}, {9, 5}, {3, 5}, {3, 5}},                                             \
          right_[4] = {{3, 7}, {3, 7}, {3, 7}, {3, 2}}, in_[4], min_[4], max_[4];                  \
                                                                                                   \
        SET_PAIRS(in_, left_, 0x11);                                                               \
        SET_PAIRS(min_, right_, 0xC5);                                                             \
        SET_PAIRS(max_, right_, 0xC5);                                                             \
        CHECK_EQ((type_)->extent, sizeof(in_[0]));                                                 \
        CHECK_EQ(mend_op_check(mend_op_of(MPI_MINLOC), type_), MPI_SUCCESS);                       \
        mend_op_apply(mend_op_of(MPI_MINLOC), in_, min_, 4, type_, MPI_DATATYPE_NULL);             \
        mend_op_apply(mend_op_of(MPI_MAXLOC), in_, max_, 4, type_, MPI_DATATYPE_NULL);             \
        CHECK(min_[0].v == 1 && min_[0].i == 5 && min_[1].v == 3 && min_[1].i == 7);               \
        CHECK(min_[2].v == 3 && min_[2].i == 5 && min_[3].v == 3 && min_[3].i == 2);               \
        CHECK(max_[0].v == 3 && max_[0].i == 7 && max_[1].v == 9 && max_[1].i == 5);               \
        CHECK(max_[2].v == 3 && max_[2].i == 5 && max_[3].v == 3 && max_[3].i == 2);               \
        CHECK(GAPS_ARE(min_, 0xC5) && GAPS_ARE(max_, 0xC5));                                       \
    } while (0)

MEND_TEST(places_of_extremes)
{
    type t;

    PAIR(P(FLOAT_INT), float, int);
    PAIR(P(DOUBLE_INT), double, int);
    PAIR(P(LONG_INT), long, int);
    PAIR(P(2INT), int, int);
    PAIR(P(SHORT_INT), short, int);
    PAIR(P(LONG_DOUBLE_INT), long double, int);
    PAIR(P(2REAL), float, float);
    PAIR(P(2DOUBLE_PRECISION), double, double);
    PAIR(P(2INTEGER), int, int);
    CHECK_EQ(mend_type_value_index(self, P(DOUBLE), P(UINT64_T), &t), MPI_SUCCESS);
    PAIR(t, double, uint64_t);
    CHECK_EQ(mend_type_value_index(self, P(UNSIGNED_CHAR), P(LONG), &t), MPI_SUCCESS);
    PAIR(t, unsigned char, long);
}

static int defined(MPI_Op op, type t)
{
    return mend_op_check(mend_op_of(op), t) == MPI_SUCCESS;
}

MEND_TEST(where_operators_are_not_defined)
{
    CHECK(!defined(MPI_MINLOC, P(CHAR)) && defined(MPI_MAX, P(CHARACTER)));
    CHECK(!defined(MPI_SUM, P(BYTE)) && !defined(MPI_SUM, P(PACKED)) &&
          !defined(MPI_SUM, P(WCHAR)));
    CHECK(!defined(MPI_SUM, P(C_BOOL)) && !defined(MPI_BAND, P(C_BOOL)));
    CHECK(!defined(MPI_BAND, P(DOUBLE)) && !defined(MPI_LAND, P(FLOAT)));
    CHECK(!defined(MPI_MIN, P(COMPLEX)) && !defined(MPI_BAND, P(LOGICAL)));
    CHECK(!defined(MPI_SUM, P(DOUBLE_INT)) && !defined(MPI_SUM, P(2INT)));
    CHECK(!defined(MPI_MINLOC, P(INT)) && !defined(MPI_MAXLOC, P(C_DOUBLE_COMPLEX)));
    CHECK(!defined(MPI_SUM, MAKE(CONTIGUOUS, P(INT), 1)));
    CHECK(defined(MPI_REPLACE, P(CHAR)) && defined(MPI_NO_OP, MAKE(CONTIGUOUS, P(INT), 2)));
}

MEND_TEST(handles)
{
    int found = 0;

    for (uintptr_t h = 0; h < 0x1000; h++)
        found += mend_op_of((MPI_Op)h) != NULL;
    CHECK_EQ(found, 14);
    CHECK(!mend_op_of(MPI_OP_NULL));
    CHECK(mend_op_of(MPI_SUM)->commutative && !mend_op_of(MPI_REPLACE)->commutative);
}

MEND_TEST(replace_and_no_op)
{
    int in[3] = {1, 2, 3}, inout[3] = {4, 5, 6};

    mend_op_apply(mend_op_of(MPI_NO_OP), in, inout, 3, P(INT), MPI_INT);
    CHECK(inout[0] == 4 && inout[2] == 6);
    mend_op_apply(mend_op_of(MPI_REPLACE), in, inout, 2, P(INT), MPI_INT);
    CHECK(inout[0] == 1 && inout[1] == 2 && inout[2] == 6);
}

static MPI_Count calls, total, last;
static char *where;

static void int_form(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
    CHECK(*datatype == MPI_INT);
    CHECK((char *)inout == where + 4 * total && (char *)in == where + 4 * total);
    calls++;
    total += *len;
    last = *len;
}

static void count_form(void *in, void *inout, MPI_Count *len, MPI_Datatype *datatype)
{
    CHECK(*datatype == MPI_INT);
    calls++;
    total += *len;
}

MEND_TEST(operators_of_users)
{
    struct mend_op *narrow = mend_op_create(self, int_form, NULL, true);
    struct mend_op *wide = mend_op_create(self, NULL, count_form, false);
    MPI_Count many = INT64_C(3) * INT_MAX + 7;
    int x = 0;

    mend_self = self; /* it notes that the function runs */
    where = (char *)&x;
    CHECK(mend_op_of((MPI_Op)narrow) == narrow);
    CHECK(narrow->commutative && !narrow->large && !wide->commutative && wide->large);
    mend_op_apply(narrow, &x, &x, 0, P(INT), MPI_INT);
    CHECK_EQ(calls, 0);
    mend_op_apply(narrow, &x, &x, many, P(INT), MPI_INT); /* touches nothing */
    CHECK(calls == 4 && total == many && last == 7);
    calls = total = 0;
    mend_op_apply(wide, &x, &x, many, P(INT), MPI_INT);
    CHECK(calls == 1 && total == many);
    mend_op_get(wide);
    mend_op_put(self, wide);
    CHECK_EQ(wide->magic, MEND_OP_MAGIC);
    mend_op_put(self, wide);
    mend_op_put(self, narrow);
}

#ifdef __x86_64__
/* Sums and products of numbers with many digits: the bits do not tell which loop has computed them. */
MEND_TEST(all_processors_get_the_same_bits)
{
    const type kinds[] = {P(FLOAT), P(DOUBLE), P(C_FLOAT_COMPLEX), P(C_DOUBLE_COMPLEX)};
    char plain[N * 16], other[N * 16];
    float floats[2][N * 2];
    double doubles[2][N * 2];

    for (int i = 0; i < N * 2; i++)
        for (int side = 0; side < 2; side++) {
            doubles[side][i] = 1.0 / (3 + i + 100 * side);
            floats[side][i] = (float)doubles[side][i];
        }
    for (size_t k = 0; k < MEND_COUNT_OF(kinds); k++) {
        bool is_float = kinds[k] == P(FLOAT) || kinds[k] == P(C_FLOAT_COMPLEX);
        const char *left = is_float ? (char *)floats[0] : (char *)doubles[0];
        const char *right = is_float ? (char *)floats[1] : (char *)doubles[1];
        size_t bytes = N * (size_t)kinds[k]->size;

        for (int code = MEND_OP_SUM; code <= MEND_OP_PROD; code++) {
            const struct mend_op_loop *l = mend_op_arith_loops(code, kinds[k]->basic);

            if (!l->plain)
                continue;
            l->plain(left, right, plain, N);
            if (__builtin_cpu_supports("avx2")) {
                l->avx2(left, right, other, N);
                CHECK(!memcmp(plain, other, bytes));
            }
            if (l->avx512 && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
                l->avx512(left, right, other, N);
                CHECK(!memcmp(plain, other, bytes));
            }
        }
    }
}
#endif

MEND_TEST_MAIN()
