/* SPDX-License-Identifier: BSD-3-Clause */
/* external32.c – big-endian bytes with sizes that do not depend on the machine.
 *
 *     memory ──pack──> piece of native packed bytes ──per element──> external32
 *
 * The signature tells which elements follow each other; pack.c finds them in memory.  Integers that
 * are shorter outside (long, wchar_t) lose their upper bytes, as the standard wants it (14.5.2,
 * advice to implementors). */
#include "datatype/external32.h"
#include "datatype/predefined.h"
#include "datatype/signature.h"
#include "datatype/wide.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory is not big-endian");

#define PIECE_BYTES 4096

/* --------------------------------------------------------------------------
 * One kind of element
 * -------------------------------------------------------------------------- */

#define SWAP(bits_)                                                                                \
    static void swap_##bits_(const char *from, char *to, size_t n)                                 \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint##bits_##_t x;                                                                     \
                                                                                                   \
            memcpy(&x, from + i * sizeof(x), sizeof(x));                                           \
            x = __builtin_bswap##bits_(x);                                                         \
            memcpy(to + i * sizeof(x), &x, sizeof(x));                                             \
        }                                                                                          \
    }
SWAP(16)
SWAP(32)
SWAP(64)

static void swap_128(const char *from, char *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x[2];

        memcpy(x, from + i * sizeof(x), sizeof(x));
        x[0] = __builtin_bswap64(x[0]);
        x[1] = __builtin_bswap64(x[1]);
        memcpy(to + i * sizeof(x), &x[1], sizeof(x[1]));
        memcpy(to + i * sizeof(x) + sizeof(x[1]), &x[0], sizeof(x[0]));
    }
}

static void swap_units(const char *from, char *to, size_t n, size_t unit_bytes)
{
    switch (unit_bytes) {
    case 2:
        swap_16(from, to, n);
        break;
    case 4:
        swap_32(from, to, n);
        break;
    case 8:
        swap_64(from, to, n);
        break;
    default:
        swap_128(from, to, n);
    }
}

/* A long double of x86 has 80 bits; outside it is an IEEE binary128. */
#if LDBL_MANT_DIG == 64 && defined(MEND_HAVE_FLOAT128)
static bool is_extended(const struct mend_type *leaf)
{
    return leaf->basic == MEND_BASIC_F80 || leaf->basic == MEND_BASIC_C80;
}

static void extended_to_quad(const char *from, char *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        long double x;
        mend_float128 q;

        memcpy(&x, from + i * sizeof(x), sizeof(x));
        q = x;
        memcpy(to + i * sizeof(q), &q, sizeof(q));
    }
}

static void quad_to_extended(const char *from, char *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mend_float128 q;
        long double x;

        memcpy(&q, from + i * sizeof(q), sizeof(q));
        x = (long double)q;
        memset(to + i * sizeof(x), 0, sizeof(x));
        memcpy(to + i * sizeof(x), &x, 10);
    }
}
#else
static bool is_extended(const struct mend_type *leaf)
{
    return false;
}

static void extended_to_quad(const char *from, char *to, size_t n)
{
    memcpy(to, from, n * 16);
}

static void quad_to_extended(const char *from, char *to, size_t n)
{
    memcpy(to, from, n * 16);
}
#endif

/* Keeps the lower half of every integer of `wide` bytes, big-endian. */
static void shorten(const char *from, char *to, size_t n, size_t wide)
{
    size_t half = wide / 2;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < half; j++)
            to[i * half + j] = from[i * wide + half - 1 - j];
    }
}

static void lengthen(const char *from, char *to, size_t n, size_t wide, bool is_signed)
{
    size_t half = wide / 2;

    for (size_t i = 0; i < n; i++) {
        bool negative = is_signed && (from[i * half] & 0x80);

        for (size_t j = 0; j < half; j++)
            to[i * wide + j] = from[i * half + half - 1 - j];
        memset(to + i * wide + half, negative ? 0xff : 0, half);
    }
}

/* n elements of native packed bytes to external32, and back. */
static void encode(const struct mend_type *leaf, const char *from, char *to, size_t n)
{
    const struct mend_predefined *row = mend_predefined_row(leaf);
    size_t size = (size_t)leaf->size, units = row->unit_bytes ? n * (size / row->unit_bytes) : 0;
    char quads[PIECE_BYTES];

    if (row->unit_bytes == 0) {
        memcpy(to, from, n * size);
    } else if (row->external_bytes != size) {
        shorten(from, to, n, size);
    } else if (is_extended(leaf)) {
        extended_to_quad(from, quads, units);
        swap_128(quads, to, units);
    } else {
        swap_units(from, to, units, row->unit_bytes);
    }
}

static void decode(const struct mend_type *leaf, const char *from, char *to, size_t n)
{
    const struct mend_predefined *row = mend_predefined_row(leaf);
    size_t size = (size_t)leaf->size, units = row->unit_bytes ? n * (size / row->unit_bytes) : 0;
    char quads[PIECE_BYTES];

    if (row->unit_bytes == 0) {
        memcpy(to, from, n * size);
    } else if (row->external_bytes != size) {
        lengthen(from, to, n, size, leaf->basic == MEND_BASIC_I64);
    } else if (is_extended(leaf)) {
        swap_128(from, quads, units);
        quad_to_extended(quads, to, units);
    } else {
        swap_units(from, to, units, row->unit_bytes);
    }
}

/* --------------------------------------------------------------------------
 * Whole buffers
 * -------------------------------------------------------------------------- */

static bool add_size(void *arg, const struct mend_type *leaf, MPI_Count n)
{
    MPI_Count *sum = arg, bytes;

    if (__builtin_mul_overflow(n, mend_predefined_row(leaf)->external_bytes, &bytes) ||
        __builtin_add_overflow(*sum, bytes, sum)) {
        *sum = -1;
        return false;
    }
    return true;
}

MPI_Count mend_external_size(const struct mend_type *t, MPI_Count count)
{
    MPI_Count sum = 0;

    mend_signature_walk(t, 1, add_size, &sum);
    return sum < 0 || __builtin_mul_overflow(sum, count, &sum) ? -1 : sum;
}

struct transfer {
    const struct mend_type *t;
    void *buf;
    MPI_Count count, at; /* at: native packed position */
    const char *in;      /* unpack */
    char *out;           /* pack */
};

static bool transfer(void *arg, const struct mend_type *leaf, MPI_Count n)
{
    struct transfer *x = arg;
    char piece[PIECE_BYTES];
    MPI_Count most = PIECE_BYTES / leaf->size;
    size_t external = mend_predefined_row(leaf)->external_bytes;

    for (; n > 0; n -= most) {
        size_t k = (size_t)(n < most ? n : most), bytes = k * (size_t)leaf->size;

        if (x->out) {
            mend_type_pack(x->t, x->buf, x->count, x->at, piece, bytes);
            encode(leaf, piece, x->out, k);
            x->out += k * external;
        } else {
            decode(leaf, x->in, piece, k);
            mend_type_unpack(x->t, x->buf, x->count, x->at, piece, bytes);
            x->in += k * external;
        }
        x->at += (MPI_Count)bytes;
    }
    return true;
}

void mend_external_pack(const struct mend_type *t, const void *buf, MPI_Count count, void *out)
{
    mend_signature_walk(t, count, transfer,
                        &(struct transfer){.t = t, .buf = (void *)buf, .count = count, .out = out});
}

void mend_external_unpack(const struct mend_type *t, void *buf, MPI_Count count, const void *in)
{
    mend_signature_walk(t, count, transfer,
                        &(struct transfer){.t = t, .buf = buf, .count = count, .in = in});
}
