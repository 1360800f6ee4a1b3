/* SPDX-License-Identifier: BSD-3-Clause */
/* direct.h – operations by loads and stores of the origin. */
#ifndef MEND_RMA_DIRECT_H
#define MEND_RMA_DIRECT_H

#include "rma/epoch.h"
#include "rma/op.h"

/* True if this process reaches the target's part. */
bool mend_direct_can(struct mend_win *w, const struct mend_rma_op *op);

/* Where the target's bytes at disp lie, if an operation on them may begin now and goes by loads and stores; NULL: the
 * general way has to look.  Target and disp are the program's, unchecked. */
static inline char *mend_direct_at(const struct mend_win *w, int target, MPI_Aint disp,
                                   MPI_Count bytes)
{
    const struct mend_win_part *p;
    MPI_Aint at;

    if (mend_unlikely((unsigned)target >= (unsigned)w->direct_n || !mend_epoch_is_open(w, target)))
        return NULL;
    p = &w->part[target];
    if (mend_unlikely(!p->here || disp < 0 || __builtin_mul_overflow(disp, p->disp_unit, &at) ||
                      at > p->size - bytes))
        return NULL;
    return p->here + at;
}

/* True if single copy is possible: put and get, on the program's memory, in one piece on both sides. */
bool mend_direct_may_copy(const struct mend_win *w, const struct mend_rma_op *op);

/* Tries it.  False: it must go another way; what was put may be there in part. */
bool mend_direct_copy(struct mend_win *w, const struct mend_rma_op *op);

/* Carries it out; it is complete at origin and target.  As mend_rma_apply(). */
int mend_direct_do(struct mend_win *w, const struct mend_rma_op *op);

#endif
