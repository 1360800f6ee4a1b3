/* SPDX-License-Identifier: BSD-3-Clause */
/* pack_test.c – packing against the oracle: every byte as a place to stop and to go on, the shapes
 * of run lists, copies between types. */
#include "datatype/compare.h"

static void check(type t)
{
    struct map m = map_of(t);

    compare_bounds(t, &m);
    for (number count = 0; count <= 3; count++) {
        size_t total = (size_t)(map_size(&m) * count);
        bool overlaps = map_overlaps(&m, count);

        for (size_t piece = 1; piece <= 40; piece++)
            compare_moves(t, &m, count, piece);
        for (size_t at = 0; at < total && !overlaps; at++) {
            compare_cut(t, &m, count, at, 1);
            compare_cut(t, &m, count, at, (total - at) / 2);
            compare_cut(t, &m, count, at, total - at);
        }
        for (size_t bytes = 0; bytes < 4 * total; bytes++)
            compare_elements(t, &m, (number)bytes);
    }
    free(m.entries);
}

/* Elements of it overlap: its bounds are those of the resized column. */
static type nested(void)
{
    type column = MAKE(RESIZED, MAKE(VECTOR, P(SHORT), 3, 1, 4), 0, 2);
    type list = MAKE(INDEXED, P(INT), 3, 1, 3, 2, 0, 2, 9);
    type kinds[4] = {P(CHAR), column, list, P(DOUBLE_INT)};

    return make(MPI_COMBINER_STRUCT, NUMBERS(4, 3, 2, 1, 2, 0, 8, 40, 96), kinds, 4);
}

MEND_TEST(regular_types)
{
    check(P(INT));
    check(P(SHORT_INT));
    check(P(DOUBLE_INT));
    check(MAKE(CONTIGUOUS, P(INT), 3));
    check(MAKE(VECTOR, P(INT), 4, 2, 3));
    check(MAKE(VECTOR, P(INT), 4, 1, -3));
    check(MAKE(HVECTOR, P(CHAR), 5, 3, 7));
    check(MAKE(VECTOR, MAKE(VECTOR, P(CHAR), 3, 1, 2), 3, 2, 3));
    check(MAKE(VECTOR, P(SHORT_INT), 3, 2, 3));
    check(MAKE(RESIZED, P(INT), -2, 7));
    check(MAKE(RESIZED, P(INT), 0, -8));
    check(MAKE(HVECTOR, P(INT), 3, 1, 0)); /* the same place three times */
}

MEND_TEST(irregular_types)
{
    check(MAKE(INDEXED, P(INT), 3, 2, 1, 2, 0, 4, 7));
    check(MAKE(INDEXED, P(INT), 3, 2, 1, 2, 7, 4, 0));
    check(MAKE(INDEXED, MAKE(VECTOR, P(CHAR), 2, 1, 2), 3, 2, 0, 2, 0, 4, 7));
    check(MAKE(INDEXED_BLOCK, P(INT), 4, 2, 0, 3, 9, 12));
    check(MAKE(INDEXED_BLOCK, MAKE(VECTOR, P(CHAR), 2, 1, 2), 4, 1, 0, 3, 9, 12));
    check(MAKE(HINDEXED_BLOCK, P(DOUBLE), 3, 1, 100, 0, 31));
    check(nested());
    check(MAKE(VECTOR, nested(), 2, 1, 2));
    check(MAKE(RESIZED, nested(), 0, 128));
}

MEND_TEST(arrays)
{
    check(MAKE(SUBARRAY, P(SHORT), 3, 3, 4, 5, 2, 2, 3, 1, 0, 2, MPI_ORDER_C));
    check(MAKE(SUBARRAY, P(SHORT), 3, 3, 4, 5, 2, 4, 3, 1, 0, 2, MPI_ORDER_FORTRAN));
    check(MAKE(SUBARRAY, P(INT), 1, 9, 3, 4, MPI_ORDER_C));
    for (MPI_Count rank = 0; rank < 4; rank++) {
        check(MAKE(DARRAY, P(CHAR), 4, rank, 2, 7, 5, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK,
                   2, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, MPI_ORDER_C));
        check(MAKE(DARRAY, P(CHAR), 4, rank, 2, 7, 5, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC,
                   MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, 1, 4, MPI_ORDER_FORTRAN));
    }
}

