/* SPDX-License-Identifier: BSD-3-Clause */
/* dist_graph.c – a communicator with a distributed graph of which each process names some edges (MPI-5.0 8.5.4).
 *
 * Any process may name any edge, so edges are sent to their two ends first.
 *
 *     edge s -> d with weight w, named anywhere      to s: {OUT, d, w}      to d: {IN, s, w}
 *
 * Every process then has its own neighbours, and the communicator is created with them (create/topo.c). */
#include "create/create.h"

#include "coll/coll.h"
#include "comm/topo.h"

#include <string.h>

/* One end of an edge on its way to the process that it is about. */
struct edge_end {
    int incoming, other, weight;
};
#define END_INTS (MEND_EDGE_INTS / 2)
_Static_assert(sizeof(struct edge_end) == END_INTS * sizeof(int), "ends are sent as ints");

static int weight_of(const struct mend_named_edges *e, int at)
{
    return e->weights == MPI_UNWEIGHTED ? 1 : e->weights[at];
}

/* Calls put() for both ends of every edge. */
static void each_end(const struct mend_named_edges *e,
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
static int exchange(struct mend_comm *c, const struct mend_named_edges *e, struct edge_end **ends_p,
                    int *n_p)
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
                            struct mend_comm **new_p)
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
    err = mend_create_neighbours(c, &d, new_p);
    mend_free(self, room);
    return err;
}

int mend_create_dist_graph(struct mend_comm *c, const struct mend_named_edges *e,
                           struct mend_comm **new_p)
{
    struct edge_end *ends = NULL;
    int n = 0, err = exchange(c, e, &ends, &n);

    if (err)
        return err;
    err = create_from_ends(c, ends, n, e->weights != MPI_UNWEIGHTED, new_p);
    mend_free(c->self, ends);
    return err;
}
