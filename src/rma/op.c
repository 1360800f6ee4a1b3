/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c – the way of an operation, and what origin and target do with elements. */
#include "rma/op.h"

#include "datatype/predefined.h"
#include "rma/control.h"
#include "rma/direct.h"
#include "rma/epoch.h"
#include "rma/link.h"
#include "rma/way.h"

#define LOCKED_BYTES                                                                               \
    ((MPI_Count)64 * 1024) /* of elements that are changed before others get the lock */

const struct mend_type *mend_rma_basic(const struct mend_type *t)
{
    if (mend_likely(t->predefined && mend_type_is_named(t)))
        return t;
    for (uintptr_t h = MEND_TYPE_FIRST; t->basic && h <= MEND_TYPE_LAST; h++) {
        const struct mend_type *b = mend_type_predefined(h);

        if (b && b->basic == t->basic)
            return b;
    }
    return NULL;
}

/* ---- elements ---- */

/* May this process change the element by loads and stores? */
static inline bool is_mine(const struct mend_win *w, int target, const struct mend_type *basic,
                           const void *at)
{
    enum mend_rma_path path = mend_rma_path_of(w, target, basic, at);

    return (path == MEND_RMA_PATH_ALONE && target == w->me) ||
           (path == MEND_RMA_PATH_LOCKED && mend_win_has_elements(w, target));
}

/* One element with gaps. */
static void apply_one(const struct mend_op *op, const struct mend_type *basic, const char *in,
                      char *at, char *old)
{
    _Alignas(32) char element[64] = {0}, before[64] = {0};

    mend_type_unpack(basic, element, 1, 0, in, (size_t)basic->size);
    mend_element_apply_alone(op, basic, element, at, 1, before);
    if (old)
        mend_type_pack(basic, before, 1, 0, old, (size_t)basic->size);
}

static void apply_alone(const struct mend_op *op, const struct mend_type *basic, const char *in,
                        char *at, MPI_Count n, char *old)
{
    if (mend_likely(basic->dense && basic->size == basic->extent)) {
        mend_element_apply_alone(op, basic, in, at, n, old);
        return;
    }
    for (MPI_Count i = 0; i < n; i++)
        apply_one(op, basic, in + i * basic->size, at + i * basic->extent,
                  old ? old + i * basic->size : NULL);
}

/* In pieces, because others wait for the lock meanwhile. */
static int apply_locked(struct mend_win *w, int target, const struct mend_op *op,
                        const struct mend_type *basic, const char *in, char *at, MPI_Count n,
                        char *old)
{
    MPI_Count most = n * basic->extent <= LOCKED_BYTES ? n : LOCKED_BYTES / basic->extent, k;
    int err = MPI_SUCCESS;

    for (MPI_Count i = 0; i < n; i += k) {
        k = n - i < most ? n - i : most;
        err = mend_win_elements_lock(w, target);
        if (mend_unlikely(err))
            break;
        MEND_ASSERT(is_mine(w, target, basic, at));
        apply_alone(op, basic, in + i * basic->size, at + i * basic->extent, k,
                    old ? old + i * basic->size : NULL);
        mend_win_elements_unlock(w, target);
    }
    return err;
}

int mend_rma_apply(struct mend_win *w, int target, const struct mend_op *op,
                   const struct mend_type *basic, const void *in, char *at, MPI_Count n, void *old)
{
    switch (mend_rma_path_of(w, target, basic, at)) {
    case MEND_RMA_PATH_ALONE:
        MEND_ASSERT(is_mine(w, target, basic, at));
        apply_alone(op, basic, in, at, n, old);
        return MPI_SUCCESS;
    case MEND_RMA_PATH_ATOMIC:
        mend_element_apply(op, basic, in, at, n, old);
        return MPI_SUCCESS;
    default:
        return apply_locked(w, target, op, basic, in, at, n, old);
    }
}

int mend_rma_add(struct mend_win *w, int target, const struct mend_type *basic, const void *in,
                 char *at, void *old)
{
    int err;

    if (mend_unlikely(mend_rma_is_alone(w, target)))
        return mend_rma_apply(w, target, mend_op_of(MPI_SUM), basic, in, at, 1, old);
    if (mend_element_add(basic, in, at, old))
        return MPI_SUCCESS;
    err = mend_win_elements_lock(w, target);
    if (mend_unlikely(err))
        return err;
    MEND_ASSERT(is_mine(w, target, basic, at));
    mend_element_add_alone(basic, in, at, old);
    mend_win_elements_unlock(w, target);
    return MPI_SUCCESS;
}

