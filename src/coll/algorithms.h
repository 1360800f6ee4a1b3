/* SPDX-License-Identifier: BSD-3-Clause */
/* algorithms.h – the algorithms: pure functions that append the steps of one rank to a list.
 *
 * Conventions: `in` is the caller's contribution, in OUTPUT if MPI_IN_PLACE was given; `out` is the
 * result's place.  Arguments that are significant at the root only are read at the root only.
 * Every algorithm keeps the order of the operands unless it says "commutative only", and the
 * result has the same bits at all ranks.  None treats a count of 0 as a special case: the empty
 * messages make every rank depend on the others, so each rank detects a dead one (S0-30). */
#ifndef MEND_COLL_ALGORITHMS_H
#define MEND_COLL_ALGORITHMS_H

#include "coll/schedule.h"

/* barrier.c */
void mend_barrier_dissemination(struct mend_sched *s);

/* bcast.c: data lies in `data` at the root and goes there at the others. */
void mend_bcast_binomial(struct mend_sched *s, struct mend_piece data, int root);
void mend_bcast_scatter_ring(struct mend_sched *s, struct mend_piece bytes, int root);
/* the same for any type */
void mend_bcast_in_parts(struct mend_sched *s, struct mend_piece data, int root);

/* reduce.c: out is written at the root only. */
void mend_reduce_binomial(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                          int root);
void mend_reduce_halving(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                         int root);

/* allreduce.c */
void mend_allreduce_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out);
void mend_allreduce_halving(struct mend_sched *s, struct mend_piece in, struct mend_piece out);
/* commutative only */
void mend_allreduce_ring(struct mend_sched *s, struct mend_piece in, struct mend_piece out);

/* scan.c: exclusive: out of rank 0 is not written. */
void mend_scan_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                        bool exclusive);
/* elements: of a segment */
void mend_scan_chain(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                     bool exclusive, MPI_Count elements);

/* reduce_scatter.c: rank i gets elements [begin[i], begin[i + 1]) of the reduced vector at the
 * beginning of out; in holds all begin[size] elements. */
void mend_reduce_scatter_doubling(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                                  const MPI_Count *begin);
void mend_reduce_scatter_pairwise(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                                  const MPI_Count *begin);
/* commutative only */
void mend_reduce_scatter_halving(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                                 const MPI_Count *begin);

/* gather.c: in == NULL at the root, or out == NULL at the root of a scatter: MPI_IN_PLACE.
 * bytes: packed size of one block. */
void mend_gather_linear(struct mend_sched *s, const struct mend_piece *in,
                        const struct mend_blocks *out, int root);
void mend_gather_binomial(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_blocks *out, MPI_Count bytes, int root);
void mend_scatter_linear(struct mend_sched *s, const struct mend_blocks *in,
                         const struct mend_piece *out, int root);
void mend_scatter_binomial(struct mend_sched *s, const struct mend_blocks *in,
                           const struct mend_piece *out, MPI_Count bytes, int root);

/* allgather.c: in == NULL: MPI_IN_PLACE. */
void mend_allgather_ring(struct mend_sched *s, const struct mend_piece *in,
                         const struct mend_blocks *out);
/* uniform blocks, size a power of two */
void mend_allgather_doubling(struct mend_sched *s, const struct mend_piece *in,
                             const struct mend_blocks *out);
/* uniform blocks */
void mend_allgather_bruck(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_blocks *out);

/* alltoall.c: in == NULL: MPI_IN_PLACE. */
void mend_alltoall_pairwise(struct mend_sched *s, const struct mend_blocks *in,
                            const struct mend_blocks *out);
/* uniform blocks */
void mend_alltoall_bruck(struct mend_sched *s, const struct mend_blocks *in,
                         const struct mend_blocks *out);

/* neighbor.c: block i of `in` goes to targets[i], block i of `out` comes from sources[i]; an
 * entry MPI_PROC_NULL is skipped. cartesian: entries 2d and 2d+1 are the two directions of
 * dimension d. */
void mend_neighbor_exchange(struct mend_sched *s, const int *sources, int sources_n,
                            const int *targets, int targets_n, bool cartesian,
                            const struct mend_blocks *in, const struct mend_blocks *out);

/* exchange.c: on intercommunicators; the list's size is that of the other group.  NULL: nothing
 * goes in that direction. exchange: block i of `in` goes to rank i, block i of `out` comes from
 * it. one: the same with one rank. reduce: `in` goes to all; elements [first, first +
 * out->count) of their n elements are reduced. */
void mend_exchange_blocks(struct mend_sched *s, const struct mend_blocks *in,
                          const struct mend_blocks *out);
void mend_exchange_one(struct mend_sched *s, int root, const struct mend_piece *in,
                       const struct mend_piece *out);
void mend_exchange_reduce(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_piece *out, MPI_Count n, MPI_Count first);

#endif
