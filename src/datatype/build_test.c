/* SPDX-License-Identifier: BSD-3-Clause */
/* build_test.c – sizes and bounds: examples of the standard, corner cases, arguments that are
 * refused. */
#include "datatype/make.h"
#include "datatype/predefined.h"

#include <complex.h>
#include <limits.h>

static void expect(type t, MPI_Count size, MPI_Count lb, MPI_Count extent, MPI_Count true_lb,
                   MPI_Count true_extent)
{
    CHECK_EQ(t->size, size);
    CHECK_EQ(t->lb, lb);
    CHECK_EQ(t->extent, extent);
    CHECK_EQ(t->true_lb, true_lb);
    CHECK_EQ(t->true_extent, true_extent);
}

static type structure(int n, const MPI_Count *lens, const MPI_Count *displs, const type *types)
{
    MPI_Count v[32] = {n};

    memcpy(v + 1, lens, (size_t)n * sizeof(*v));
    memcpy(v + 1 + n, displs, (size_t)n * sizeof(*v));
    return make(MPI_COMBINER_STRUCT, v, 2 * n + 1, types, n);
}

static int refused(int combiner, const MPI_Count *v, MPI_Count n, type old)
{
    struct mend_type *t;

    return try_make(combiner, v, n, &old, 1, &t);
}

MEND_TEST(every_predefined_type_has_the_size_of_its_c_type)
{
    static const struct {
        MPI_Datatype handle;
        size_t size;
        const char *name;
    } expected[] = {
#define T(name_, ctype_) {name_, sizeof(ctype_), #name_}
        T(MPI_AINT, MPI_Aint),
        T(MPI_COUNT, MPI_Count),
        T(MPI_OFFSET, MPI_Offset),
        T(MPI_PACKED, char),
        T(MPI_SHORT, short),
        T(MPI_INT, int),
        T(MPI_LONG, long),
        T(MPI_LONG_LONG_INT, long long),
        T(MPI_UNSIGNED_SHORT, short),
        T(MPI_UNSIGNED, int),
        T(MPI_UNSIGNED_LONG, long),
        T(MPI_UNSIGNED_LONG_LONG, long long),
        T(MPI_FLOAT, float),
        T(MPI_C_COMPLEX, float _Complex),
        T(MPI_CXX_FLOAT_COMPLEX, float _Complex),
        T(MPI_DOUBLE, double),
        T(MPI_C_DOUBLE_COMPLEX, double _Complex),
        T(MPI_CXX_DOUBLE_COMPLEX, double _Complex),
        T(MPI_LOGICAL, int),
        T(MPI_INTEGER, int),
        T(MPI_REAL, float),
        T(MPI_COMPLEX, float _Complex),
        T(MPI_DOUBLE_PRECISION, double),
        T(MPI_DOUBLE_COMPLEX, double _Complex),
        T(MPI_CHARACTER, char),
        T(MPI_LONG_DOUBLE, long double),
        T(MPI_C_LONG_DOUBLE_COMPLEX, long double _Complex),
        T(MPI_CXX_LONG_DOUBLE_COMPLEX, long double _Complex),
        T(MPI_C_BOOL, _Bool),
        T(MPI_CXX_BOOL, _Bool),
        T(MPI_WCHAR, wchar_t),
        T(MPI_INT8_T, int8_t),
        T(MPI_UINT8_T, uint8_t),
        T(MPI_CHAR, char),
        T(MPI_SIGNED_CHAR, char),
        T(MPI_UNSIGNED_CHAR, char),
        T(MPI_BYTE, char),
        T(MPI_INT16_T, int16_t),
        T(MPI_UINT16_T, uint16_t),
        T(MPI_INT32_T, int32_t),
        T(MPI_UINT32_T, uint32_t),
        T(MPI_INT64_T, int64_t),
        T(MPI_UINT64_T, uint64_t),
        T(MPI_LOGICAL1, int8_t),
        T(MPI_INTEGER1, int8_t),
        T(MPI_LOGICAL2, int16_t),
        T(MPI_INTEGER2, int16_t),
        T(MPI_LOGICAL4, int32_t),
        T(MPI_INTEGER4, int32_t),
        T(MPI_REAL4, float),
        T(MPI_LOGICAL8, int64_t),
        T(MPI_INTEGER8, int64_t),
        T(MPI_REAL8, double),
        T(MPI_COMPLEX8, float _Complex),
        T(MPI_COMPLEX16, double _Complex),
#undef T
    };

    for (size_t i = 0; i < MEND_COUNT_OF(expected); i++) {
        type t = mend_type_of(expected[i].handle);

        CHECK(t != NULL);
        CHECK(t->dense && t->committed && t->predefined);
        expect(t, (MPI_Count)expected[i].size, 0, (MPI_Count)expected[i].size, 0,
               (MPI_Count)expected[i].size);
        CHECK_STR(mend_predefined_row(t)->name, expected[i].name);
        CHECK(mend_type_handle(t) == expected[i].handle);
    }
}

