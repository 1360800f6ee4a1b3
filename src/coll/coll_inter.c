/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_inter.c – from the arguments of a collective on an intercommunicator to its list.
 *
 * root: MPI_ROOT at the root, its rank in the other group, MPI_PROC_NULL at the other members of the root's
 * group, which take no part but still learn of deaths. */
#include "coll/algorithms.h"
#include "coll/run.h"
#include "coll/tables.h"

static struct mend_blocks blocks_of(enum mend_operand operand, const struct mend_coll_buf *b,
                                    const struct mend_coll_counts *counts, bool one)
{
    return (struct mend_blocks){
        .operand = operand, .count = b->count, .type = b->type, .counts = counts, .one = one};
}

static struct mend_piece piece_of(enum mend_operand operand, const struct mend_coll_buf *b)
{
    return mend_piece_of(operand, b->count, b->type);
}

static int barrier(struct mend_comm *c, struct mend_coll_how *how)
{
    struct mend_blocks nothing = {.operand = MEND_OPERAND_OUTPUT, .type = mend_sched_byte()};
    struct mend_sched s;

    mend_coll_open(&s, c, "barrier", c->peers_n, NULL, NULL);
    mend_exchange_blocks(&s, &nothing, &nothing);
    return mend_coll_run(c, &s, how);
}

static int bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                 struct mend_coll_how *how)
{
    struct mend_blocks all = blocks_of(MEND_OPERAND_OUTPUT, b, NULL, true);
    struct mend_piece data = piece_of(MEND_OPERAND_OUTPUT, b);
    struct mend_sched s;

    mend_coll_open(&s, c, "bcast", c->peers_n, NULL, b->buf);
    if (root == MPI_ROOT)
        mend_exchange_blocks(&s, &all, NULL);
    else if (root >= 0)
        mend_exchange_one(&s, root, NULL, &data);
    return mend_coll_run(c, &s, how);
}

static int reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                  const struct mend_op *op, int root, struct mend_coll_how *how)
{
    struct mend_piece from = piece_of(MEND_OPERAND_INPUT, out);
    struct mend_piece to = piece_of(MEND_OPERAND_OUTPUT, out);
    struct mend_sched s;

    mend_coll_open(&s, c, "reduce", c->peers_n, in, out->buf);
    s.op = op;
    s.handle = out->handle;
    if (root == MPI_ROOT)
        mend_exchange_reduce(&s, NULL, &to, out->count, 0);
    else if (root >= 0)
        mend_exchange_one(&s, root, &from, NULL);
    return mend_coll_run(c, &s, how);
}

static int allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, struct mend_coll_how *how)
{
    struct mend_piece from = piece_of(MEND_OPERAND_INPUT, out);
    struct mend_piece to = piece_of(MEND_OPERAND_OUTPUT, out);
    struct mend_sched s;

    mend_coll_open(&s, c, "allreduce", c->peers_n, in, out->buf);
    s.op = op;
    s.handle = out->handle;
    mend_exchange_reduce(&s, &from, &to, out->count, 0);
    return mend_coll_run(c, &s, how);
}

/* The other group does not know our shares: it sends all, each takes its own (MPI-5.0 6.10). */
int mend_coll_inter_share(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          MPI_Count n, MPI_Count first, const struct mend_op *op,
                          struct mend_coll_how *how)
{
    struct mend_piece from = mend_piece_of(MEND_OPERAND_INPUT, n, out->type);
    struct mend_piece to = piece_of(MEND_OPERAND_OUTPUT, out);
    struct mend_sched s;

    mend_coll_open(&s, c, "reduce_scatter", c->peers_n, in, out->buf);
    s.op = op;
    s.handle = out->handle;
    mend_exchange_reduce(&s, &from, &to, n, first);
    return mend_coll_run(c, &s, how);
}

