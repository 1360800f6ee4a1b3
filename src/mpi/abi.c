/* SPDX-License-Identifier: BSD-3-Clause */
/* abi.c – the ABI's own functions (MPI-5.0 chapter 20): its version, sizes, and Fortran's types.
 *
 * The library is C and independent of Fortran compilers.  A Fortran layer on top of it may describe
 * its compiler's types, once, and others may query them.  The description must agree with the
 * predefined Fortran datatypes of the library.
 *
 * All of them may be called at any time, also before MPI_Init and after MPI_Finalize; none is
 * collective, blocks, or is affected by a death. */
#include "mpi/abi.h"
#include "mpi/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The keys that a Fortran layer may set: four sizes, then which optional types exist. */
static const char *const fortran_keys[MEND_ABI_FORTRAN_KEYS] = {
    "mpi_logical_size",
    "mpi_integer_size",
    "mpi_real_size",
    "mpi_double_precision_size",
    "mpi_logical1_supported",
    "mpi_logical2_supported",
    "mpi_logical4_supported",
    "mpi_logical8_supported",
    "mpi_logical16_supported",
    "mpi_integer1_supported",
    "mpi_integer2_supported",
    "mpi_integer4_supported",
    "mpi_integer8_supported",
    "mpi_integer16_supported",
    "mpi_real2_supported",
    "mpi_real4_supported",
    "mpi_real8_supported",
    "mpi_real16_supported",
    "mpi_complex4_supported",
    "mpi_complex8_supported",
    "mpi_complex16_supported",
    "mpi_complex32_supported",
    "mpi_double_complex_supported",
};

/* The types whose sizes the first four keys tell. */
static const MPI_Datatype sized_types[] = {MPI_LOGICAL, MPI_INTEGER, MPI_REAL,
                                           MPI_DOUBLE_PRECISION};
#define SIZES_N (int)(sizeof(sized_types) / sizeof(sized_types[0]))

/* The state for writing: made on first need, so that programs without Fortran pay nothing. */
static int state(struct mend_abi **a_p)
{
    if (!mend_self->abi) {
        struct mend_abi *a = mend_zalloc(mend_self, 1, sizeof(*a));

        if (!a)
            return MPI_ERR_NO_MEM;
        mend_self->abi = a;
    }
    *a_p = mend_self->abi;
    return MPI_SUCCESS;
}

static int add_size(MPI_Info info, const char *key, size_t size_bytes)
{
    char text[16];

    snprintf(text, sizeof(text), "%zu", size_bytes);
    return PMPI_Info_set(info, key, text);
}

/* The end of a function that made an info object: to the caller, or away with it. */
static int give(MPI_Info made, int err, MPI_Info *info_p)
{
    if (!err)
        *info_p = made;
    else if (made != MPI_INFO_NULL)
        PMPI_Info_free(&made);
    return err;
}

MEND_API(MPI_Abi_get_version);
int MPI_Abi_get_version(int *abi_major, int *abi_minor)
{
    int err = mend_enter_any(__func__);

    if (!err && !(abi_major && abi_minor))
        err = MPI_ERR_ARG;
    if (!err) {
        *abi_major = MPI_ABI_VERSION;
        *abi_minor = MPI_ABI_SUBVERSION;
    }
    return mend_report(err, __func__);
}

/* The caller frees the info object. */
MEND_API(MPI_Abi_get_info);
int MPI_Abi_get_info(MPI_Info *info)
{
    MPI_Info made = MPI_INFO_NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    err = mend_report(err, __func__);
    if (!err)
        err = PMPI_Info_create(&made);
    if (!err)
        err = add_size(made, "mpi_aint_size", sizeof(MPI_Aint));
    if (!err)
        err = add_size(made, "mpi_count_size", sizeof(MPI_Count));
    if (!err)
        err = add_size(made, "mpi_offset_size", sizeof(MPI_Offset));
    return give(made, err, info);
}

static int add_fortran(MPI_Info info, const int *values)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < MEND_ABI_FORTRAN_KEYS && !err; i++) {
        if (values[i] < 0)
            continue;
        if (i < SIZES_N)
            err = add_size(info, fortran_keys[i], (size_t)values[i]);
        else
            err = PMPI_Info_set(info, fortran_keys[i], values[i] ? "true" : "false");
    }
    return err;
}

/* *info is MPI_INFO_NULL as long as nobody has told anything.  The caller frees it. */
MEND_API(MPI_Abi_get_fortran_info);
int MPI_Abi_get_fortran_info(MPI_Info *info)
{
    int values[MEND_ABI_FORTRAN_KEYS];
    bool known = false;
    MPI_Info made = MPI_INFO_NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    if (!err && mend_self->abi && mend_self->abi->fortran_set) {
        known = true;
        memcpy(values, mend_self->abi->fortran, sizeof(values));
    }
    err = mend_report(err, __func__);
    if (!err && known)
        err = PMPI_Info_create(&made);
    if (!err && known)
        err = add_fortran(made, values);
    return give(made, err, info);
}

/* What info says for each key, -1 where it says nothing.  MPI_ERR_INFO_VALUE: something else than a
 * size, or than "true" and "false". */
