/* SPDX-License-Identifier: BSD-3-Clause */
/* group.h – groups: a rank for each of some peers.
 *
 * Most groups are progressions (first, first+stride, ...) and need no memory; others hold a list.  A group never
 * changes; a death does not take a member out of it.  All calls are local.
 *
 * Invariants (check.c):
 *   1  it is alive;
 *   2  its members are peers;
 *   3  no peer occurs twice. */
#ifndef MEND_COMM_GROUP_H
#define MEND_COMM_GROUP_H

#include "mpi.h"
#include "proc/proc.h"

#define MEND_GROUP_MAGIC 0x67727570u

/* There is one group of size 0 per process, MPI_GROUP_EMPTY, and it is not counted. */
struct mend_group {
    uint32_t magic;
    int refs;
    int size;
    mend_peer first;
    int stride;              /* used if list == NULL */
    uint32_t session;        /* number of the session that it comes from, 0: none */
    mend_peer *list;         /* rank -> peer */
    struct mend_hash *index; /* peer -> rank + 1, built on first need, only with list */
};

static inline mend_peer mend_group_peer(const struct mend_group *g, int rank)
{
    return g->list ? g->list[rank] : g->first + rank * g->stride;
}

/* Rank of the peer, MPI_UNDEFINED if it is not a member. */
int mend_group_rank(struct mend_proc *self, struct mend_group *g, mend_peer peer);

/* A member is of another job.  O(size) if the job is connected with one. */
bool mend_group_spans(const struct mend_proc *self, const struct mend_group *g);

/* The rank in `to` of a member of `from`; MPI_PROC_NULL if it is none there. */
static inline int mend_group_translate(struct mend_proc *self, struct mend_group *from, int rank,
                                       struct mend_group *to)
{
    int there = from == to ? rank : mend_group_rank(self, to, mend_group_peer(from, rank));

    return there == MPI_UNDEFINED ? MPI_PROC_NULL : there;
}

/* A group of n peers; the list is copied, and dropped again if it is a progression.  Reference
 * count 1.  NULL: no memory. */
struct mend_group *mend_group_create(struct mend_proc *self, const mend_peer *peers, int n);
struct mend_group *mend_group_create_range(struct mend_proc *self, mend_peer first, int stride,
                                           int n);
void mend_group_get(struct mend_group *g);
void mend_group_put(struct mend_proc *self, struct mend_group *g);

/* Members of g that are dead and stand in the first n entries of the log of deaths, in the order of
 * the log: a later call gives the same members first.  NULL: no memory. */
struct mend_group *mend_group_dead(struct mend_proc *self, struct mend_group *g, uint32_t deaths_n);

/* MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.  O(n) expected. */
int mend_group_compare(struct mend_proc *self, struct mend_group *a, struct mend_group *b);

/* True if every member of part is a member of whole. */
bool mend_group_contains(struct mend_proc *self, struct mend_group *whole, struct mend_group *part);

/* Set operations (MPI-5.0 7.3.2), in the order of a, then of b.  O(n) expected.
 * NULL: no memory. */
struct mend_group *mend_group_union(struct mend_proc *self, struct mend_group *a,
                                    struct mend_group *b);
struct mend_group *mend_group_intersection(struct mend_proc *self, struct mend_group *a,
                                           struct mend_group *b);
struct mend_group *mend_group_difference(struct mend_proc *self, struct mend_group *a,
                                         struct mend_group *b);

/* The members with these ranks, in this order, and the others, in g's order.  MPI_ERR_RANK: a rank
 * out of range, or twice; MPI_ERR_NO_MEM. */
int mend_group_incl(struct mend_proc *self, struct mend_group *g, int n, const int *ranks,
                    struct mend_group **new_p);
int mend_group_excl(struct mend_proc *self, struct mend_group *g, int n, const int *ranks,
                    struct mend_group **new_p);

/* Writes out n ranges {first, last, stride} of ranks of a group of this size.  The caller owns *ranks_p
 * and frees it.  MPI_ERR_ARG: a stride of 0 or one that leads away from last;
 * MPI_ERR_RANK: a rank out of range; more ranks than members; MPI_ERR_NO_MEM. */
int mend_group_expand(struct mend_proc *self, int size, int n, const int (*ranges)[3],
                      int **ranks_p, int *ranks_n_p);

#endif
