/* SPDX-License-Identifier: BSD-3-Clause */
/* init.h – initialization of types in a process. */
#ifndef MEND_DATATYPE_INIT_H
#define MEND_DATATYPE_INIT_H

#include "datatype/datatype.h"

/* Sets self->types up; also done on first need, since handles may be used before MPI_Init.
 * MPI_SUCCESS or MPI_ERR_NO_MEM. */
int mend_type_init(struct mend_proc *self);

#endif
