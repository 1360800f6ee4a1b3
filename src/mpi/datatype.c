/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.c – making types: constructors, commit, duplicate, free (MPI-5.0 chapter 5).
 *
 * Every constructor, of either width, lists its numbers in the order of its arguments; construct()
 * checks the handles, and datatype/ does the rest.  Ranges of single numbers are checked
 * there, because both widths meet there.
 *
 * All functions are local; none blocks, and a death affects none of them.  A type stays usable for
 * the operations and types that were begun with it when its handle is freed. */
#include "comm/attr.h"
#include "datatype/envelope.h"
#include "datatype/layout.h"
#include "datatype/predefined.h"
#include "datatype/types.h"
#include "mpi/bounds.h"
#include "mpi/check.h"

#include <string.h>

#define SCALARS(...)                                                                               \
    {                                                                                              \
        (const MPI_Count[]){__VA_ARGS__}, sizeof((MPI_Count[]){__VA_ARGS__}) / sizeof(MPI_Count),  \
            true                                                                                   \
    }
#define INTS(at_, n_)                                                                              \
    {                                                                                              \
        at_, n_, false                                                                             \
    }
#define COUNTS(at_, n_)                                                                            \
    {                                                                                              \
        at_, n_, true                                                                              \
    }
#define ADDRS(at_, n_)                                                                             \
    {                                                                                              \
        at_, n_, true                                                                              \
    }
/* Which function is called, and with which arguments. */
struct call {
    const char *fn;
    struct mend_type_arguments arguments;
    const MPI_Datatype *types;
};

/* The handles of a draft's types. */
static int check_types(const struct call *call, struct mend_type *draft)
{
    int err = MPI_SUCCESS;

    for (MPI_Count i = 0; i < call->arguments.types_n && !err; i++)
        err = mend_check_type(call->types[i], &draft->envelope->types[i]);
    return err;
}

static int make(const struct call *call, MPI_Datatype *newtype)
{
    struct mend_type *draft;
    int err = mend_check_pointer(newtype);

    if (!err && call->arguments.types_n > 0)
        err = mend_check_pointer(call->types);
    if (!err)
        err = mend_type_draft_of(mend_self, &call->arguments, &draft);
    if (err)
        return err;
    err = check_types(call, draft);
    if (err)
        mend_free(mend_self, draft);
    else
        err = mend_type_build(mend_self, draft);
    if (!err)
        *newtype = (MPI_Datatype)draft;
    return err;
}

static int construct(const struct call *call, MPI_Datatype *newtype)
{
    int err = mend_enter(call->fn);

    if (!err)
        err = make(call, newtype);
    return mend_report(err, call->fn);
}

/* CONSTRUCT(combiner, large?, count, types, how many, numbers...) in a function whose last parameter
 * is newtype. */
#define CONSTRUCT(combiner_, large_, count_, types_, types_n_, ...)                                \
    construct(&(const struct call){__func__,                                                       \
                                   {MPI_COMBINER_##combiner_,                                      \
                                    large_,                                                        \
                                    count_,                                                        \
                                    types_n_,                                                      \
                                    {__VA_ARGS__},                                                 \
                                    sizeof((struct mend_type_numbers[]){__VA_ARGS__}) /            \
                                        sizeof(struct mend_type_numbers)},                         \
                                   types_},                                                        \
              newtype)