static int reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          const struct mend_coll_counts *counts, const struct mend_op *op,
                          struct mend_coll_how *how)
{
    MPI_Count few[MEND_COLL_FEW], *begin = mend_shares_open(c, counts, out->count, few);
    struct mend_coll_buf mine = *out;
    int err;

    mine.count = begin[c->rank + 1] - begin[c->rank];
    err = mend_coll_inter_share(c, in, &mine, begin[c->size], begin[c->rank], op, how);
    mend_shares_close(c, begin, few);
    return err;
}

static int gather(struct mend_comm *c, const struct mend_coll_buf *in,
                  const struct mend_coll_buf *out, const struct mend_coll_counts *counts, int root,
                  struct mend_coll_how *how)
{
    struct mend_blocks to = blocks_of(MEND_OPERAND_OUTPUT, out, counts, false);
    struct mend_piece from = piece_of(MEND_OPERAND_INPUT, in);
    struct mend_sched s;

    mend_coll_open(&s, c, "gather", c->peers_n, in->buf, out->buf);
    if (root == MPI_ROOT)
        mend_exchange_blocks(&s, NULL, &to);
    else if (root >= 0)
        mend_exchange_one(&s, root, &from, NULL);
    return mend_coll_run(c, &s, how);
}

static int scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                   const struct mend_coll_counts *counts, const struct mend_coll_buf *out, int root,
                   struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_OPERAND_INPUT, in, counts, false);
    struct mend_piece to = piece_of(MEND_OPERAND_OUTPUT, out);
    struct mend_sched s;

    mend_coll_open(&s, c, "scatter", c->peers_n, in->buf, out->buf);
    if (root == MPI_ROOT)
        mend_exchange_blocks(&s, &from, NULL);
    else if (root >= 0)
        mend_exchange_one(&s, root, NULL, &to);
    return mend_coll_run(c, &s, how);
}

static int allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                     struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_OPERAND_INPUT, in, NULL, true);
    struct mend_blocks to = blocks_of(MEND_OPERAND_OUTPUT, out, counts, false);
    struct mend_sched s;

    mend_coll_open(&s, c, "allgather", c->peers_n, in->buf, out->buf);
    mend_exchange_blocks(&s, &from, &to);
    return mend_coll_run(c, &s, how);
}

static int alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                    const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                    const struct mend_coll_counts *out_counts, struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_OPERAND_INPUT, in, in_counts, false);
    struct mend_blocks to = blocks_of(MEND_OPERAND_OUTPUT, out, out_counts, false);
    struct mend_sched s;

    mend_coll_open(&s, c, out_counts ? "alltoallv" : "alltoall", c->peers_n, in->buf, out->buf);
    mend_exchange_blocks(&s, &from, &to);
    return mend_coll_run(c, &s, how);
}

static int alltoallw(struct mend_comm *c, const void *in, const struct mend_coll_counts *in_counts,
                     const MPI_Datatype *in_types, void *out,
                     const struct mend_coll_counts *out_counts, const MPI_Datatype *out_types,
                     struct mend_coll_how *how)
{
    struct mend_blocks from = {
        .operand = MEND_OPERAND_INPUT, .counts = in_counts, .types = in_types};
    struct mend_blocks to = {
        .operand = MEND_OPERAND_OUTPUT, .counts = out_counts, .types = out_types};
    struct mend_sched s;

    mend_coll_open(&s, c, "alltoallw", c->peers_n, in, out);
    mend_exchange_blocks(&s, &from, &to);
    return mend_coll_run(c, &s, how);
}

/* Scans are not defined here (MPI-5.0 6.11), and there are no topologies. */
const struct mend_coll_table mend_coll_inter = {
    .barrier = barrier,
    .bcast = bcast,
    .reduce = reduce,
    .allreduce = allreduce,
    .reduce_scatter = reduce_scatter,
    .gather = gather,
    .scatter = scatter,
    .allgather = allgather,
    .alltoall = alltoall,
    .alltoallw = alltoallw,
};