/* MPI_DATATYPE_NULL, gaps in the range, and everything outside of it. */
MEND_TEST(other_handles_have_no_type)
{
    int found = 0;

    for (uintptr_t h = 0; h < 0x1000; h++) {
        type t = mend_type_predefined(h);

        found += t != NULL;
        CHECK(!t || mend_predefined_row(t)->handle == h);
    }
    CHECK(found >= 64 && found <= 70);
    CHECK(!mend_type_predefined((uintptr_t)MPI_DATATYPE_NULL));
    CHECK(!mend_type_predefined(0x204));
    CHECK(!mend_type_predefined(UINTPTR_MAX));
}

MEND_TEST(pairs_are_laid_out_like_structures)
{
    expect(P(FLOAT_INT), 8, 0, 8, 0, 8);
    expect(P(DOUBLE_INT), 12, 0, 16, 0, 12);
    expect(P(LONG_INT), 12, 0, 16, 0, 12);
    expect(P(2INT), 8, 0, 8, 0, 8);
    expect(P(SHORT_INT), 6, 0, 8, 0, 8);
    expect(P(LONG_DOUBLE_INT), sizeof(long double) + 4, 0, 2 * _Alignof(long double), 0,
           sizeof(long double) + 4);
    expect(P(2REAL), 8, 0, 8, 0, 8);
    expect(P(2DOUBLE_PRECISION), 16, 0, 16, 0, 16);
    expect(P(2INTEGER), 8, 0, 8, 0, 8);
    CHECK(P(FLOAT_INT)->dense && !P(DOUBLE_INT)->dense && !P(SHORT_INT)->dense);
}

/* MPI-5.0 examples 5.1 to 5.6: {(double, 0), (char, 8)}, extent 16. */
MEND_TEST(examples_of_the_standard)
{
    type old = structure(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 8}, (type[]){P(DOUBLE), P(CHAR)});
    type t;

    expect(old, 9, 0, 16, 0, 9);
    t = MAKE(CONTIGUOUS, old, 3);
    expect(t, 27, 0, 48, 0, 41);
    t = MAKE(VECTOR, old, 2, 3, 4); /* entries up to displacement 104 */
    expect(t, 54, 0, 112, 0, 105);
    t = MAKE(VECTOR, old, 3, 1, -2); /* {(double, 0), (char, 8), (double, -32), ... (char, -56)} */
    expect(t, 27, -64, 80, -64, 73);
    t = MAKE(INDEXED, old, 2, 3, 1, 4, 0); /* blocks of 3 at 64, of 1 at 0 */
    expect(t, 36, 0, 112, 0, 105);
    /* Example 5.6: {(float, 0), (type1, 16), (char, 26)} with lengths 2, 1, 3 */
    t = structure(3, (MPI_Count[]){2, 1, 3}, (MPI_Count[]){0, 16, 26},
                  (type[]){P(FLOAT), old, P(CHAR)});
    expect(t, 20, 0, 32, 0, 29);
}

/* MPI-5.0 5.1.7: resized from -3 with extent 9, and two of them. */
MEND_TEST(explicit_bounds)
{
    type t = MAKE(RESIZED, P(INT), -3, 9), two;

    expect(t, 4, -3, 9, 0, 4);
    two = MAKE(CONTIGUOUS, t, 2);
    expect(two, 8, -3, 18, 0, 13);
    expect(MAKE(DUP, two), 8, -3, 18, 0, 13);
    /* Bounds are sticky: the int at 100 lies outside them. */
    t = structure(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 100}, (type[]){two, P(INT)});
    expect(t, 12, -3, 18, 0, 104);
    /* New bounds replace them. */
    expect(MAKE(RESIZED, t, 0, 200), 12, 0, 200, 0, 104);
    /* A negative extent: the second copy lies below the first. */
    t = MAKE(RESIZED, P(INT), 0, -8);
    expect(MAKE(CONTIGUOUS, t, 3), 12, -16, 8, -16, 20);
    /* Explicit bounds without any data */
    t = MAKE(RESIZED, MAKE(CONTIGUOUS, P(INT), 0), 8, 24);
    expect(t, 0, 8, 24, 0, 0);
    expect(MAKE(CONTIGUOUS, t, 2), 0, 8, 48, 0, 0);
}

