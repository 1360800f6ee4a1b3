/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_move.c – the calls of the plain table that only move data: gather, scatter, allgather, alltoall. */
#include "coll/algorithms.h"
#include "coll/cell.h"
#include "coll/cell_forms.h"
#include "coll/choose.h"
#include "coll/nodes.h"
#include "coll/run.h"
#include "coll/tables.h"
#include "comm/topo.h"

static struct mend_blocks blocks_of(enum mend_operand operand, const struct mend_coll_buf *b,
                                    const struct mend_coll_counts *counts)
{
    return (struct mend_blocks){
        .operand = operand, .count = b->count, .type = b->type, .counts = counts};
}

static MPI_Count bytes_of(const struct mend_coll_buf *b)
{
    return b->count * b->type->size;
}

static int gather(struct mend_comm *c, const struct mend_coll_buf *in,
                  const struct mend_coll_buf *out, int root, struct mend_coll_how *how)
{
    bool at_root = c->rank == root, in_place = in->buf == MPI_IN_PLACE;
    struct mend_coll_choice x = {.c = c, .how = how};
    struct mend_piece mine = mend_piece_of(MEND_OPERAND_INPUT, in->count, in->type);
    struct mend_blocks blocks = blocks_of(MEND_OPERAND_OUTPUT, out, NULL);
    enum mend_algorithm algorithm;
    struct mend_sched s;

    x.bytes = bytes_of(at_root ? out : in);
    algorithm = mend_choose_gather(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_gather(c, in, out, x.bytes, root);
    mend_coll_open(&s, c, "gather", c->size, in->buf, out->buf);
    s.what = MEND_CELL_WHAT(MEND_CELL_GATHER, x.bytes);
    if (algorithm == MEND_ALGORITHM_BINOMIAL)
        mend_gather_binomial(&s, in_place ? NULL : &mine, &blocks, x.bytes, root);
    else
        mend_gather_linear(&s, in_place ? NULL : &mine, &blocks, root);
    return mend_coll_run(c, &s, how);
}

static int gatherv(struct mend_comm *c, const struct mend_coll_buf *in,
                   const struct mend_coll_buf *out, const struct mend_coll_counts *counts, int root,
                   struct mend_coll_how *how)
{
    struct mend_piece mine = mend_piece_of(MEND_OPERAND_INPUT, in->count, in->type);
    struct mend_blocks blocks = blocks_of(MEND_OPERAND_OUTPUT, out, counts);
    struct mend_sched s;

    mend_coll_open(&s, c, "gatherv", c->size, in->buf, out->buf);
    mend_gather_linear(&s, in->buf == MPI_IN_PLACE ? NULL : &mine, &blocks, root);
    return mend_coll_run(c, &s, how);
}

int mend_plain_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                      const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                      int root, struct mend_coll_how *how)
{
    return counts ? gatherv(c, in, out, counts, root, how) : gather(c, in, out, root, how);
}

static int scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                   const struct mend_coll_buf *out, int root, struct mend_coll_how *how)
{
    bool at_root = c->rank == root, in_place = out->buf == MPI_IN_PLACE;
    struct mend_coll_choice x = {.c = c, .how = how};
    struct mend_piece mine = mend_piece_of(MEND_OPERAND_OUTPUT, out->count, out->type);
    struct mend_blocks blocks = blocks_of(MEND_OPERAND_INPUT, in, NULL);
    enum mend_algorithm algorithm;
    struct mend_sched s;

    x.bytes = bytes_of(at_root ? in : out);
    algorithm = mend_choose_gather(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_scatter(c, in, out, x.bytes, root);
    mend_coll_open(&s, c, "scatter", c->size, in->buf, out->buf);
    s.what = MEND_CELL_WHAT(MEND_CELL_SCATTER, x.bytes * c->size);
    if (algorithm == MEND_ALGORITHM_BINOMIAL)
        mend_scatter_binomial(&s, &blocks, in_place ? NULL : &mine, x.bytes, root);
    else
        mend_scatter_linear(&s, &blocks, in_place ? NULL : &mine, root);
    return mend_coll_run(c, &s, how);
}

static int scatterv(struct mend_comm *c, const struct mend_coll_buf *in,
                    const struct mend_coll_counts *counts, const struct mend_coll_buf *out,
                    int root, struct mend_coll_how *how)
{
    struct mend_piece mine = mend_piece_of(MEND_OPERAND_OUTPUT, out->count, out->type);
    struct mend_blocks blocks = blocks_of(MEND_OPERAND_INPUT, in, counts);
    struct mend_sched s;

    mend_coll_open(&s, c, "scatterv", c->size, in->buf, out->buf);
    mend_scatter_linear(&s, &blocks, out->buf == MPI_IN_PLACE ? NULL : &mine, root);
    return mend_coll_run(c, &s, how);
}

int mend_plain_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                       const struct mend_coll_counts *counts, const struct mend_coll_buf *out,
                       int root, struct mend_coll_how *how)
{
    return counts ? scatterv(c, in, counts, out, root, how) : scatter(c, in, out, root, how);
}