static int read_fortran(MPI_Info info, int *values)
{
    for (int i = 0; i < MEND_ABI_FORTRAN_KEYS; i++) {
        char text[16] = "", *end = text;
        int len = sizeof(text), found = 0;
        int err = PMPI_Info_get_string(info, fortran_keys[i], &len, text, &found);

        if (err)
            return err;
        values[i] = -1;
        if (!found)
            continue;
        if (i < SIZES_N) {
            values[i] = (int)strtol(text, &end, 10);
            if (*end != '\0' || values[i] <= 0)
                return MPI_ERR_INFO_VALUE;
        } else if (!strcmp(text, "true") || !strcmp(text, "false")) {
            values[i] = text[0] == 't';
        } else {
            return MPI_ERR_INFO_VALUE;
        }
    }
    return MPI_SUCCESS;
}

/* The sizes must be those of the predefined datatypes, which are fixed. */
static int check_sizes(const int *values)
{
    for (int i = 0; i < SIZES_N; i++) {
        if (values[i] >= 0 && values[i] != mend_type_of(sized_types[i])->size)
            return MPI_ERR_ABI;
    }
    return MPI_SUCCESS;
}

/* Tells the library about Fortran's types.  The info object stays the caller's.
 * MPI_ERR_ABI: something else has been told before, or a size differs from the library's. */
MEND_API(MPI_Abi_set_fortran_info);
int MPI_Abi_set_fortran_info(MPI_Info info)
{
    int values[MEND_ABI_FORTRAN_KEYS];
    struct mend_abi *a = NULL;
    int read_err = read_fortran(info, values);
    int err = mend_enter_any(__func__);

    if (!err)
        err = read_err;
    if (!err)
        err = check_sizes(values);
    if (!err)
        err = state(&a);
    if (!err && a->fortran_set && memcmp(a->fortran, values, sizeof(values)) != 0)
        err = MPI_ERR_ABI;
    if (!err) {
        memcpy(a->fortran, values, sizeof(values));
        a->fortran_set = true;
    }
    return mend_report(err, __func__);
}

/* The place of a LOGICAL of that size in mend_abi.logical; MPI_ERR_ARG: no such size. */
static int logical_index(int size_bytes, int *i_p)
{
    for (int i = 0; i < MEND_ABI_LOGICALS; i++) {
        if (size_bytes == 1 << i) {
            *i_p = i;
            return MPI_SUCCESS;
        }
    }
    return MPI_ERR_ARG;
}

/* Writes .TRUE. and .FALSE. if they have been told, and *is_set whether they have been. */
MEND_API(MPI_Abi_get_fortran_booleans);
int MPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false,
                                 int *is_set)
{
    int i = 0;
    int err = mend_enter_any(__func__);

    if (!err)
        err = logical_index(logical_size, &i);
    if (!err && !(logical_true && logical_false && is_set))
        err = MPI_ERR_ARG;
    if (!err) {
        const struct mend_abi *a = mend_self->abi;

        *is_set = a && a->logical[i].set;
        if (*is_set) {
            memcpy(logical_true, a->logical[i].true_bytes, (size_t)logical_size);
            memcpy(logical_false, a->logical[i].false_bytes, (size_t)logical_size);
        }
    }
    return mend_report(err, __func__);
}

/* Tells the library what a LOGICAL of that size looks like in memory.  MPI_ERR_ABI: something else
 * has been told before. */
MEND_API(MPI_Abi_set_fortran_booleans);
int MPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
    size_t n = (size_t)logical_size;
    struct mend_abi *a = NULL;
    int i = 0;
    int err = mend_enter_any(__func__);

    if (!err)
        err = logical_index(logical_size, &i);
    if (!err && !(logical_true && logical_false))
        err = MPI_ERR_ARG;
    if (!err)
        err = state(&a);
    if (!err && a->logical[i].set &&
        (memcmp(a->logical[i].true_bytes, logical_true, n) != 0 ||
         memcmp(a->logical[i].false_bytes, logical_false, n) != 0))
        err = MPI_ERR_ABI;
    if (!err) {
        memcpy(a->logical[i].true_bytes, logical_true, n);
        memcpy(a->logical[i].false_bytes, logical_false, n);
        a->logical[i].set = true;
    }
    return mend_report(err, __func__);
}

/* Handles of classes that have no objects yet: only the null handle is one, and its integer is its
 * value.  An integer or a handle of something else is an error, and the answer is 0, which is no
 * handle of any class. */
static uintptr_t only_null(uintptr_t given, uintptr_t null, int class, const char *fn)
{
    int err = mend_enter_any(fn);

    if (!err && given != null)
        err = class;
    return mend_report(err, fn) ? 0 : null;
}

MEND_API(MPI_File_toint);
int MPI_File_toint(MPI_File file)
{
    return (int)only_null((uintptr_t)file, (uintptr_t)MPI_FILE_NULL, MPI_ERR_FILE, __func__);
}

MEND_API(MPI_File_fromint);
MPI_File MPI_File_fromint(int file)
{
    return (MPI_File)only_null((uintptr_t)file, (uintptr_t)MPI_FILE_NULL, MPI_ERR_FILE, __func__);
}