MEND_TEST(structures_end_at_a_multiple_of_the_strictest_alignment)
{
    struct mixed {
        char c;
        double d;
        short s;
    };
    type t = structure(3, (MPI_Count[]){1, 1, 1},
                       (MPI_Count[]){offsetof(struct mixed, c), offsetof(struct mixed, d),
                                     offsetof(struct mixed, s)},
                       (type[]){P(CHAR), P(DOUBLE), P(SHORT)});

    expect(t, 11, 0, sizeof(struct mixed), 0, 18);
    expect(MAKE(CONTIGUOUS, t, 2), 22, 0, 2 * sizeof(struct mixed), 0, sizeof(struct mixed) + 18);
    /* Blocks of no elements have no alignment and no place. */
    t = structure(2, (MPI_Count[]){1, 0}, (MPI_Count[]){0, 1000}, (type[]){P(CHAR), P(DOUBLE)});
    expect(t, 1, 0, 1, 0, 1);
    /* An empty type inside */
    t = structure(2, (MPI_Count[]){1, 2}, (MPI_Count[]){4, 1000},
                  (type[]){P(INT), MAKE(CONTIGUOUS, P(DOUBLE), 0)});
    expect(t, 4, 4, 4, 4, 4);
}

MEND_TEST(types_without_elements)
{
    type t = MAKE(CONTIGUOUS, P(INT), 0);

    expect(t, 0, 0, 0, 0, 0);
    expect(MAKE(VECTOR, P(INT), 0, 3, 5), 0, 0, 0, 0, 0);
    expect(MAKE(VECTOR, P(INT), 3, 0, 5), 0, 0, 0, 0, 0);
    expect(MAKE(INDEXED, P(INT), 0), 0, 0, 0, 0, 0);
    expect(MAKE(INDEXED, P(INT), 2, 0, 0, 7, 9), 0, 0, 0, 0, 0);
    expect(MAKE(INDEXED_BLOCK, P(INT), 2, 0, 7, 9), 0, 0, 0, 0, 0);
    expect(MAKE(HVECTOR, t, 1000, 1000, 1), 0, 0, 0, 0, 0);
    expect(make(MPI_COMBINER_STRUCT, NUMBERS(0), NULL, 0), 0, 0, 0, 0, 0);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_NOTHING);
}

MEND_TEST(arrays)
{
    /* 3 x 4 out of 5 x 8 at (1, 2) */
    expect(MAKE(SUBARRAY, P(INT), 2, 5, 8, 3, 4, 1, 2, MPI_ORDER_C), 48, 0, 160, 40, 2 * 32 + 16);
    expect(MAKE(SUBARRAY, P(INT), 2, 8, 5, 4, 3, 2, 1, MPI_ORDER_FORTRAN), 48, 0, 160, 40,
           2 * 32 + 16);
    /* 10 elements in blocks of 3 over 2 processes: rank 0 has 0 1 2 6 7 8, rank 1 has 3 4 5 9 */
    expect(MAKE(DARRAY, P(INT), 2, 0, 1, 10, MPI_DISTRIBUTE_CYCLIC, 3, 2, MPI_ORDER_C), 24, 0, 40,
           0, 36);
    expect(MAKE(DARRAY, P(INT), 2, 1, 1, 10, MPI_DISTRIBUTE_CYCLIC, 3, 2, MPI_ORDER_C), 16, 0, 40,
           12, 28);
    /* 10 elements in blocks over 4 processes: 3 3 3 1 */
    expect(MAKE(DARRAY, P(INT), 4, 3, 1, 10, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 4,
                MPI_ORDER_C),
           4, 0, 40, 36, 4);
    /* 3 elements in blocks of 2 over 4 processes: 2 1 0 0 */
    expect(MAKE(DARRAY, P(INT), 4, 2, 1, 3, MPI_DISTRIBUTE_BLOCK, 2, 4, MPI_ORDER_C), 0, 0, 12, 0,
           0);
}

