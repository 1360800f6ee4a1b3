/* SPDX-License-Identifier: BSD-3-Clause */
/* build.c – from the arguments of a constructor to size and bounds (MPI-5.0 5.1.2 to 5.1.7).
 *
 * A type map is never written out.  Each constructor tells a `struct tally` two things about every
 * old type it uses: how many of it there are, and between which displacements they lie.  All copies
 * of a type have the same shape, so the extreme displacements give the extreme bounds:
 *
 *           lo                     hi           the copies' origins lie in lo .. hi
 *      [lb ─┼─── ub)          [lb ─┼─── ub)
 *      └ lower bound                    └ upper bound
 *
 * 1. A type without entries contributes nothing, unless it has explicit bounds.
 * 2. Explicit bounds are sticky: once a member has them, those of other members do not count. */
#include "datatype/array.h"
#include "datatype/envelope.h"
#include "datatype/layout.h"
#include "datatype/predefined.h"

#include <limits.h>
#include <string.h>

/* --------------------------------------------------------------------------
 * Numbers that remember that they overflowed
 * -------------------------------------------------------------------------- */

struct tally {
    bool overflow, any, marked;
    uint8_t align, basic;
    MPI_Count size, elements;
    MPI_Count true_lb, true_ub;     /* valid if any */
    MPI_Count marked_lb, marked_ub; /* valid if marked */
    const struct mend_type *leaf;
};

static MPI_Count add(struct tally *y, MPI_Count a, MPI_Count b)
{
    MPI_Count sum = 0;

    y->overflow |= __builtin_add_overflow(a, b, &sum);
    return sum;
}

static MPI_Count sub(struct tally *y, MPI_Count a, MPI_Count b)
{
    MPI_Count difference = 0;

    y->overflow |= __builtin_sub_overflow(a, b, &difference);
    return difference;
}

static MPI_Count mul(struct tally *y, MPI_Count a, MPI_Count b)
{
    MPI_Count product = 0;

    y->overflow |= __builtin_mul_overflow(a, b, &product);
    return product;
}

static MPI_Count min(MPI_Count a, MPI_Count b)
{
    return a < b ? a : b;
}

static MPI_Count max(MPI_Count a, MPI_Count b)
{
    return a > b ? a : b;
}

/* --------------------------------------------------------------------------
 * What the constructors tell
 * -------------------------------------------------------------------------- */

static void tell_bounds(struct tally *y, const struct mend_type *old, bool marked, MPI_Count lo,
                        MPI_Count hi)
{
    MPI_Count lb = add(y, lo, old->lb), ub = add(y, hi, add(y, old->lb, old->extent));

    if (marked) {
        y->marked_lb = y->marked ? min(y->marked_lb, lb) : lb;
        y->marked_ub = y->marked ? max(y->marked_ub, ub) : ub;
        y->marked = true;
    }
    if (old->size == 0)
        return;
    lb = add(y, lo, old->true_lb);
    ub = add(y, hi, add(y, old->true_lb, old->true_extent));
    y->true_lb = y->any ? min(y->true_lb, lb) : lb;
    y->true_ub = y->any ? max(y->true_ub, ub) : ub;
    y->any = true;
}

/* n > 0 copies of old, the origins of the outermost ones at lo and hi. */
static void tell(struct tally *y, const struct mend_type *old, MPI_Count n, MPI_Count lo,
                 MPI_Count hi)
{
    struct mend_type_facts f = mend_type_facts(old);

    tell_bounds(y, old, f.marked, lo, hi);
    y->size = add(y, y->size, mul(y, n, old->size));
    if (f.elements == 0)
        return;
    y->align = (uint8_t)max(y->align, f.align);
    if (y->elements == 0) {
        y->leaf = f.leaf;
        y->basic = old->basic;
    }
    if (y->leaf != f.leaf)
        y->leaf = NULL;
    if (y->basic != old->basic)
        y->basic = MEND_BASIC_NONE;
    y->elements = add(y, y->elements, mul(y, n, f.elements));
}

/* A block of len copies side by side, the first at displacement displ. */
static void tell_block(struct tally *y, const struct mend_type *old, MPI_Count len, MPI_Count displ)
{
    MPI_Count way;

    if (len <= 0)
        return;
    way = mul(y, len - 1, old->extent);
    tell(y, old, len, add(y, displ, min(0, way)), add(y, displ, max(0, way)));
}

/* count blocks of len, stride bytes from one to the next. */
static void tell_vector(struct tally *y, const struct mend_type *old, MPI_Count count,
                        MPI_Count len, MPI_Count stride)
{
    MPI_Count way, step;

    if (count <= 0 || len <= 0)
        return;
    way = mul(y, len - 1, old->extent);
    step = mul(y, count - 1, stride);
    tell(y, old, mul(y, count, len), add(y, min(0, way), min(0, step)),
         add(y, max(0, way), max(0, step)));
}

