/* SPDX-License-Identifier: BSD-3-Clause */
/* init.h – what a process needs before it can use types and operators: next to nothing. */
#ifndef MEND_DATATYPE_INIT_H
#define MEND_DATATYPE_INIT_H

#include "datatype/datatype.h"

/* Sets self->types up; also done on first need, since handles may be used before MPI_Init.
 * MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_type_init(struct mend_proc *self);

/* Gives back what mend_type_init and the functions of types.h took.  Types of users that were not
 * freed stay. */
void mend_type_fini(struct mend_proc *self);

/* Predefined operators are constants, those of users stand alone: self->ops is not used. */
static inline int mend_op_init(struct mend_proc *self)
{
    return MPI_SUCCESS;
}

static inline void mend_op_fini(struct mend_proc *self)
{
}

#endif
