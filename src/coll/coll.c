/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.c – the calls of coll.h: from arguments to an algorithm, and to the code that carries it out.
 *
 *     mend_coll_x() ── the table ──> x() ── choose.c says shm ──> cell_*.c
 *                                     └── an algorithm writes a list (schedule.h) ──> run.c */
#include "coll/algorithms.h"
#include "coll/cell.h"
#include "coll/cell_forms.h"
#include "coll/choose.h"
#include "coll/nodes.h"
#include "coll/run.h"
#include "coll/tables.h"

/* A list for a reduction; *in_p and *out_p: where its vectors are. */
static void open_reduction(struct mend_sched *s, struct mend_comm *c, const char *name,
                           const void *in, const struct mend_coll_buf *out,
                           const struct mend_op *op, struct mend_piece *in_p,
                           struct mend_piece *out_p)
{
    mend_coll_open(s, c, name, c->size, in, out->buf);
    s->op = op;
    s->handle = out->handle;
    *out_p = mend_piece_of(MEND_OPERAND_OUTPUT, out->count, out->type);
    *in_p = *out_p;
    if (in != MPI_IN_PLACE)
        in_p->operand = MEND_OPERAND_INPUT;
}

static struct mend_coll_choice reduction(struct mend_comm *c, const struct mend_coll_how *how,
                                         const struct mend_coll_buf *out, const struct mend_op *op)
{
    return (struct mend_coll_choice){
        .c = c, .how = how, .bytes = out->count * out->type->size, .op = op, .type = out->type};
}

static int barrier(struct mend_comm *c, struct mend_coll_how *how)
{
    struct mend_coll_choice x = {.c = c, .how = how};
    enum mend_algorithm algorithm;
    struct mend_sched s;

    if (mend_likely(mend_choose_shm_possible(c, how) && mend_choose_freely(c)))
        return mend_cell_barrier(c); /* what choose.c would say, sooner */
    algorithm = mend_choose_barrier(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_barrier(c);
    mend_coll_open(&s, c, "barrier", c->size, NULL, NULL);
    if (algorithm == MEND_ALGORITHM_NODES)
        mend_nodes_barrier(&s, c->coll->nodes);
    else
        mend_barrier_dissemination(&s);
    return mend_coll_run(c, &s, how);
}

static mend_bcast_fn *bcast_of(enum mend_algorithm a)
{
    return a == MEND_ALGORITHM_SCATTER_RING ? mend_bcast_in_parts : mend_bcast_binomial;
}

static mend_reduce_fn *reduce_of(enum mend_algorithm a)
{
    return a == MEND_ALGORITHM_HALVING ? mend_reduce_halving : mend_reduce_binomial;
}

static mend_allreduce_fn *allreduce_of(enum mend_algorithm a)
{
    if (a == MEND_ALGORITHM_RING)
        return mend_allreduce_ring;
    return a == MEND_ALGORITHM_HALVING ? mend_allreduce_halving : mend_allreduce_doubling;
}

static int bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                 struct mend_coll_how *how)
{
    struct mend_coll_choice x = {.c = c, .how = how, .bytes = b->count * b->type->size};
    const struct mend_nodes *nodes = c->coll->nodes;
    enum mend_algorithm algorithm;
    struct mend_piece data;
    struct mend_sched s;

    if (mend_likely(mend_choose_shm_possible(c, how) && mend_choose_freely(c) &&
                    x.bytes <= MEND_PAIR_BCAST))
        return mend_cell_bcast(c, b, root); /* what choose.c would say, sooner */
    algorithm = mend_choose_bcast(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_bcast(c, b, root);
    mend_coll_open(&s, c, "bcast", c->size, NULL, b->buf);
    s.what = MEND_CELL_WHAT(MEND_CELL_BCAST, x.bytes);
    data = mend_piece_of(MEND_OPERAND_OUTPUT, b->count, b->type);
    if (algorithm == MEND_ALGORITHM_NODES)
        mend_nodes_bcast(&s, nodes, data, root, bcast_of(mend_choose_bcast_among(&x, nodes->n)));
    else
        bcast_of(algorithm)(&s, data, root);
    return mend_coll_run(c, &s, how);
}

static int reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                  const struct mend_op *op, int root, struct mend_coll_how *how)
{
    const struct mend_nodes *nodes = c->coll->nodes;
    struct mend_coll_choice x;
    enum mend_algorithm algorithm;
    struct mend_piece from, to;
    struct mend_sched s;

    x = reduction(c, how, out, op);
    algorithm = mend_choose_reduce(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_reduce(c, in, out, op, root);
    open_reduction(&s, c, "reduce", in, out, op, &from, &to);
    if (algorithm == MEND_ALGORITHM_NODES)
        mend_nodes_reduce(&s, nodes, from, to, root,
                          reduce_of(mend_choose_reduce_among(&x, nodes->n)));
    else
        reduce_of(algorithm)(&s, from, to, root);
    return mend_coll_run(c, &s, how);
}

static int allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, struct mend_coll_how *how)
{
    const struct mend_nodes *nodes = c->coll->nodes;
    struct mend_coll_choice x;
    enum mend_algorithm algorithm;
    struct mend_piece from, to;
    struct mend_sched s;

    if (mend_likely(mend_choose_shm_reduction(c, how, op, out->type) && mend_choose_freely(c)))
        return mend_cell_allreduce(c, in, out, op); /* what choose.c would say, sooner */
    x = reduction(c, how, out, op);
    algorithm = mend_choose_allreduce(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_allreduce(c, in, out, op);
    open_reduction(&s, c, "allreduce", in, out, op, &from, &to);
    if (algorithm == MEND_ALGORITHM_NODES)
        mend_nodes_allreduce(&s, nodes, from, to,
                             allreduce_of(mend_choose_allreduce_among(&x, nodes->n)));
    else
        allreduce_of(algorithm)(&s, from, to);
    return mend_coll_run(c, &s, how);
}

static int scan(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                const struct mend_op *op, bool exclusive, struct mend_coll_how *how)
{
    struct mend_coll_choice x = reduction(c, how, out, op);
    enum mend_algorithm algorithm = mend_choose_scan(&x);
    struct mend_piece from, to;
    struct mend_sched s;

    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_scan(c, in, out, op, exclusive);
    open_reduction(&s, c, exclusive ? "exscan" : "scan", in, out, op, &from, &to);
    s.what = MEND_CELL_WHAT(MEND_CELL_SCAN, x.bytes);
    if (algorithm == MEND_ALGORITHM_LINEAR)
        mend_scan_chain(&s, from, to, exclusive, mend_choose_segment(&x));
    else
        mend_scan_doubling(&s, from, to, exclusive);
    return mend_coll_run(c, &s, how);
}

/* begin[0 .. size]: first elements of the shares; out.count: of each share, if counts == NULL. */
static int reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          const MPI_Count *begin, const struct mend_op *op, const char *name,
                          struct mend_coll_how *how)
{
    struct mend_coll_buf all = *out;
    struct mend_coll_choice x;
    enum mend_algorithm algorithm;
    struct mend_piece from, to;
    struct mend_sched s;