/* --------------------------------------------------------------------------
 * Regular types
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Type_contiguous);
int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return CONSTRUCT(CONTIGUOUS, false, count, &oldtype, 1, SCALARS(count));
}

MEND_API(MPI_Type_contiguous_c);
int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return CONSTRUCT(CONTIGUOUS, true, count, &oldtype, 1, SCALARS(count));
}

MEND_API(MPI_Type_vector);
int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                    MPI_Datatype *newtype)
{
    return CONSTRUCT(VECTOR, false, count, &oldtype, 1, SCALARS(count, blocklength, stride));
}

MEND_API(MPI_Type_vector_c);
int MPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                      MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return CONSTRUCT(VECTOR, true, count, &oldtype, 1, SCALARS(count, blocklength, stride));
}

MEND_API(MPI_Type_create_hvector);
int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype *newtype)
{
    return CONSTRUCT(HVECTOR, false, count, &oldtype, 1, SCALARS(count, blocklength, stride));
}

MEND_API(MPI_Type_create_hvector_c);
int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                              MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return CONSTRUCT(HVECTOR, true, count, &oldtype, 1, SCALARS(count, blocklength, stride));
}

MEND_API(MPI_Type_create_resized);
int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                            MPI_Datatype *newtype)
{
    return CONSTRUCT(RESIZED, false, 0, &oldtype, 1, SCALARS(lb, extent));
}

MEND_API(MPI_Type_create_resized_c);
int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                              MPI_Datatype *newtype)
{
    return CONSTRUCT(RESIZED, true, 0, &oldtype, 1, SCALARS(lb, extent));
}

/* --------------------------------------------------------------------------
 * Irregular types
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Type_indexed);
int MPI_Type_indexed(int count, const int array_of_blocklengths[],
                     const int array_of_displacements[], MPI_Datatype oldtype,
                     MPI_Datatype *newtype)
{
    return CONSTRUCT(INDEXED, false, count, &oldtype, 1, SCALARS(count),
                     INTS(array_of_blocklengths, count), INTS(array_of_displacements, count));
}

MEND_API(MPI_Type_indexed_c);
int MPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                       const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                       MPI_Datatype *newtype)
{
    return CONSTRUCT(INDEXED, true, count, &oldtype, 1, SCALARS(count),
                     COUNTS(array_of_blocklengths, count), COUNTS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_hindexed);
int MPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                             const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                             MPI_Datatype *newtype)
{
    return CONSTRUCT(HINDEXED, false, count, &oldtype, 1, SCALARS(count),
                     INTS(array_of_blocklengths, count), ADDRS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_hindexed_c);
int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                               const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                               MPI_Datatype *newtype)
{
    return CONSTRUCT(HINDEXED, true, count, &oldtype, 1, SCALARS(count),
                     COUNTS(array_of_blocklengths, count), COUNTS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_indexed_block);
int MPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[],
                                  MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return CONSTRUCT(INDEXED_BLOCK, false, count, &oldtype, 1, SCALARS(count, blocklength),
                     INTS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_indexed_block_c);
int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                    const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                    MPI_Datatype *newtype)
{
    return CONSTRUCT(INDEXED_BLOCK, true, count, &oldtype, 1, SCALARS(count, blocklength),
                     COUNTS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_hindexed_block);
int MPI_Type_create_hindexed_block(int count, int blocklength,
                                   const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype *newtype)
{
    return CONSTRUCT(HINDEXED_BLOCK, false, count, &oldtype, 1, SCALARS(count, blocklength),
                     ADDRS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_hindexed_block_c);
int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                     const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                     MPI_Datatype *newtype)
{
    return CONSTRUCT(HINDEXED_BLOCK, true, count, &oldtype, 1, SCALARS(count, blocklength),
                     COUNTS(array_of_displacements, count));
}

/* Programs of MPI-2 give MPI_LB and MPI_UB here, too. */
MEND_API(MPI_Type_create_struct);
int MPI_Type_create_struct(int count, const int array_of_blocklengths[],
                           const MPI_Aint array_of_displacements[],
                           const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
    if (mend_bounds_given(count, array_of_types) && array_of_blocklengths && array_of_displacements)
        return mend_bounds_struct(count, array_of_blocklengths, array_of_displacements,
                                  array_of_types, newtype);
    return CONSTRUCT(STRUCT, false, count, array_of_types, count, SCALARS(count),
                     INTS(array_of_blocklengths, count), ADDRS(array_of_displacements, count));
}

MEND_API(MPI_Type_create_struct_c);
int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                             const MPI_Count array_of_displacements[],
                             const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
    return CONSTRUCT(STRUCT, true, count, array_of_types, count, SCALARS(count),
                     COUNTS(array_of_blocklengths, count), COUNTS(array_of_displacements, count));
}

/* --------------------------------------------------------------------------
 * Arrays.  A wrong number of dimensions is found by the check of all arguments.
 * -------------------------------------------------------------------------- */

static MPI_Count dims(int ndims)
{
    return ndims > 0 ? ndims : 0;
}

MEND_API(MPI_Type_create_subarray);
int MPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                             const int array_of_starts[], int order, MPI_Datatype oldtype,
                             MPI_Datatype *newtype)
{
    MPI_Count n = dims(ndims);

    return CONSTRUCT(SUBARRAY, false, 0, &oldtype, 1, SCALARS(n), INTS(array_of_sizes, n),
                     INTS(array_of_subsizes, n), INTS(array_of_starts, n), SCALARS(order));
}

MEND_API(MPI_Type_create_subarray_c);
int MPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
                               const MPI_Count array_of_subsizes[],
                               const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype,
                               MPI_Datatype *newtype)
{
    MPI_Count n = dims(ndims);

    return CONSTRUCT(SUBARRAY, true, 0, &oldtype, 1, SCALARS(n), COUNTS(array_of_sizes, n),
                     COUNTS(array_of_subsizes, n), COUNTS(array_of_starts, n), SCALARS(order));
}

MEND_API(MPI_Type_create_darray);
int MPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
                           const int array_of_distribs[], const int array_of_dargs[],
                           const int array_of_psizes[], int order, MPI_Datatype oldtype,
                           MPI_Datatype *newtype)
{
    MPI_Count n = dims(ndims);

    return CONSTRUCT(DARRAY, false, 0, &oldtype, 1, SCALARS(size, rank, n),
                     INTS(array_of_gsizes, n), INTS(array_of_distribs, n), INTS(array_of_dargs, n),
                     INTS(array_of_psizes, n), SCALARS(order));
}

MEND_API(MPI_Type_create_darray_c);
int MPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                             const int array_of_distribs[], const int array_of_dargs[],
                             const int array_of_psizes[], int order, MPI_Datatype oldtype,
                             MPI_Datatype *newtype)
{
    MPI_Count n = dims(ndims);

    return CONSTRUCT(DARRAY, true, 0, &oldtype, 1, SCALARS(size, rank, n),
                     COUNTS(array_of_gsizes, n), INTS(array_of_distribs, n),
                     INTS(array_of_dargs, n), INTS(array_of_psizes, n), SCALARS(order));
}

