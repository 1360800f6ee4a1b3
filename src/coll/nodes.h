/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h – the members of a communicator by the node that they are on, and the algorithms that know it.
 *
 *     rank      0 1 2 3 4        nodes in the order of their first ranks; the first member of a node is its leader
 *     node      A B A A B        member  0 2 3 │ 1 4        first  0, 3, 5
 *
 * Each algorithm has a phase inside of each node, one among the leaders, and one inside again, of those of
 * algorithms.h.  It is one list of steps, so deaths and revocations end it as any other.  Where there is a root, it
 * leads its node. */
#ifndef MEND_COLL_NODES_H
#define MEND_COLL_NODES_H

#include "coll/schedule.h"

struct mend_nodes {
    int n, size;
    bool in_order; /* the members of each node have consecutive ranks */
    int *first;    /* n + 1: where a node begins in `member` */
    int *member;   /* ranks, node by node, in order */
    int *at;       /* by rank: where it is in `member` */
    int *node;     /* by rank */
    int room[];
};

/* From the number that each rank's node has in `node`, at least 0 and below `end`.  NULL: no memory.  To be freed. */
struct mend_nodes *mend_nodes_make(struct mend_proc *self, const int *node, int size, int end);

/* Those of a communicator that is being made.  MPI_ERR_NO_MEM.  *nodes_p NULL with MPI_SUCCESS: no two of its members are on one
 * node, all are, or it spans jobs, of whose nodes nothing is known; the same at all members. */
int mend_nodes_of(struct mend_comm *c, struct mend_nodes **nodes_p);

/* The algorithm among leaders; the list is that of one of n ranks. */
typedef void mend_reduce_fn(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                            int root);
typedef void mend_allreduce_fn(struct mend_sched *s, struct mend_piece in, struct mend_piece out);
typedef void mend_bcast_fn(struct mend_sched *s, struct mend_piece data, int root);

/* As in algorithms.h, with its conventions.  Operators that do not commute only if the nodes are in order. */
void mend_nodes_barrier(struct mend_sched *s, const struct mend_nodes *x);
void mend_nodes_bcast(struct mend_sched *s, const struct mend_nodes *x, struct mend_piece data,
                      int root, mend_bcast_fn *among_leaders);
void mend_nodes_reduce(struct mend_sched *s, const struct mend_nodes *x, struct mend_piece in,
                       struct mend_piece out, int root, mend_reduce_fn *among_leaders);
void mend_nodes_allreduce(struct mend_sched *s, const struct mend_nodes *x, struct mend_piece in,
                          struct mend_piece out, mend_allreduce_fn *among_leaders);
/* uniform blocks */
void mend_nodes_allgather(struct mend_sched *s, const struct mend_nodes *x,
                          const struct mend_piece *in, const struct mend_blocks *out);

#endif
