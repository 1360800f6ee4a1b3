/* SPDX-License-Identifier: BSD-3-Clause */
/* external32_test.c – bytes of the canonical representation, sizes, and the way back. */
#include "datatype/compare_external.h"
#include "datatype/types.h"

#include <float.h>
#include <limits.h>
#include <wchar.h>

/* One element, its bytes outside, and the way back. */
static void expect(type t, const void *value, const char *bytes, MPI_Count n)
{
    char out[64], back[64] = {0};

    CHECK_EQ(mend_external_size(t, 1), n);
    mend_external_pack(t, value, 1, out);
    CHECK(!memcmp(out, bytes, (size_t)n));
    mend_external_unpack(t, back, 1, out);
    CHECK(!memcmp(back, value,
                  t->basic == MEND_BASIC_F80 && LDBL_MANT_DIG == 64 ? 10 : (size_t)t->size));
}

MEND_TEST(bytes_outside_are_big_endian)
{
    expect(P(INT), &(int){0x01020304}, "\x01\x02\x03\x04", 4);
    expect(P(SHORT), &(short){-2}, "\xff\xfe", 2);
    expect(P(LONG_LONG), &(long long){0x0102030405060708}, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    expect(P(CHAR), "x", "x", 1);
    expect(P(FLOAT), &(float){1}, "\x3f\x80\0\0", 4);
    expect(P(DOUBLE), &(double){-2}, "\xc0\0\0\0\0\0\0\0", 8);
    expect(P(C_FLOAT_COMPLEX), &(float[2]){1, -2}, "\x3f\x80\0\0\xc0\0\0\0", 8);
    expect(P(C_BOOL), &(bool){true}, "\x01", 1);
    expect(P(LOGICAL), &(int){1}, "\0\0\0\x01", 4);
    expect(P(AINT), &(MPI_Aint){-1}, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
}

MEND_TEST(some_integers_are_shorter_outside)
{
    expect(P(LONG), &(long){-5}, "\xff\xff\xff\xfb", 4);
    expect(P(UNSIGNED_LONG), &(unsigned long){0xfffffffb}, "\xff\xff\xff\xfb", 4);
    expect(P(WCHAR), &(wchar_t){0x20ac}, "\x20\xac", 2);
}

/* 1 is 0x3fff and no fraction; 1 + 2^-63, the last bit of an x87 number */
MEND_TEST(long_double_is_a_quad_outside)
{
    expect(P(LONG_DOUBLE), &(long double){1}, "\x3f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    expect(P(LONG_DOUBLE), &(long double){-0.75L}, "\xbf\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    expect(P(LONG_DOUBLE), &(long double){1 + 0x1p-63L}, "\x3f\xff\0\0\0\0\0\0\0\x02\0\0\0\0\0\0",
           16);
    expect(P(LONG_DOUBLE), &(long double){LDBL_MIN / 4}, "\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    expect(P(LONG_DOUBLE), &(long double){__builtin_infl()}, "\x7f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
           16);
}

MEND_TEST(sizes_follow_the_signature)
{
    type t = make(MPI_COMBINER_STRUCT, NUMBERS(3, 2, 3, 1, 0, 16, 64),
                  (type[]){P(LONG), P(DOUBLE_INT), P(LONG_DOUBLE)}, 3);
    type f90;

    CHECK_EQ(mend_external_size(t, 1), 2 * 4 + 3 * 12 + 16);
    CHECK_EQ(mend_external_size(t, 1000), 60000);
    CHECK_EQ(mend_external_size(t, 0), 0);
    CHECK_EQ(mend_external_size(P(DOUBLE), INT64_MAX / 4), -1);
    CHECK_EQ(mend_type_f90(self, MPI_COMBINER_F90_REAL, 15, MPI_UNDEFINED, &f90), MPI_SUCCESS);
    CHECK_EQ(mend_external_size(f90, 2), 16);
}

static void compare(type t)
{
    struct map m = map_of(t);

    for (number count = 0; count < 4; count++)
        compare_external(t, &m, count);
    free(m.entries);
}

/* Each constructor, of a simple type and of one that has parts of its own. */
MEND_TEST(all_constructors)
{
    type mixed = make(MPI_COMBINER_STRUCT, NUMBERS(3, 2, 0, 1, 0, 8, 8),
                      (type[]){P(INT), P(BYTE), P(LONG)}, 3);
    type olds[] = {P(INT), P(LONG), P(DOUBLE_INT), mixed,
                   make(MPI_COMBINER_STRUCT, NUMBERS(1, 3, 0), &mixed, 1)};

    for (size_t i = 0; i < MEND_COUNT_OF(olds); i++) {
        type old = olds[i];

        compare(make(MPI_COMBINER_DUP, NULL, 0, &old, 1));
        compare(MAKE(CONTIGUOUS, old, 3));
        compare(MAKE(VECTOR, old, 2, 3, 4));
        compare(MAKE(HVECTOR, old, 3, 2, 200));
        compare(MAKE(INDEXED, old, 3, 2, 0, 3, 1, 4, 6));
        compare(MAKE(HINDEXED, old, 2, 3, 1, 0, 300));
        compare(MAKE(INDEXED_BLOCK, old, 2, 3, 4, 0));
        compare(MAKE(HINDEXED_BLOCK, old, 2, 2, 0, 200));
        compare(make(MPI_COMBINER_STRUCT, NUMBERS(1, 3, 0), &old, 1));
        compare(make(MPI_COMBINER_STRUCT, NUMBERS(2, 3, 2, 0, 400), (type[]){old, P(SHORT)}, 2));
        compare(make(MPI_COMBINER_STRUCT, NUMBERS(2, 0, 3, 0, 0), (type[]){P(SHORT), old}, 2));
        compare(MAKE(SUBARRAY, old, 2, 4, 5, 2, 3, 1, 1, MPI_ORDER_C));
        compare(MAKE(DARRAY, old, 2, 1, 1, 7, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2,
                     MPI_ORDER_C));
        compare(MAKE(RESIZED, old, -8, 200));
    }
}

/* Longer than the pieces that are converted at a time, with gaps. */
MEND_TEST(long_buffers)
{
    enum { N = 3000 };
    type kinds[2] = {P(INT), MAKE(RESIZED, MAKE(VECTOR, P(SHORT), 3, 1, 2), 0, 16)};
    type t = make(MPI_COMBINER_STRUCT, NUMBERS(2, 1, 2, 0, 4), kinds, 2);
    struct element {
        int32_t i;
        int16_t s[16];
    } *in = calloc(N, sizeof(*in)), *back = calloc(N, sizeof(*back));
    unsigned char *out = malloc(N * 16);

    t = MAKE(RESIZED, t, 0, sizeof(struct element));
    for (int n = 0; n < N; n++) {
        in[n].i = n * 77777;
        for (int j = 0; j < 16; j++)
            in[n].s[j] = (int16_t)(n * 31 + j * 1000);
    }
    CHECK_EQ(mend_external_size(t, N), N * 16);
    mend_external_pack(t, in, N, out);
    mend_external_unpack(t, back, N, out);
    for (int n = 0; n < N; n++) {
        CHECK_EQ(out[n * 16] << 24 | out[n * 16 + 1] << 16 | out[n * 16 + 2] << 8 | out[n * 16 + 3],
                 in[n].i);
        CHECK_EQ(back[n].i, in[n].i);
        for (int j = 0; j < 16; j++)
            CHECK_EQ(back[n].s[j], j % 8 < 6 && j % 2 == 0 ? in[n].s[j] : 0);
        CHECK_EQ((int16_t)(out[n * 16 + 14] << 8 | out[n * 16 + 15]), in[n].s[12]);
    }
    t = MAKE(CONTIGUOUS, P(LONG_DOUBLE), 3);
    CHECK_EQ(mend_external_size(t, 1000), 48000);
    free(in);
    free(back);
    free(out);
}

MEND_TEST_MAIN()
