/* SPDX-License-Identifier: BSD-3-Clause */
/* envelope_test.c – what MPI_Type_get_envelope and MPI_Type_get_contents are told, in both widths. */
#include "datatype/make.h"
#include "datatype/predefined.h"
#include "datatype/types.h"

static struct {
    int i[32];
    MPI_Aint a[32];
    MPI_Count c[32];
    type d[8];
} got;

/* Compares the numbers of arguments, then decodes. */
static void decode(type t, int combiner, MPI_Count integers, MPI_Count addresses, MPI_Count counts,
                   MPI_Count types)
{
    struct mend_type_shape s = mend_type_shape(t);

    CHECK_EQ(s.combiner, combiner);
    CHECK_EQ(s.integers, integers);
    CHECK_EQ(s.addresses, addresses);
    CHECK_EQ(s.counts, counts);
    CHECK_EQ(s.types, types);
    memset(&got, 0, sizeof(got));
    mend_type_contents(t, got.i, got.a, got.c);
    memcpy(got.d, t->envelope->types, (size_t)types * sizeof(type));
}

static type make_large(int combiner, const MPI_Count *values, MPI_Count n, type old)
{
    struct mend_type *t = mend_type_draft(self, combiner, true, n, 1);

    memcpy(t->envelope->values, values, (size_t)n * sizeof(*values));
    t->envelope->types[0] = old;
    CHECK_EQ(mend_type_build(self, t), MPI_SUCCESS);
    return t;
}

#define LARGE(combiner_, old_, ...) make_large(MPI_COMBINER_##combiner_, NUMBERS(__VA_ARGS__), old_)

static const int lengths[] = {3, 4};
static const MPI_Aint offsets[] = {50, INT64_MAX};
static struct mend_type_arguments hindexed = {
    .combiner = MPI_COMBINER_HINDEXED,
    .count = 2,
    .types_n = 1,
    .numbers = {{(const MPI_Count[]){2}, 1, true}, {lengths, 2, false}, {offsets, 2, true}},
    .numbers_n = 3,
};

MEND_TEST(arguments_of_both_widths)
{
    struct mend_type *t;
    const MPI_Count values[] = {2, 3, 4, 50, INT64_MAX};

    CHECK_EQ(mend_type_draft_of(self, &hindexed, &t), MPI_SUCCESS);
    CHECK_EQ(t->envelope->values_n, 5);
    CHECK(!memcmp(t->envelope->values, values, sizeof(values)));
    CHECK_EQ(t->envelope->types_n, 1);
    mend_free(self, t);
}

MEND_TEST(arguments_that_cannot_be)
{
    struct mend_type_arguments a = hindexed;
    struct mend_type *t;

    a.count = -1;
    CHECK_EQ(mend_type_draft_of(self, &a, &t), MPI_ERR_COUNT);
    a = hindexed;
    a.numbers[1].at = NULL;
    CHECK_EQ(mend_type_draft_of(self, &a, &t), MPI_ERR_ARG);
    a.numbers[1].n = 0;
    CHECK_EQ(mend_type_draft_of(self, &a, &t), MPI_SUCCESS);
    mend_free(self, t);
    a = hindexed;
    a.numbers[1].n = a.numbers[2].n = INT64_MAX;
    CHECK_EQ(mend_type_draft_of(self, &a, &t), MPI_ERR_COUNT);
    a = hindexed;
    a.numbers[1].n = INT64_MAX / 16;
    CHECK_EQ(mend_type_draft_of(self, &a, &t), MPI_ERR_NO_MEM);
}

MEND_TEST(named_types)
{
    CHECK_EQ(mend_type_shape(P(INT)).combiner, MPI_COMBINER_NAMED);
    CHECK_EQ(mend_type_shape(P(DOUBLE_INT)).types, 0);
}

