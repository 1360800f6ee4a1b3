/* SPDX-License-Identifier: BSD-3-Clause */
/* living.c – collectives on a communicator with holes: which rank has which place in the buffers.
 *
 *     c              0   1   X   3        a dead process acts like MPI_PROC_NULL in point-to-point calls
 *     c->living      0   1       2
 *
 *     gather         [ 0 | 1 | - | 3 ]    its block is not touched: equal blocks become blocks with
 *     scatter                             displacements, those of the survivors
 *     reduce_scatter  0   1   -   3       its share is not reduced: the others' are packed
 *     reduce, scan                        it contributes nothing
 *     bcast, root 2                       MPI_ERR_PROC_FAILED at all; collectives go on afterwards
 *     neighbours                          its edges act like those over the rim of a grid
 *
 * Everything else is as on any communicator: the calls use coll.h with c->living.  Its reference
 * keeps it while they block: another thread may validate c again. */
#include "coll/algorithms.h"
#include "coll/run.h"
#include "coll/tables.h"

static struct mend_comm *enter(struct mend_comm *c)
{
    mend_comm_get(c->living);
    return c->living;
}

static int leave(struct mend_comm *living, int err)
{
    mend_comm_put(living);
    return err;
}

static void translate(struct mend_comm *c, int *ranks, int n)
{
    for (int i = 0; i < n; i++)
        if (ranks[i] != MPI_PROC_NULL)
            ranks[i] = mend_group_translate(c->self, c->remote, ranks[i], c->living->remote);
}

/* A root that is dead fails the call alone, at its completion (S0-15).  It takes its number like any
 * other: on an intercommunicator the root's own group does not know which of its ranks is the root. */
static int refuse(struct mend_comm *living, const char *name, struct mend_coll_how *how)
{
    struct mend_sched s;

    mend_sched_open(&s, living->self, name, living->rank, living->peers_n);
    s.refused = MEND_CLASS_PROC_FAILED;
    return mend_coll_run(living, &s, how);
}

/* False: the root is dead. */
static bool find_root(struct mend_comm *c, int *root)
{
    if (*root < 0) /* intercommunicators: MPI_ROOT, MPI_PROC_NULL */
        return true;
    translate(c, root, 1);
    return *root != MPI_PROC_NULL;
}

static int barrier(struct mend_comm *c, struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);

    return leave(living, mend_coll_barrier(living, how));
}

static int bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                 struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);

    return leave(living, find_root(c, &root) ? mend_coll_bcast(living, b, root, how)
                                             : refuse(living, "bcast", how));
}

static int reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                  const struct mend_op *op, int root, struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);

    return leave(living, find_root(c, &root) ? mend_coll_reduce(living, in, out, op, root, how)
                                             : refuse(living, "reduce", how));
}

static int allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);

    return leave(living, mend_coll_allreduce(living, in, out, op, how));
}

static int scan(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                const struct mend_op *op, bool exclusive, struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);

    return leave(living, mend_coll_scan(living, in, out, op, exclusive, how));
}

/* The shares of the survivors, one after the other, in memory that the list owns. */
static struct mend_piece pack_shares(struct mend_sched *s, struct mend_comm *c, const void *in,
                                     const struct mend_coll_buf *out, const MPI_Count *begin,
                                     MPI_Count *packed_begin)
{
    struct mend_comm *living = c->living;
    struct mend_piece all = mend_piece_of(MEND_OPERAND_INPUT, begin[c->size], out->type), packed;

    if (in == MPI_IN_PLACE)
        all.operand = MEND_OPERAND_OUTPUT;
    packed_begin[0] = 0;
    for (int i = 0; i < living->size; i++) {
        int r = mend_group_translate(c->self, living->group, i, c->group);

        packed_begin[i + 1] = packed_begin[i] + begin[r + 1] - begin[r];
    }
    packed = mend_sched_temp(s, packed_begin[living->size], out->type);
    for (int i = 0; i < living->size; i++) {
        int r = mend_group_translate(c->self, living->group, i, c->group);
        MPI_Count n = begin[r + 1] - begin[r];

        mend_sched_copy(s, mend_piece_part(all, begin[r], n),
                        mend_piece_part(packed, packed_begin[i], n));
    }
    return packed;
}

/* begin[0 .. size of c]: first elements of the shares. */
static int reduce_packed(struct mend_comm *c, struct mend_comm *living, const void *in,
                         const struct mend_coll_buf *out, const MPI_Count *begin,
                         const struct mend_op *op, const char *name, struct mend_coll_how *how)
{
    struct mend_coll_buf mine = *out;
    MPI_Count *packed_begin;
    struct mend_sched s;

    mine.count = begin[c->rank + 1] - begin[c->rank];
    if (c->inter)
        return mend_coll_inter_share(living, in, &mine, begin[c->size], begin[c->rank], op, how);
    packed_begin =
        mend_alloc_to_take_part(c->self, ((size_t)living->size + 1) * sizeof(*packed_begin));
    mend_sched_open(&s, c->self, name, living->rank, living->size);
    s.in = in;
    s.out = out->buf;
    s.op = op;
    s.handle = out->handle;
    mend_reduce_scatter_pairwise(&s, pack_shares(&s, c, in, out, begin, packed_begin),
                                 mend_piece_of(MEND_OPERAND_OUTPUT, mine.count, out->type),
                                 packed_begin);
    mend_free(c->self, packed_begin);
    return mend_coll_run(living, &s, how);
}

