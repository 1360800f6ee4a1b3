/* SPDX-License-Identifier: BSD-3-Clause */
/* inter.h – collectives of every kind on an intercommunicator, for tests that lose ranks in them.
 *
 * The lower `low` ranks are one group, the others the other one.  A rooted collective has its root, by
 * world rank, in either group. */
#ifndef TEST_KILL_COLL_INTER_H
#define TEST_KILL_COLL_INTER_H

#include "kill/common.h"

#define N 2000

enum {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    KINDS
};

static MPI_Comm local, inter;
static int low, upper, me, here, there; /* my side; my rank and size in it, size of the other */
static unsigned char *in, *out;
static size_t bytes;

static inline bool is_rooted(int kind)
{
    return kind == BCAST || kind == REDUCE || (kind >= GATHER && kind <= SCATTERV);
}

static inline bool is_upper(int r)
{
    return r >= low;
}

/* The root argument of this process for the root with that rank in the world. */
static inline int root_argument(int root)
{
    if (is_upper(root) != (bool)upper)
        return is_upper(root) ? root - low : root;
    return root == rank ? MPI_ROOT : MPI_PROC_NULL;
}

static inline void make_inter(void)
{
    low = size / 3 ? size / 3 : 1;
    upper = is_upper(rank);
    here = upper ? size - low : low;
    there = size - here;
    me = upper ? rank - low : rank;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &local), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, upper ? 0 : low, 3, &inter),
             MPI_SUCCESS);
    bytes = sizeof(int) * N * (size_t)size;
    in = guarded(bytes);
    out = guarded(bytes);
    memset(in, 1, bytes);
}

/* Begins one; q NULL: the blocking form. */
static inline int begin(int kind, int n, int root, MPI_Comm c, MPI_Request *q)
{
    int counts[32], displs[32], shares[32], r = root_argument(root);

    for (int i = 0; i < 32; i++) {
        counts[i] = n;
        displs[i] = i * n;
        shares[i] = there * n; /* here * there * n in both groups */
    }
    switch (kind) {
    case BARRIER:
        return q ? MPI_Ibarrier(c, q) : MPI_Barrier(c);
    case BCAST:
        return q ? MPI_Ibcast(out, n, MPI_INT, r, c, q) : MPI_Bcast(out, n, MPI_INT, r, c);
    case REDUCE:
        return q ? MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, r, c, q)
                 : MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, r, c);
    case ALLREDUCE:
        return q ? MPI_Iallreduce(in, out, n, MPI_INT, MPI_SUM, c, q)
                 : MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, c);
    case GATHER:
        return q ? MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, r, c, q)
                 : MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, r, c);
    case GATHERV:
        return q ? MPI_Igatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, r, c, q)
                 : MPI_Gatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, r, c);
    case SCATTER:
        return q ? MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, r, c, q)
                 : MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, r, c);
    case SCATTERV:
        return q ? MPI_Iscatterv(in, counts, displs, MPI_INT, out, n, MPI_INT, r, c, q)
                 : MPI_Scatterv(in, counts, displs, MPI_INT, out, n, MPI_INT, r, c);
    case ALLGATHER:
        return q ? MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, c, q)
                 : MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, c);
    case ALLGATHERV:
        return q ? MPI_Iallgatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, c, q)
                 : MPI_Allgatherv(in, n, MPI_INT, out, counts, displs, MPI_INT, c);
    case ALLTOALL:
        return q ? MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, c, q)
                 : MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, c);
    case ALLTOALLV:
        return q ? MPI_Ialltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, c, q)
                 : MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, c);
    case REDUCE_SCATTER:
        n = n / size ? n / size : 1;
        for (int i = 0; i < 32; i++)
            shares[i] = there * n;
        return q ? MPI_Ireduce_scatter(in, out, shares, MPI_INT, MPI_SUM, c, q)
                 : MPI_Reduce_scatter(in, out, shares, MPI_INT, MPI_SUM, c);
    default:
        n = n / size ? n / size : 1;
        return q ? MPI_Ireduce_scatter_block(in, out, there * n, MPI_INT, MPI_SUM, c, q)
                 : MPI_Reduce_scatter_block(in, out, there * n, MPI_INT, MPI_SUM, c);
    }
}

/* Can a survivor have what it is to get although the victim has sent nothing? */
static inline bool depends_on(int victim, int kind, int root)
{
    bool across = is_upper(victim) != (bool)upper;

    if (!is_rooted(kind))
        return across; /* S0-31 */
    if (kind == REDUCE || kind == GATHER || kind == GATHERV)
        return rank == root && across;
    return victim == root && across;
}

#endif