static void swap_alone(size_t n, const void *compare, const void *in, char *at, void *old)
{
    memcpy(old, at, n);
    if (!memcmp(old, compare, n))
        memcpy(at, in, n);
}

int mend_rma_swap(struct mend_win *w, int target, const struct mend_type *basic,
                  const void *compare, const void *in, char *at, void *old)
{
    size_t n = (size_t)basic->size;
    int err;

    switch (mend_rma_path_of(w, target, basic, at)) {
    case MEND_RMA_PATH_ALONE:
        MEND_ASSERT(is_mine(w, target, basic, at));
        swap_alone(n, compare, in, at, old);
        return MPI_SUCCESS;
    case MEND_RMA_PATH_ATOMIC:
        mend_element_swap_if(basic, compare, in, at, old);
        return MPI_SUCCESS;
    default:
        err = mend_win_elements_lock(w, target);
        if (err)
            return err;
        MEND_ASSERT(is_mine(w, target, basic, at));
        swap_alone(n, compare, in, at, old);
        mend_win_elements_unlock(w, target);
        return MPI_SUCCESS;
    }
}

bool mend_rma_op_is_special(const struct mend_op *op)
{
    return op == mend_op_of(MPI_REPLACE) || op == mend_op_of(MPI_NO_OP);
}

/* ---- which way ---- */

/* Bytes from the first to the last that it touches, from the displacement; false: none. */
static bool span_of(const struct mend_rma_data *d, MPI_Count *from_p, MPI_Count *end_p)
{
    MPI_Count last = (d->count - 1) * d->type->extent;

    if (d->count == 0 || d->type->size == 0)
        return false;
    *from_p = d->type->true_lb + (last < 0 ? last : 0);
    *end_p = d->type->true_lb + d->type->true_extent + (last > 0 ? last : 0);
    return true;
}

/* Within the part?  Of a dynamic window only the target knows. */
static int check_range(const struct mend_win *w, const struct mend_rma_op *op)
{
    const struct mend_win_part *p = &w->part[op->target];
    MPI_Count from, end, at;

    if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC || !span_of(&op->there, &from, &end))
        return MPI_SUCCESS;
    if (__builtin_mul_overflow((MPI_Count)op->disp, (MPI_Count)p->disp_unit, &at) ||
        __builtin_add_overflow(at, from, &from) || __builtin_add_overflow(at, end, &end))
        return MPI_ERR_RMA_RANGE;
    return from >= 0 && end <= p->size ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
}

/* The epoch may be another one after the wait, for threads and callbacks run in it; so the look at it comes last. */
static int begin_by_messages(struct mend_win *w, const struct mend_rma_op *op,
                             struct mend_request **request_p)
{
    int err = MPI_SUCCESS;

    while (!err && mend_rma_link_is_full(w, op->target)) {
        err = mend_rma_link_await_room(w, op->target);
        if (!err)
            err = mend_epoch_operate(w, op->target);
    }
    return err ? err : mend_rma_link_begin(w, op, request_p);
}

int mend_rma_begin(struct mend_win *w, const struct mend_rma_op *op,
                   struct mend_request **request_p)
{
    int err = mend_win_check_valid(w);

    if (!err)
        err = mend_epoch_operate(w, op->target);
    if (!err)
        err = check_range(w, op);
    if (err)
        return err;
    mend_event(w->self, MEND_EV_RMA_OPERATE);
    if (!op->there.count || !op->there.type->size) {
        if (request_p)
            *request_p = mend_p2p_sent(w->self);
        return MPI_SUCCESS;
    }
    if (w->lock[op->target].failed)
        return mend_rma_link_begin(w, op, request_p);
    if (mend_direct_can(w, op)) {
        err = mend_direct_do(w, op);
        if (!err && request_p)
            *request_p = mend_p2p_sent(w->self);
        return err;
    }
    if (op->basic &&
        !mend_rma_is_alone(w, op->target)) /* its elements are not the target's alone */
        return MPI_ERR_NO_MEM;
    if (mend_rma_way_copies(w, op) && mend_direct_copy(w, op)) {
        if (request_p)
            *request_p = mend_p2p_sent(w->self);
        return MPI_SUCCESS;
    }
    return begin_by_messages(w, op, request_p);
}