static int allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_buf *out, struct mend_coll_how *how)
{
    struct mend_coll_choice x = {.c = c, .how = how, .bytes = bytes_of(out)};
    struct mend_piece mine = mend_piece_of(MEND_OPERAND_INPUT, in->count, in->type);
    const struct mend_piece *mine_p = in->buf == MPI_IN_PLACE ? NULL : &mine;
    struct mend_blocks blocks = blocks_of(MEND_OPERAND_OUTPUT, out, NULL);
    enum mend_algorithm algorithm;
    struct mend_sched s;

    algorithm = mend_choose_allgather(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_allgather(c, in, out, &blocks);
    mend_coll_open(&s, c, "allgather", c->size, in->buf, out->buf);
    s.what = MEND_CELL_WHAT(MEND_CELL_ALLGATHER, x.bytes);
    if (algorithm == MEND_ALGORITHM_NODES)
        mend_nodes_allgather(&s, c->coll->nodes, mine_p, &blocks);
    else if (algorithm == MEND_ALGORITHM_DOUBLING)
        mend_allgather_doubling(&s, mine_p, &blocks);
    else if (algorithm == MEND_ALGORITHM_BRUCK)
        mend_allgather_bruck(&s, mine_p, &blocks);
    else
        mend_allgather_ring(&s, mine_p, &blocks);
    return mend_coll_run(c, &s, how);
}

static int allgatherv(struct mend_comm *c, const struct mend_coll_buf *in,
                      const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                      struct mend_coll_how *how)
{
    struct mend_coll_choice x = {.c = c, .how = how};
    struct mend_piece mine = mend_piece_of(MEND_OPERAND_INPUT, in->count, in->type);
    struct mend_blocks blocks = blocks_of(MEND_OPERAND_OUTPUT, out, counts);
    struct mend_sched s;

    for (int i = 0; i < c->size; i++) {
        MPI_Count bytes = mend_coll_count(counts, i) * out->type->size;

        x.block_max = bytes > x.block_max ? bytes : x.block_max;
    }
    if (mend_choose_allgatherv(&x) == MEND_ALGORITHM_SHM)
        return mend_cell_allgather(c, in, out, &blocks);
    mend_coll_open(&s, c, "allgatherv", c->size, in->buf, out->buf);
    s.what = MEND_CELL_WHAT(MEND_CELL_ALLGATHER, x.block_max);
    mend_allgather_ring(&s, in->buf == MPI_IN_PLACE ? NULL : &mine, &blocks);
    return mend_coll_run(c, &s, how);
}

int mend_plain_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                         const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                         struct mend_coll_how *how)
{
    return counts ? allgatherv(c, in, out, counts, how) : allgather(c, in, out, how);
}

/* All blocks to and from all, pair by pair. */
static int exchange(struct mend_comm *c, const char *name, const void *in,
                    const struct mend_blocks *from, void *out, const struct mend_blocks *to,
                    struct mend_coll_how *how)
{
    struct mend_sched s;

    mend_coll_open(&s, c, name, c->size, in, out);
    mend_alltoall_pairwise(&s, in == MPI_IN_PLACE ? NULL : from, to);
    return mend_coll_run(c, &s, how);
}