MEND_TEST(what_the_elements_are)
{
    type t = MAKE(CONTIGUOUS, P(INT), 3);

    CHECK_EQ(t->basic, MEND_BASIC_I32);
    CHECK_EQ(mend_type_facts(t).elements, 3);
    t = MAKE(VECTOR, P(DOUBLE_INT), 2, 2, 3);
    CHECK_EQ(t->basic, MEND_BASIC_DOUBLE_INT);
    CHECK_EQ(mend_type_facts(t).elements, 8);
    CHECK(mend_type_facts(t).leaf == NULL);
    CHECK(mend_type_facts(P(2INT)).leaf == P(INT));
    t = structure(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 8}, (type[]){P(DOUBLE), P(CHAR)});
    CHECK_EQ(t->basic, MEND_BASIC_NONE);
}

MEND_TEST(dense_means_one_piece_from_the_lower_bound_on)
{
    CHECK(MAKE(CONTIGUOUS, P(INT), 3)->dense);
    CHECK(MAKE(VECTOR, P(INT), 3, 4, 4)->dense);
    CHECK(MAKE(INDEXED, P(INT), 3, 1, 2, 3, 0, 1, 3)->dense);
    CHECK(MAKE(HINDEXED_BLOCK, P(INT), 1, 2, 40)->dense);
    CHECK(!MAKE(VECTOR, P(INT), 3, 4, 5)->dense);
    CHECK(!MAKE(INDEXED, P(INT), 2, 1, 1, 1, 0)->dense); /* backwards */
    CHECK(!MAKE(CONTIGUOUS, P(DOUBLE_INT), 1)->dense);
    CHECK(!MAKE(RESIZED, P(INT), 0, 8)->dense);
    CHECK(!MAKE(RESIZED, P(INT), -4, 4)->dense);
    CHECK(MAKE(SUBARRAY, P(INT), 2, 5, 8, 5, 8, 0, 0, MPI_ORDER_C)->dense);
}

MEND_TEST(wrong_arguments_are_refused)
{
    const MPI_Count big = INT64_C(1) << 40;

    CHECK_EQ(refused(MPI_COMBINER_VECTOR, NUMBERS(2, -1, 3), P(INT)), MPI_ERR_ARG);
    CHECK_EQ(refused(MPI_COMBINER_INDEXED, NUMBERS(2, 1, -1, 0, 5), P(INT)), MPI_ERR_ARG);
    CHECK_EQ(refused(MPI_COMBINER_INDEXED_BLOCK, NUMBERS(1, -1, 0), P(INT)), MPI_ERR_ARG);
    CHECK_EQ(refused(MPI_COMBINER_CONTIGUOUS, NUMBERS(INT64_MAX), P(INT)), MPI_ERR_ARG);
    CHECK_EQ(refused(MPI_COMBINER_VECTOR, NUMBERS(big, big, big), P(BYTE)), MPI_ERR_ARG);
    CHECK_EQ(refused(MPI_COMBINER_VECTOR, NUMBERS(3, 1, INT64_MAX / 2), P(INT)), MPI_ERR_ARG);
    CHECK_EQ(refused(MPI_COMBINER_RESIZED, NUMBERS(INT64_MAX, INT64_MAX), P(INT)), MPI_ERR_ARG);
#define SUB(...) refused(MPI_COMBINER_SUBARRAY, NUMBERS(__VA_ARGS__), P(INT))
    CHECK_EQ(SUB(0, MPI_ORDER_C), MPI_ERR_ARG);
    CHECK_EQ(SUB(1, 4, 5, 0, MPI_ORDER_C), MPI_ERR_ARG);
    CHECK_EQ(SUB(1, 4, 0, 0, MPI_ORDER_C), MPI_ERR_ARG);
    CHECK_EQ(SUB(1, 4, 2, 3, MPI_ORDER_C), MPI_ERR_ARG);
    CHECK_EQ(SUB(1, 4, 2, -1, MPI_ORDER_C), MPI_ERR_ARG);
    CHECK_EQ(SUB(1, 4, 2, 1, 0), MPI_ERR_ARG);
    CHECK_EQ(SUB(3, big, big, big, 1, 1, 1, 0, 0, 0, MPI_ORDER_C), MPI_ERR_ARG);
#define DIST(...) refused(MPI_COMBINER_DARRAY, NUMBERS(__VA_ARGS__, MPI_ORDER_C), P(INT))
    CHECK_EQ(DIST(2, 2, 1, 10, MPI_DISTRIBUTE_CYCLIC, 3, 2), MPI_ERR_ARG); /* rank */
    CHECK_EQ(DIST(3, 0, 1, 10, MPI_DISTRIBUTE_CYCLIC, 3, 2), MPI_ERR_ARG); /* grid of 2 for 3 */
    CHECK_EQ(DIST(2, 0, 1, 10, MPI_DISTRIBUTE_BLOCK, 4, 2), MPI_ERR_ARG);  /* covers 8 of 10 */
    CHECK_EQ(DIST(2, 0, 1, 10, MPI_DISTRIBUTE_CYCLIC, 0, 2), MPI_ERR_ARG);
    CHECK_EQ(DIST(2, 0, 1, 10, MPI_DISTRIBUTE_NONE, 1, 2), MPI_ERR_ARG);
    CHECK_EQ(DIST(1, 0, 1, 0, MPI_DISTRIBUTE_BLOCK, 1, 1), MPI_ERR_ARG);
    CHECK_EQ(DIST(1, 0, 1, 10, 99, 1, 1), MPI_ERR_ARG);
}

