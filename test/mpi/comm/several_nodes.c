/* SPDX-License-Identifier: BSD-3-Clause */
/* A job whose ranks share memory with only some of the others: a communicator of one node uses the
 * shared memory, another one does not, and both do the same.
 *
 *   world ──split by type──> one communicator for each node
 *         ──split across───> at most one member of each node
 *
 * A revocation reaches all members, also where a process of another node proposed the context. */
/* RUN: -n 4 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 7 ; set MACHINES=3 ; expect "rank 6 ok" */
/* RUN: -n 3 ; set MACHINES=3 ; expect "rank 2 ok" */
/* RUN: -n 4 ; expect "rank 3 ok" */
/* RUN: -n 5 ; set MACHINES=2 ; set AGREE_SHM=0 ; set SPIN=0 ; set YIELD=0 ; expect "rank 4 ok" */
#include "common.h"

#include <mpi_ft.h>

static void sum_up(MPI_Comm c)
{
    int n, one = 1, sum = -1;

    MPI_Comm_size(c, &n);
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
    CHECK_EQ(sum, n);
    CHECK_OK(MPIX_Comm_agree(c, &one));
    CHECK_EQ(one, 1);
    ring(c);
}

/* Windows on shared memory where there is some; elsewhere the call says that there is none. */
static void share(MPI_Comm c, bool possible)
{
    int *mine = NULL, *first = NULL, n, unit;
    MPI_Aint len;
    MPI_Win win;

    CHECK_CLASS(MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, c, &mine, &win),
                possible ? MPI_SUCCESS : MPI_ERR_RMA_SHARED);
    if (!possible)
        return;
    MPI_Comm_rank(c, &n);
    *mine = n;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_shared_query(win, 0, &len, &unit, &first));
    CHECK_EQ(*first, 0);
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Win_free(&win));
}

static void put_around(MPI_Comm c)
{
    int *mine, me, n;
    MPI_Win win;

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    CHECK_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, c, &mine, &win));
    *mine = -1;
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Put(&me, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_EQ(*mine, (me + n - 1) % n);
    CHECK_OK(MPI_Win_free(&win));
}

/* Rank 0 revokes and goes on; the others find out while they wait. */
static void revoke_a_duplicate(MPI_Comm parent)
{
    int me, n, nothing;
    MPI_Comm c;

    CHECK_OK(MPI_Comm_dup(parent, &c));
    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    if (me == 0)
        CHECK_OK(MPIX_Comm_revoke(c));
    else
        CHECK_CLASS(MPI_Recv(&nothing, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Comm_free(&c));
}

/* Large messages, whose receiver cannot copy them out of the sender's memory. */
static void exchange(MPI_Comm c)
{
    enum { N = 1 << 18 };
    static int out[N], in[N];
    int me, n;

    MPI_Comm_rank(c, &me);
    MPI_Comm_size(c, &n);
    for (int i = 0; i < N; i++)
        out[i] = me + i;
    CHECK_OK(MPI_Sendrecv(out, N, MPI_INT, (me + 1) % n, 2, in, N, MPI_INT, (me + n - 1) % n, 2, c,
                          MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_EQ(in[i], (me + n - 1) % n + i);
}

int main(int argc, char **argv)
{
    MPI_Comm world = MPI_COMM_WORLD, node, across, both;
    int n, found, *global;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    MPI_Comm_size(node, &n);
    CHECK_EQ(n, first_of(node_of(rank) + 1) - first_of(node_of(rank)));
    CHECK_OK(MPI_Comm_get_attr(world, MPI_WTIME_IS_GLOBAL, (void *)&global, &found));
    CHECK_EQ(*global, nodes() == 1);
    CHECK_OK(MPI_Comm_split(world, rank - first_of(node_of(rank)), 0, &across));
    CHECK_OK(MPI_Comm_split(across, 0, 0, &both));
    MPI_Comm all[] = {world, node, across, both};
    for (int i = 0; i < 4; i++) {
        MPI_Comm_size(all[i], &n);
        sum_up(all[i]);
        share(all[i], nodes() == 1 || i == 1 || n == 1);
        put_around(all[i]);
        exchange(all[i]);
        revoke_a_duplicate(all[i]);
    }
    CHECK_OK(MPIX_Comm_revoke(node)); /* the context is that of the highest rank of the job */
    CHECK_CLASS(MPI_Barrier(node), MPIX_ERR_REVOKED);
    CHECK_OK(MPI_Comm_free(&node));
    CHECK_OK(MPI_Comm_free(&across));
    CHECK_OK(MPI_Comm_free(&both));
    printf("rank %d ok\n", rank);
    return finish();
}