/* Subarray and darray: the box of all slices, inside explicit bounds of the whole array. */
static void tell_array(struct tally *y, const struct mend_envelope *e)
{
    const struct mend_type *old = e->types[0];
    MPI_Count stride = old->extent, lo = 0, hi = 0, n = 1;

    for (int i = 0; i < mend_array_dims(e); i++) {
        struct mend_slice s = mend_array_slice(e, i);
        MPI_Count count = mend_slice_count(&s);
        MPI_Count a = mul(y, s.first, stride);
        MPI_Count b = count ? mul(y, mend_slice_last(&s), stride) : 0;

        lo = add(y, lo, min(a, b));
        hi = add(y, hi, max(a, b));
        n = mul(y, n, count);
        stride = mul(y, stride, s.whole);
    }
    if (n > 0)
        tell(y, old, n, lo, hi);
    y->marked = true;
    y->marked_lb = 0;
    y->marked_ub = stride;
}

/* --------------------------------------------------------------------------
 * One function per kind of constructor; MPI error class
 * -------------------------------------------------------------------------- */

static int tell_strided(struct tally *y, const struct mend_envelope *e)
{
    const struct mend_type *old = e->types[0];
    const MPI_Count *v = e->values;
    MPI_Count stride;

    if (v[0] < 0 || v[1] < 0)
        return MPI_ERR_ARG;
    if (v[0] == 0 || v[1] == 0)
        return MPI_SUCCESS;
    stride = e->combiner == MPI_COMBINER_VECTOR ? mul(y, v[2], old->extent) : v[2];
    tell_vector(y, old, v[0], v[1], stride);
    return MPI_SUCCESS;
}

static int tell_blocks(struct tally *y, const struct mend_envelope *e)
{
    const struct mend_type *old = e->types[0];
    const MPI_Count *v = e->values, *displs = v + 2;
    MPI_Count unit = e->combiner == MPI_COMBINER_INDEXED_BLOCK ? old->extent : 1;

    if (v[0] < 0 || v[1] < 0)
        return MPI_ERR_ARG;
    for (MPI_Count i = 0; i < v[0] && v[1] > 0; i++)
        tell_block(y, old, v[1], mul(y, displs[i], unit));
    return MPI_SUCCESS;
}

static int tell_indexed(struct tally *y, const struct mend_envelope *e)
{
    MPI_Count n = e->values[0];
    const MPI_Count *lens = e->values + 1, *displs = lens + n;
    bool many = e->combiner == MPI_COMBINER_STRUCT;
    MPI_Count unit = e->combiner == MPI_COMBINER_INDEXED ? e->types[0]->extent : 1;

    for (MPI_Count i = 0; i < n; i++) {
        if (lens[i] < 0)
            return MPI_ERR_ARG;
        if (lens[i] > 0)
            tell_block(y, e->types[many ? i : 0], lens[i], mul(y, displs[i], unit));
    }
    return MPI_SUCCESS;
}

static int tell_pair(struct tally *y, const struct mend_envelope *e)
{
    const struct mend_type *index = e->types[1];
    MPI_Count align = mend_type_facts(index).align;

    tell_block(y, e->types[0], 1, 0);
    tell_block(y, index, 1, (e->types[0]->size + align - 1) / align * align);
    return MPI_SUCCESS;
}

static int tell_resized(struct tally *y, const struct mend_envelope *e)
{
    tell_block(y, e->types[0], 1, 0);
    y->marked = true;
    y->marked_lb = e->values[0];
    y->marked_ub = add(y, e->values[0], e->values[1]);
    return MPI_SUCCESS;
}

static int tell_combiner(struct tally *y, const struct mend_envelope *e)
{
    int err;

    switch (e->combiner) {
    case MPI_COMBINER_DUP:
        tell_block(y, e->types[0], 1, 0);
        return MPI_SUCCESS;
    case MPI_COMBINER_CONTIGUOUS:
        tell_block(y, e->types[0], e->values[0], 0);
        return MPI_SUCCESS;
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        return tell_strided(y, e);
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        return tell_blocks(y, e);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        return tell_indexed(y, e);
    case MPI_COMBINER_RESIZED:
        return tell_resized(y, e);
    case MPI_COMBINER_VALUE_INDEX:
        return tell_pair(y, e);
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        err = mend_array_check(e);
        if (!err)
            tell_array(y, e);
        return err;
    default:
        MEND_ASSERT(false);
        return MPI_ERR_INTERN;
    }
}

/* --------------------------------------------------------------------------
 * Objects
 * -------------------------------------------------------------------------- */

/* Without explicit bounds a type begins with its first byte and ends where the compiler would end a
 * structure: a multiple of the strictest alignment behind (the epsilon of MPI-5.0 5.1.7). */
