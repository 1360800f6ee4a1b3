/* SPDX-License-Identifier: BSD-3-Clause */
/* op.h – making operators (using them: datatype.h). */
#ifndef MEND_DATATYPE_OP_H
#define MEND_DATATYPE_OP_H

#include "datatype/datatype.h"

/* A user's operator: exactly one of the functions is given.  NULL: no memory. */
struct mend_op *mend_op_create(struct mend_proc *self, MPI_User_function *fn,
                               MPI_User_function_c *fn_c, bool commutative);

/* For messages: "MPI_SUM", "an operator of the program". */
const char *mend_op_name(const struct mend_op *op);

#endif