/* Memory of a regular type does not depend on its counts. */
MEND_TEST(run_lists_are_small)
{
    type t = MAKE(VECTOR, P(FLOAT), 1000000, 1, 8);

    CHECK_EQ(t->layout->root.kind, MEND_RUN_LOOP);
    CHECK_EQ(t->layout->root.body->kind, MEND_RUN_BYTES);
    t = MAKE(SUBARRAY, P(DOUBLE), 3, 100, 100, 100, 50, 50, 100, 0, 0, 0, MPI_ORDER_C);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_LOOP); /* planes of 50 whole rows */
    CHECK_EQ(t->layout->root.count, 50);
    CHECK_EQ(t->layout->root.body->kind, MEND_RUN_BYTES);
    t = MAKE(INDEXED, P(INT), 4, 1, 1, 1, 1, 0, 3, 6, 9); /* a vector in disguise */
    CHECK_EQ(t->layout->root.kind, MEND_RUN_LOOP);
    t = MAKE(INDEXED, P(INT), 4, 1, 1, 1, 1, 0, 1, 6, 7); /* two pieces of two */
    CHECK_EQ(t->layout->root.kind, MEND_RUN_LOOP);
    CHECK_EQ(t->layout->root.count, 2);
    t = MAKE(INDEXED, P(INT), 3, 1, 1, 1, 0, 3, 7);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_AT);
    t = MAKE(INDEXED, P(INT), 3, 1, 2, 1, 0, 3, 7);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_PIECES);
    t = MAKE(VECTOR, MAKE(RESIZED, MAKE(VECTOR, P(INT), 4, 1, 2), 0, 32), 5, 1, 1);
    CHECK_EQ(t->layout->root.count, 20); /* one loop continues the other */
    t = MAKE(INDEXED, P(INT), 3, 1, 2, 1, 0, 1, 3);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_BYTES);
}

/* Single numbers of which some touch stay apart: the loop for pieces of one length needs no branch. */
MEND_TEST(numbers_that_touch_stay_apart)
{
    MPI_Count v[2 + 30] = {30, 1};
    type t;

    for (int i = 0; i < 30; i++)
        v[2 + i] = 3 * i + i % 3; /* 0 4 8 9 13 17 18 ... */
    t = make(MPI_COMBINER_INDEXED_BLOCK, v, 2 + 30, (type[]){P(DOUBLE)}, 1);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_AT);
    CHECK_EQ(t->layout->root.count, 30);
    CHECK_EQ(t->layout->root.body->size, 8);
    check(t);
    check(MAKE(RESIZED, t, 8, 1000));
    for (int i = 0; i < 30; i++)
        v[2 + i] = i + i / 5; /* rows of five */
    t = make(MPI_COMBINER_INDEXED_BLOCK, v, 2 + 30, (type[]){P(DOUBLE)}, 1);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_LOOP);
    CHECK_EQ(t->layout->root.body->size, 40);
    v[2 + 29] = 1000; /* rows of 5 and one of 4: longer than two numbers */
    t = make(MPI_COMBINER_INDEXED_BLOCK, v, 2 + 30, (type[]){P(DOUBLE)}, 1);
    CHECK_EQ(t->layout->root.kind, MEND_RUN_PIECES);
}

MEND_TEST(absolute_addresses)
{
    int a = 1, b = 2, in[2] = {3, 4}, out[2];
    type t = MAKE(HINDEXED_BLOCK, P(INT), 2, 1, (MPI_Count)(intptr_t)&a, (MPI_Count)(intptr_t)&b);

    mend_type_pack(t, MPI_BOTTOM, 1, 0, out, sizeof(out));
    CHECK(out[0] == 1 && out[1] == 2);
    mend_type_unpack(t, MPI_BOTTOM, 1, 0, in, sizeof(in));
    CHECK(a == 3 && b == 4);
    t = MAKE(HINDEXED_BLOCK, P(INT), 1, 1, (MPI_Count)(intptr_t)&b);
    CHECK(t->dense);
    mend_type_pack(t, MPI_BOTTOM, 1, 0, out, sizeof(out));
    CHECK_EQ(out[0], 4);
}

/* Between any two of these: the packed bytes of the destination are those of the source. */
MEND_TEST(copies)
{
    type types[] = {P(BYTE), MAKE(VECTOR, P(INT), 500, 3, 5), MAKE(INDEXED, P(CHAR), 2, 5, 3, 9, 1),
                    MAKE(RESIZED, nested(), 0, 128), MAKE(HINDEXED_BLOCK, P(INT), 1, 10, 24)};

    for (size_t i = 0; i < MEND_COUNT_OF(types); i++) {
        for (size_t j = 0; j < MEND_COUNT_OF(types); j++) {
            struct map from_m = map_of(types[i]), to_m = map_of(types[j]);
            number from_n = 20000 / map_size(&from_m), to_n = 15000 / map_size(&to_m);
            struct field from = field_make(&from_m, from_n, 5), to = field_make(&to_m, to_n, 6);
            size_t n = (size_t)(to_n * map_size(&to_m));
            char *want = malloc(20000), *got = malloc(20000);

            mend_type_copy(types[i], from.at, from_n, types[j], to.at, to_n);
            map_pack(&from_m, from.at, from_n, want);
            map_pack(&to_m, to.at, to_n, got);
            CHECK(!memcmp(want, got, n));
            free(want);
            free(got);
            free(from.memory);
            free(to.memory);
            free(from_m.entries);
            free(to_m.entries);
        }
    }
}

MEND_TEST_MAIN()