static int alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                    const struct mend_coll_buf *out, struct mend_coll_how *how)
{
    struct mend_coll_choice x = {.c = c, .how = how, .bytes = bytes_of(out)};
    struct mend_blocks from = blocks_of(MEND_OPERAND_INPUT, in, NULL);
    struct mend_blocks to = blocks_of(MEND_OPERAND_OUTPUT, out, NULL);
    const struct mend_blocks *from_p = in->buf == MPI_IN_PLACE ? NULL : &from;
    enum mend_algorithm algorithm;
    struct mend_sched s;

    algorithm = mend_choose_alltoall(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_cell_alltoall(c, in, out);
    mend_coll_open(&s, c, "alltoall", c->size, in->buf, out->buf);
    s.what = MEND_CELL_WHAT(MEND_CELL_ALLTOALL, x.bytes * c->size);
    if (algorithm == MEND_ALGORITHM_BRUCK)
        mend_alltoall_bruck(&s, from_p, &to);
    else
        mend_alltoall_pairwise(&s, from_p, &to);
    return mend_coll_run(c, &s, how);
}

static int alltoallv(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                     const struct mend_coll_counts *out_counts, struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_OPERAND_INPUT, in, in_counts);
    struct mend_blocks to = blocks_of(MEND_OPERAND_OUTPUT, out, out_counts);

    return exchange(c, "alltoallv", in->buf, &from, out->buf, &to, how);
}

int mend_plain_alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                        const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                        const struct mend_coll_counts *out_counts, struct mend_coll_how *how)
{
    return out_counts ? alltoallv(c, in, in_counts, out, out_counts, how)
                      : alltoall(c, in, out, how);
}

int mend_plain_alltoallw(struct mend_comm *c, const void *in,
                         const struct mend_coll_counts *in_counts, const MPI_Datatype *in_types,
                         void *out, const struct mend_coll_counts *out_counts,
                         const MPI_Datatype *out_types, struct mend_coll_how *how)
{
    struct mend_blocks from = {
        .operand = MEND_OPERAND_INPUT, .counts = in_counts, .types = in_types};
    struct mend_blocks to = {
        .operand = MEND_OPERAND_OUTPUT, .counts = out_counts, .types = out_types};

    return exchange(c, "alltoallw", in, &from, out, &to, how);
}

static struct mend_blocks edge_blocks(enum mend_operand operand, const struct mend_coll_edges *e)
{
    return (struct mend_blocks){.operand = operand,
                                .count = e->count,
                                .type = e->type,
                                .counts = e->counts,
                                .types = e->types,
                                .one = e->one};
}

int mend_neighbors(struct mend_comm *c, struct mend_comm *carrier,
                   void (*translate)(struct mend_comm *c, int *ranks, int n), const void *in,
                   const struct mend_coll_edges *to, void *out, const struct mend_coll_edges *from,
                   struct mend_coll_how *how)
{
    struct mend_blocks give = edge_blocks(MEND_OPERAND_INPUT, to);
    struct mend_blocks get = edge_blocks(MEND_OPERAND_OUTPUT, from);
    int sources_n, targets_n, *ranks, err;
    struct mend_sched s;

    mend_topo_degrees(c, &sources_n, &targets_n);
    ranks =
        mend_alloc_to_take_part(c->self, ((size_t)sources_n + (size_t)targets_n) * sizeof(*ranks));
    mend_topo_neighbours(c, ranks, ranks + sources_n);
    if (translate)
        translate(c, ranks, sources_n + targets_n);
    mend_comm_get(carrier); /* living.c says why */
    mend_coll_open(&s, carrier, "neighbourhood collective", carrier->size, in, out);
    mend_neighbor_exchange(&s, ranks, sources_n, ranks + sources_n, targets_n,
                           c->topo->kind == MPI_CART, &give, &get);
    mend_free(c->self, ranks);
    err = mend_coll_run(carrier, &s, how);
    mend_comm_put(carrier);
    return err;
}

int mend_plain_neighbor(struct mend_comm *c, const void *in, const struct mend_coll_edges *to,
                        void *out, const struct mend_coll_edges *from, struct mend_coll_how *how)
{
    return mend_neighbors(c, c, NULL, in, to, out, from, how);
}
