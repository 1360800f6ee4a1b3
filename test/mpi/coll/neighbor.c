/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhood collectives on a grid (periodic or not, also with one or two ranks in a dimension),
 * a graph and a distributed graph with double edges, in every form.
 *
 * What arrives in a block is what its neighbour sent along this very edge: in a grid, what went out
 * in the opposite direction.
 *
 * RUN: -n 1
 * RUN: -n 2
 * RUN: -n 4
 * RUN: -n 6
 * RUN: -n 12 ; time 60 */
#include "mpi/coll/common.h"

#define DEGREE 16

static MPI_Comm comm;
static int sources[DEGREE], targets[DEGREE], sources_n, targets_n;
static int edge_of_source[DEGREE]; /* which of its targets I am, for each source */
static int me;

static int ints_of(int v, int from, int to)
{
    if (from == MPI_PROC_NULL || to == MPI_PROC_NULL)
        return 1;
    return v ? 1 + (from + 2 * to) % 3 : 3;
}

/* Values name sender and edge. */
static void give(int *block, int n, int edge)
{
    for (int i = 0; i < n; i++)
        block[i] = datum(me, edge, i);
}

static void check_block(const int *block, int n, int source_index, int edge)
{
    for (int i = 0; i < n; i++)
        CHECK(
            block[i] ==
            (sources[source_index] == MPI_PROC_NULL ? -1 : datum(sources[source_index], edge, i)));
}

static void allgather(int form, int v)
{
    int in[3], out[DEGREE * 4], counts[DEGREE], displs[DEGREE];

    give(in, 3, 77);
    memset(out, 0xff, sizeof out);
    for (int i = 0; i < sources_n; i++) {
        counts[i] = 3;
        displs[i] = 4 * (sources_n - 1 - i);
    }
    if (v)
        CALL(form, Neighbor_allgatherv, neighbor_allgatherv, in, 3, MPI_INT, out, counts, displs,
             MPI_INT, comm);
    else
        CALL(form, Neighbor_allgather, neighbor_allgather, in, 3, MPI_INT, out, 3, MPI_INT, comm);
    for (int i = 0; i < sources_n; i++)
        check_block(out + (v ? displs[i] : 3 * i), 3, i, 77);
}

/* kind: 0 alltoall, 1 alltoallv, 2 alltoallw */
static void alltoall(int form, int kind)
{
    int in[DEGREE * 4], out[DEGREE * 4], counts_in[DEGREE], counts_out[DEGREE], at[DEGREE];
    MPI_Aint bytes[DEGREE];
    MPI_Datatype types[DEGREE];

    memset(out, 0xff, sizeof out);
    for (int i = 0; i < DEGREE; i++) {
        at[i] = kind ? 4 * i : 3 * i;
        bytes[i] = 16 * i;
        types[i] = MPI_INT;
        counts_in[i] = i < targets_n ? ints_of(kind, me, targets[i]) : 0;
        counts_out[i] = i < sources_n ? ints_of(kind, sources[i], me) : 0;
        give(in + at[i], kind ? 4 : 3, i);
    }
    if (kind == 0)
        CALL(form, Neighbor_alltoall, neighbor_alltoall, in, 3, MPI_INT, out, 3, MPI_INT, comm);
    else if (kind == 1)
        CALL(form, Neighbor_alltoallv, neighbor_alltoallv, in, counts_in, at, MPI_INT, out,
             counts_out, at, MPI_INT, comm);
    else
        CALL(form, Neighbor_alltoallw, neighbor_alltoallw, in, counts_in, bytes, types, out,
             counts_out, bytes, types, comm);
    for (int i = 0; i < sources_n; i++) {
        int n = sources[i] == MPI_PROC_NULL ? 1 : counts_out[i];

        check_block(out + at[i], n, i, edge_of_source[i]);
        CHECK(!kind || out[at[i] + n] == -1);
    }
}

static void all(const char *what)
{
    EACH_FORM(form)
    {
        snprintf(doing, sizeof doing, "%s, form %d", what, form);
        for (int v = 0; v < 2; v++)
            allgather(form, v);
        for (int kind = 0; kind < 3; kind++)
            alltoall(form, kind);
    }
    MPI_Comm_free(&comm);
}

static void grid(int ndims, const int *dims, const int *periods)
{
    int nodes = 1;

    for (int d = 0; d < ndims; d++)
        nodes *= dims[d];
    if (nodes < 1 || nodes > size)
        return;
    MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &comm);
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &me);
    sources_n = targets_n = 2 * ndims;
    for (int d = 0; d < ndims; d++) {
        MPI_Cart_shift(comm, d, 1, &sources[2 * d], &sources[2 * d + 1]);
        edge_of_source[2 * d] = 2 * d + 1; /* what comes from before was sent behind */
        edge_of_source[2 * d + 1] = 2 * d;
    }
    memcpy(targets, sources, sizeof targets);
    all("grid");
}

/* A star: rank 0 and everybody else. */
static void star(void)
{
    int index[64], edges[128], at = 0;

    if (size > 8)
        return;
    for (int r = 0; r < size; r++) {
        for (int k = 1; k < size; k++)
            if (r == 0)
                edges[at++] = k;
        if (r)
            edges[at++] = 0;
        index[r] = at;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
    MPI_Comm_rank(comm, &me);
    sources_n = targets_n = me ? 1 : size - 1;
    for (int i = 0; i < sources_n; i++) {
        sources[i] = targets[i] = me ? 0 : i + 1;
        edge_of_source[i] = me ? me - 1 : 0;
    }
    all("star");
}

/* Two edges to the next rank, one to the one after it; and nothing comes along others. */
static void ring_with_double_edges(void)
{
    int next = (rank + 1) % size, after = (rank + 2) % size;
    int before = (rank + size - 1) % size, first = (rank + 2 * size - 2) % size;
    int out[3] = {next, after, next}, in[3] = {before, before, first};

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, in, MPI_UNWEIGHTED, 3, out, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    MPI_Comm_rank(comm, &me);
    sources_n = targets_n = 3;
    memcpy(sources, in, sizeof in);
    memcpy(targets, out, sizeof out);
    edge_of_source[0] = 0;
    edge_of_source[1] = 2;
    edge_of_source[2] = 1;
    if (size == 1) { /* all edges join me with myself: k-th meets k-th */
        edge_of_source[1] = 1;
        edge_of_source[2] = 2;
    }
    all("double edges");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    grid(1, (int[]){size}, (int[]){1});
    grid(1, (int[]){size}, (int[]){0});
    grid(2, (int[]){size, 1}, (int[]){1, 1});
    grid(2, (int[]){2, size / 2}, (int[]){1, 0});
    grid(3, (int[]){2, 2, 1}, (int[]){1, 1, 1});
    grid(3, (int[]){2, 3, 2}, (int[]){0, 1, 1});
    star();
    ring_with_double_edges();
    CHECK_CLASS((MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN),
                 MPI_Neighbor_allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD)),
                MPI_ERR_TOPOLOGY);
    return finish();
}