MEND_TEST(temporaries)
{
    MPI_Count span, shift;

    mend_type_span(MAKE(HINDEXED_BLOCK, P(INT), 1, 2, 40), 3, &span, &shift);
    CHECK_EQ(span, 24);
    CHECK_EQ(shift, 40);
    mend_type_span(MAKE(RESIZED, P(INT), 0, -8), 3, &span, &shift);
    CHECK_EQ(span, 20);
    CHECK_EQ(shift, -16);
    mend_type_span(P(DOUBLE_INT), 2, &span, &shift);
    CHECK_EQ(span, 28);
    CHECK_EQ(shift, 0);
    mend_type_span(P(DOUBLE_INT), 0, &span, &shift);
    CHECK_EQ(span, 0);
}

/* The bounds of a type are those of its type map, however it came about (MPI-5.0 5.1.7): the epsilon of
 * the inner type does not belong to the outer one.  MPICH gives 23 here, Open MPI 28. */
MEND_TEST(nested_strides)
{
    type inner = MAKE(HVECTOR, P(INT), 2, 1, 5), outer = MAKE(HVECTOR, inner, 3, 1, 7);

    CHECK_EQ(inner->extent, 12); /* 0 .. 9, rounded up to a whole int */
    CHECK_EQ(outer->true_extent, 23);
    CHECK_EQ(outer->extent, 24);
    CHECK_EQ(MAKE(CONTIGUOUS, inner, 2)->extent, 24);
}

/* Which counts, displacements and units stay numbers; the last ones that do, and the first that do not. */
MEND_TEST(what_fits)
{
    const MPI_Count most = INT64_MAX / 8;
    type down = MAKE(RESIZED, P(INT), 0, -(INT64_MAX / 4));

    CHECK(mend_type_fits(P(DOUBLE), most) && !mend_type_fits(P(DOUBLE), most + 1));
    CHECK(mend_type_fits_at(P(DOUBLE), 1, most - 1, 8));
    CHECK(!mend_type_fits_at(P(DOUBLE), 1, most, 8) &&
          !mend_type_fits_at(P(DOUBLE), 2, most - 1, 8));
    CHECK(mend_type_fits_at(P(DOUBLE), 1, -most, 8) &&
          !mend_type_fits_at(P(DOUBLE), 1, -2 * most, 8));
    CHECK(mend_type_fits_at(P(DOUBLE), 0, INT64_MAX, 8)); /* nothing is nowhere */
    CHECK(mend_type_fits(down, 4) && !mend_type_fits(down, 5));
    CHECK(mend_type_fits_at(down, 1, INT64_MAX - 4, 1) &&
          !mend_type_fits_at(down, 1, INT64_MAX, 1));
    CHECK(mend_type_fits(MAKE(RESIZED, MAKE(CONTIGUOUS, P(INT), 0), 0, INT64_MAX), INT64_MAX));
}

/* A type lives as long as something is built from it. */
MEND_TEST(references)
{
    size_t before = self->arena->in_use_bytes;
    type inner = MAKE(VECTOR, P(INT), 2, 1, 3), outer = MAKE(CONTIGUOUS, inner, 2);
    int in[10], out[4];

    mend_type_release(self, inner);
    CHECK_EQ(inner->magic, MEND_TYPE_MAGIC);
    for (int i = 0; i < 10; i++)
        in[i] = i;
    mend_type_pack(outer, in, 1, 0, out, sizeof(out));
    CHECK(out[0] == 0 && out[1] == 3 && out[2] == 4 && out[3] == 7);
    mend_type_release(self, outer);
    CHECK_EQ(self->arena->in_use_bytes, before);
}

MEND_TEST_MAIN()
