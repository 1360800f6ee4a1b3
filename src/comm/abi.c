/* SPDX-License-Identifier: BSD-3-Clause */
/* abi.c – sizes of the ABI, and information about Fortran's types. */
#include "comm/abi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOGICALS_N 5 /* sizes of 1, 2, 4, 8, 16 bytes */
#define KEYS_N     23

/* The keys that a Fortran layer may set: four sizes, then which optional types exist. */
static const char *const fortran_keys[KEYS_N] = {
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

/* Hangs from mend_proc.abi; NULL there means that nothing has been told. */
struct mend_abi {
    struct {
        bool set;
        unsigned char true_bytes[16], false_bytes[16];
    } logical[LOGICALS_N]; /* by the logarithm of the size */
    bool fortran_set;
    int fortran[KEYS_N]; /* a size in bytes, or 1 and 0 for true and false, -1: unsaid */
};

/* The state for writing: made on first need, so that programs without Fortran pay nothing.  NULL: no memory. */
static struct mend_abi *state(struct mend_proc *self)
{
    if (!self->abi)
        self->abi = mend_zalloc(self, 1, sizeof(*self->abi));
    return self->abi;
}

static int add_size(struct mend_proc *self, struct mend_info *i, const char *key, size_t size_bytes)
{
    char text[24];

    snprintf(text, sizeof(text), "%zu", size_bytes);
    return mend_info_set(self, i, key, text);
}

/* The end of a function that made an info object: to the caller, or away with it. */
static int give(struct mend_proc *self, struct mend_info *made, int err, struct mend_info **info_p)
{
    if (!err)
        *info_p = made;
    else if (made)
        mend_info_free(self, made);
    return err;
}

int mend_abi_sizes(struct mend_proc *self, struct mend_info **info_p)
{
    struct mend_info *made = mend_info_create(self);
    int err = made ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (!err)
        err = add_size(self, made, "mpi_aint_size", sizeof(MPI_Aint));
    if (!err)
        err = add_size(self, made, "mpi_count_size", sizeof(MPI_Count));
    if (!err)
        err = add_size(self, made, "mpi_offset_size", sizeof(MPI_Offset));
    return give(self, made, err, info_p);
}

static int add_fortran(struct mend_proc *self, struct mend_info *i, const int *values)
{
    int err = MPI_SUCCESS;

    for (int k = 0; k < KEYS_N && !err; k++) {
        if (values[k] < 0)
            continue;
        if (k < SIZES_N)
            err = add_size(self, i, fortran_keys[k], (size_t)values[k]);
        else
            err = mend_info_set(self, i, fortran_keys[k], values[k] ? "true" : "false");
    }
    return err;
}

int mend_abi_fortran(struct mend_proc *self, struct mend_info **info_p)
{
    struct mend_info *made;

    *info_p = NULL;
    if (!self->abi || !self->abi->fortran_set)
        return MPI_SUCCESS;
    made = mend_info_create(self);
    return give(self, made, made ? add_fortran(self, made, self->abi->fortran) : MPI_ERR_NO_MEM,
                info_p);
}

static int read_size(const char *text, int *value_p)
{
    char *end;
    long size = strtol(text, &end, 10);

    if (*end != '\0' || size <= 0 || size > INT_MAX)
        return MPI_ERR_INFO_VALUE;
    *value_p = (int)size;
    return MPI_SUCCESS;
}

static int read_flag(const char *text, int *value_p)
{
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return MPI_ERR_INFO_VALUE;
    *value_p = text[0] == 't';
    return MPI_SUCCESS;
}

/* What it says for each key, -1 where it says nothing.  The sizes must be those of the predefined datatypes. */
static int read_fortran(const struct mend_info *i, int *values)
{
    int err = MPI_SUCCESS;

    for (int k = 0; k < KEYS_N && !err; k++) {
        const char *text = mend_info_get(i, fortran_keys[k]);

        values[k] = -1;
        if (text)
            err = k < SIZES_N ? read_size(text, &values[k]) : read_flag(text, &values[k]);
    }
    for (int k = 0; k < SIZES_N && !err; k++)
        if (values[k] >= 0 && values[k] != mend_type_of(sized_types[k])->size)
            err = MPI_ERR_ABI;
    return err;
}

int mend_abi_set_fortran(struct mend_proc *self, const struct mend_info *info)
{
    int values[KEYS_N], err = read_fortran(info, values);
    struct mend_abi *a;

    if (err)
        return err;
    a = state(self);
    if (!a)
        return MPI_ERR_NO_MEM;
    if (a->fortran_set && memcmp(a->fortran, values, sizeof(values)) != 0)
        return MPI_ERR_ABI;
    memcpy(a->fortran, values, sizeof(values));
    a->fortran_set = true;
    return MPI_SUCCESS;
}

/* The place of a LOGICAL of that size in mend_abi.logical; -1: no such size. */
static int logical_index(int size_bytes)
{
    for (int i = 0; i < LOGICALS_N; i++)
        if (size_bytes == 1 << i)
            return i;
    return -1;
}

int mend_abi_set_logical(struct mend_proc *self, int size_bytes, const void *true_bytes,
                         const void *false_bytes)
{
    int i = logical_index(size_bytes);
    size_t n = (size_t)size_bytes;
    struct mend_abi *a;

    if (i < 0)
        return MPI_ERR_ARG;
    a = state(self);
    if (!a)
        return MPI_ERR_NO_MEM;
    if (a->logical[i].set && (memcmp(a->logical[i].true_bytes, true_bytes, n) != 0 ||
                              memcmp(a->logical[i].false_bytes, false_bytes, n) != 0))
        return MPI_ERR_ABI;
    memcpy(a->logical[i].true_bytes, true_bytes, n);
    memcpy(a->logical[i].false_bytes, false_bytes, n);
    a->logical[i].set = true;
    return MPI_SUCCESS;
}

int mend_abi_logical(struct mend_proc *self, int size_bytes, void *true_bytes, void *false_bytes,
                     bool *set_p)
{
    int i = logical_index(size_bytes);

    if (i < 0)
        return MPI_ERR_ARG;
    *set_p = self->abi && self->abi->logical[i].set;
    if (!*set_p)
        return MPI_SUCCESS;
    memcpy(true_bytes, self->abi->logical[i].true_bytes, (size_t)size_bytes);
    memcpy(false_bytes, self->abi->logical[i].false_bytes, (size_t)size_bytes);
    return MPI_SUCCESS;
}
