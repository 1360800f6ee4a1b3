/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_call_move.c – gather, scatter, allgather and alltoall in all forms. */
#include "mpi/coll_call.h"

/* Blocks of equal size (v NULL) or not, from or to n ranks. */
static int check_blocks(const void *buf, MPI_Count count, const struct mend_coll_counts *v,
                        MPI_Datatype type, int n, struct mend_coll_buf *b_p)
{
    return v ? mend_call_check_counts(buf, v, n, type, b_p)
             : mend_call_check_blocks(buf, n, count, type, b_p);
}

/* One of n such blocks that are in one buffer elsewhere: it must not be more than a block of those. */
static int check_share(const void *buf, MPI_Count count, MPI_Datatype type, int n,
                       struct mend_coll_buf *b_p)
{
    MPI_Count bytes;
    int err = mend_call_check(buf, count, type, b_p);

    if (!err && __builtin_mul_overflow(count * b_p->type->size, n, &bytes))
        err = MPI_ERR_COUNT;
    return err;
}

/* Whether a buffer and the blocks beside it certainly overlap: it begins where the first block does, or
 * where that of this process does. */
static int check_apart(const struct mend_comm *c, const struct mend_coll_buf *one,
                       const struct mend_coll_buf *blocks, const struct mend_coll_counts *v)
{
    MPI_Count count = v ? mend_coll_count(v, c->rank) : blocks->count;
    MPI_Aint at = v ? mend_coll_displ(v, c->rank) : (MPI_Aint)(c->rank * blocks->count);
    const char *own;

    if (c->inter || one->buf == MPI_IN_PLACE || !one->type || one->type != blocks->type)
        return MPI_SUCCESS;
    own = (const char *)blocks->buf + at * blocks->type->extent;
    if (mend_call_overlap(one->buf, one->count, own, count, one->type) ||
        (!v && mend_call_overlap(one->buf, one->count, blocks->buf, count, one->type)))
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

/* The same for blocks on both sides. */
static int check_blocks_apart(const struct mend_comm *c, const struct mend_coll_buf *in,
                              const struct mend_coll_counts *in_v, const struct mend_coll_buf *out,
                              const struct mend_coll_counts *out_v)
{
    if (in->buf != out->buf || in->type != out->type || out->type->size == 0)
        return MPI_SUCCESS;
    for (int i = 0; i < c->peers_n; i++)
        if (mend_coll_count(in_v, i) > 0 && mend_coll_count(out_v, i) > 0 &&
            mend_coll_displ(in_v, i) == mend_coll_displ(out_v, i))
            return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

/* The same where each block has its own type; the types have been checked. */
static int check_typed_blocks_apart(const struct mend_comm *c, const void *in,
                                    const struct mend_coll_counts *in_v,
                                    const MPI_Datatype *in_types, const void *out,
                                    const struct mend_coll_counts *out_v,
                                    const MPI_Datatype *out_types)
{
    for (int i = 0; in == out && i < c->peers_n; i++) {
        const struct mend_type *t = NULL;

        if (in_types[i] == out_types[i] && mend_coll_displ(in_v, i) == mend_coll_displ(out_v, i) &&
            !mend_check_committed(in_types[i], &t) &&
            mend_call_overlap(in, mend_coll_count(in_v, i), out, mend_coll_count(out_v, i), t))
            return MPI_ERR_BUFFER;
    }
    return MPI_SUCCESS;
}

int mend_call_gather(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                     MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                     const struct mend_coll_counts *recvcounts, MPI_Datatype recvtype, int root,
                     MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf in = {.buf = (void *)sendbuf}, out = {0};
    struct mend_coll_how how = {.kind = call->kind};
    bool takes = false, gives = false;
    int err = mend_call_enter(call, comm, &c);

    if (!err)
        err = mend_check_root(c, root);
    if (!err) {
        takes = c->inter ? root == MPI_ROOT : root == c->rank;
        gives = c->inter ? root >= 0 : !(takes && sendbuf == MPI_IN_PLACE);
    }
    if (!err && gives)
        err = recvcounts ? mend_call_check(sendbuf, sendcount, sendtype, &in)
                         : check_share(sendbuf, sendcount, sendtype, c->size, &in);
    if (!err && takes)
        err = check_blocks(recvbuf, recvcount, recvcounts, recvtype, c->peers_n, &out);
    if (!err && gives && takes)
        err = check_apart(c, &in, &out, recvcounts);
    if (!err)
        err = mend_coll_gather(c, &in, &out, recvcounts, root, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_scatter(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                      const struct mend_coll_counts *sendcounts, MPI_Datatype sendtype,
                      void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                      MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf in = {0}, out = {.buf = recvbuf};
    struct mend_coll_how how = {.kind = call->kind};
    bool takes = false, gives = false;
    int err = mend_call_enter(call, comm, &c);

    if (!err)
        err = mend_check_root(c, root);
    if (!err) {
        gives = c->inter ? root == MPI_ROOT : root == c->rank;
        takes = c->inter ? root >= 0 : !(gives && recvbuf == MPI_IN_PLACE);
    }
    if (!err && gives)
        err = check_blocks(sendbuf, sendcount, sendcounts, sendtype, c->peers_n, &in);
    if (!err && takes)
        err = sendcounts ? mend_call_check(recvbuf, recvcount, recvtype, &out)
                         : check_share(recvbuf, recvcount, recvtype, c->size, &out);
    if (!err && gives && takes)
        err = check_apart(c, &out, &in, sendcounts);
    if (!err)
        err = mend_coll_scatter(c, &in, sendcounts, &out, root, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_allgather(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                        MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                        const struct mend_coll_counts *recvcounts, MPI_Datatype recvtype,
                        MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf in = {.buf = (void *)sendbuf}, out = {0};
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err && !mend_call_in_place(c, sendbuf))
        err = mend_call_check(sendbuf, sendcount, sendtype, &in);
    if (!err)
        err = check_blocks(recvbuf, recvcount, recvcounts, recvtype, c->peers_n, &out);
    if (!err)
        err = check_apart(c, &in, &out, recvcounts);
    if (!err)
        err = mend_coll_allgather(c, &in, &out, recvcounts, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_alltoall(const struct mend_call *call, const void *sendbuf, MPI_Count sendcount,
                       MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf in = {.buf = (void *)sendbuf}, out = {0};
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err && !mend_call_in_place(c, sendbuf))
        err = mend_call_check_blocks(sendbuf, c->peers_n, sendcount, sendtype, &in);
    if (!err)
        err = mend_call_check_blocks(recvbuf, c->peers_n, recvcount, recvtype, &out);
    if (!err && in.type == out.type &&
        mend_call_overlap(in.buf, in.count, out.buf, out.count, out.type))
        err = MPI_ERR_BUFFER;
    if (!err)
        err = mend_coll_alltoall(c, &in, NULL, &out, NULL, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_alltoallv(const struct mend_call *call, const void *sendbuf,
                        const struct mend_coll_counts *sendcounts, MPI_Datatype sendtype,
                        void *recvbuf, const struct mend_coll_counts *recvcounts,
                        MPI_Datatype recvtype, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_buf in = {.buf = (void *)sendbuf}, out = {0};
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err && !mend_call_in_place(c, sendbuf))
        err = mend_call_check_counts(sendbuf, sendcounts, c->peers_n, sendtype, &in);
    if (!err)
        err = mend_call_check_counts(recvbuf, recvcounts, c->peers_n, recvtype, &out);
    if (!err)
        err = check_blocks_apart(c, &in, sendcounts, &out, recvcounts);
    if (!err)
        err = mend_coll_alltoall(c, &in, sendcounts, &out, recvcounts, &how);
    return mend_call_leave(call, c, &how, err);
}

int mend_call_alltoallw(const struct mend_call *call, const void *sendbuf,
                        const struct mend_coll_counts *sendcounts, const MPI_Datatype *sendtypes,
                        void *recvbuf, const struct mend_coll_counts *recvcounts,
                        const MPI_Datatype *recvtypes, MPI_Comm comm)
{
    struct mend_comm *c = NULL;
    struct mend_coll_how how = {.kind = call->kind};
    int err = mend_call_enter(call, comm, &c);

    if (!err && !mend_call_in_place(c, sendbuf))
        err = mend_call_check_types(sendbuf, sendcounts, sendtypes, c->peers_n);
    if (!err)
        err = mend_call_check_types(recvbuf, recvcounts, recvtypes, c->peers_n);
    if (!err)
        err = check_typed_blocks_apart(c, sendbuf, sendcounts, sendtypes, recvbuf, recvcounts,
                                       recvtypes);
    if (!err)
        err = mend_coll_alltoallw(c, sendbuf, sendcounts, sendtypes, recvbuf, recvcounts, recvtypes,
                                  &how);
    return mend_call_leave(call, c, &how, err);
}
