/* SPDX-License-Identifier: BSD-3-Clause */
/* envelope.h – how a type was constructed: its combiner and the arguments of the call.
 *
 * A constructor of MPI has two steps here, the same ones for all constructors and both widths:
 *
 *     mend_type_draft()   an object with room for the arguments      the caller fills them in, as
 *         │               (values: numbers, types: types)            64-bit numbers, in the order
 *         ▼                                                          of the MPI call
 *     mend_type_build()   checks ranges, computes size and bounds    (build.c, array.c)
 *
 *     combiner         values                                          types
 *     CONTIGUOUS       count                                           old
 *     VECTOR           count blocklength stride                        old     stride in elements
 *     HVECTOR          count blocklength stride                        old     in bytes, as all H...
 *     INDEXED          count blocklengths[count] displacements[count]  old
 *     INDEXED_BLOCK    count blocklength displacements[count]          old
 *     STRUCT           count blocklengths[count] displacements[count]  types[count]
 *     SUBARRAY         ndims sizes[] subsizes[] starts[] order         old
 *     DARRAY           size rank ndims gsizes[] distribs[] dargs[]
 *                      psizes[] order                                  old
 *     RESIZED          lb extent                                       old
 *     F90_REAL, F90_COMPLEX   p r        F90_INTEGER   r               (none)
 *     DUP              (none)                                          old
 *     VALUE_INDEX      (none)                                          value index
 *
 * The arguments define the type: the run list (layout.h) and the results of
 * MPI_Type_get_contents() are computed from them. */
#ifndef MEND_DATATYPE_ENVELOPE_H
#define MEND_DATATYPE_ENVELOPE_H

#include "datatype/datatype.h"

struct mend_envelope {
    int combiner;
    bool large;  /* made by a function whose name ends in _c */
    bool marked; /* has explicit bounds: lb_marker, ub_marker of MPI-5.0 5.1.7 */
    uint8_t align;
    int handles;        /* that users hold; an unused object that others build on has none */
    MPI_Count elements; /* basic elements in one */
    const struct mend_type *leaf; /* the only predefined type in it; NULL: none, or several */
    MPI_Count values_n, types_n;
    MPI_Count *values;
    const struct mend_type **types; /* references are held once it is built */
};

/* What the constructors ask of a type, predefined or not. */
struct mend_type_facts {
    bool marked;
    uint8_t align;
    MPI_Count elements;
    const struct mend_type *leaf;
};
struct mend_type_facts mend_type_facts(const struct mend_type *t);

/* The two members of a pair (MPI_FLOAT_INT, ..., and those of MPI_Type_get_value_index) in the
 * order of memory; false: t is not a pair. */
bool mend_type_pair(const struct mend_type *t, const struct mend_type *members[2]);

/* A new object whose envelope waits for its arguments.  NULL: no memory. */
struct mend_type *mend_type_draft(struct mend_proc *self, int combiner, bool large,
                                  MPI_Count values_n, MPI_Count types_n);

/* An argument of a constructor: n numbers of an int or of 64 bits each. */
struct mend_type_numbers {
    const void *at;
    MPI_Count n;
    bool wide;
};

/* What a constructor was called with, except the types. */
struct mend_type_arguments {
    int combiner;
    bool large;
    MPI_Count count; /* what must not be negative */
    MPI_Count types_n;
    struct mend_type_numbers numbers[8];
    int numbers_n;
};

/* A draft with the numbers of all arguments, one after the other; the caller fills in the types.  MPI_ERR_COUNT: the count
 * is negative, or there are more numbers than can be.  MPI_ERR_ARG: an array is missing.  MPI_ERR_NO_MEM. */
int mend_type_draft_of(struct mend_proc *self, const struct mend_type_arguments *a,
                       struct mend_type **draft_p);

/* Completes the draft: reference count 1, one handle, not committed.  On an error the draft is
 * gone. MPI_ERR_ARG: an argument is out of range, or size or bounds do not fit into 64 bits. */
int mend_type_build(struct mend_proc *self, struct mend_type *draft);

/* A duplicate, with one handle, committed if the old type is; nothing is cached on it.  MPI_ERR_NO_MEM. */
int mend_type_dup(struct mend_proc *self, const struct mend_type *old, struct mend_type **new_p);

/* Drops a handle of a user (MPI_Type_free), and what else belongs to it.  True: it was the last
 * one, the object's attributes have to go before this call (mend_type_last_handle). */
bool mend_type_last_handle(const struct mend_type *t);
void mend_type_release(struct mend_proc *self, const struct mend_type *t);

/* Gives a user another handle of a type: what MPI_Type_get_contents returns. */
void mend_type_retain(const struct mend_type *t);

/* How many arguments of each kind MPI_Type_get_contents returns. */
struct mend_type_shape {
    int combiner;
    MPI_Count integers, addresses, counts, types;
};
struct mend_type_shape mend_type_shape(const struct mend_type *t);

/* Writes the numbers among the arguments of a type that is not MPI_COMBINER_NAMED to arrays of the
 * lengths that mend_type_shape() tells; the types are those of its envelope. */
void mend_type_contents(const struct mend_type *t, int *integers, MPI_Aint *addresses,
                        MPI_Count *counts);

#endif
