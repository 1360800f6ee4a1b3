/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_move.c – the calls of coll.h that only move data: gather, scatter, allgather, alltoall. */
#include "coll/algorithms.h"
#include "coll/choose.h"
#include "coll/coll_inter.h"
#include "coll/living.h"
#include "coll/run.h"
#include "coll/cell.h"
#include "comm/topo.h"

static void open(struct mend_sched *s, struct mend_comm *c, const char *name, const void *in,
                 void *out)
{
    mend_sched_open(s, c->self, name, c->rank, c->inter ? c->peers_n : c->size);
    s->in = in;
    s->out = out;
}

static struct mend_blocks blocks_of(enum mend_place place, const struct mend_coll_buf *b,
                                    const struct mend_coll_counts *counts)
{
    return (struct mend_blocks){
        .place = place, .count = b->count, .type = b->type, .counts = counts};
}

static MPI_Count bytes_of(const struct mend_coll_buf *b)
{
    return b->count * b->type->size;
}

int mend_coll_gather(struct mend_comm *c, struct mend_coll_buf in, struct mend_coll_buf out,
                     int root, struct mend_coll_how *how)
{
    bool at_root = c->rank == root, in_place = in.buf == MPI_IN_PLACE;
    struct mend_choice x = {.c = c, .how = how};
    struct mend_piece mine = mend_piece_of(MEND_PLACE_INPUT, in.count, in.type);
    struct mend_blocks blocks = blocks_of(MEND_PLACE_OUTPUT, &out, NULL);
    enum mend_algorithm algorithm;
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_gather(c, &in, &out, NULL, root, how);
    if (mend_unlikely(c->inter))
        return mend_inter_coll_gather(c, &in, &out, NULL, root, how);
    x.bytes = bytes_of(at_root ? &out : &in);
    algorithm = mend_choose_gather(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_shm_gather(c, &in, &out, x.bytes, root);
    open(&s, c, "gather", in.buf, out.buf);
    if (algorithm == MEND_ALGORITHM_BINOMIAL)
        mend_gather_binomial(&s, in_place ? NULL : &mine, &blocks, x.bytes, root);
    else
        mend_gather_linear(&s, in_place ? NULL : &mine, &blocks, root);
    return mend_coll_run(c, &s, how);
}

int mend_coll_gatherv(struct mend_comm *c, struct mend_coll_buf in, struct mend_coll_buf out,
                      const struct mend_coll_counts *counts, int root, struct mend_coll_how *how)
{
    struct mend_piece mine = mend_piece_of(MEND_PLACE_INPUT, in.count, in.type);
    struct mend_blocks blocks = blocks_of(MEND_PLACE_OUTPUT, &out, counts);
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_gather(c, &in, &out, counts, root, how);
    if (mend_unlikely(c->inter))
        return mend_inter_coll_gather(c, &in, &out, counts, root, how);
    open(&s, c, "gatherv", in.buf, out.buf);
    mend_gather_linear(&s, in.buf == MPI_IN_PLACE ? NULL : &mine, &blocks, root);
    return mend_coll_run(c, &s, how);
}

int mend_coll_scatter(struct mend_comm *c, struct mend_coll_buf in, struct mend_coll_buf out,
                      int root, struct mend_coll_how *how)
{
    bool at_root = c->rank == root, in_place = out.buf == MPI_IN_PLACE;
    struct mend_choice x = {.c = c, .how = how};
    struct mend_piece mine = mend_piece_of(MEND_PLACE_OUTPUT, out.count, out.type);
    struct mend_blocks blocks = blocks_of(MEND_PLACE_INPUT, &in, NULL);
    enum mend_algorithm algorithm;
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_scatter(c, &in, NULL, &out, root, how);
    if (mend_unlikely(c->inter))
        return mend_inter_coll_scatter(c, &in, NULL, &out, root, how);
    x.bytes = bytes_of(at_root ? &in : &out);
    algorithm = mend_choose_gather(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_shm_scatter(c, &in, &out, x.bytes, root);
    open(&s, c, "scatter", in.buf, out.buf);
    if (algorithm == MEND_ALGORITHM_BINOMIAL)
        mend_scatter_binomial(&s, &blocks, in_place ? NULL : &mine, x.bytes, root);
    else
        mend_scatter_linear(&s, &blocks, in_place ? NULL : &mine, root);
    return mend_coll_run(c, &s, how);
}

int mend_coll_scatterv(struct mend_comm *c, struct mend_coll_buf in,
                       const struct mend_coll_counts *counts, struct mend_coll_buf out, int root,
                       struct mend_coll_how *how)
{
    struct mend_piece mine = mend_piece_of(MEND_PLACE_OUTPUT, out.count, out.type);
    struct mend_blocks blocks = blocks_of(MEND_PLACE_INPUT, &in, counts);
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_scatter(c, &in, counts, &out, root, how);
    if (mend_unlikely(c->inter))
        return mend_inter_coll_scatter(c, &in, counts, &out, root, how);
    open(&s, c, "scatterv", in.buf, out.buf);
    mend_scatter_linear(&s, &blocks, out.buf == MPI_IN_PLACE ? NULL : &mine, root);
    return mend_coll_run(c, &s, how);
}

int mend_coll_allgather(struct mend_comm *c, struct mend_coll_buf in, struct mend_coll_buf out,
                        struct mend_coll_how *how)
{
    struct mend_choice x = {.c = c, .how = how, .bytes = bytes_of(&out)};
    struct mend_piece mine = mend_piece_of(MEND_PLACE_INPUT, in.count, in.type);
    const struct mend_piece *mine_p = in.buf == MPI_IN_PLACE ? NULL : &mine;
    struct mend_blocks blocks = blocks_of(MEND_PLACE_OUTPUT, &out, NULL);
    enum mend_algorithm algorithm;
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_allgather(c, &in, &out, NULL, how);
    if (mend_unlikely(c->inter))
        return mend_inter_coll_allgather(c, &in, &out, NULL, how);
    algorithm = mend_choose_allgather(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_shm_allgather(c, &in, &out, &blocks);
    open(&s, c, "allgather", in.buf, out.buf);
    if (algorithm == MEND_ALGORITHM_DOUBLING)
        mend_allgather_doubling(&s, mine_p, &blocks);
    else if (algorithm == MEND_ALGORITHM_BRUCK)
        mend_allgather_bruck(&s, mine_p, &blocks);
    else
        mend_allgather_ring(&s, mine_p, &blocks);
    return mend_coll_run(c, &s, how);
}

int mend_coll_allgatherv(struct mend_comm *c, struct mend_coll_buf in, struct mend_coll_buf out,
                         const struct mend_coll_counts *counts, struct mend_coll_how *how)
{
    struct mend_choice x = {.c = c, .how = how};
    struct mend_piece mine = mend_piece_of(MEND_PLACE_INPUT, in.count, in.type);
    struct mend_blocks blocks = blocks_of(MEND_PLACE_OUTPUT, &out, counts);
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_allgather(c, &in, &out, counts, how);
    if (mend_unlikely(c->inter))
        return mend_inter_coll_allgather(c, &in, &out, counts, how);
    for (int i = 0; i < c->size; i++) {
        MPI_Count bytes = mend_coll_count(counts, i) * out.type->size;

        x.block_max = bytes > x.block_max ? bytes : x.block_max;
    }
    if (mend_choose_allgatherv(&x) == MEND_ALGORITHM_SHM)
        return mend_shm_allgather(c, &in, &out, &blocks);
    open(&s, c, "allgatherv", in.buf, out.buf);
    mend_allgather_ring(&s, in.buf == MPI_IN_PLACE ? NULL : &mine, &blocks);
    return mend_coll_run(c, &s, how);
}

/* All blocks to and from all, pair by pair. */
static int exchange(struct mend_comm *c, const char *name, const void *in,
                    const struct mend_blocks *from, void *out, const struct mend_blocks *to,
                    struct mend_coll_how *how)
{
    struct mend_sched s;

    open(&s, c, name, in, out);
    if (c->inter)
        mend_inter_exchange(&s, from, to);
    else
        mend_alltoall_pairwise(&s, in == MPI_IN_PLACE ? NULL : from, to);
    return mend_coll_run(c, &s, how);
}

int mend_coll_alltoall(struct mend_comm *c, struct mend_coll_buf in, struct mend_coll_buf out,
                       struct mend_coll_how *how)
{
    struct mend_choice x = {.c = c, .how = how, .bytes = bytes_of(&out)};
    struct mend_blocks from = blocks_of(MEND_PLACE_INPUT, &in, NULL);
    struct mend_blocks to = blocks_of(MEND_PLACE_OUTPUT, &out, NULL);
    const struct mend_blocks *from_p = in.buf == MPI_IN_PLACE ? NULL : &from;
    enum mend_algorithm algorithm;
    struct mend_sched s;

    if (mend_unlikely(c->living))
        return mend_living_alltoall(c, &in, NULL, &out, NULL, how);
    if (mend_unlikely(c->inter))
        return exchange(c, "alltoall", in.buf, &from, out.buf, &to, how);
    algorithm = mend_choose_alltoall(&x);
    if (algorithm == MEND_ALGORITHM_SHM)
        return mend_shm_alltoall(c, &in, &out);
    open(&s, c, "alltoall", in.buf, out.buf);
    if (algorithm == MEND_ALGORITHM_BRUCK)
        mend_alltoall_bruck(&s, from_p, &to);
    else
        mend_alltoall_pairwise(&s, from_p, &to);
    return mend_coll_run(c, &s, how);
}

int mend_coll_alltoallv(struct mend_comm *c, struct mend_coll_buf in,
                        const struct mend_coll_counts *in_counts, struct mend_coll_buf out,
                        const struct mend_coll_counts *out_counts, struct mend_coll_how *how)
{
    struct mend_blocks from = blocks_of(MEND_PLACE_INPUT, &in, in_counts);
    struct mend_blocks to = blocks_of(MEND_PLACE_OUTPUT, &out, out_counts);

    if (mend_unlikely(c->living))
        return mend_living_alltoall(c, &in, in_counts, &out, out_counts, how);
    return exchange(c, "alltoallv", in.buf, &from, out.buf, &to, how);
}

int mend_coll_alltoallw(struct mend_comm *c, const void *in,
                        const struct mend_coll_counts *in_counts, const MPI_Datatype *in_types,
                        void *out, const struct mend_coll_counts *out_counts,
                        const MPI_Datatype *out_types, struct mend_coll_how *how)
{
    struct mend_blocks from = {.place = MEND_PLACE_INPUT, .counts = in_counts, .types = in_types};
    struct mend_blocks to = {.place = MEND_PLACE_OUTPUT, .counts = out_counts, .types = out_types};

    if (mend_unlikely(c->living))
        return mend_living_alltoallw(c, in, in_counts, in_types, out, out_counts, out_types, how);
    return exchange(c, "alltoallw", in, &from, out, &to, how);
}

static struct mend_blocks edge_blocks(enum mend_place place, const struct mend_coll_edges *e)
{
    return (struct mend_blocks){.place = place,
                                .count = e->count,
                                .type = e->type,
                                .counts = e->counts,
                                .types = e->types,
                                .one = e->one};
}

int mend_coll_neighbor(struct mend_comm *c, const void *in, const struct mend_coll_edges *to,
                       void *out, const struct mend_coll_edges *from, struct mend_coll_how *how)
{
    struct mend_blocks give = edge_blocks(MEND_PLACE_INPUT, to);
    struct mend_blocks get = edge_blocks(MEND_PLACE_OUTPUT, from);
    struct mend_comm *carrier = mend_comm_carrier(c);
    int sources_n, targets_n, *ranks, err;
    struct mend_sched s;

    mend_topo_degrees(c, &sources_n, &targets_n);
    ranks = mend_alloc(c->self, ((size_t)sources_n + (size_t)targets_n) * sizeof(*ranks));
    if (!ranks)
        return MPI_ERR_NO_MEM;
    mend_topo_neighbours(c, ranks, ranks + sources_n);
    if (mend_unlikely(carrier != c))
        mend_living_translate(c, ranks, sources_n + targets_n);
    mend_comm_get(carrier); /* living.c says why */
    open(&s, carrier, "neighbourhood collective", in, out);
    mend_neighbor_exchange(&s, ranks, sources_n, ranks + sources_n, targets_n,
                           c->topo->kind == MPI_CART, &give, &get);
    mend_free(c->self, ranks);
    err = mend_coll_run(carrier, &s, how);
    mend_comm_put(carrier);
    return err;
}
