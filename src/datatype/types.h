/* SPDX-License-Identifier: BSD-3-Clause */
/* types.h – what a process knows of types beyond the const table: mend_proc.types.
 *
 * Predefined types are const and shared by all processes of an address space.  Names that a process
 * gives them are kept here, and so are the predefined types that have no handle in the ABI, because
 * they are made when they are asked for (MPI-5.0 6.9.4, 19.1.9). */
#ifndef MEND_DATATYPE_TYPES_H
#define MEND_DATATYPE_TYPES_H

#include "datatype/datatype.h"

/* The name that the user gave, or that of a predefined type, or "". */
const char *mend_type_name(const struct mend_proc *self, const struct mend_type *t);

/* Names longer than MPI_MAX_OBJECT_NAME - 1 are cut.  MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_type_set_name(struct mend_proc *self, const struct mend_type *t, const char *name);

/* MPI_Type_create_f90_*: combiner MPI_COMBINER_F90_REAL, _COMPLEX or _INTEGER; an integer has no p.
 * The same arguments give the same object.  MPI_ERR_ARG: no such type. */
int mend_type_f90(struct mend_proc *self, int combiner, int p, int r, const struct mend_type **t_p);

/* MPI_Type_match_size.  MPI_ERR_ARG: no such type. */
int mend_type_match(int typeclass, int size_bytes, const struct mend_type **t_p);

/* MPI_Type_get_value_index.  *t_p is NULL if there is no such pair. */
int mend_type_value_index(struct mend_proc *self, const struct mend_type *value,
                          const struct mend_type *index, const struct mend_type **t_p);

#endif