/* --------------------------------------------------------------------------
 * Life of a type
 * -------------------------------------------------------------------------- */

/* Attributes as their copy functions want it (MPI-5.0 7.7.4); a refusal takes all of them back. */
static int copy_attrs(struct mend_proc *self, const struct mend_type *old, struct mend_type *t)
{
    struct mend_attrs **from = mend_attr_of_type(self, old);
    int err = from ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (!err && *from)
        err = mend_attrs_copy(self, *from, mend_type_handle(old), &t->attrs);
    if (err && t->attrs && mend_attrs_delete_all(self, &t->attrs, t))
        t->attrs = NULL; /* nobody can reach what refuses to go */
    return err;
}

/* MPI-5.0 5.1.10: committed if the old one is, and with what is cached on it. */
static int duplicate(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    const struct mend_type *old;
    struct mend_type *t;
    int err = mend_check_type(oldtype, &old);

    if (!err)
        err = mend_type_dup(mend_self, old, &t);
    if (err)
        return err;
    err = copy_attrs(mend_self, old, t);
    if (err)
        mend_type_release(mend_self, t);
    else
        *newtype = (MPI_Datatype)t;
    return err;
}

MEND_API(MPI_Type_dup);
int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(newtype);
    if (!err)
        err = duplicate(oldtype, newtype);
    return mend_report(err, __func__);
}

MEND_API(MPI_Type_commit);
int MPI_Type_commit(MPI_Datatype *datatype)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(datatype);
    if (!err)
        err = mend_check_type(*datatype, &t);
    if (!err)
        err = mend_type_commit(mend_self, (struct mend_type *)t);
    return mend_report(err, __func__);
}

/* Attributes go with the last handle, before it: their callbacks may refuse. */
static void free_type(struct mend_proc *self, void *type)
{
    const struct mend_type *t = type;

    if (!t->attrs || !mend_type_last_handle(t) ||
        !mend_attrs_delete_all(self, mend_attr_of_type(self, t), type))
        mend_type_release(self, t);
}

static int release(MPI_Datatype *datatype)
{
    const struct mend_type *t = NULL;
    int err = mend_check_type(*datatype, &t);

    if (!err && (t->predefined || t->envelope->handles == 0))
        err = MPI_ERR_TYPE;
    if (!err && mend_undo_later(mend_self, free_type, *datatype, false)) {
        *datatype = MPI_DATATYPE_NULL;
        return MPI_SUCCESS;
    }
    if (!err && t->attrs && mend_type_last_handle(t))
        err = mend_attrs_delete_all(mend_self, mend_attr_of_type(mend_self, t), *datatype);
    if (!err) {
        mend_type_release(mend_self, t);
        *datatype = MPI_DATATYPE_NULL;
    }
    return err;
}

/* MPI_ERR_TYPE: predefined, or freed before. */
MEND_API(MPI_Type_free);
int MPI_Type_free(MPI_Datatype *datatype)
{
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(datatype);
    if (!err)
        err = release(datatype);
    return mend_report(err, __func__);
}

/* --------------------------------------------------------------------------
 * Predefined types by what they can hold
 * -------------------------------------------------------------------------- */

static int create_f90(const char *fn, int combiner, int p, int r, MPI_Datatype *newtype)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_pointer(newtype);
    if (!err)
        err = mend_type_f90(mend_self, combiner, p, r, &t);
    if (!err)
        *newtype = mend_type_handle(t);
    return mend_report(err, fn);
}

MEND_API(MPI_Type_create_f90_real);
int MPI_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
    return create_f90(__func__, MPI_COMBINER_F90_REAL, p, r, newtype);
}

MEND_API(MPI_Type_create_f90_complex);
int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
    return create_f90(__func__, MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}

MEND_API(MPI_Type_create_f90_integer);
int MPI_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
    return create_f90(__func__, MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED, r, newtype);
}

MEND_API(MPI_Type_match_size);
int MPI_Type_match_size(int typeclass, int size, MPI_Datatype *datatype)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(datatype);
    if (!err)
        err = mend_type_match(typeclass, size, &t);
    if (!err)
        *datatype = mend_type_handle(t);
    return mend_report(err, __func__);
}

/* MPI-5.0 6.9.4: *pair_type is MPI_DATATYPE_NULL where there is no such pair. */
MEND_API(MPI_Type_get_value_index);
int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                             MPI_Datatype *pair_type)
{
    const struct mend_type *value = NULL, *index = NULL, *t = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_type(value_type, &value);
    if (!err)
        err = mend_check_type(index_type, &index);
    if (!err)
        err = mend_check_pointer(pair_type);
    if (!err)
        err = mend_type_value_index(mend_self, value, index, &t);
    if (!err)
        *pair_type = t ? mend_type_handle(t) : MPI_DATATYPE_NULL;
    return mend_report(err, __func__);
}
