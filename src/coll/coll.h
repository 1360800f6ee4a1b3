/* SPDX-License-Identifier: BSD-3-Clause */
/* coll.h – the calls of the API for collectives.
 *
 * Each collective has one builder of a schedule (coll/schedule.h).  `how` says what to do with the schedule:
 * run it now, start it (request), or prepare it (persistent request).  Arguments have been checked.
 * A table of the communicator, set when it is created or cut, names the builder (tables.h).
 *
 * Failure semantics: if a member of the communicator is dead, MPI_ERR_PROC_FAILED, now and for every
 * later collective on it (S0-27, S0-84), reported by the completion call for nonblocking ones
 * (S0-15); if a member dies inside, every member that cannot complete gets this error; if it is revoked,
 * MPI_ERR_INVALIDATED. */
#ifndef MEND_COLL_COLL_H
#define MEND_COLL_COLL_H

#include "p2p/p2p.h"

struct mend_coll_how {
    enum { MEND_COLL_NOW, MEND_COLL_START, MEND_COLL_PREPARE } kind;
    struct mend_request *request; /* out: START and PREPARE */
};

/* One buffer argument: address, count, type and (for user operators) the type's handle. */
struct mend_coll_buf {
    void *buf; /* may be MPI_IN_PLACE where the standard allows it */
    MPI_Count count;
    const struct mend_type *type;
    MPI_Datatype handle;
};

/* Counts and displacements in either width: big tells which pair is valid.  big_displs: wide
 * displacements beside narrow counts (MPI_Neighbor_alltoallw). */
struct mend_coll_counts {
    bool big, big_displs;
    union {
        const int *counts;
        const MPI_Count *counts_c;
    };
    union {
        const int *displs; /* NULL: packed one after the other */
        const MPI_Aint *displs_c;
    };
};
static inline MPI_Count mend_coll_count(const struct mend_coll_counts *v, int i)
{
    return v->big ? v->counts_c[i] : v->counts[i];
}
static inline MPI_Aint mend_coll_displ(const struct mend_coll_counts *v, int i)
{
    return v->big || v->big_displs ? v->displs_c[i] : v->displs[i];
}

int mend_coll_init(struct mend_proc *self);

/* One side of an exchange with the neighbours of c's topology, which there must be.  one: every
 * neighbour gets the same block. */
struct mend_coll_edges {
    MPI_Count count;                       /* of each block, if counts == NULL */
    const struct mend_type *type;          /* of each block, if types == NULL */
    const struct mend_coll_counts *counts; /* displacements in elements; with types in bytes */
    const MPI_Datatype *types;
    bool one;
};
/* How the collectives of one kind of communicator are carried out.  Where counts may be NULL all blocks are
 * of equal size. */
struct mend_coll_table {
    int (*barrier)(struct mend_comm *c, struct mend_coll_how *how);
    int (*bcast)(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                 struct mend_coll_how *how);
    int (*reduce)(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                  const struct mend_op *op, int root, struct mend_coll_how *how);
    int (*allreduce)(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                     const struct mend_op *op, struct mend_coll_how *how);
    int (*scan)(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                const struct mend_op *op, bool exclusive, struct mend_coll_how *how);
    int (*reduce_scatter)(struct mend_comm *c, const void *in, const struct mend_coll_buf *out,
                          const struct mend_coll_counts *counts, const struct mend_op *op,
                          struct mend_coll_how *how);
    int (*gather)(struct mend_comm *c, const struct mend_coll_buf *in,
                  const struct mend_coll_buf *out, const struct mend_coll_counts *counts, int root,
                  struct mend_coll_how *how);
    int (*scatter)(struct mend_comm *c, const struct mend_coll_buf *in,
                   const struct mend_coll_counts *counts, const struct mend_coll_buf *out, int root,
                   struct mend_coll_how *how);
    int (*allgather)(struct mend_comm *c, const struct mend_coll_buf *in,
                     const struct mend_coll_buf *out, const struct mend_coll_counts *counts,
                     struct mend_coll_how *how);
    int (*alltoall)(struct mend_comm *c, const struct mend_coll_buf *in,
                    const struct mend_coll_counts *in_counts, const struct mend_coll_buf *out,
                    const struct mend_coll_counts *out_counts, struct mend_coll_how *how);
    int (*alltoallw)(struct mend_comm *c, const void *in, const struct mend_coll_counts *in_counts,
                     const MPI_Datatype *in_types, void *out,
                     const struct mend_coll_counts *out_counts, const MPI_Datatype *out_types,
                     struct mend_coll_how *how);
    int (*neighbor)(struct mend_comm *c, const void *in, const struct mend_coll_edges *to,
                    void *out, const struct mend_coll_edges *from, struct mend_coll_how *how);
};