    all.count = begin[c->size];
    x = reduction(c, how, &all, op);
    algorithm = mend_choose_reduce_scatter(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_reduce_scatter(c, in, &all, begin, op);
    open_reduction(&s, c, name, in, &all, op, &from, &to);
    s.what = MEND_CELL_WHAT(MEND_CELL_REDUCE_SCATTER, x.bytes);
    to.count = begin[c->rank + 1] - begin[c->rank];
    if (algorithm == MEND_ALGORITHM_DOUBLING)
        mend_reduce_scatter_doubling(&s, from, to, begin);
    else if (algorithm == MEND_ALGORITHM_HALVING)
        mend_reduce_scatter_halving(&s, from, to, begin);
    else
        mend_reduce_scatter_pairwise(&s, from, to, begin);
    return mend_coll_run(c, &s, how);
}

static int reduce_scatter_any(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                              const struct mend_coll_counts *counts, const struct mend_op *op,
                              struct mend_coll_how *how)
{
    MPI_Count few[MEND_COLL_FEW], *begin = mend_shares_open(c, counts, out->count, few);
    int err;

    err = reduce_scatter(c, in, out, begin, op, mend_shares_name(counts), how);
    mend_shares_close(c, begin, few);
    return err;
}

MPI_Count *mend_shares_open(struct mend_comm *c, const struct mend_coll_counts *counts,
                            MPI_Count each, MPI_Count few[MEND_COLL_FEW])
{
    MPI_Count *begin = few;

    if (c->size >= MEND_COLL_FEW)
        begin = mend_alloc_to_take_part(c->self, ((size_t)c->size + 1) * sizeof(*begin));
    begin[0] = 0;
    for (int i = 0; i < c->size; i++)
        begin[i + 1] = begin[i] + (counts ? mend_coll_count(counts, i) : each);
    return begin;
}

void mend_shares_close(struct mend_comm *c, MPI_Count *begin, const MPI_Count few[MEND_COLL_FEW])
{
    if (begin != few)
        mend_free(c->self, begin);
}

const struct mend_coll_table mend_coll_plain = {
    .barrier = barrier,
    .bcast = bcast,
    .reduce = reduce,
    .allreduce = allreduce,
    .scan = scan,
    .reduce_scatter = reduce_scatter_any,
    .gather = mend_plain_gather,
    .scatter = mend_plain_scatter,
    .allgather = mend_plain_allgather,
    .alltoall = mend_plain_alltoall,
    .alltoallw = mend_plain_alltoallw,
    .neighbor = mend_plain_neighbor,
};

void mend_coll_choose_table(struct mend_comm *c)
{
    if (c->living)
        c->collectives = &mend_coll_with_holes;
    else
        c->collectives = c->inter ? &mend_coll_inter : &mend_coll_plain;
}
