/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor_test.c – the pieces of a cursor against the oracle: every byte as a place to begin and to go on;
 * copies between any two types, also between buffers that overlap.  Random types: test/fuzz/pack_fuzz.c. */
#include "datatype/compare.h"

#define BOTTOM_DISPL(p_) ((MPI_Count)(intptr_t)(p_))

static type column(void)
{
    return MAKE(RESIZED, MAKE(VECTOR, P(SHORT), 3, 1, 4), 0, 2);
}

static type nested(void)
{
    type kinds[4] = {P(CHAR), column(), MAKE(INDEXED, P(INT), 3, 1, 3, 2, 0, 2, 9), P(DOUBLE_INT)};

    return make(MPI_COMBINER_STRUCT, NUMBERS(4, 3, 2, 0, 2, 0, 8, 40, 96), kinds, 4);
}

static size_t all_types(type *t)
{
    size_t n = 0;

    t[n++] = P(INT);
    t[n++] = P(SHORT_INT);
    t[n++] = P(DOUBLE_INT);
    t[n++] = MAKE(CONTIGUOUS, P(INT), 0);
    t[n++] = MAKE(CONTIGUOUS, P(INT), 5);
    t[n++] = MAKE(VECTOR, P(INT), 4, 2, 3);
    t[n++] = MAKE(VECTOR, P(INT), 4, 1, 3);
    t[n++] = MAKE(VECTOR, P(INT), 4, 1, -3);
    t[n++] = MAKE(VECTOR, P(DOUBLE), 7, 1, 2);
    t[n++] = MAKE(VECTOR, P(DOUBLE), 7, 1, -2);
    t[n++] = MAKE(HVECTOR, P(CHAR), 5, 3, 7);
    t[n++] = MAKE(RESIZED, P(INT), -2, 7);
    t[n++] = MAKE(RESIZED, P(INT), 0, -8);
    t[n++] = MAKE(RESIZED, P(DOUBLE), -8, 16);
    t[n++] = MAKE(INDEXED, P(INT), 4, 2, 0, 1, 2, 0, 3, 4, 7);
    t[n++] = MAKE(INDEXED, P(INT), 3, 2, 1, 2, 7, 4, 0);
    t[n++] = MAKE(INDEXED_BLOCK, MAKE(VECTOR, P(CHAR), 2, 1, 2), 4, 1, 0, 3, 9, 12);
    t[n++] = MAKE(HINDEXED_BLOCK, P(INT), 1, 10, 24);
    t[n++] = MAKE(SUBARRAY, P(SHORT), 3, 3, 4, 5, 2, 2, 3, 1, 0, 2, MPI_ORDER_C);
    t[n++] = MAKE(SUBARRAY, P(DOUBLE), 3, 4, 4, 4, 2, 2, 1, 1, 1, 1, MPI_ORDER_C);
    t[n++] = MAKE(VECTOR, MAKE(INDEXED_BLOCK, P(INT), 3, 1, 0, 2, 5), 3, 1, 2);
    t[n++] = nested();
    t[n++] = MAKE(RESIZED, nested(), 0, 128);
    return n;
}

MEND_TEST(every_place)
{
    type types[32];
    size_t n = all_types(types);

    for (size_t i = 0; i < n; i++) {
        struct map m = map_of(types[i]);

        for (number count = 0; count <= 3; count++) {
            for (number at = 0; at <= map_size(&m) * count; at++) {
                for (size_t max = 1; max <= 17; max++)
                    compare_cursor(types[i], &m, count, at, max);
                compare_cursor(types[i], &m, count, at, SIZE_MAX);
            }
        }
        free(m.entries);
    }
}

MEND_TEST(copies)
{
    type types[32];
    size_t n = all_types(types);

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (number at = 0; at < 20; at += 1 + at / 4) {
                compare_copy(types[i], 3, types[j], 3, at);
                compare_copy(types[i], 2, types[j], 50, at);
                compare_copy(types[i], 50, types[j], 2, at);
            }
        }
    }
}

/* How many pieces there are: what lies together comes together. */
static int pieces(type t, MPI_Count count)
{
    struct mend_cursor k;
    char *piece;
    size_t len;
    int n = 0;

    mend_cursor_begin(&k, t, NULL, count, 0);
    while (mend_cursor_next(&k, SIZE_MAX, &piece, &len))
        n++;
    return n;
}

