/* SPDX-License-Identifier: BSD-3-Clause */
/* envelope.c – the results of MPI_Type_get_envelope and MPI_Type_get_contents (MPI-5.0 5.1.13).
 *
 * The arguments are kept as one row of numbers.  A const table tells for each combiner which of
 * them are integers, addresses or large counts, for functions of either width. */
#include "datatype/envelope.h"
#include "datatype/predefined.h"

/* How many numbers an argument has. */
enum many { END, ONE, ALL };

/* One argument: how many numbers, and where they go if the function was an ordinary one or one
 * whose name ends in _c: 'i'nteger, 'a'ddress, 'c'ount. */
struct argument {
    uint8_t many;
    char narrow, wide;
};

struct signature {
    int combiner;
    uint8_t all_at; /* index among the values of the number of elements in arrays */
    struct argument arguments[8];
};

static const struct signature signatures[] = {
    {MPI_COMBINER_DUP, 0, {{END, 0, 0}}},
    {MPI_COMBINER_CONTIGUOUS, 0, {{ONE, 'i', 'c'}}},
    {MPI_COMBINER_VECTOR, 0, {{ONE, 'i', 'c'}, {ONE, 'i', 'c'}, {ONE, 'i', 'c'}}},
    {MPI_COMBINER_HVECTOR, 0, {{ONE, 'i', 'c'}, {ONE, 'i', 'c'}, {ONE, 'a', 'c'}}},
    {MPI_COMBINER_INDEXED, 0, {{ONE, 'i', 'c'}, {ALL, 'i', 'c'}, {ALL, 'i', 'c'}}},
    {MPI_COMBINER_HINDEXED, 0, {{ONE, 'i', 'c'}, {ALL, 'i', 'c'}, {ALL, 'a', 'c'}}},
    {MPI_COMBINER_INDEXED_BLOCK, 0, {{ONE, 'i', 'c'}, {ONE, 'i', 'c'}, {ALL, 'i', 'c'}}},
    {MPI_COMBINER_HINDEXED_BLOCK, 0, {{ONE, 'i', 'c'}, {ONE, 'i', 'c'}, {ALL, 'a', 'c'}}},
    {MPI_COMBINER_STRUCT, 0, {{ONE, 'i', 'c'}, {ALL, 'i', 'c'}, {ALL, 'a', 'c'}}},
    {MPI_COMBINER_SUBARRAY,
     0,
     {{ONE, 'i', 'i'}, {ALL, 'i', 'c'}, {ALL, 'i', 'c'}, {ALL, 'i', 'c'}, {ONE, 'i', 'i'}}},
    {MPI_COMBINER_DARRAY,
     2,
     {{ONE, 'i', 'i'},
      {ONE, 'i', 'i'},
      {ONE, 'i', 'i'},
      {ALL, 'i', 'c'},
      {ALL, 'i', 'i'},
      {ALL, 'i', 'i'},
      {ALL, 'i', 'i'},
      {ONE, 'i', 'i'}}},
    {MPI_COMBINER_F90_REAL, 0, {{ONE, 'i', 'i'}, {ONE, 'i', 'i'}}},
    {MPI_COMBINER_F90_COMPLEX, 0, {{ONE, 'i', 'i'}, {ONE, 'i', 'i'}}},
    {MPI_COMBINER_F90_INTEGER, 0, {{ONE, 'i', 'i'}}},
    {MPI_COMBINER_RESIZED, 0, {{ONE, 'a', 'c'}, {ONE, 'a', 'c'}}},
    {MPI_COMBINER_VALUE_INDEX, 0, {{END, 0, 0}}},
};

static const struct signature *signature_of(int combiner)
{
    for (size_t i = 0; i < MEND_COUNT_OF(signatures); i++) {
        if (signatures[i].combiner == combiner)
            return &signatures[i];
    }
    MEND_ASSERT(false);
    return NULL;
}

/* Numbers of argument i, and the kind of place where they go; 0 behind the last argument. */
static MPI_Count argument(const struct mend_envelope *e, const struct signature *s, size_t i,
                          char *kind_p)
{
    const struct argument *a = i < MEND_COUNT_OF(s->arguments) ? &s->arguments[i] : NULL;

    if (!a || a->many == END) {
        *kind_p = 0;
        return 0;
    }
    *kind_p = e->large ? a->wide : a->narrow;
    return a->many == ONE ? 1 : e->values[s->all_at];
}

struct mend_type_shape mend_type_shape(const struct mend_type *t)
{
    const struct mend_envelope *e = t->envelope;
    struct mend_type_shape shape = {.combiner = MPI_COMBINER_NAMED};
    const struct signature *s;
    char kind = 1;

    if (mend_type_is_named(t))
        return shape;
    s = signature_of(e->combiner);
    shape.combiner = e->combiner;
    shape.types = e->types_n;
    for (size_t i = 0; kind; i++) {
        MPI_Count n = argument(e, s, i, &kind);

        *(kind == 'i' ? &shape.integers : kind == 'a' ? &shape.addresses : &shape.counts) += n;
    }
    return shape;
}

void mend_type_contents(const struct mend_type *t, int *integers, MPI_Aint *addresses,
                        MPI_Count *counts)
{
    const struct mend_envelope *e = t->envelope;
    const struct signature *s = signature_of(e->combiner);
    const MPI_Count *v = e->values;
    char kind = 1;

    for (size_t i = 0; kind; i++) {
        MPI_Count n = argument(e, s, i, &kind);

        for (; n > 0; n--, v++) {
            if (kind == 'i')
                *integers++ = (int)*v;
            else if (kind == 'a')
                *addresses++ = (MPI_Aint)*v;
            else
                *counts++ = *v;
        }
    }
}