MEND_TEST(ordinary_functions)
{
    decode(MAKE(CONTIGUOUS, P(INT), 7), MPI_COMBINER_CONTIGUOUS, 1, 0, 0, 1);
    CHECK(got.i[0] == 7 && got.d[0] == P(INT));
    decode(MAKE(VECTOR, P(INT), 2, 3, 4), MPI_COMBINER_VECTOR, 3, 0, 0, 1);
    CHECK(got.i[0] == 2 && got.i[1] == 3 && got.i[2] == 4);
    decode(MAKE(HVECTOR, P(INT), 2, 3, -44), MPI_COMBINER_HVECTOR, 2, 1, 0, 1);
    CHECK(got.i[1] == 3 && got.a[0] == -44);
    decode(MAKE(INDEXED, P(INT), 2, 3, 4, 5, 6), MPI_COMBINER_INDEXED, 5, 0, 0, 1);
    CHECK(got.i[0] == 2 && got.i[2] == 4 && got.i[3] == 5 && got.i[4] == 6);
    decode(MAKE(HINDEXED, P(INT), 2, 3, 4, 50, 60), MPI_COMBINER_HINDEXED, 3, 2, 0, 1);
    CHECK(got.i[2] == 4 && got.a[0] == 50 && got.a[1] == 60);
    decode(MAKE(INDEXED_BLOCK, P(INT), 2, 3, 5, 6), MPI_COMBINER_INDEXED_BLOCK, 4, 0, 0, 1);
    CHECK(got.i[1] == 3 && got.i[3] == 6);
    decode(MAKE(HINDEXED_BLOCK, P(INT), 2, 3, 50, 60), MPI_COMBINER_HINDEXED_BLOCK, 2, 2, 0, 1);
    CHECK(got.i[1] == 3 && got.a[1] == 60);
    decode(MAKE(SUBARRAY, P(INT), 1, 9, 3, 4, MPI_ORDER_C), MPI_COMBINER_SUBARRAY, 5, 0, 0, 1);
    CHECK(got.i[1] == 9 && got.i[2] == 3 && got.i[3] == 4 && got.i[4] == MPI_ORDER_C);
    decode(MAKE(DARRAY, P(INT), 2, 1, 1, 10, MPI_DISTRIBUTE_CYCLIC, 3, 2, MPI_ORDER_C),
           MPI_COMBINER_DARRAY, 8, 0, 0, 1);
    CHECK(got.i[0] == 2 && got.i[3] == 10 && got.i[6] == 2 && got.i[7] == MPI_ORDER_C);
    decode(MAKE(RESIZED, P(INT), -3, 9), MPI_COMBINER_RESIZED, 0, 2, 0, 1);
    CHECK(got.a[0] == -3 && got.a[1] == 9);
    decode(make(MPI_COMBINER_DUP, NULL, 0, (type[]){P(INT)}, 1), MPI_COMBINER_DUP, 0, 0, 0, 1);
    decode(make(MPI_COMBINER_STRUCT, NUMBERS(2, 3, 4, 50, 60), (type[]){P(INT), P(CHAR)}, 2),
           MPI_COMBINER_STRUCT, 3, 2, 0, 2);
    CHECK(got.i[0] == 2 && got.i[2] == 4 && got.a[1] == 60 && got.d[1] == P(CHAR));
}

MEND_TEST(functions_with_large_counts)
{
    const MPI_Count big = INT64_C(1) << 33;

    decode(LARGE(CONTIGUOUS, P(INT), big), MPI_COMBINER_CONTIGUOUS, 0, 0, 1, 1);
    CHECK_EQ(got.c[0], big);
    decode(LARGE(HVECTOR, P(INT), 2, 3, big), MPI_COMBINER_HVECTOR, 0, 0, 3, 1);
    CHECK_EQ(got.c[2], big);
    decode(LARGE(INDEXED, P(INT), 2, 3, 4, 5, big), MPI_COMBINER_INDEXED, 0, 0, 5, 1);
    CHECK_EQ(got.c[4], big);
    decode(LARGE(HINDEXED_BLOCK, P(INT), 2, 3, 5, big), MPI_COMBINER_HINDEXED_BLOCK, 0, 0, 4, 1);
    CHECK_EQ(got.c[3], big);
    decode(LARGE(SUBARRAY, P(CHAR), 1, big, 3, 4, MPI_ORDER_C), MPI_COMBINER_SUBARRAY, 2, 0, 3, 1);
    CHECK(got.i[0] == 1 && got.i[1] == MPI_ORDER_C && got.c[0] == big && got.c[2] == 4);
    decode(LARGE(DARRAY, P(CHAR), 2, 1, 1, big, MPI_DISTRIBUTE_CYCLIC, 3, 2, MPI_ORDER_C),
           MPI_COMBINER_DARRAY, 7, 0, 1, 1);
    CHECK(got.i[2] == 1 && got.i[3] == MPI_DISTRIBUTE_CYCLIC && got.i[5] == 2 && got.c[0] == big);
    decode(LARGE(RESIZED, P(INT), -3, big), MPI_COMBINER_RESIZED, 0, 0, 2, 1);
    CHECK(got.c[0] == -3 && got.c[1] == big);
}

