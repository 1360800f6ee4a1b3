/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_call.c – checks that all collectives share; barrier, broadcast and reductions in all
 * forms. */
#include "mpi/coll_call.h"

int mend_call_check_later(const struct mend_call *call)
{
    struct mend_info *info = NULL;
    int err = mend_check_pointer(call->request);

    if (!err && call->kind == MEND_COLL_PREPARE)
        err = mend_check_info_or_null(call->info, &info);
    return err;
}

int mend_call_check(const void *buf, MPI_Count count, MPI_Datatype type, struct mend_coll_buf *b_p)
{
    const struct mend_type *t = NULL;
    int err = mend_check_committed(type, &t);

    if (!err)
        err = mend_check_count_of(t, count);
    if (!err && buf == MPI_IN_PLACE)
        err = MPI_ERR_BUFFER;
    if (!err)
        err = mend_check_buffer(buf, count, t);
    if (!err)
        *b_p = (struct mend_coll_buf){(void *)buf, count, t, type};
    return err;
}

int mend_call_check_blocks(const void *buf, int n, MPI_Count count, MPI_Datatype type,
                           struct mend_coll_buf *b_p)
{
    MPI_Count all;
    int err = mend_call_check(buf, count, type, b_p);

    if (!err && (__builtin_mul_overflow(n, count, &all) || !mend_type_fits(b_p->type, all)))
        err = MPI_ERR_COUNT;
    return err;
}

/* No count is negative.  with_displs: the displacements are an argument of the function. */
static int check_each(const struct mend_coll_counts *v, int n, bool with_displs, bool *any_p)
{
    const void *displs = v->big || v->big_displs ? (const void *)v->displs_c : v->displs;
    const void *counts = v->big ? (const void *)v->counts_c : v->counts;

    *any_p = false;
    if (n > 0 && (!counts || (with_displs && !displs)))
        return MPI_ERR_ARG;
    for (int i = 0; i < n; i++) {
        if (mend_coll_count(v, i) < 0)
            return MPI_ERR_COUNT;
        *any_p |= mend_coll_count(v, i) > 0;
    }
    return MPI_SUCCESS;
}

int mend_call_check_counts(const void *buf, const struct mend_coll_counts *v, int n,
                           MPI_Datatype type, struct mend_coll_buf *b_p)
{
    bool any;
    int err = check_each(v, n, true, &any);

    if (!err)
        err = mend_call_check(buf, any, type, b_p);
    for (int i = 0; !err && i < n; i++)
        if (!mend_type_fits_at(b_p->type, mend_coll_count(v, i), mend_coll_displ(v, i),
                               b_p->type->extent))
            err = MPI_ERR_COUNT;
    return err;
}

int mend_call_check_types(const void *buf, const struct mend_coll_counts *v,
                          const MPI_Datatype *types, int n)
{
    bool any;
    int err = check_each(v, n, true, &any);

    if (!err && n > 0 && !types)
        err = MPI_ERR_ARG;
    if (!err && buf == MPI_IN_PLACE)
        err = MPI_ERR_BUFFER;
    for (int i = 0; !err && i < n; i++) {
        const struct mend_type *t = NULL;

        err = mend_check_committed(types[i], &t); /* buf may be MPI_BOTTOM: displacements */
        if (!err && !mend_type_fits_at(t, mend_coll_count(v, i), mend_coll_displ(v, i), 1))
            err = MPI_ERR_COUNT;
    }
    return err;
}

