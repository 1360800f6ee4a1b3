/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h – which algorithm a collective uses.
 *
 * All members must choose the same.  So a choice may depend only on values that are equal at all of them: the
 * size of the communicator, its cell, its nodes, packed bytes, root, operator, and for reductions the type,
 * which MPI requires to be the same everywhere (MPI-5.0 6.9.1); not on buffers or other type
 * maps. */
#ifndef MEND_COLL_CHOOSE_H
#define MEND_COLL_CHOOSE_H

#include "coll/cell.h"
#include "coll/choose_limits.h"

enum mend_algorithm {
    MEND_ALGORITHM_NONE, /* nothing is forced */
    MEND_ALGORITHM_SHM,  /* direct, in shared memory: shm_*.c */
    MEND_ALGORITHM_DISSEMINATION,
    MEND_ALGORITHM_BINOMIAL,
    MEND_ALGORITHM_SCATTER_RING,
    MEND_ALGORITHM_DOUBLING,
    MEND_ALGORITHM_HALVING,
    MEND_ALGORITHM_RING,
    MEND_ALGORITHM_LINEAR,
    MEND_ALGORITHM_BRUCK,
    MEND_ALGORITHM_PAIRWISE,
    MEND_ALGORITHM_NODES, /* inside of nodes and among their leaders: nodes.h */
};

struct mend_coll_choice {
    struct mend_comm *c;
    const struct mend_coll_how *how;
    MPI_Count bytes; /* of the vector (bcast, reductions), of one block (gather, alltoall), of all
                        blocks (allgatherv, reduce_scatter) */
    MPI_Count block_max; /* largest block, where blocks differ */
    const struct mend_op *op;
    const struct mend_type *type; /* reductions */
};

/* The direct forms block, and need the communicator's cell. */
static inline bool mend_choose_shm_possible(struct mend_comm *c, const struct mend_coll_how *how)
{
    return how->kind == MEND_COLL_NOW && mend_cell_possible(c);
}

/* They compute on values as they lie in shared memory: dense types, and no function of the user's,
 * which might write there. */
static inline bool mend_choose_shm_reduction(struct mend_comm *c, const struct mend_coll_how *how,
                                             const struct mend_op *op, const struct mend_type *type)
{
    return op->predefined && type->dense && mend_choose_shm_possible(c, how);
}

/* True if MEND_COLL forces nothing, as in nearly all runs. */
static inline bool mend_choose_freely(const struct mend_comm *c)
{
    return mend_likely(!c->self->params.coll_algorithm);
}

enum mend_algorithm mend_choose_barrier(const struct mend_coll_choice *x);
/* The longest vector, in bytes, that a pair broadcasts by its cell. */
#define MEND_PAIR_BCAST ((MPI_Count)MEND_KIB_PAIR_BCAST * 1024)
enum mend_algorithm mend_choose_bcast(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_reduce(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_allreduce(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_scan(const struct mend_coll_choice *x);
/* Elements in a segment of a vector that goes from rank to rank. */
MPI_Count mend_choose_segment(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_reduce_scatter(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_gather(const struct mend_coll_choice *x); /* and scatter */
enum mend_algorithm mend_choose_allgather(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_allgatherv(const struct mend_coll_choice *x);
enum mend_algorithm mend_choose_alltoall(const struct mend_coll_choice *x);

/* What suits n of the members that send each other messages. */
enum mend_algorithm mend_choose_bcast_among(const struct mend_coll_choice *x, int n);
enum mend_algorithm mend_choose_reduce_among(const struct mend_coll_choice *x, int n);
enum mend_algorithm mend_choose_allreduce_among(const struct mend_coll_choice *x, int n);

/* The algorithm that the text (MEND_COLL) names for a collective; NONE. */
enum mend_algorithm mend_choose_forced(const char *text, const char *collective);

#endif
