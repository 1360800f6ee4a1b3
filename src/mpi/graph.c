/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.c – graph topologies, which every process knows as a whole (MPI-5.0 8.5.3, 8.5.5, 8.5.8).
 *
 * MPI_Graph_create creates a communicator: collective, blocking, and with a death as comm_create.c
 * says.  Everything else is local and works whichever processes are dead, also on a revoked communicator.
 * Ranks are not reordered. */
#include "mpi/topo.h"

#include <string.h>

static int check_graph(const struct mend_comm *c, int nodes, const int *index, const int *edges)
{
    int before = 0;

    if (nodes < 0 || nodes > c->size || (nodes > 0 && !index))
        return MPI_ERR_ARG;
    for (int i = 0; i < nodes; i++) {
        if (index[i] < before)
            return MPI_ERR_ARG;
        before = index[i];
    }
    if (before > 0 && !edges)
        return MPI_ERR_ARG;
    for (int i = 0; i < before; i++)
        if (edges[i] < 0 || edges[i] >= nodes)
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

/* Processes beyond the graph get MPI_COMM_NULL. */
MEND_API(MPI_Graph_create);
int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                     int reorder, MPI_Comm *comm_graph)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm_old, &c);
    if (!err)
        err = mend_check_pointer(comm_graph);
    if (!err)
        err = check_graph(c, nnodes, index, edges);
    if (!err)
        err = mend_create_graph(c, nnodes, index, edges, &made);
    if (!err)
        *comm_graph = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

static int edges_n(const struct mend_graph *g)
{
    return g->nodes ? g->index[g->nodes - 1] : 0;
}

MEND_API(MPI_Graphdims_get);
int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_topo(comm, MPI_GRAPH, &c);
    if (!err && !(nnodes && nedges))
        err = MPI_ERR_ARG;
    if (!err) {
        *nnodes = c->topo->graph.nodes;
        *nedges = edges_n(&c->topo->graph);
    }
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Graph_get);
int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_topo(comm, MPI_GRAPH, &c);
    if (!err && (maxindex < c->topo->graph.nodes || maxedges < edges_n(&c->topo->graph) ||
                 !(index && edges)))
        err = MPI_ERR_ARG;
    if (!err) {
        const struct mend_graph *g = &c->topo->graph;

        memcpy(index, g->index, (size_t)g->nodes * sizeof(int));
        memcpy(edges, g->edges, (size_t)edges_n(g) * sizeof(int));
    }
    return mend_report_comm(c, err, __func__);
}

/* The neighbours of a rank are (*first_p)[0] .. [*n_p - 1]. */
static void neighbours_of(const struct mend_graph *g, int rank, const int **first_p, int *n_p)
{
    int begin = rank ? g->index[rank - 1] : 0;

    *first_p = g->edges + begin;
    *n_p = g->index[rank] - begin;
}

MEND_API(MPI_Graph_neighbors_count);
int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
    struct mend_comm *c = NULL;
    const int *first;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_topo(comm, MPI_GRAPH, &c);
    if (!err)
        err = mend_check_rank(c, rank);
    if (!err)
        err = mend_check_pointer(nneighbors);
    if (!err)
        neighbours_of(&c->topo->graph, rank, &first, nneighbors);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Graph_neighbors);
int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    struct mend_comm *c = NULL;
    const int *first = NULL;
    int n = 0;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_topo(comm, MPI_GRAPH, &c);
    if (!err)
        err = mend_check_rank(c, rank);
    if (!err)
        neighbours_of(&c->topo->graph, rank, &first, &n);
    if (!err && (maxneighbors < 0 || (maxneighbors > 0 && !neighbors)))
        err = MPI_ERR_ARG;
    for (int i = 0; !err && i < n && i < maxneighbors; i++)
        neighbors[i] = first[i];
    return mend_report_comm(c, err, __func__);
}

/* The rank that this process would have. */
MEND_API(MPI_Graph_map);
int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = mend_check_pointer(newrank);
    if (!err)
        err = check_graph(c, nnodes, index, edges);
    if (!err)
        *newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
    return mend_report_comm(c, err, __func__);
}