static inline int mend_coll_barrier(struct mend_comm *c, struct mend_coll_how *how)
{
    return c->collectives->barrier(c, how);
}
static inline int mend_coll_bcast(struct mend_comm *c, const struct mend_coll_buf *b, int root,
                                  struct mend_coll_how *how)
{
    return c->collectives->bcast(c, b, root, how);
}
static inline int mend_coll_reduce(struct mend_comm *c, const void *in,
                                   const struct mend_coll_buf *out, const struct mend_op *op,
                                   int root, struct mend_coll_how *how)
{
    return c->collectives->reduce(c, in, out, op, root, how);
}
static inline int mend_coll_allreduce(struct mend_comm *c, const void *in,
                                      const struct mend_coll_buf *out, const struct mend_op *op,
                                      struct mend_coll_how *how)
{
    return c->collectives->allreduce(c, in, out, op, how);
}
/* There is none on intercommunicators, nor a collective with neighbours. */
static inline int mend_coll_scan(struct mend_comm *c, const void *in,
                                 const struct mend_coll_buf *out, const struct mend_op *op,
                                 bool exclusive, struct mend_coll_how *how)
{
    return c->collectives->scan(c, in, out, op, exclusive, how);
}
static inline int mend_coll_reduce_scatter(struct mend_comm *c, const void *in,
                                           const struct mend_coll_buf *out,
                                           const struct mend_coll_counts *counts,
                                           const struct mend_op *op, struct mend_coll_how *how)
{
    return c->collectives->reduce_scatter(c, in, out, counts, op, how);
}
static inline int mend_coll_gather(struct mend_comm *c, const struct mend_coll_buf *in,
                                   const struct mend_coll_buf *out,
                                   const struct mend_coll_counts *counts, int root,
                                   struct mend_coll_how *how)
{
    return c->collectives->gather(c, in, out, counts, root, how);
}
static inline int mend_coll_scatter(struct mend_comm *c, const struct mend_coll_buf *in,
                                    const struct mend_coll_counts *counts,
                                    const struct mend_coll_buf *out, int root,
                                    struct mend_coll_how *how)
{
    return c->collectives->scatter(c, in, counts, out, root, how);
}
static inline int mend_coll_allgather(struct mend_comm *c, const struct mend_coll_buf *in,
                                      const struct mend_coll_buf *out,
                                      const struct mend_coll_counts *counts,
                                      struct mend_coll_how *how)
{
    return c->collectives->allgather(c, in, out, counts, how);
}
static inline int mend_coll_alltoall(struct mend_comm *c, const struct mend_coll_buf *in,
                                     const struct mend_coll_counts *in_counts,
                                     const struct mend_coll_buf *out,
                                     const struct mend_coll_counts *out_counts,
                                     struct mend_coll_how *how)
{
    return c->collectives->alltoall(c, in, in_counts, out, out_counts, how);
}
static inline int mend_coll_alltoallw(struct mend_comm *c, const void *in,
                                      const struct mend_coll_counts *in_counts,
                                      const MPI_Datatype *in_types, void *out,
                                      const struct mend_coll_counts *out_counts,
                                      const MPI_Datatype *out_types, struct mend_coll_how *how)
{
    return c->collectives->alltoallw(c, in, in_counts, in_types, out, out_counts, out_types, how);
}
static inline int mend_coll_neighbor(struct mend_comm *c, const void *in,
                                     const struct mend_coll_edges *to, void *out,
                                     const struct mend_coll_edges *from, struct mend_coll_how *how)
{
    return c->collectives->neighbor(c, in, to, out, from, how);
}

/* Gives c the table for what it is: when it is made, and when its holes have changed. */
void mend_coll_choose_table(struct mend_comm *c);

/* Life of the per-communicator state, and the consequences of a death.  A revocation ends the messages of
 * collectives (p2p/), and so the collectives. */
int mend_coll_attach(struct mend_comm *c);
void mend_coll_detach(struct mend_comm *c);
void mend_coll_on_deaths(struct mend_proc *self, const struct mend_death *death, int n);

#endif
