/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.h – which functions carry out the collectives of a communicator.
 *
 *     mend_coll_plain        an intracommunicator: coll.c, coll_move.c
 *     mend_coll_inter        an intercommunicator: coll_inter.c
 *     mend_coll_with_holes   one that has been cut, of either kind: living.c
 *
 * A communicator has one of them at any time, so no call asks for its kind. */
#ifndef MEND_COLL_TABLES_H
#define MEND_COLL_TABLES_H

#include "coll/coll.h"
#include "coll/schedule.h"

extern const struct mend_coll_table mend_coll_plain, mend_coll_inter, mend_coll_with_holes;

/* A list for a call on c with these buffers, among n ranks. */
static inline void mend_coll_open(struct mend_sched *s, struct mend_comm *c, const char *name,
                                  int n, const void *in, void *out)
{
    mend_sched_open(s, c->self, name, c->rank, n);
    s->in = in;
    s->out = out;
}

/* coll_move.c: its part of mend_coll_plain. */
int mend_plain_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                      const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                      int root, struct mend_coll_how *how);
int mend_plain_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                       const struct mend_coll_counts *counts, const struct mend_coll_buf *out,
                       int root, struct mend_coll_how *how);
int mend_plain_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                         const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                         struct mend_coll_how *how);
int mend_plain_alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                        const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                        const struct mend_coll_counts *out_counts, struct mend_coll_how *how);
int mend_plain_alltoallw(struct mend_comm *c, const void *in,
                         const struct mend_coll_counts *in_counts, const MPI_Datatype *in_types,
                         void *out, const struct mend_coll_counts *out_counts,
                         const MPI_Datatype *out_types, struct mend_coll_how *how);
int mend_plain_neighbor(struct mend_comm *c, const void *in, const struct mend_coll_edges *to,
                        void *out, const struct mend_coll_edges *from, struct mend_coll_how *how);

/* What the tables share. */

/* First elements of the shares of all ranks of c's group, and the end of the last: size + 1 numbers, in `few`
 * if it suffices. */
#define MEND_COLL_FEW 65
MPI_Count *mend_shares_open(struct mend_comm *c, const struct mend_coll_counts *counts,
                            MPI_Count each, MPI_Count few[MEND_COLL_FEW]);
void mend_shares_close(struct mend_comm *c, MPI_Count *begin, const MPI_Count few[MEND_COLL_FEW]);
static inline const char *mend_shares_name(const struct mend_coll_counts *counts)
{
    return counts ? "reduce_scatter" : "reduce_scatter_block";
}

/* The reduce_scatter of an intercommunicator: all shares have n elements together; out->count of them, from
 * `first` on, are this process's. */
int mend_coll_inter_share(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          MPI_Count n, MPI_Count first, const struct mend_op *op,
                          struct mend_coll_how *how);

/* The exchange with neighbours, on the communicator that carries c's collectives.  translate(): ranks of c
 * to ranks there, the holes MPI_PROC_NULL; NULL: they are the same. */
int mend_neighbors(struct mend_comm *c, struct mend_comm *carrier,
                   void (*translate)(struct mend_comm *c, int *ranks, int n), const void *in,
                   const struct mend_coll_edges *to, void *out, const struct mend_coll_edges *from,
                   struct mend_coll_how *how);

#endif
