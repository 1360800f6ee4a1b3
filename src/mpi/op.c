/* SPDX-License-Identifier: BSD-3-Clause */
/* op.c – reduction operators as objects, and reduction without communication (MPI-5.0 6.9).
 *
 * All functions are local; none blocks, and a death affects none of them. */
#include "datatype/op.h"
#include "comm/objects.h"
#include "mpi/check.h"

/* --------------------------------------------------------------------------
 * Operators of users
 * -------------------------------------------------------------------------- */

static int create(const char *fn, MPI_User_function *narrow, MPI_User_function_c *wide, int commute,
                  MPI_Op *op)
{
    struct mend_op *made = NULL;
    int err = mend_enter(fn);

    if (!err && !((narrow || wide) && op))
        err = MPI_ERR_ARG;
    if (!err) {
        made = mend_op_create(mend_self, narrow, wide, commute != 0);
        err = made ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err)
        *op = (MPI_Op)made;
    return mend_report(err, fn);
}

MEND_API(MPI_Op_create);
int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
    return create(__func__, user_fn, NULL, commute, op);
}

MEND_API(MPI_Op_create_c);
int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
    return create(__func__, NULL, user_fn, commute, op);
}

static void free_op(struct mend_proc *self, void *op)
{
    mend_op_put(self, op);
}

/* Operations in progress keep the operator.  MPI_ERR_OP: predefined, or freed before. */
MEND_API(MPI_Op_free);
int MPI_Op_free(MPI_Op *op)
{
    const struct mend_op *o = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_pointer(op);
    if (!err)
        err = mend_check_op(*op, &o);
    if (!err && o->predefined)
        err = MPI_ERR_OP;
    if (!err) {
        mend_undo_free(mend_self, free_op, (void *)(uintptr_t)o, false);
        *op = MPI_OP_NULL;
    }
    return mend_report(err, __func__);
}

MEND_API(MPI_Op_commutative);
int MPI_Op_commutative(MPI_Op op, int *commute)
{
    const struct mend_op *o = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_op(op, &o);
    if (!err)
        err = mend_check_pointer(commute);
    if (!err)
        *commute = o->commutative;
    return mend_report(err, __func__);
}

/* 0, which is never a handle: an error was raised. */
MEND_API(MPI_Op_toint);
int MPI_Op_toint(MPI_Op op)
{
    const struct mend_op *o = NULL;
    int number = 0, err = mend_enter_any(__func__);

    if (!err && op != MPI_OP_NULL)
        err = mend_check_op(op, &o);
    if (!err) {
        number = mend_handle_toint(mend_self, op);
        err = number ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    return mend_report(err, __func__) ? 0 : number;
}

MEND_API(MPI_Op_fromint);
MPI_Op MPI_Op_fromint(int op)
{
    const struct mend_op *o = NULL;
    MPI_Op handle = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        handle = mend_handle_fromint(mend_self, op);
    if (!err && handle != MPI_OP_NULL)
        err = mend_check_op(handle, &o);
    return mend_report(err, __func__) ? NULL : handle;
}

/* --------------------------------------------------------------------------
 * Reduction of two buffers
 * -------------------------------------------------------------------------- */

static int check_buffers(const void *in, const void *inout, MPI_Count count,
                         const struct mend_type *t)
{
    int err = mend_check_buffer(in, count, t);

    if (!err)
        err = mend_check_buffer(inout, count, t);
    if (!err && count > 0 && (in == inout || in == MPI_IN_PLACE || inout == MPI_IN_PLACE))
        err = MPI_ERR_BUFFER;
    return err;
}

/* A function of the user may call MPI: it runs without the library's lock. */
static void apply(struct mend_proc *self, const struct mend_op *o, const void *in, void *inout,
                  MPI_Count count, const struct mend_type *t, MPI_Datatype datatype)
{
    if (o->predefined) {
        mend_op_apply(o, in, inout, count, t, datatype);
        return;
    }
    mend_op_get(o);
    mend_type_get(t);
    mend_unlock(self);
    mend_op_apply(o, in, inout, count, t, datatype);
    mend_lock(self);
    mend_type_put(self, t);
    mend_op_put(self, o);
}

static int reduce_local(const char *fn, const void *inbuf, void *inoutbuf, MPI_Count count,
                        MPI_Datatype datatype, MPI_Op op)
{
    const struct mend_type *t = NULL;
    const struct mend_op *o = NULL;
    int err = mend_enter(fn);

    if (!err)
        err = mend_check_committed(datatype, &t);
    if (!err)
        err = mend_check_count_of(t, count);
    if (!err)
        err = mend_check_op(op, &o);
    if (!err)
        err = mend_check_op_type(o, t);
    if (!err)
        err = check_buffers(inbuf, inoutbuf, count, t);
    if (!err)
        apply(mend_self, o, inbuf, inoutbuf, count, t, datatype);
    return mend_report(err, fn);
}

MEND_API(MPI_Reduce_local);
int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
    return reduce_local(__func__, inbuf, inoutbuf, count, datatype, op);
}

MEND_API(MPI_Reduce_local_c);
int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Op op)
{
    return reduce_local(__func__, inbuf, inoutbuf, count, datatype, op);
}