/* The same call gives the same object, which needs no freeing. */
MEND_TEST(types_of_fortran)
{
    type a, b;

    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, 6, 30, &a), MPI_SUCCESS);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, 6, 30, &b), MPI_SUCCESS);
    CHECK(a == b && a->predefined && a->committed && a->dense);
    CHECK_EQ(a->basic, MEND_BASIC_F32);
    decode(a, MPI_COMBINER_F90_REAL, 2, 0, 0, 0);
    CHECK(got.i[0] == 6 && got.i[1] == 30);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, 6, 31, &b), MPI_SUCCESS);
    CHECK(a != b);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, 6, 300, &b), MPI_SUCCESS);
    CHECK_EQ(b->size, 8);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, MPI_UNDEFINED, 100, &b), MPI_SUCCESS);
    CHECK_EQ(b->size, 8);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_COMPLEX, 10, MPI_UNDEFINED, &b), MPI_SUCCESS);
    CHECK_EQ(b->size, 16);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED, 5, &b), MPI_SUCCESS);
    CHECK_EQ(b->size, 4);
    decode(b, MPI_COMBINER_F90_INTEGER, 1, 0, 0, 0);
    CHECK_EQ(got.i[0], 5);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED, 39, &b), MPI_ERR_ARG);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, 34, 5, &b), MPI_ERR_ARG);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, MPI_UNDEFINED, MPI_UNDEFINED, &b),
             MPI_ERR_ARG);
    decode(MAKE(CONTIGUOUS, a, 2), MPI_COMBINER_CONTIGUOUS, 1, 0, 0, 1);
    CHECK(got.d[0] == a);
}

MEND_TEST(pairs_on_request)
{
    type a, b;

    CHECK_EQ(mend_type_value_index(self, P(FLOAT), P(INT), &a), MPI_SUCCESS);
    CHECK(a == P(FLOAT_INT));
    CHECK_EQ(mend_type_value_index(self, P(DOUBLE), P(LONG), &a), MPI_SUCCESS);
    CHECK_EQ(mend_type_value_index(self, P(DOUBLE), P(LONG), &b), MPI_SUCCESS);
    CHECK(a == b && a->predefined && a->size == 16);
    decode(a, MPI_COMBINER_VALUE_INDEX, 0, 0, 0, 2);
    CHECK(got.d[0] == P(DOUBLE) && got.d[1] == P(LONG));
    CHECK_EQ(mend_type_value_index(self, P(CHAR), P(INT), &a), MPI_SUCCESS);
    CHECK(a == NULL);
    CHECK_EQ(mend_type_value_index(self, P(INT), P(DOUBLE), &a), MPI_SUCCESS);
    CHECK(a == NULL);
    CHECK_EQ(mend_type_value_index(self, P(FLOAT), P(FLOAT), &a), MPI_SUCCESS);
    CHECK(a == NULL); /* an index is an integer */
    CHECK_EQ(mend_type_value_index(self, P(DOUBLE), P(DOUBLE), &a), MPI_SUCCESS);
    CHECK(a == NULL);
    CHECK_EQ(mend_type_value_index(self, P(REAL), P(REAL), &a), MPI_SUCCESS);
    CHECK(a == P(2REAL)); /* except Fortran's own, which has no other numbers to offer */
    CHECK_EQ(mend_type_value_index(self, MAKE(CONTIGUOUS, P(INT), 1), P(INT), &a), MPI_SUCCESS);
    CHECK(a == NULL);
}

MEND_TEST(types_by_size)
{
    type t;

    CHECK_EQ(mend_type_match(MPI_TYPECLASS_INTEGER, 8, &t), MPI_SUCCESS);
    CHECK(t == P(INTEGER8));
    CHECK_EQ(mend_type_match(MPI_TYPECLASS_REAL, 4, &t), MPI_SUCCESS);
    CHECK(t == P(REAL4));
    CHECK_EQ(mend_type_match(MPI_TYPECLASS_COMPLEX, 16, &t), MPI_SUCCESS);
    CHECK(t == P(COMPLEX16));
    CHECK_EQ(mend_type_match(MPIX_TYPECLASS_LOGICAL, 2, &t), MPI_SUCCESS);
    CHECK(t == P(LOGICAL2));
    CHECK_EQ(mend_type_match(MPI_TYPECLASS_REAL, 3, &t), MPI_ERR_ARG);
    CHECK_EQ(mend_type_match(0, 4, &t), MPI_ERR_ARG);
}

MEND_TEST(names)
{
    type t = MAKE(CONTIGUOUS, P(INT), 2);
    char text[400];

    CHECK_STR(mend_type_name(self, P(INT)), "MPI_INT");
    CHECK_STR(mend_type_name(self, t), "");
    CHECK_EQ(mend_type_set_name(self, P(INT), "int"), MPI_SUCCESS);
    CHECK_EQ(mend_type_set_name(self, P(INT), "integer"), MPI_SUCCESS);
    CHECK_STR(mend_type_name(self, P(INT)), "integer");
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    CHECK_EQ(mend_type_set_name(self, t, text), MPI_SUCCESS);
    CHECK_EQ(strlen(mend_type_name(self, t)), MPI_MAX_OBJECT_NAME - 1);
}

MEND_TEST_MAIN()