static void bounds(struct tally *y, MPI_Count *lb_p, MPI_Count *extent_p)
{
    MPI_Count extent, over;

    *lb_p = y->marked ? y->marked_lb : y->true_lb;
    extent = sub(y, y->marked ? y->marked_ub : y->true_ub, *lb_p);
    over = y->marked ? 0 : extent % y->align;
    *extent_p = over ? add(y, extent, y->align - over) : extent;
}

static void fill_in(struct mend_type *t, struct tally *y)
{
    struct mend_envelope *e = t->envelope;

    t->size = y->size;
    bounds(y, &t->lb, &t->extent);
    t->true_lb = y->true_lb;
    t->true_extent = sub(y, y->true_ub, y->true_lb);
    t->basic = y->basic;
    e->marked = y->marked;
    e->align = y->align;
    e->elements = y->elements;
    e->leaf = y->leaf;
}

struct mend_type *mend_type_draft(struct mend_proc *self, int combiner, bool large,
                                  MPI_Count values_n, MPI_Count types_n)
{
    struct {
        struct mend_type type;
        struct mend_envelope envelope;
        MPI_Count values[];
    } * made;
    size_t words = (size_t)values_n + (size_t)types_n;

    if (values_n > INT32_MAX * INT64_C(1024) || types_n > INT32_MAX * INT64_C(1024))
        return NULL;
    made = mend_alloc(self, sizeof(*made) + words * sizeof(MPI_Count));
    if (!made)
        return NULL;
    memset(made, 0, sizeof(*made));
    made->type =
        (struct mend_type){.magic = MEND_TYPE_MAGIC, .refs = 1, .envelope = &made->envelope};
    made->envelope =
        (struct mend_envelope){.combiner = combiner,
                               .large = large,
                               .handles = 1,
                               .values_n = values_n,
                               .types_n = types_n,
                               .values = made->values,
                               .types = (const struct mend_type **)(made->values + values_n)};
    return &made->type;
}

int mend_type_build(struct mend_proc *self, struct mend_type *draft)
{
    struct mend_envelope *e = draft->envelope;
    struct tally y = {.align = 1};
    int err = tell_combiner(&y, e);

    if (!err)
        fill_in(draft, &y);
    if (!err && y.overflow)
        err = MPI_ERR_ARG;
    if (err) {
        mend_free(self, draft);
        return err;
    }
    for (MPI_Count i = 0; i < e->types_n; i++)
        mend_type_get(e->types[i]);
    return MPI_SUCCESS;
}

int mend_type_dup(struct mend_proc *self, const struct mend_type *old, struct mend_type **new_p)
{
    struct mend_type *t = mend_type_draft(self, MPI_COMBINER_DUP, false, 0, 1);
    int err;

    if (!t)
        return MPI_ERR_NO_MEM;
    t->envelope->types[0] = old;
    err = mend_type_build(self, t);
    if (err)
        return err;
    if (old->committed)
        err = mend_type_commit(self, t);
    if (err)
        mend_type_release(self, t);
    else
        *new_p = t;
    return err;
}

void mend_type_destroy(struct mend_proc *self, struct mend_type *t)
{
    MEND_ASSERT(!t->attrs);
    for (MPI_Count i = 0; i < t->envelope->types_n; i++)
        mend_type_put(self, t->envelope->types[i]);
    mend_layout_free(self, t->layout);
    mend_free(self, t->name);
    t->magic = 0;
    mend_free(self, t);
}

bool mend_type_last_handle(const struct mend_type *t)
{
    return t->envelope->handles == 1;
}

void mend_type_release(struct mend_proc *self, const struct mend_type *t)
{
    t->envelope->handles--;
    mend_type_put(self, t);
}

void mend_type_retain(const struct mend_type *t)
{
    if (!t->predefined)
        t->envelope->handles++;
    mend_type_get(t);
}

bool mend_type_fits_at(const struct mend_type *t, MPI_Count count, MPI_Count displ, MPI_Count unit)
{
    struct tally y = {.overflow = false};
    MPI_Count at, way, span;

    if (t->size == 0 || count <= 0)
        return true;
    mul(&y, count, t->size);
    at = add(&y, mul(&y, displ, unit), t->true_lb);
    way = mul(&y, count - 1, t->extent);
    span = add(&y, way < 0 ? sub(&y, 0, way) : way, t->true_extent);
    add(&y, add(&y, at, min(0, way)), span);
    return !y.overflow;
}

void mend_type_span(const struct mend_type *t, MPI_Count count, MPI_Count *span_p,
                    MPI_Count *shift_p)
{
    bool any = count > 0 && t->size > 0;
    MPI_Count way = any ? (count - 1) * t->extent : 0;

    *span_p = any ? t->true_extent + (way < 0 ? -way : way) : 0;
    *shift_p = any ? t->true_lb + min(0, way) : 0;
}
