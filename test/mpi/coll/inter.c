/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives on an intercommunicator between groups of different sizes, in every form: from the
 * root to the other group and back, and between all of both groups.
 *
 * RUN: -n 2
 * RUN: -n 3
 * RUN: -n 7 */
#include "mpi/coll/common.h"

#define N 500

static MPI_Comm inter;
static int me, here, there; /* my rank, my group's size, the other's */
static bool low;

/* World rank of rank r of the other group, or of mine. */
static int other(int r)
{
    return low ? here + r : r;
}

static int form, in[8 * N], out[8 * N];

static void given(int n, int to)
{
    for (int i = 0; i < n; i++)
        in[i] = datum(rank, to, i);
    memset(out, 0xff, sizeof out);
}

static int sum_of_others(int i)
{
    int sum = 0;

    for (int r = 0; r < there; r++)
        sum += datum(other(r), 0, i);
    return sum;
}

/* The root is rank root_rank of the lower or the upper group. */
static void rooted(bool root_low, int root_rank)
{
    bool is_root = low == root_low && me == root_rank, to = low != root_low;
    int root = to ? root_rank : is_root ? MPI_ROOT : MPI_PROC_NULL;
    int counts[8], displs[8];

    snprintf(doing, sizeof doing, "root %d of group %d, form %d", root_rank, root_low, form);
    for (int r = 0; r < 8; r++) {
        counts[r] = N - r;
        displs[r] = r * N;
    }
    given(N, 0);
    if (is_root)
        memcpy(out, in, sizeof(int) * N);
    CALL(form, Bcast, bcast, out, N, MPI_INT, root, inter);
    for (int i = 0; i < N && to; i++)
        CHECK(out[i] == datum(other(root_rank), 0, i));
    given(N, 0);
    CALL(form, Reduce, reduce, in, out, N, MPI_INT, MPI_SUM, root, inter);
    for (int i = 0; i < N && is_root; i++)
        CHECK(out[i] == sum_of_others(i));
    given(N, 0);
    CALL(form, Gatherv, gatherv, in, counts[me], MPI_INT, out, counts, displs, MPI_INT, root,
         inter);
    for (int r = 0; r < there && is_root; r++)
        for (int i = 0; i < counts[r]; i++)
            CHECK(out[displs[r] + i] == datum(other(r), 0, i));
    given(N, 0);
    CALL(form, Gather, gather, in, 9, MPI_INT, out, 9, MPI_INT, root, inter);
    for (int i = 0; i < 9 * there && is_root; i++)
        CHECK(out[i] == datum(other(i / 9), 0, i % 9));
    given(8 * N, 0);
    CALL(form, Scatter, scatter, in, N, MPI_INT, out, N, MPI_INT, root, inter);
    for (int i = 0; i < N && to; i++)
        CHECK(out[i] == datum(other(root_rank), 0, me * N + i));
    CALL(form, Scatterv, scatterv, in, counts, displs, MPI_INT, out, counts[me], MPI_INT, root,
         inter);
    for (int i = 0; i < counts[me] && to; i++)
        CHECK(out[i] == datum(other(root_rank), 0, me * N + i));
}

static void all_to_all(void)
{
    int counts[8], displs[8], shares[8], first = 0;

    snprintf(doing, sizeof doing, "between all, form %d", form);
    given(N, 0);
    CALL(form, Allreduce, allreduce, in, out, N, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < N; i++)
        CHECK(out[i] == sum_of_others(i));
    given(N, 0);
    CALL(form, Allgather, allgather, in, 20, MPI_INT, out, 20, MPI_INT, inter);
    for (int i = 0; i < 20 * there; i++)
        CHECK(out[i] == datum(other(i / 20), 0, i % 20));
    for (int r = 0; r < 8; r++) {
        counts[r] = 5 + r;
        displs[r] = 20 * r;
    }
    given(N, 0);
    CALL(form, Allgatherv, allgatherv, in, 5 + me, MPI_INT, out, counts, displs, MPI_INT, inter);
    for (int r = 0; r < there; r++)
        for (int i = 0; i < 20; i++)
            CHECK(out[20 * r + i] == (i < 5 + r ? datum(other(r), 0, i) : -1));
    given(N, 0);
    CALL(form, Alltoall, alltoall, in, 10, MPI_INT, out, 10, MPI_INT, inter);
    for (int i = 0; i < 10 * there; i++)
        CHECK(out[i] == datum(other(i / 10), 0, me * 10 + i % 10));
    for (int r = 0; r < 8; r++)
        counts[r] = 1 + r + me;
    CALL(form, Alltoallv, alltoallv, in, counts, displs, MPI_INT, out, counts, displs, MPI_INT,
         inter);
    for (int r = 0; r < there; r++)
        for (int i = 0; i < counts[r]; i++)
            CHECK(out[20 * r + i] == datum(other(r), 0, 20 * me + i));
    /* The sum of the shares is the same in both groups: here * there. */
    given(N, 0);
    CALL(form, Reduce_scatter_block, reduce_scatter_block, in, out, there, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < there; i++)
        CHECK(out[i] == sum_of_others(me * there + i));
    for (int r = 0; r < here; r++) {
        shares[r] = r == 0 ? here * there - (here - 1) : 1;
        first += r < me ? shares[r] : 0;
    }
    CALL(form, Reduce_scatter, reduce_scatter, in, out, shares, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < shares[me]; i++)
        CHECK(out[i] == sum_of_others(first + i));
}

int main(int argc, char **argv)
{
    MPI_Comm local;
    MPI_Request q;

    start(&argc, &argv);
    low = rank < (size + 1) / 3;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &local);
    MPI_Comm_rank(local, &me);
    MPI_Comm_size(local, &here);
    there = size - here;
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, other(0), 3, &inter);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    for (form = 0; form < FORMS; form++) {
        for (int r = 0; r < (low ? here : there); r++)
            rooted(true, r);
        for (int r = 0; r < (low ? there : here); r++)
            rooted(false, r);
        all_to_all();
    }
    MPI_Barrier(inter);
    MPI_Ibarrier(inter, &q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    return finish();
}
