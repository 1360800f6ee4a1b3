/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_forms.h – the collectives that have a form through the cell of a communicator.
 *
 * Each is collective over c, which has a cell that all members can use (mend_cell_possible()), and blocks until it is
 * done here, a member that is needed is dead, or c is revoked. */
#ifndef MEND_COLL_CELL_FORMS_H
#define MEND_COLL_CELL_FORMS_H

#include "comm/comm.h"

struct mend_blocks;
struct mend_coll_buf;
struct mend_op;

int mend_cell_barrier(struct mend_comm *c);
int mend_cell_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root);
int mend_cell_reduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, int root);
int mend_cell_allreduce(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                        const struct mend_op *op);
int mend_cell_scan(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                   const struct mend_op *op, bool exclusive);
int mend_cell_reduce_scatter(struct mend_comm *c, const void *in, const struct mend_coll_buf *all,
                             const MPI_Count *begin, const struct mend_op *op);
int mend_cell_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_buf *out, MPI_Count bytes, int root);
int mend_cell_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                      const struct mend_coll_buf *out, MPI_Count bytes, int root);
int mend_cell_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                        const struct mend_coll_buf *out, const struct mend_blocks *blocks);
int mend_cell_alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                       const struct mend_coll_buf *out);

#endif
