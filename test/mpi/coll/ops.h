/* SPDX-License-Identifier: BSD-3-Clause */
/* ops.h – operators and types for the tests of reductions.
 *
 * Each case can fill element i of a rank, and compute what ranks lo..hi come to. */
#ifndef TEST_COLL_OPS_H
#define TEST_COLL_OPS_H

#include "mpi/coll/common.h"

struct op_case {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    int extent, size, at; /* bytes of an element: extent, data, where the data begin */
    void (*fill)(int r, int i, void *value);
    void (*expect)(int lo, int hi, int i, void *value);
};

static void int_fill(int r, int i, void *value)
{
    int v = r * 3 + i % 1000 + 1;

    memcpy(value, &v, sizeof v);
}

static void int_sum(int lo, int hi, int i, void *value)
{
    int sum = 0, v;

    for (int r = lo; r <= hi; r++) {
        int_fill(r, i, &v);
        sum += v;
    }
    memcpy(value, &sum, sizeof sum);
}

static void double_fill(int r, int i, void *value)
{
    double v = ((r * 7 + i) % 11) * 0.5 - 2;

    memcpy(value, &v, sizeof v);
}

static void double_max(int lo, int hi, int i, void *value)
{
    double best, v;

    double_fill(lo, i, &best);
    for (int r = lo + 1; r <= hi; r++) {
        double_fill(r, i, &v);
        best = v > best ? v : best;
    }
    memcpy(value, &best, sizeof best);
}

static void byte_fill(int r, int i, void *value)
{
    *(unsigned char *)value = (unsigned char)(r * 37 + i * 11 + 3);
}

static void byte_xor(int lo, int hi, int i, void *value)
{
    unsigned char sum = 0, v;

    for (int r = lo; r <= hi; r++) {
        byte_fill(r, i, &v);
        sum ^= v;
    }
    *(unsigned char *)value = sum;
}

struct double_int {
    double value;
    int index;
};

static void loc_fill(int r, int i, void *value)
{
    struct double_int v = {(r * 5 + i) % 4, r};

    memcpy(value, &v.value, 8);
    memcpy((char *)value + 8, &v.index, 4);
}

static void loc_min(int lo, int hi, int i, void *value)
{
    int best = lo;

    for (int r = lo + 1; r <= hi; r++)
        if ((r * 5 + i) % 4 < (best * 5 + i) % 4)
            best = r;
    loc_fill(best, i, value);
}

/* Affine functions x -> a x + b modulo a prime: composing them is associative and not
 * commutative. */
#define PRIME 10007
static void affine_fill(int r, int i, void *value)
{
    int v[2] = {(r * 17 + i * 3) % (PRIME - 1) + 1, (r * 101 + i) % PRIME};

    memcpy(value, v, sizeof v);
}

/* First `left`, then `right`. */
static void affine_join(const int *left, const int *right, int *result)
{
    long long a = (long long)left[0] * right[0] % PRIME;
    long long b = ((long long)left[1] * right[0] + right[1]) % PRIME;

    result[0] = (int)a;
    result[1] = (int)b;
}

static void affine_expect(int lo, int hi, int i, void *value)
{
    int sum[2], v[2];

    affine_fill(lo, i, sum);
    for (int r = lo + 1; r <= hi; r++) {
        affine_fill(r, i, v);
        affine_join(sum, v, sum);
    }
    memcpy(value, sum, sizeof sum);
}

/* For the dense type and for layout 1, told apart by the extent. */
static void affine_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *len; i++) {
        char *a = (char *)in + i * extent, *b = (char *)inout + i * extent;
        int step = extent == 8 ? 4 : 8, left[2], right[2];

        memcpy(&left[0], a, 4);
        memcpy(&left[1], a + step, 4);
        memcpy(&right[0], b, 4);
        memcpy(&right[1], b + step, 4);
        affine_join(left, right, right);
        memcpy(b, &right[0], 4);
        memcpy(b + step, &right[1], 4);
    }
}

static void user_sum(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++) {
        int a, b;

        memcpy(&a, (char *)in + 4 * i, 4);
        memcpy(&b, (char *)inout + 4 * i, 4);
        b += a;
        memcpy((char *)inout + 4 * i, &b, 4);
    }
}

#define OP_CASES 7
static struct op_case op_cases[OP_CASES];

static inline void ops_start(void)
{
    MPI_Op affine, sum;
    MPI_Datatype two;

    MPI_Op_create(affine_op, 0, &affine);
    MPI_Op_create(user_sum, 1, &sum);
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    op_cases[0] = (struct op_case){"int sum", MPI_INT, MPI_SUM, 4, 4, 0, int_fill, int_sum};
    op_cases[1] =
        (struct op_case){"double max", MPI_DOUBLE, MPI_MAX, 8, 8, 0, double_fill, double_max};
    op_cases[2] = (struct op_case){"byte xor", MPI_BYTE, MPI_BXOR, 1, 1, 0, byte_fill, byte_xor};
    op_cases[3] =
        (struct op_case){"minloc", MPI_DOUBLE_INT, MPI_MINLOC, 16, 12, 0, loc_fill, loc_min};
    op_cases[4] = (struct op_case){"affine", two, affine, 8, 8, 0, affine_fill, affine_expect};
    op_cases[5] = (struct op_case){"affine with gaps", layouts[1].type, affine, 16, 12, 0,
                                   affine_fill,        affine_expect};
    op_cases[6] = (struct op_case){"user's sum", MPI_INT, sum, 4, 4, 0, int_fill, int_sum};
}

static inline void ops_finish(void)
{
    MPI_Op_free(&op_cases[4].op);
    MPI_Op_free(&op_cases[6].op);
    MPI_Type_free(&op_cases[4].type);
}

/* Element i of a buffer; with gaps the second int lies 8 behind the first. */
static inline void op_store(const struct op_case *o, char *buf, int i, const void *value)
{
    char *at = buf + (size_t)i * (size_t)o->extent;

    if (o->type == layouts[1].type) {
        memcpy(at, value, 4);
        memcpy(at + 8, (const char *)value + 4, 4);
    } else {
        memcpy(at, value, (size_t)o->size);
    }
}

/* What this rank gives: in the buffer and its image. */
static inline void op_give(const struct op_case *o, struct area *a, int n)
{
    for (int i = 0; i < n; i++) {
        char v[16];

        o->fill(rank, i, v);
        op_store(o, a->buf, i, v);
        op_store(o, a->image + MARGIN, i, v);
    }
}

/* n elements from `first` on must be what ranks lo..hi come to, at the beginning of the area. */
static inline void op_expect(const struct op_case *o, struct area *a, int first, int n, int lo,
                             int hi)
{
    for (int i = 0; i < n; i++) {
        char v[16];

        o->expect(lo, hi, first + i, v);
        op_store(o, a->image + MARGIN, i, v);
    }
}

/* Fewer elements for operators that are slow to check. */
static inline int op_length(const struct op_case *o, int l)
{
    return o->op == MPI_SUM || l < 4096 ? l : l / 4;
}

#endif
