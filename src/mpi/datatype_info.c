/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype_info.c – asking types: size, bounds, name, how it was made, its number.
 *
 * All functions are local; none blocks, and a death affects none of them. */
#include "datatype/envelope.h"
#include "datatype/predefined.h"
#include "datatype/types.h"
#include "mpi/check.h"

#include <limits.h>
#include <string.h>

/* --------------------------------------------------------------------------
 * Size and bounds
 * -------------------------------------------------------------------------- */

static int get_size(const char *fn, MPI_Datatype datatype, MPI_Count *size_p, const void *result)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err)
        err = mend_check_pointer(result);
    if (!err)
        *size_p = t->size;
    return mend_report(err, fn);
}

/* A size that does not fit is MPI_UNDEFINED (MPI-5.0 5.1.5). */
MEND_API(MPI_Type_size);
int MPI_Type_size(MPI_Datatype datatype, int *size)
{
    MPI_Count n = 0;
    int err = get_size(__func__, datatype, &n, size);

    if (!err)
        *size = n <= INT_MAX ? (int)n : MPI_UNDEFINED;
    return err;
}

MEND_API(MPI_Type_size_c);
int MPI_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
    return get_size(__func__, datatype, size, size);
}

MEND_API(MPI_Type_size_x);
int MPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
    return get_size(__func__, datatype, size, size);
}

/* MPI_Aint and MPI_Count are of one size: the functions differ in their names only. */
_Static_assert(sizeof(MPI_Aint) == sizeof(MPI_Count), "bounds fit into an address");

static int get_bounds(const char *fn, MPI_Datatype datatype, bool true_ones, MPI_Count *lb,
                      MPI_Count *extent)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err && !(lb && extent))
        err = MPI_ERR_ARG;
    if (!err) {
        *lb = true_ones ? t->true_lb : t->lb;
        *extent = true_ones ? t->true_extent : t->extent;
    }
    return mend_report(err, fn);
}

MEND_API(MPI_Type_get_extent);
int MPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
    return get_bounds(__func__, datatype, false, lb, extent);
}

MEND_API(MPI_Type_get_extent_c);
int MPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    return get_bounds(__func__, datatype, false, lb, extent);
}

MEND_API(MPI_Type_get_extent_x);
int MPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    return get_bounds(__func__, datatype, false, lb, extent);
}

MEND_API(MPI_Type_get_true_extent);
int MPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
    return get_bounds(__func__, datatype, true, true_lb, true_extent);
}

MEND_API(MPI_Type_get_true_extent_c);
int MPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
    return get_bounds(__func__, datatype, true, true_lb, true_extent);
}

MEND_API(MPI_Type_get_true_extent_x);
int MPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
    return get_bounds(__func__, datatype, true, true_lb, true_extent);
}

/* --------------------------------------------------------------------------
 * How it was made (MPI-5.0 5.1.13)
 * -------------------------------------------------------------------------- */

/* MPI_ERR_TYPE: made with large counts, but asked for by a function without them. */
static int get_shape(MPI_Datatype datatype, bool wide, struct mend_type_shape *shape_p)
{
    const struct mend_type *t = NULL;
    int err = mend_check_type(datatype, &t);

    if (!err)
        *shape_p = mend_type_shape(t);
    return !err && !wide && shape_p->counts > 0 ? MPI_ERR_TYPE : err;
}

MEND_API(MPI_Type_get_envelope);
int MPI_Type_get_envelope(MPI_Datatype datatype, int *num_integers, int *num_addresses,
                          int *num_datatypes, int *combiner)
{
    struct mend_type_shape shape;
    int err = mend_enter(__func__);

    if (!err)
        err = get_shape(datatype, false, &shape);
    if (!err && !(num_integers && num_addresses && num_datatypes && combiner))
        err = MPI_ERR_ARG;
    if (!err) {
        *num_integers = (int)shape.integers;
        *num_addresses = (int)shape.addresses;
        *num_datatypes = (int)shape.types;
        *combiner = shape.combiner;
    }
    return mend_report(err, __func__);
}

MEND_API(MPI_Type_get_envelope_c);
int MPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *num_integers,
                            MPI_Count *num_addresses, MPI_Count *num_large_counts,
                            MPI_Count *num_datatypes, int *combiner)
{
    struct mend_type_shape shape;
    int err = mend_enter(__func__);

    if (!err)
        err = get_shape(datatype, true, &shape);
    if (!err && !(num_integers && num_addresses && num_large_counts && num_datatypes && combiner))
        err = MPI_ERR_ARG;
    if (!err) {
        *num_integers = shape.integers;
        *num_addresses = shape.addresses;
        *num_large_counts = shape.counts;
        *num_datatypes = shape.types;
        *combiner = shape.combiner;
    }
    return mend_report(err, __func__);
}

