/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.h – operations by loads and stores of the origin. */
#ifndef MEND_RMA_DIRECT_H
#define MEND_RMA_DIRECT_H

#include "rma/op.h"

/* True if this process reaches the target's part, and may change the elements there (win.h). */
bool mend_direct_can(struct mend_win *w, const struct mend_rma_op *op);

/* Tries to put or get by single copy.  False: it must go another way; what was put may be there in part. */
bool mend_direct_copy(struct mend_win *w, const struct mend_rma_op *op);

/* Carries it out; it is complete at origin and target. */
void mend_direct_do(struct mend_win *w, const struct mend_rma_op *op);

#endif
