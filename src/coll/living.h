/* SPDX-License-Identifier: BSD-3-Clause */
/* living.h – the collectives of coll.h on a communicator with holes: living.c.
 *
 * c has been validated: c->living carries its collectives.  The calls take what those of coll.h take,
 * with ranks and blocks of c. */
#ifndef MEND_COLL_LIVING_H
#define MEND_COLL_LIVING_H

#include "coll/coll.h"

int mend_living_barrier(struct mend_comm *c, struct mend_coll_how *how);
int mend_living_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                      struct mend_coll_how *how);
int mend_living_reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                       const struct mend_op *op, int root, struct mend_coll_how *how);
int mend_living_allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          const struct mend_op *op, struct mend_coll_how *how);
int mend_living_scan(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, bool exclusive, struct mend_coll_how *how);
/* begin[0 .. size of c]: first elements of the shares. */
int mend_living_reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                               const MPI_Count *begin, const struct mend_op *op, const char *name,
                               struct mend_coll_how *how);
/* counts NULL: blocks of equal size. */
int mend_living_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                       const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                       int root, struct mend_coll_how *how);
int mend_living_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                        const struct mend_coll_counts *counts, const struct mend_coll_buf *out,
                        int root, struct mend_coll_how *how);
int mend_living_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                          const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                          struct mend_coll_how *how);
int mend_living_alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                         const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                         const struct mend_coll_counts *out_counts, struct mend_coll_how *how);
int mend_living_alltoallw(struct mend_comm *c, const void *in,
                          const struct mend_coll_counts *in_counts, const MPI_Datatype *in_types,
                          void *out, const struct mend_coll_counts *out_counts,
                          const MPI_Datatype *out_types, struct mend_coll_how *how);

/* Ranks of c become those of c->living, the holes MPI_PROC_NULL; MPI_PROC_NULL stays. */
void mend_living_translate(struct mend_comm *c, int *ranks, int n);

#endif