/* Room that the caller has. */
struct room {
    MPI_Count integers_n, addresses_n, counts_n, types_n;
    int *integers;
    MPI_Aint *addresses;
    MPI_Count *counts;
    MPI_Datatype *types;
};

static bool fits(MPI_Count need, MPI_Count have, const void *at)
{
    return need <= have && (need == 0 || at);
}

/* Derived types are given with a handle of their own, which the caller frees. */
static int get_contents(MPI_Datatype datatype, bool wide, const struct room *room)
{
    const struct mend_type *t;
    struct mend_type_shape shape;
    int err = get_shape(datatype, wide, &shape);

    if (!err && shape.combiner == MPI_COMBINER_NAMED)
        err = MPI_ERR_TYPE;
    if (!err && !(fits(shape.integers, room->integers_n, room->integers) &&
                  fits(shape.addresses, room->addresses_n, room->addresses) &&
                  fits(shape.counts, room->counts_n, room->counts) &&
                  fits(shape.types, room->types_n, room->types)))
        err = MPI_ERR_ARG;
    if (err)
        return err;
    t = mend_type_of(datatype);
    mend_type_contents(t, room->integers, room->addresses, room->counts);
    for (MPI_Count i = 0; i < shape.types; i++) {
        mend_type_retain(t->envelope->types[i]);
        room->types[i] = mend_type_handle(t->envelope->types[i]);
    }
    return MPI_SUCCESS;
}

MEND_API(MPI_Type_get_contents);
int MPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses,
                          int max_datatypes, int array_of_integers[], MPI_Aint array_of_addresses[],
                          MPI_Datatype array_of_datatypes[])
{
    struct room room = {max_integers,      max_addresses,      0,    max_datatypes,
                        array_of_integers, array_of_addresses, NULL, array_of_datatypes};
    int err = mend_enter(__func__);

    if (!err)
        err = get_contents(datatype, false, &room);
    return mend_report(err, __func__);
}

MEND_API(MPI_Type_get_contents_c);
int MPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes,
                            int array_of_integers[], MPI_Aint array_of_addresses[],
                            MPI_Count array_of_large_counts[], MPI_Datatype array_of_datatypes[])
{
    struct room room = {max_integers,          max_addresses,     max_large_counts,
                        max_datatypes,         array_of_integers, array_of_addresses,
                        array_of_large_counts, array_of_datatypes};
    int err = mend_enter(__func__);

    if (!err)
        err = get_contents(datatype, true, &room);
    return mend_report(err, __func__);
}

/* --------------------------------------------------------------------------
 * Names and numbers
 * -------------------------------------------------------------------------- */

MEND_API(MPI_Type_set_name);
int MPI_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
    const struct mend_type *t = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_type(datatype, &t);
    if (!err)
        err = mend_check_pointer(type_name);
    if (!err)
        err = mend_type_set_name(mend_self, t, type_name);
    return mend_report(err, __func__);
}

/* The null handle has a name, too (MPI-5.0 7.8). */
MEND_API(MPI_Type_get_name);
int MPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    const struct mend_type *t = NULL;
    const char *name = "MPI_DATATYPE_NULL";
    int err = mend_enter(__func__);

    if (!err && datatype != MPI_DATATYPE_NULL) {
        err = mend_check_type(datatype, &t);
        if (!err)
            name = mend_type_name(mend_self, t);
    }
    if (!err && !(type_name && resultlen))
        err = MPI_ERR_ARG;
    if (!err) {
        *resultlen = (int)strlen(name);
        memcpy(type_name, name, (size_t)*resultlen + 1);
    }
    return mend_report(err, __func__);
}

/* Handles of the ABI that name no object here: the null handle, and types that the compiler of the
 * library does not have.  They are numbers like the others. */
static bool is_reserved(uintptr_t handle)
{
    return handle >= MEND_TYPE_FIRST && handle <= MEND_TYPE_LAST;
}

/* 0, which is never a handle: an error was raised. */
MEND_API(MPI_Type_toint);
int MPI_Type_toint(MPI_Datatype datatype)
{
    const struct mend_type *t = NULL;
    int number = 0, err = mend_enter_any(__func__);

    if (!err && !is_reserved((uintptr_t)datatype))
        err = mend_check_type(datatype, &t);
    if (!err) {
        number = mend_handle_toint(mend_self, datatype);
        err = number ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    return mend_report(err, __func__) ? 0 : number;
}

MEND_API(MPI_Type_fromint);
MPI_Datatype MPI_Type_fromint(int datatype)
{
    const struct mend_type *t = NULL;
    MPI_Datatype handle = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        handle = mend_handle_fromint(mend_self, datatype);
    if (!err && !is_reserved((uintptr_t)handle))
        err = mend_check_type(handle, &t);
    return mend_report(err, __func__) ? NULL : handle;
}
