/* SPDX-License-Identifier: BSD-3-Clause */
/* dist_graph.c – distributed graphs: every process knows its own edges (MPI-5.0 8.5.4, 8.5.5).
 *
 * MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent create communicators: collective,
 * blocking, and with a death as comm_create.c says.  Everything else is local and works whichever processes are
 * dead, also on a revoked communicator.  Ranks are not reordered.
 *
 * MPI_Dist_graph_create: anybody may name any edge, so edges are sent to their two ends first.
 *
 *     edge s -> d with weight w, named anywhere      to s: {OUT, d, w}      to d: {IN, s, w}  */
#include "mpi/topo.h"

#include "coll/coll.h"
#include "create/create.h"

#include <string.h>

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

static int create(struct mend_comm *c, const struct mend_dist_graph *d, struct mend_comm **made_p)
{
    int err = mend_create_dup(c, made_p);

    if (err)
        return err;
    mend_memory_press(c->self); /* the others have it */
    (*made_p)->topo = mend_topo_dist(c->self, d);
    mend_memory_relax(c->self);
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

        err = create(c, &d, &made);
    }
    if (!err)
        *comm_dist_graph = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

/* One end of an edge on its way to the process that it is about. */
struct edge_end {
    int incoming, other, weight;
};
#define END_INTS 3

/* What this process names: n sources with degrees[i] destinations each. */
struct named {
    int n;
    const int *sources, *degrees, *destinations, *weights; /* weights MPI_UNWEIGHTED */
};

static int weight_of(const struct named *e, int at)
{
    return e->weights == MPI_UNWEIGHTED ? 1 : e->weights[at];
}

/* Calls put() for both ends of every edge. */
static void each_end(const struct named *e,
                     void (*put)(void *arg, int to, const struct edge_end *end), void *arg)
{
    int at = 0;

    for (int i = 0; i < e->n; i++) {
        for (int k = 0; k < e->degrees[i]; k++, at++) {
            int s = e->sources[i], d = e->destinations[at], w = weight_of(e, at);

            put(arg, s, &(struct edge_end){0, d, w});
            put(arg, d, &(struct edge_end){1, s, w});
        }
    }
}

/* Counts and places, in ints, of what goes to each process; then the ends themselves. */
struct outgoing {
    int *counts, *displs, *fill;
    struct edge_end *ends;
};

static void count_end(void *arg, int to, const struct edge_end *end)
{
    (void)end;
    ((struct outgoing *)arg)->counts[to] += END_INTS;
}

static void put_end(void *arg, int to, const struct edge_end *end)
{
    struct outgoing *o = arg;

    o->ends[o->displs[to] / END_INTS + o->fill[to]++] = *end;
}

static int sum_displs(int n, const int *counts, int *displs)
{
    int total = 0;

    for (int i = 0; i < n; i++) {
        displs[i] = total;
        total += counts[i];
    }
    return total;
}

/* Sends every end to its process.  *ends_p (the caller frees it) is what came here.  Collective;
 * deaths as in any collective. */
static int exchange(struct mend_comm *c, const struct named *e, struct edge_end **ends_p, int *n_p)
{
    struct mend_proc *self = c->self;
    const struct mend_type *t = mend_type_predefined((uintptr_t)MPI_INT);
    struct mend_coll_how now = {.kind = MEND_COLL_NOW};
    size_t room_bytes = (size_t)c->size * 5 * sizeof(int);
    int *room = mend_alloc_for_others(self, room_bytes), total, err;
    struct outgoing o = {room, room + c->size, room + 2 * (size_t)c->size, NULL};
    int *in_counts = room + 3 * (size_t)c->size, *in_displs = room + 4 * (size_t)c->size;
    struct edge_end *got = NULL;

    if (!room)
        return MPI_ERR_NO_MEM;
    memset(room, 0, room_bytes);
    each_end(e, count_end, &o);
    total = sum_displs(c->size, o.counts, o.displs);
    o.ends = mend_alloc_for_others(self, (size_t)total * sizeof(int));
    err = o.ends ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!err) {
        each_end(e, put_end, &o);
        err = mend_coll_alltoall(c, &(struct mend_coll_buf){o.counts, 1, t, MPI_INT}, NULL,
                                 &(struct mend_coll_buf){in_counts, 1, t, MPI_INT}, NULL, &now);
    }
    if (!err) {
        *n_p = sum_displs(c->size, in_counts, in_displs) / END_INTS;
        got = mend_alloc_for_others(self, (size_t)*n_p * sizeof(*got));
        err = got ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (!err) {
        struct mend_coll_counts out = {.counts = o.counts, .displs = o.displs};
        struct mend_coll_counts in = {.counts = in_counts, .displs = in_displs};

        err = mend_coll_alltoall(c, &(struct mend_coll_buf){o.ends, 0, t, MPI_INT}, &out,
                                 &(struct mend_coll_buf){got, 0, t, MPI_INT}, &in, &now);
    }
    mend_free(self, o.ends);
    mend_free(self, room);
    if (err)
        mend_free(self, got);
    else
        *ends_p = got;
    return err;
}

/* Sorts the ends into sources and destinations and creates the communicator. */
static int create_from_ends(struct mend_comm *c, const struct edge_end *ends, int n, bool weighted,
                            struct mend_comm **made_p)
{
    struct mend_proc *self = c->self;
    size_t max = (size_t)n + 1;
    int *room = mend_alloc_for_others(self, 4 * max * sizeof(*room)), err;
    struct mend_dist_graph d = {.weighted = weighted,
                                .sources = room,
                                .source_weights = room + max,
                                .destinations = room + 2 * max,
                                .dest_weights = room + 3 * max};

    if (!room)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < n; i++) {
        int *at = ends[i].incoming ? &d.in_n : &d.out_n;

        (ends[i].incoming ? d.sources : d.destinations)[*at] = ends[i].other;
        (ends[i].incoming ? d.source_weights : d.dest_weights)[*at] = ends[i].weight;
        ++*at;
    }
    err = create(c, &d, made_p);
    mend_free(self, room);
    return err;
}

static int check_named(const struct mend_comm *c, const struct named *e)
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
    return total * 2 * END_INTS > INT32_MAX
               ? MPI_ERR_ARG
               : check_ends(c, (int)total, e->destinations, e->weights);
}

MEND_API(MPI_Dist_graph_create);
int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                          const int destinations[], const int *weights, MPI_Info info, int reorder,
                          MPI_Comm *comm_dist_graph)
{
    const struct named e = {n, sources, degrees, destinations, weights};
    struct mend_comm *c = NULL, *made = NULL;
    struct mend_info *i = NULL;
    struct edge_end *ends = NULL;
    int ends_n = 0;
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
        err = exchange(c, &e, &ends, &ends_n);
    if (!err) {
        err = create_from_ends(c, ends, ends_n, weights != MPI_UNWEIGHTED, &made);
        mend_free(mend_self, ends);
    }
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
