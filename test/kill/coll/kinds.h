/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.h – every collective as a table: how it is called, what it gives and gets.
 *
 * A test takes a kind and plays it as a scene (scene.h), in any form. */
#ifndef TEST_KILL_COLL_KINDS_H
#define TEST_KILL_COLL_KINDS_H

#include "kill/coll/contents.h"

/* One call in the form of the scene. */
#define CALL(Name_, name_, ...)                                                                    \
    (s->form == BLOCKING      ? MPI_##Name_(__VA_ARGS__)                                           \
     : s->form == NONBLOCKING ? MPI_I##name_(__VA_ARGS__, &s->q)                                   \
                              : MPI_##Name_##_init(__VA_ARGS__, MPI_INFO_NULL, &s->q))

static inline bool root_only_in_place(const struct scene *s)
{
    return s->in_place && s->me == s->root;
}

static inline const void *give(const struct scene *s)
{
    return s->in_place ? MPI_IN_PLACE : s->in;
}

/* Where only the root may say MPI_IN_PLACE. */
static inline const void *root_gives(const struct scene *s)
{
    return root_only_in_place(s) ? MPI_IN_PLACE : s->in;
}

static inline void *root_takes(const struct scene *s)
{
    return root_only_in_place(s) ? MPI_IN_PLACE : s->out;
}

#define DEF(name_, what_)                                                                          \
    static int call_##name_(struct scene *s)                                                       \
    {                                                                                              \
        return what_;                                                                              \
    }
#define T s->type
#define N s->n
#define R s->root_argument
DEF(barrier, CALL(Barrier, barrier, s->c))
DEF(bcast, CALL(Bcast, bcast, s->out, N, T, R, s->c))
DEF(reduce, CALL(Reduce, reduce, root_gives(s), s->out, N, T, s->op, R, s->c))
DEF(allreduce, CALL(Allreduce, allreduce, give(s), s->out, N, T, s->op, s->c))
DEF(scan, CALL(Scan, scan, give(s), s->out, N, T, s->op, s->c))
DEF(exscan, CALL(Exscan, exscan, give(s), s->out, N, T, s->op, s->c))
DEF(gather, CALL(Gather, gather, root_gives(s), N, T, s->out, N, T, R, s->c))
DEF(gatherv, CALL(Gatherv, gatherv, root_gives(s), N, T, s->out, s->counts, s->displs, T, R, s->c))
DEF(scatter, CALL(Scatter, scatter, s->in, N, T, root_takes(s), N, T, R, s->c))
DEF(scatterv,
    CALL(Scatterv, scatterv, s->in, s->counts, s->displs, T, root_takes(s), N, T, R, s->c))
DEF(allgather, CALL(Allgather, allgather, give(s), N, T, s->out, N, T, s->c))
DEF(allgatherv, CALL(Allgatherv, allgatherv, give(s), N, T, s->out, s->counts, s->displs, T, s->c))
DEF(alltoall, CALL(Alltoall, alltoall, give(s), N, T, s->out, N, T, s->c))
DEF(alltoallv, CALL(Alltoallv, alltoallv, give(s), s->counts, s->displs, T, s->out, s->counts,
                    s->displs, T, s->c))
DEF(alltoallw, CALL(Alltoallw, alltoallw, give(s), s->counts, s->byte_displs, s->types, s->out,
                    s->counts, s->byte_displs, s->types, s->c))
DEF(reduce_scatter,
    CALL(Reduce_scatter, reduce_scatter, give(s), s->out, s->shares, T, s->op, s->c))
DEF(reduce_scatter_block,
    CALL(Reduce_scatter_block, reduce_scatter_block, give(s), s->out, s->share, T, s->op, s->c))
DEF(neighbor_allgather,
    CALL(Neighbor_allgather, neighbor_allgather, s->in, N, T, s->out, N, T, s->c))
DEF(neighbor_allgatherv, CALL(Neighbor_allgatherv, neighbor_allgatherv, s->in, N, T, s->out,
                              s->counts, s->displs, T, s->c))
DEF(neighbor_alltoall, CALL(Neighbor_alltoall, neighbor_alltoall, s->in, N, T, s->out, N, T, s->c))
DEF(neighbor_alltoallv, CALL(Neighbor_alltoallv, neighbor_alltoallv, s->in, s->counts, s->displs, T,
                             s->out, s->counts, s->displs, T, s->c))
DEF(neighbor_alltoallw,
    CALL(Neighbor_alltoallw, neighbor_alltoallw, s->in, s->counts, s->address_displs, s->types,
         s->out, s->counts, s->address_displs, s->types, s->c))
#undef DEF
#undef T
#undef N
#undef R

#define IN_PLACE MAY_BE_IN_PLACE
static const struct kind kinds[] = {
    {"barrier", call_barrier, NONE, NONE, 0},
    {"bcast", call_bcast, NONE, ONE, ROOT_GIVES},
    {"reduce", call_reduce, ONE, ONE, ROOT_GETS | SUMS | IN_PLACE},
    {"allreduce", call_allreduce, ONE, ONE, SUMS | IN_PLACE},
    {"scan", call_scan, ONE, ONE, SUMS | SUMS_UP_TO | INTRA_ONLY | IN_PLACE},
    {"exscan", call_exscan, ONE, ONE, SUMS | SUMS_BELOW | INTRA_ONLY | IN_PLACE},
    {"gather", call_gather, ONE, EACH, ROOT_GETS | IN_PLACE},
    {"gatherv", call_gatherv, ONE, EACH, ROOT_GETS | DISPLACED | IN_PLACE},
    {"scatter", call_scatter, EACH, ONE, ROOT_GIVES | IN_PLACE},
    {"scatterv", call_scatterv, EACH, ONE, ROOT_GIVES | DISPLACED | IN_PLACE},
    {"allgather", call_allgather, ONE, EACH, IN_PLACE},
    {"allgatherv", call_allgatherv, ONE, EACH, DISPLACED | IN_PLACE},
    {"alltoall", call_alltoall, EACH, EACH, IN_PLACE},
    {"alltoallv", call_alltoallv, EACH, EACH, DISPLACED | IN_PLACE},
    {"alltoallw", call_alltoallw, EACH, EACH, DISPLACED | IN_PLACE},
    {"reduce_scatter", call_reduce_scatter, FLAT, ONE, SUMS | IN_PLACE},
    {"reduce_scatter_block", call_reduce_scatter_block, FLAT, ONE, SUMS | IN_PLACE},
    {"neighbor_allgather", call_neighbor_allgather, ONE, EACH, NEIGHBORS | INTRA_ONLY},
    {"neighbor_allgatherv", call_neighbor_allgatherv, ONE, EACH,
     NEIGHBORS | DISPLACED | INTRA_ONLY},
    {"neighbor_alltoall", call_neighbor_alltoall, EACH, EACH, NEIGHBORS | INTRA_ONLY},
    {"neighbor_alltoallv", call_neighbor_alltoallv, EACH, EACH, NEIGHBORS | DISPLACED | INTRA_ONLY},
    {"neighbor_alltoallw", call_neighbor_alltoallw, EACH, EACH, NEIGHBORS | DISPLACED | INTRA_ONLY},
};
#undef IN_PLACE
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

#endif
