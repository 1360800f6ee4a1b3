/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_inter.c – from the arguments of a collective on an intercommunicator to its list. */
#include "coll/algorithms.h"
#include "coll/coll_inter.h"
#include "coll/run.h"

static void open(struct mend_sched *s, struct mend_comm *c, const char *name, const void *in,
                 void *out)
{
    mend_sched_open(s, c->self, name, c->rank, c->peers_n);
    s->in = in;
    s->out = out;
}

static struct mend_blocks blocks_of(enum mend_place place, const struct mend_coll_buf *b,
                                    const struct mend_coll_counts *counts, bool one)
{
    return (struct mend_blocks){
        .place = place, .count = b->count, .type = b->type, .counts = counts, .one = one};
}

static struct mend_piece piece_of(enum mend_place place, const struct mend_coll_buf *b)
{
    return mend_piece_of(place, b->count, b->type);
}

int mend_inter_coll_barrier(struct mend_comm *c, struct mend_coll_how *how)
{
    struct mend_blocks nothing = {.place = MEND_PLACE_OUTPUT, .type = mend_sched_byte()};
    struct mend_sched s;

    open(&s, c, "barrier", NULL, NULL);
    mend_inter_exchange(&s, &nothing, &nothing);
    return mend_coll_run(c, &s, how);
}

int mend_inter_coll_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                          struct mend_coll_how *how)
{
    struct mend_blocks all = blocks_of(MEND_PLACE_OUTPUT, b, NULL, true);
    struct mend_piece data = piece_of(MEND_PLACE_OUTPUT, b);
    struct mend_sched s;

    open(&s, c, "bcast", NULL, b->buf);
    if (root == MPI_ROOT)
        mend_inter_exchange(&s, &all, NULL);
    else if (root >= 0)
        mend_inter_one(&s, root, NULL, &data);
    return mend_coll_run(c, &s, how);
}

int mend_inter_coll_reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                           const struct mend_op *op, int root, struct mend_coll_how *how)
{
    struct mend_piece from = piece_of(MEND_PLACE_INPUT, out);
    struct mend_piece to = piece_of(MEND_PLACE_OUTPUT, out);
    struct mend_sched s;

    open(&s, c, "reduce", in, out->buf);
    s.op = op;
    s.handle = out->handle;
    if (root == MPI_ROOT)
        mend_inter_reduce(&s, NULL, &to, out->count, 0);
    else if (root >= 0)
        mend_inter_one(&s, root, &from, NULL);
    return mend_coll_run(c, &s, how);
}

int mend_inter_coll_allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                              const struct mend_op *op, struct mend_coll_how *how)
{
    struct mend_piece from = piece_of(MEND_PLACE_INPUT, out);
    struct mend_piece to = piece_of(MEND_PLACE_OUTPUT, out);
    struct mend_sched s;

    open(&s, c, "allreduce", in, out->buf);
    s.op = op;
    s.handle = out->handle;
    mend_inter_reduce(&s, &from, &to, out->count, 0);
    return mend_coll_run(c, &s, how);
}

/* The other group does not know our shares: it sends all, each takes its own (MPI-5.0 6.10). */
int mend_inter_coll_reduce_scatter(struct mend_comm *c, const void *in,
                                   const struct mend_coll_buf *out, MPI_Count n, MPI_Count first,
                                   const struct mend_op *op, struct mend_coll_how *how)
{
    struct mend_piece from = mend_piece_of(MEND_PLACE_INPUT, n, out->type);
    struct mend_piece to = piece_of(MEND_PLACE_OUTPUT, out);
    struct mend_sched s;

    open(&s, c, "reduce_scatter", in, out->buf);
    s.op = op;
    s.handle = out->handle;
    mend_inter_reduce(&s, &from, &to, n, first);
    return mend_coll_run(c, &s, how);
}

int mend_inter_coll_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                           const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                           int root, struct mend_coll_how *how)
{
    struct mend_blocks to = blocks_of(MEND_PLACE_OUTPUT, out, counts, false);
    struct mend_piece from = piece_of(MEND_PLACE_INPUT, in);
    struct mend_sched s;

    open(&s, c, "gather", in->buf, out->buf);
    if (root == MPI_ROOT)
        mend_inter_exchange(&s, NULL, &to);
    else if (root >= 0)
        mend_inter_one(&s, root, &from, NULL);
    return mend_coll_run(c, &s, how);
}

int mend_inter_coll_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                            const struct mend_coll_counts *counts, const struct mend_coll_buf *out,
                            int root, struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_PLACE_INPUT, in, counts, false);
    struct mend_piece to = piece_of(MEND_PLACE_OUTPUT, out);
    struct mend_sched s;

    open(&s, c, "scatter", in->buf, out->buf);
    if (root == MPI_ROOT)
        mend_inter_exchange(&s, &from, NULL);
    else if (root >= 0)
        mend_inter_one(&s, root, NULL, &to);
    return mend_coll_run(c, &s, how);
}

int mend_inter_coll_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                              const struct mend_coll_buf *out,
                              const struct mend_coll_counts *counts, struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_PLACE_INPUT, in, NULL, true);
    struct mend_blocks to = blocks_of(MEND_PLACE_OUTPUT, out, counts, false);
    struct mend_sched s;

    open(&s, c, "allgather", in->buf, out->buf);
    mend_inter_exchange(&s, &from, &to);
    return mend_coll_run(c, &s, how);
}