MEND_TEST(whole_pieces)
{
    CHECK_EQ(pieces(P(INT), 1000), 1);
    CHECK_EQ(pieces(MAKE(CONTIGUOUS, P(INT), 5), 7), 1);
    CHECK_EQ(pieces(MAKE(HINDEXED_BLOCK, P(INT), 1, 10, 24), 7), 1);
    CHECK_EQ(pieces(MAKE(VECTOR, P(INT), 4, 2, 3), 1), 4);
    CHECK_EQ(pieces(MAKE(VECTOR, P(INT), 4, 2, 3), 5), 20);
    CHECK_EQ(pieces(P(DOUBLE_INT), 9), 9);
    CHECK_EQ(pieces(P(SHORT_INT), 9), 18);
    CHECK_EQ(pieces(MAKE(CONTIGUOUS, P(INT), 0), 9), 0);
}

MEND_TEST(absolute_addresses)
{
    int mem[4] = {2, 0, 0, 1}, *a = &mem[3], *b = &mem[0], to[2];
    type t = MAKE(HINDEXED_BLOCK, P(INT), 2, 1, BOTTOM_DISPL(a), BOTTOM_DISPL(b));
    struct mend_cursor k, flat;
    char *piece;
    size_t len;

    mend_cursor_begin(&k, t, MPI_BOTTOM, 1, 0);
    CHECK(mend_cursor_next(&k, 100, &piece, &len) && piece == (char *)a && len == sizeof(*a));
    CHECK(mend_cursor_next(&k, 3, &piece, &len) && piece == (char *)b && len == 3);
    CHECK(mend_cursor_next(&k, 3, &piece, &len) && piece == (char *)b + 3 && len == 1);
    CHECK(!mend_cursor_next(&k, 3, &piece, &len) && len == 1);
    mend_cursor_begin(&k, t, MPI_BOTTOM, 1, 0);
    mend_cursor_begin(&flat, P(INT), to, 2, 0);
    mend_cursor_copy(&flat, &k);
    CHECK(to[0] == 1 && to[1] == 2);
    t = MAKE(HINDEXED_BLOCK, P(INT), 1, 1, BOTTOM_DISPL(b)); /* dense, lb != 0 */
    to[0] = 4;
    mend_cursor_begin(&k, t, MPI_BOTTOM, 1, 0);
    mend_cursor_begin(&flat, P(INT), to, 2, 0);
    mend_cursor_copy(&k, &flat);
    CHECK_EQ(*b, 4);
    CHECK_EQ(flat.at, sizeof(int));
}

/* A cursor that was copied goes on by itself. */
MEND_TEST(values)
{
    type t = MAKE(VECTOR, MAKE(VECTOR, P(CHAR), 3, 1, 2), 3, 2, 3);
    struct mend_cursor a, b;
    char *a_piece, *b_piece;
    size_t len;

    mend_cursor_begin(&a, t, NULL, 3, 0);
    while (mend_cursor_next(&a, 1, &a_piece, &len)) {
        b = a;
        if (mend_cursor_next(&b, 1, &b_piece, &len)) {
            char *before = b_piece;

            mend_cursor_begin(&b, t, NULL, 3, a.at);
            CHECK(mend_cursor_next(&b, 1, &b_piece, &len) && b_piece == before);
        }
    }
}

/* A piece onto itself, a few bytes on: it arrives as it was. */
MEND_TEST(overlap)
{
    char mem[64], was[64];
    struct mend_cursor to, from;
    type gaps = MAKE(HVECTOR, P(INT), 4, 4, 16);

    for (int shift = -8; shift <= 8; shift += 4) {
        for (int i = 0; i < 64; i++)
            was[i] = mem[i] = (char)i;
        mend_cursor_begin(&to, P(INT), mem + 16 + shift, 4, 0);
        mend_cursor_begin(&from, P(INT), mem + 16, 4, 0);
        mend_cursor_copy(&to, &from);
        CHECK(!memcmp(mem + 16 + shift, was + 16, 16));
        mend_cursor_begin(&to, gaps, mem, 1, 0);
        mend_cursor_begin(&from, gaps, mem, 1, 0);
        memcpy(was, mem, 64);
        mend_cursor_copy(&to, &from);
        CHECK(!memcmp(mem, was, 64));
    }
}

MEND_TEST_MAIN()