int mend_call_barrier(const struct mend_call *call, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (mend_likely(!err))
        err = mend_coll_barrier(c, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_bcast(const struct mend_call *call, void *buffer, MPI_Count count,
                    MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf b = {0};
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err)
        err = mend_check_root(c, root);
    if (!err && root != MPI_PROC_NULL)
        err = mend_call_check(buffer, count, datatype, &b);
    if (!err)
        err = mend_coll_bcast(c, &b, root, &how);
    return mend_call_leave(call, c, &how, err);
}

/* The arguments of a reduction: *op_p, *out_p.  gives, takes: this process contributes, gets the
 * result.  One count and type are for both. */
static int check_reduction(const struct mend_comm *c, const void *in, void *out, MPI_Count count,
                           MPI_Datatype type, MPI_Op op, bool gives, bool takes,
                           const struct mend_op **op_p, struct mend_coll_buf *out_p)
{
    const struct mend_type *t = NULL;
    int err;

    if (mend_unlikely(!gives && !takes))
        return MPI_SUCCESS;
    err = mend_check_committed(type, &t);
    if (mend_likely(!err))
        err = mend_check_count_of(t, count);
    if (mend_likely(!err) && gives && !(takes && mend_call_in_place(c, in)))
        err = in == MPI_IN_PLACE ? MPI_ERR_BUFFER : mend_check_buffer(in, count, t);
    if (mend_likely(!err) && takes)
        err = out == MPI_IN_PLACE ? MPI_ERR_BUFFER : mend_check_buffer(out, count, t);
    if (mend_likely(!err) && gives && takes && mend_call_overlap(in, count, out, count, t))
        err = MPI_ERR_BUFFER;
    if (mend_likely(!err))
        err = mend_check_op(op, op_p);
    if (mend_likely(!err)) /* the last two are for one-sided calls (MPI-5.0 6.9.2) */
        err = op == MPI_REPLACE || op == MPI_NO_OP ? mend_check_op_type_slow(*op_p, t)
                                                   : mend_check_op_type(*op_p, t);
    if (mend_likely(!err))
        *out_p = (struct mend_coll_buf){out, count, t, type};
    return err;
}

int mend_call_reduce(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                     MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf out = {0};
    const struct mend_op *o = NULL;
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err)
        err = mend_check_root(c, root);
    if (!err)
        err = check_reduction(c, sendbuf, recvbuf, count, datatype, op, !c->inter || root >= 0,
                              c->inter ? root == MPI_ROOT : root == c->rank, &o, &out);
    if (!err)
        err = mend_coll_reduce(c, sendbuf, &out, o, root, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_allreduce(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                        MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf out = {0};
    const struct mend_op *o = NULL;
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (mend_likely(!err))
        err = check_reduction(c, sendbuf, recvbuf, count, datatype, op, true, true, &o, &out);
    if (mend_likely(!err))
        err = mend_coll_allreduce(c, sendbuf, &out, o, &how);
    return mend_call_leave(call, c, &how, err);
}

/* Not defined on intercommunicators (MPI-5.0 6.11). */
int mend_call_scan(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                   MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, bool exclusive)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf out = {0};
    const struct mend_op *o = NULL;
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err && c->inter)
        err = MPI_ERR_COMM;
    if (!err)
        err = check_reduction(c, sendbuf, recvbuf, count, datatype, op, true, true, &o, &out);
    if (!err)
        err = mend_coll_scan(c, sendbuf, &out, o, exclusive, &how);
    return mend_call_leave(call, c, &how, err);
}

/* Elements that everybody gives, all n shares together; v NULL: of `each` elements. */
static int sum_of(const struct mend_coll_counts *v, int n, MPI_Count each, MPI_Count *sum_p)
{
    MPI_Count sum = 0;

    for (int i = 0; i < n; i++)
        if (__builtin_add_overflow(sum, v ? mend_coll_count(v, i) : each, &sum))
            return MPI_ERR_COUNT;
    *sum_p = sum;
    return MPI_SUCCESS;
}

int mend_call_reduce_scatter(const struct mend_call *call, const void *sendbuf, void *recvbuf,
                             MPI_Count recvcount, const struct mend_coll_counts *recvcounts,
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf out = {0}, in = {0};
    const struct mend_op *o = NULL;
    struct mend_coll_how how = {.kind = call->kind};
    MPI_Count total = recvcount, mine = recvcount;
    bool any;
    int err = mend_call_enter(call, comm, &c);

    if (!err && recvcounts)
        err = check_each(recvcounts, c->size, false, &any);
    if (!err)
        err = sum_of(recvcounts, c->size, recvcount, &total);
    if (!err && recvcounts)
        mine = mend_coll_count(recvcounts, c->rank);
    if (!err)
        err = check_reduction(c, MPI_IN_PLACE, recvbuf, mine, datatype, op, !c->inter, true, &o,
                              &out);
    if (!err)
        err = mend_check_count_of(out.type, total);
    if (!err && !mend_call_in_place(c, sendbuf))
        err = mend_call_check(sendbuf, total, datatype, &in);
    if (!err && mend_call_overlap(sendbuf, total, recvbuf, mine, out.type))
        err = MPI_ERR_BUFFER;
    if (!err)
        err = mend_coll_reduce_scatter(c, sendbuf, &out, recvcounts, o, &how);
    return mend_call_leave(call, c, &how, err);
}
