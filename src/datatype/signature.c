/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.c – walks the type signature.
 *
 * Only structures and pairs have more than one kind of element, so only they need a loop: every
 * other type is its old type a number of times. */
#include "datatype/signature.h"
#include "datatype/envelope.h"

/* How a type is composed: of counts[i] times types[i], for each i below n. */
struct parts {
    MPI_Count n;
    const MPI_Count *counts;
    const struct mend_type *const *types;
    MPI_Count times; /* what counts points to if there is one old type */
    const struct mend_type *pair[2];
};

static MPI_Count elements_of(const struct mend_type *t)
{
    return mend_type_facts(t).elements;
}

/* *parts_p may point into itself and must not be copied.  t has elements and is not predefined, or is a pair. */
static void parts_of(const struct mend_type *t, struct parts *parts_p)
{
    static const MPI_Count once[] = {1, 1};
    const struct mend_envelope *e = t->envelope;

    *parts_p = (struct parts){0};
    if (mend_type_pair(t, parts_p->pair)) {
        parts_p->n = 2;
        parts_p->counts = once;
        parts_p->types = parts_p->pair;
    } else if (e && e->combiner == MPI_COMBINER_STRUCT) {
        parts_p->n = e->types_n;
        parts_p->counts = e->values + 1;
        parts_p->types = e->types;
    } else if (e && e->types_n == 1) {
        parts_p->n = 1;
        parts_p->counts = &parts_p->times;
        parts_p->types = e->types;
        parts_p->times = e->elements / elements_of(e->types[0]);
    }
}

bool mend_signature_walk(const struct mend_type *t, MPI_Count count, mend_signature_fn *fn,
                         void *arg)
{
    struct mend_type_facts f = mend_type_facts(t);
    struct parts parts;

    if (count == 0 || f.elements == 0)
        return true;
    if (f.leaf)
        return fn(arg, f.leaf, count * f.elements);
    parts_of(t, &parts);
    if (parts.n == 1)
        return mend_signature_walk(parts.types[0], count * parts.counts[0], fn, arg);
    for (MPI_Count i = 0; i < count; i++) {
        for (MPI_Count j = 0; j < parts.n; j++) {
            if (!mend_signature_walk(parts.types[j], parts.counts[j], fn, arg))
                return false;
        }
    }
    return true;
}

/* What may be taken, in bytes or in elements, and what has been taken. */
struct budget {
    bool by_bytes, overflow;
    MPI_Count left, bytes, elements;
};

/* Takes up to count copies of t, whole basic elements only.  False: the budget ended within them.
 */
static bool spend(struct budget *b, const struct mend_type *t, MPI_Count count)
{
    MPI_Count elements = elements_of(t), unit = b->by_bytes ? t->size : elements, n, bytes;
    struct parts parts;

    if (unit == 0 || count == 0)
        return true;
    n = b->left / unit < count ? b->left / unit : count;
    b->left -= n * unit;
    b->overflow |= __builtin_mul_overflow(n, t->size, &bytes) ||
                   __builtin_add_overflow(b->bytes, bytes, &b->bytes);
    b->elements += n * elements; /* each has a byte, so no more than were to be taken */
    if (n == count)
        return true;
    parts_of(t, &parts);
    for (MPI_Count j = 0; j < parts.n; j++) {
        if (!spend(b, parts.types[j], parts.counts[j]))
            return false;
    }
    return false;
}

MPI_Count mend_signature_elements(const struct mend_type *t, MPI_Count bytes)
{
    struct budget b = {.by_bytes = true, .left = bytes};

    spend(&b, t, INT64_MAX);
    return b.left == 0 ? b.elements : MPI_UNDEFINED;
}

MPI_Count mend_signature_bytes(const struct mend_type *t, MPI_Count elements)
{
    struct budget b = {.left = elements};

    spend(&b, t, INT64_MAX);
    return b.overflow ? -1 : b.bytes;
}
