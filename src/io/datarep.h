/* SPDX-License-Identifier: BSD-3-Clause */
/* datarep.h – data representations: how bytes in a file stand for values (MPI-5.0 14.5).
 *
 *   native, internal   as in memory
 *   external32         big-endian, with sizes that do not depend on the machine (datatype/external32.h)
 *   registered         by functions of the program
 *
 * A representation that is not native gives each predefined type a size of its own, and a derived type one type *in the
 * file*: the same construction from those sizes, of bytes.  What counts elements grows or shrinks with them, what counts
 * bytes stays (MPI-5.0 14.5.1). */
#ifndef MEND_IO_DATAREP_H
#define MEND_IO_DATAREP_H

#include "datatype/datatype.h"

enum mend_datarep_kind { MEND_DATAREP_NATIVE, MEND_DATAREP_EXTERNAL32, MEND_DATAREP_REGISTERED };

/* Registered ones live as long as the process: there is no way to take one back. */
struct mend_datarep {
    const char *name;
    enum mend_datarep_kind kind;
    bool big; /* the functions take an MPI_Count */
    union {
        MPI_Datarep_conversion_function *read;
        MPI_Datarep_conversion_function_c *read_c;
    };
    union {
        MPI_Datarep_conversion_function *write;
        MPI_Datarep_conversion_function_c *write_c;
    };
    MPI_Datarep_extent_function *extent;
    void *extra;
    struct mend_datarep *next;
};

/* NULL: there is none of this name. */
const struct mend_datarep *mend_datarep_find(const struct mend_proc *self, const char *name);

/* Copies *rep and its name.  MPI_ERR_DUP_DATAREP, MPI_ERR_NO_MEM. */
int mend_datarep_register(struct mend_proc *self, const struct mend_datarep *rep);

/* Bytes in the file of count elements.  MPI_ERR_CONVERSION: a function of the program failed, or gave no size; MPI_ERR_COUNT. */
int mend_datarep_bytes(const struct mend_datarep *rep, const struct mend_type *t, MPI_Count count,
                       MPI_Count *bytes_p);

/* The type in the file, committed: t itself, or one of bytes, which the caller puts (mend_type_put()) in either case.  Errors
 * as above; MPI_ERR_NO_MEM; MPI_ERR_ARG: its sizes do not fit into numbers. */
int mend_datarep_type(struct mend_proc *self, const struct mend_datarep *rep,
                      const struct mend_type *t, const struct mend_type **in_file_p);

/* Between memory and mend_datarep_bytes() bytes of a file.  MPI_ERR_CONVERSION. */
int mend_datarep_encode(const struct mend_datarep *rep, const struct mend_type *t, const void *buf,
                        MPI_Count count, char *raw);
int mend_datarep_decode(const struct mend_datarep *rep, const struct mend_type *t, void *buf,
                        MPI_Count count, const char *raw);

#endif
