/* SPDX-License-Identifier: BSD-3-Clause */
/* predefined.h – what the table of predefined types knows beyond struct mend_type. */
#ifndef MEND_DATATYPE_PREDEFINED_H
#define MEND_DATATYPE_PREDEFINED_H

#include "datatype/datatype.h"

struct mend_predefined {
    struct mend_type type; /* first: a pointer to it is a pointer to the row */
    const char *name;
    uint16_t handle;
    uint16_t members[2]; /* pairs: handles of value and index; else 0 */
    uint8_t align;
    uint8_t external_bytes; /* of one element in external32; 0: a pair */
    uint8_t unit_bytes;     /* that are swapped together; 0: nothing is swapped */
};

/* The row of a type that has a handle of the ABI (predefined types that MPI_Type_create_f90_real
 * and others make have none). */
static inline const struct mend_predefined *mend_predefined_row(const struct mend_type *t)
{
    return (const struct mend_predefined *)t;
}

/* True for types of the table. */
static inline bool mend_type_is_named(const struct mend_type *t)
{
    return t->predefined && !t->envelope;
}

/* Type to handle: types of the table give back their small integer. */
static inline MPI_Datatype mend_type_handle(const struct mend_type *t)
{
    return mend_type_is_named(t) ? (MPI_Datatype)(uintptr_t)mend_predefined_row(t)->handle
                                 : (MPI_Datatype)t;
}

#endif
