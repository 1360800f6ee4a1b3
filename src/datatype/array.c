/* SPDX-License-Identifier: BSD-3-Clause */
/* array.c – the arguments of MPI_Type_create_subarray and MPI_Type_create_darray, dimension by
 * dimension (MPI-5.0 5.1.3, 5.1.4). */
#include "datatype/array.h"

/* Arguments of one dimension, as the arrays of the call. */
struct arrays {
    MPI_Count ndims, order;
    const MPI_Count *a, *b, *c, *d;
};

static struct arrays subarray_of(const struct mend_envelope *e)
{
    const MPI_Count *v = e->values;
    MPI_Count n = v[0];

    return (struct arrays){n, v[1 + 3 * n], v + 1, v + 1 + n, v + 1 + 2 * n, NULL};
}

static struct arrays darray_of(const struct mend_envelope *e)
{
    const MPI_Count *v = e->values + 2;
    MPI_Count n = v[0];

    return (struct arrays){n, v[1 + 4 * n], v + 1, v + 1 + n, v + 1 + 2 * n, v + 1 + 3 * n};
}

int mend_array_dims(const struct mend_envelope *e)
{
    return (int)e->values[e->combiner == MPI_COMBINER_SUBARRAY ? 0 : 2];
}

/* The process grid is in row-major order, whatever the order of the array is (MPI-5.0 5.1.4). */
static MPI_Count coordinate(const struct arrays *x, MPI_Count rank, MPI_Count dim)
{
    for (MPI_Count i = x->ndims - 1; i > dim; i--)
        rank /= x->d[i];
    return rank % x->d[dim];
}

/* Indices per block: what the caller says, or the default. */
static MPI_Count block_of(const struct arrays *x, MPI_Count dim)
{
    MPI_Count whole = x->a[dim], procs = x->d[dim];

    if (x->b[dim] == MPI_DISTRIBUTE_NONE)
        return whole;
    if (x->c[dim] != MPI_DISTRIBUTE_DFLT_DARG)
        return x->c[dim];
    return x->b[dim] == MPI_DISTRIBUTE_BLOCK ? whole / procs + (whole % procs != 0) : 1;
}

static struct mend_slice darray_slice(const struct arrays *x, MPI_Count rank, MPI_Count dim)
{
    MPI_Count procs = x->b[dim] == MPI_DISTRIBUTE_NONE ? 1 : x->d[dim];
    MPI_Count at = procs == 1 ? 0 : coordinate(x, rank, dim);
    MPI_Count left, block = block_of(x, dim);
    struct mend_slice s = {.whole = x->a[dim], .block = block};

    /* A block distribution is a cyclic one whose blocks cover all: nobody has two. */
    if (at > 0 && block > (s.whole - 1) / at)
        return s;
    s.first = block * at;
    s.cycle = block > s.whole / procs ? s.whole : block * procs;
    left = s.whole - s.first;
    if (left >= block)
        s.blocks = (left - block) / s.cycle + 1;
    left = s.whole - mend_slice_rest_at(&s);
    s.rest = left <= 0 ? 0 : left < block ? left : block;
    return s;
}

struct mend_slice mend_array_slice(const struct mend_envelope *e, int i)
{
    bool sub = e->combiner == MPI_COMBINER_SUBARRAY;
    struct arrays x = sub ? subarray_of(e) : darray_of(e);
    MPI_Count dim = x.order == MPI_ORDER_C ? x.ndims - 1 - i : i;

    if (!sub)
        return darray_slice(&x, e->values[1], dim);
    return (struct mend_slice){
        .whole = x.a[dim], .first = x.c[dim], .block = x.b[dim], .blocks = 1};
}

static bool subarray_is_good(const struct arrays *x)
{
    for (MPI_Count i = 0; i < x->ndims; i++) {
        if (x->a[i] < 1 || x->b[i] < 1 || x->b[i] > x->a[i] || x->c[i] < 0 ||
            x->c[i] > x->a[i] - x->b[i])
            return false;
    }
    return true;
}

static bool distribution_is_good(const struct arrays *x, MPI_Count i)
{
    MPI_Count block = x->c[i], all;

    if (x->a[i] < 1 || x->a[i] > INT64_MAX / 2 || x->d[i] < 1)
        return false;
    if (x->b[i] == MPI_DISTRIBUTE_NONE)
        return x->d[i] == 1;
    if (x->b[i] != MPI_DISTRIBUTE_BLOCK && x->b[i] != MPI_DISTRIBUTE_CYCLIC)
        return false;
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        return true;
    if (block < 1)
        return false;
    return x->b[i] == MPI_DISTRIBUTE_CYCLIC || __builtin_mul_overflow(block, x->d[i], &all) ||
           all >= x->a[i];
}

static bool darray_is_good(const struct mend_envelope *e, const struct arrays *x)
{
    MPI_Count size = e->values[0], rank = e->values[1], procs = 1;

    if (size < 1 || rank < 0 || rank >= size)
        return false;
    for (MPI_Count i = 0; i < x->ndims; i++) {
        if (!distribution_is_good(x, i) || __builtin_mul_overflow(procs, x->d[i], &procs))
            return false;
    }
    return procs == size;
}

int mend_array_check(const struct mend_envelope *e)
{
    bool sub = e->combiner == MPI_COMBINER_SUBARRAY;
    struct arrays x = sub ? subarray_of(e) : darray_of(e);

    if (x.ndims < 1 || (x.order != MPI_ORDER_C && x.order != MPI_ORDER_FORTRAN))
        return MPI_ERR_ARG;
    return (sub ? subarray_is_good(&x) : darray_is_good(e, &x)) ? MPI_SUCCESS : MPI_ERR_ARG;
}
