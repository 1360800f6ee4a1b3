/* SPDX-License-Identifier: BSD-3-Clause */
/* dist_graph.c – distributed graphs: every process knows its own edges (MPI-5.0 8.5.4, 8.5.5).
 *
 * MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent create communicators: collective,
 * blocking, and with a death as comm_create.c says.  Everything else is local and works whichever processes are
 * dead, also on a revoked communicator.  Ranks are not reordered. */
#include "mpi/topo.h"

/* n ranks of c at `list`, and weights that are an array or MPI_UNWEIGHTED; an empty list may come
 * with MPI_WEIGHTS_EMPTY or NULL. */
static int check_ends(const struct mend_comm *c, int n, const int *list, const int *weights)
{
    if (n < 0 || (n > 0 && (!list || !weights || weights == MPI_WEIGHTS_EMPTY)))
        return MPI_ERR_ARG;
    for (int i = 0; i < n; i++)
        if (mend_check_rank(c, list[i]))
            return MPI_ERR_RANK;
    for (int i = 0; i < n && weights != MPI_UNWEIGHTED; i++)
        if (weights[i] < 0)
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

MEND_API(MPI_Dist_graph_create_adjacent);
int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int *sourceweights, int outdegree,
                                   const int destinations[], const int *destweights, MPI_Info info,
                                   int reorder, MPI_Comm *comm_dist_graph)
{
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm_old, &c);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(comm_dist_graph);
    if (!err)
        err = check_ends(c, indegree, sources, sourceweights);
    if (!err)
        err = check_ends(c, outdegree, destinations, destweights);
    if (!err && indegree > 0 && outdegree > 0 &&
        (sourceweights == MPI_UNWEIGHTED) != (destweights == MPI_UNWEIGHTED))
        err = MPI_ERR_ARG;
    if (!err) {
        struct mend_dist_graph d = {.in_n = indegree,
                                    .out_n = outdegree,
                                    .weighted = sourceweights != MPI_UNWEIGHTED &&
                                                destweights != MPI_UNWEIGHTED,
                                    .sources = (int *)sources,
                                    .source_weights = (int *)sourceweights,
                                    .destinations = (int *)destinations,
                                    .dest_weights = (int *)destweights};

        err = mend_create_neighbours(c, &d, &made);
    }
    if (!err)
        *comm_dist_graph = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

static int check_named(const struct mend_comm *c, const struct mend_named_edges *e)
{
    int64_t total = 0;

    if (e->n < 0 || (e->n > 0 && !(e->sources && e->degrees)))
        return MPI_ERR_ARG;
    for (int i = 0; i < e->n; i++) {
        if (mend_check_rank(c, e->sources[i]))
            return MPI_ERR_RANK;
        if (e->degrees[i] < 0)
            return MPI_ERR_ARG;
        total += e->degrees[i];
    }
    return total * MEND_EDGE_INTS > INT32_MAX
               ? MPI_ERR_ARG
               : check_ends(c, (int)total, e->destinations, e->weights);
}

MEND_API(MPI_Dist_graph_create);
int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                          const int destinations[], const int *weights, MPI_Info info, int reorder,
                          MPI_Comm *comm_dist_graph)
{
    const struct mend_named_edges e = {n, sources, degrees, destinations, weights};
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_info *i = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm_old, &c);
    if (!err)
        err = mend_check_info_or_null(info, &i);
    if (!err)
        err = mend_check_pointer(comm_dist_graph);
    if (!err)
        err = check_named(c, &e);
    if (!err)
        err = mend_create_dist_graph(c, &e, &made);
    if (!err)
        *comm_dist_graph = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Dist_graph_neighbors_count);
int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_topo(comm, MPI_DIST_GRAPH, &c);
    if (!err && !(indegree && outdegree && weighted))
        err = MPI_ERR_ARG;
    if (!err) {
        *indegree = c->topo->dist.in_n;
        *outdegree = c->topo->dist.out_n;
        *weighted = c->topo->dist.weighted;
    }
    return mend_report_comm(c, err, __func__);
}

/* At most max of n; weights go out only if there are any and somebody wants them. */
static void copy_out(int max, int n, const int *list, const int *list_weights, int *to,
                     int *to_weights)
{
    for (int i = 0; i < n && i < max; i++) {
        to[i] = list[i];
        if (list_weights && to_weights && to_weights != MPI_UNWEIGHTED)
            to_weights[i] = list_weights[i];
    }
}

MEND_API(MPI_Dist_graph_neighbors);
int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int *sourceweights,
                             int maxoutdegree, int destinations[], int *destweights)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_topo(comm, MPI_DIST_GRAPH, &c);
    if (!err && (maxindegree < 0 || maxoutdegree < 0 || (maxindegree > 0 && !sources) ||
                 (maxoutdegree > 0 && !destinations)))
        err = MPI_ERR_ARG;
    if (!err) {
        const struct mend_dist_graph *d = &c->topo->dist;

        copy_out(maxindegree, d->in_n, d->sources, d->source_weights, sources, sourceweights);
        copy_out(maxoutdegree, d->out_n, d->destinations, d->dest_weights, destinations,
                 destweights);
    }
    return mend_report_comm(c, err, __func__);
}
