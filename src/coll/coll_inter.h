/* SPDX-License-Identifier: BSD-3-Clause */
/* coll_inter.h – the collectives of coll.h on intercommunicators: coll_inter.c.
 *
 * root: MPI_ROOT at the root, its rank in the other group, MPI_PROC_NULL at the root's
 * neighbours, who take no part but learn of deaths all the same. */
#ifndef MEND_COLL_INTER_H
#define MEND_COLL_INTER_H

#include "coll/coll.h"

int mend_inter_coll_barrier(struct mend_comm *c, struct mend_coll_how *how);
int mend_inter_coll_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                          struct mend_coll_how *how);
int mend_inter_coll_reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                           const struct mend_op *op, int root, struct mend_coll_how *how);
int mend_inter_coll_allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                              const struct mend_op *op, struct mend_coll_how *how);
/* All shares have n elements together; out->count of them, from `first` on, are this process's. */
int mend_inter_coll_reduce_scatter(struct mend_comm *c, const void *in,
                                   const struct mend_coll_buf *out, MPI_Count n, MPI_Count first,
                                   const struct mend_op *op, struct mend_coll_how *how);
/* counts NULL: blocks of equal size. */
int mend_inter_coll_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                           const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                           int root, struct mend_coll_how *how);
int mend_inter_coll_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                            const struct mend_coll_counts *counts, const struct mend_coll_buf *out,
                            int root, struct mend_coll_how *how);
int mend_inter_coll_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                              const struct mend_coll_buf *out,
                              const struct mend_coll_counts *counts, struct mend_coll_how *how);

#endif