static int reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          const struct mend_coll_counts *counts, const struct mend_op *op,
                          struct mend_coll_how *how)
{
    MPI_Count few[MEND_COLL_FEW], *begin = mend_shares_open(c, counts, out->count, few);
    struct mend_comm *living = enter(c);
    int err;

    err = reduce_packed(c, living, in, out, begin, op, mend_shares_name(counts), how);
    mend_shares_close(c, begin, few);
    return leave(living, err);
}

/* The blocks of the survivors among those of c's ranks. */
struct picked {
    struct mend_coll_counts v;
    MPI_Count *counts;
    MPI_Aint *displs;
    MPI_Datatype *types;
};

/* v NULL: blocks of `count` elements.  types may be NULL. */
static void pick(struct mend_comm *c, const struct mend_coll_counts *v, MPI_Count count,
                 const MPI_Datatype *types, struct picked *p)
{
    int n = c->living->peers_n;

    p->counts = mend_alloc_to_take_part(
        c->self, (size_t)n * (sizeof(*p->counts) + sizeof(*p->displs) + sizeof(*p->types)));
    p->displs = (MPI_Aint *)(p->counts + n);
    p->types = (MPI_Datatype *)(p->displs + n);
    for (int i = 0; i < n; i++) {
        int r = mend_group_translate(c->self, c->living->remote, i, c->remote);

        p->counts[i] = v ? mend_coll_count(v, r) : count;
        p->displs[i] = v ? mend_coll_displ(v, r) : r * (MPI_Aint)count;
        p->types[i] = types ? types[r] : MPI_DATATYPE_NULL;
    }
    p->v = (struct mend_coll_counts){.big = true, .counts_c = p->counts, .displs_c = p->displs};
}

static void drop(struct mend_comm *c, struct picked *p)
{
    mend_free(c->self, p->counts);
}

static bool is_root(const struct mend_comm *c, int root)
{
    return c->inter ? root == MPI_ROOT : root == c->rank;
}

static int gather(struct mend_comm *c, const struct mend_coll_buf *in,
                  const struct mend_coll_buf *out, const struct mend_coll_counts *counts, int root,
                  struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);
    struct picked to = {.counts = NULL};
    int err;

    if (is_root(c, root))
        pick(c, counts, out->count, NULL, &to);
    err = find_root(c, &root) ? mend_coll_gather(living, in, out, &to.v, root, how)
                              : refuse(living, "gather", how);
    drop(c, &to);
    return leave(living, err);
}

static int scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                   const struct mend_coll_counts *counts, const struct mend_coll_buf *out, int root,
                   struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);
    struct picked from = {.counts = NULL};
    int err;

    if (is_root(c, root))
        pick(c, counts, in->count, NULL, &from);
    err = find_root(c, &root) ? mend_coll_scatter(living, in, &from.v, out, root, how)
                              : refuse(living, "scatter", how);
    drop(c, &from);
    return leave(living, err);
}

static int allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                     struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);
    struct picked to;
    int err;

    pick(c, counts, out->count, NULL, &to);
    err = mend_coll_allgather(living, in, out, &to.v, how);
    drop(c, &to);
    return leave(living, err);
}

static int alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                    const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                    const struct mend_coll_counts *out_counts, struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);
    struct picked from = {.counts = NULL}, to = {.counts = NULL};
    int err;

    if (in->buf != MPI_IN_PLACE)
        pick(c, in_counts, in->count, NULL, &from);
    pick(c, out_counts, out->count, NULL, &to);
    err = mend_coll_alltoall(living, in, &from.v, out, &to.v, how);
    drop(c, &from);
    drop(c, &to);
    return leave(living, err);
}

static int alltoallw(struct mend_comm *c, const void *in, const struct mend_coll_counts *in_counts,
                     const MPI_Datatype *in_types, void *out,
                     const struct mend_coll_counts *out_counts, const MPI_Datatype *out_types,
                     struct mend_coll_how *how)
{
    struct mend_comm *living = enter(c);
    struct picked from = {.counts = NULL}, to = {.counts = NULL};
    int err;

    if (in != MPI_IN_PLACE)
        pick(c, in_counts, 0, in_types, &from);
    pick(c, out_counts, 0, out_types, &to);
    err = mend_coll_alltoallw(living, in, &from.v, from.types, out, &to.v, to.types, how);
    drop(c, &from);
    drop(c, &to);
    return leave(living, err);
}

static int neighbor(struct mend_comm *c, const void *in, const struct mend_coll_edges *to,
                    void *out, const struct mend_coll_edges *from, struct mend_coll_how *how)
{
    return mend_neighbors(c, c->living, translate, in, to, out, from, how);
}

const struct mend_coll_table mend_coll_with_holes = {
    .barrier = barrier,
    .bcast = bcast,
    .reduce = reduce,
    .allreduce = allreduce,
    .scan = scan,
    .reduce_scatter = reduce_scatter,
    .gather = gather,
    .scatter = scatter,
    .allgather = allgather,
    .alltoall = alltoall,
    .alltoallw = alltoallw,
    .neighbor = neighbor,
};
