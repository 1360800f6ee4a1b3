/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.c – grids, graphs, distributed graphs: their arithmetic.
 *
 *     a 2 x 3 grid, ranks:     0  1  2        coords of 5: (1, 2)
 *                              3  4  5                                          */
#include "comm/topo.h"

#include <limits.h>
#include <string.h>

/* A copy of n ints; n == 0 gives a pointer, too.  NULL: no memory. */
static int *copy_ints(struct mend_proc *self, const int *from, int n)
{
    int *to = mend_alloc(self, (size_t)n * sizeof(*to));

    if (to && n > 0)
        memcpy(to, from, (size_t)n * sizeof(*to));
    return to;
}

static struct mend_topo *new_topo(struct mend_proc *self, int kind)
{
    struct mend_topo *t = mend_zalloc(self, 1, sizeof(*t));

    if (t)
        t->kind = kind;
    return t;
}

/* The topology if nothing of it is missing. */
static struct mend_topo *whole(struct mend_proc *self, struct mend_topo *t, bool complete)
{
    if (complete)
        return t;
    mend_topo_free(self, t);
    return NULL;
}

struct mend_topo *mend_topo_cart(struct mend_proc *self, int ndims, const int *dims,
                                 const int *periods, int rank)
{
    struct mend_topo *t = new_topo(self, MPI_CART);
    struct mend_cart *cart;

    if (!t)
        return NULL;
    cart = &t->cart;
    cart->ndims = ndims;
    cart->dims = copy_ints(self, dims, ndims);
    cart->coords = mend_zalloc(self, (size_t)ndims + 1, sizeof(int));
    cart->periods = mend_zalloc(self, (size_t)ndims + 1, sizeof(bool));
    if (!cart->dims || !cart->coords || !cart->periods)
        return whole(self, t, false);
    for (int d = 0; d < ndims; d++)
        cart->periods[d] = periods[d] != 0;
    mend_cart_coords(cart, rank, cart->coords);
    return t;
}

struct mend_topo *mend_topo_graph(struct mend_proc *self, int nodes, const int *index,
                                  const int *edges)
{
    struct mend_topo *t = new_topo(self, MPI_GRAPH);

    if (!t)
        return NULL;
    t->graph.nodes = nodes;
    t->graph.index = copy_ints(self, index, nodes);
    t->graph.edges = copy_ints(self, edges, nodes ? index[nodes - 1] : 0);
    return whole(self, t, t->graph.index && t->graph.edges);
}

struct mend_topo *mend_topo_dist(struct mend_proc *self, const struct mend_dist_graph *d)
{
    struct mend_topo *t = new_topo(self, MPI_DIST_GRAPH);
    struct mend_dist_graph *to;
    bool complete;

    if (!t)
        return NULL;
    to = &t->dist;
    to->in_n = d->in_n;
    to->out_n = d->out_n;
    to->weighted = d->weighted;
    to->sources = copy_ints(self, d->sources, d->in_n);
    to->destinations = copy_ints(self, d->destinations, d->out_n);
    complete = to->sources && to->destinations;
    if (d->weighted) {
        to->source_weights = copy_ints(self, d->source_weights, d->in_n);
        to->dest_weights = copy_ints(self, d->dest_weights, d->out_n);
        complete = complete && to->source_weights && to->dest_weights;
    }
    return whole(self, t, complete);
}

/* A grid's copy keeps the coordinates: a duplicate has the same ranks. */
static struct mend_topo *dup_cart(struct mend_proc *self, const struct mend_cart *from)
{
    struct mend_topo *t = new_topo(self, MPI_CART);
    size_t n = (size_t)from->ndims;

    if (!t)
        return NULL;
    t->cart.ndims = from->ndims;
    t->cart.dims = copy_ints(self, from->dims, from->ndims);
    t->cart.coords = copy_ints(self, from->coords, from->ndims);
    t->cart.periods = mend_zalloc(self, n + 1, sizeof(bool));
    if (!t->cart.dims || !t->cart.coords || !t->cart.periods)
        return whole(self, t, false);
    memcpy(t->cart.periods, from->periods, n * sizeof(bool));
    return t;
}

struct mend_topo *mend_topo_dup(struct mend_proc *self, const struct mend_topo *t)
{
    switch (t->kind) {
    case MPI_CART:
        return dup_cart(self, &t->cart);
    case MPI_GRAPH:
        return mend_topo_graph(self, t->graph.nodes, t->graph.index, t->graph.edges);
    default:
        return mend_topo_dist(self, &t->dist);
    }
}

void mend_topo_free(struct mend_proc *self, struct mend_topo *t)
{
    switch (t->kind) {
    case MPI_CART:
        mend_free(self, t->cart.dims);
        mend_free(self, t->cart.coords);
        mend_free(self, t->cart.periods);
        break;
    case MPI_GRAPH:
        mend_free(self, t->graph.index);
        mend_free(self, t->graph.edges);
        break;
    default:
        mend_free(self, t->dist.sources);
        mend_free(self, t->dist.source_weights);
        mend_free(self, t->dist.destinations);
        mend_free(self, t->dist.dest_weights);
    }
    mend_free(self, t);
}

int mend_cart_nodes(int ndims, const int *dims)
{
    int nodes = 1;

    for (int d = 0; d < ndims; d++)
        if (__builtin_mul_overflow(nodes, dims[d], &nodes))
            return -1;
    return nodes;
}

void mend_cart_coords(const struct mend_cart *cart, int rank, int *coords)
{
    for (int d = cart->ndims - 1; d >= 0; d--) {
        coords[d] = rank % cart->dims[d];
        rank /= cart->dims[d];
    }
}

/* A coordinate brought into range; -1: it is beyond a border. */
static int wrap(const struct mend_cart *cart, int d, int64_t at)
{
    int64_t n = cart->dims[d];

    if (at >= 0 && at < n)
        return (int)at;
    return cart->periods[d] ? (int)((at % n + n) % n) : -1;
}

int mend_cart_rank(const struct mend_cart *cart, const int *coords, int *rank_p)
{
    int rank = 0;

    for (int d = 0; d < cart->ndims; d++) {
        int at = wrap(cart, d, coords[d]);

        if (at < 0)
            return MPI_ERR_ARG;
        rank = rank * cart->dims[d] + at;
    }
    *rank_p = rank;
    return MPI_SUCCESS;
}

int mend_cart_neighbour(const struct mend_cart *cart, int direction, int64_t disp)
{
    int at = wrap(cart, direction, cart->coords[direction] + disp), rank = 0;

    if (at < 0)
        return MPI_PROC_NULL;
    for (int d = 0; d < cart->ndims; d++)
        rank = rank * cart->dims[d] + (d == direction ? at : cart->coords[d]);
    return rank;
}

/* Dimensions beyond this many get the factor 1: an int has at most 30 prime factors. */
#define FACTORS_MAX 32

/* The search for the factors that are closest to each other. */
struct factors {
    int k, pick[FACTORS_MAX]; /* smallest first */
    int best[FACTORS_MAX];
    int64_t best_spread; /* largest minus smallest of the best so far */
};

/* factor^k, or something above n */
static int64_t power_up_to(int64_t factor, int k, int64_t n)
{
    int64_t power = 1;

    for (int i = 0; i < k && power <= n; i++)
        power *= factor;
    return power;
}

/* The largest integer whose k-th power is at most n. */
static int root(int k, int n)
{
    int low = 1, high = n;

    while (low < high) {
        int mid = low + (high - low + 1) / 2;

        if (power_up_to(mid, k, n) <= n)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Picks factor number `at` and the ones after it, which make n.  They come smallest first and each as
 * large as possible, so of equal spreads the first found is that with the largest small factors.  What
 * cannot be closer than the best is not looked at: the largest factor is at least the root of n. */
static void pick(struct factors *f, int at, int n)
{
    int left = f->k - at, low = at ? f->pick[at - 1] : 1;

    if (left == 1) {
        f->pick[at] = n;
        if (n >= low && n - f->pick[0] < f->best_spread) {
            f->best_spread = n - f->pick[0];
            memcpy(f->best, f->pick, sizeof(f->best));
        }
        return;
    }
    for (int x = root(left, n); x >= low; x--) {
        int64_t smallest = at ? f->pick[0] : x;

        if (power_up_to(smallest + f->best_spread - 1, left, n) < n)
            return;
        if (n % x)
            continue;
        f->pick[at] = x;
        pick(f, at + 1, n / x);
    }
}

int mend_dims_create(int nodes, int ndims, int *dims)
{
    struct factors f = {.best_spread = INT_MAX};
    int open = 0;

    for (int d = 0; d < ndims; d++) {
        if (dims[d] < 0)
            return MPI_ERR_DIMS;
        if (dims[d] == 0)
            open++;
        else if (nodes % dims[d])
            return MPI_ERR_DIMS;
        else
            nodes /= dims[d];
    }
    if (nodes < 1 || (open == 0 && nodes != 1))
        return MPI_ERR_DIMS;
    f.k = open < FACTORS_MAX ? open : FACTORS_MAX;
    if (f.k)
        pick(&f, 0, nodes);
    for (int d = 0; d < ndims; d++)
        if (dims[d] == 0)
            dims[d] = f.k ? f.best[--f.k] : 1;
    return MPI_SUCCESS;
}

void mend_topo_degrees(const struct mend_comm *c, int *in_n_p, int *out_n_p)
{
    const struct mend_topo *t = c->topo;
    int n;

    switch (t->kind) {
    case MPI_CART:
        *in_n_p = *out_n_p = 2 * t->cart.ndims;
        break;
    case MPI_GRAPH:
        n = t->graph.index[c->rank] - (c->rank ? t->graph.index[c->rank - 1] : 0);
        *in_n_p = *out_n_p = n;
        break;
    default:
        *in_n_p = t->dist.in_n;
        *out_n_p = t->dist.out_n;
    }
}

void mend_topo_neighbours(const struct mend_comm *c, int *sources, int *destinations)
{
    const struct mend_topo *t = c->topo;
    int in_n, out_n;

    mend_topo_degrees(c, &in_n, &out_n);
    if (t->kind == MPI_DIST_GRAPH) {
        memcpy(sources, t->dist.sources, (size_t)in_n * sizeof(int));
        memcpy(destinations, t->dist.destinations, (size_t)out_n * sizeof(int));
        return;
    }
    for (int i = 0; i < in_n; i++) {
        int who = t->kind == MPI_CART ? mend_cart_neighbour(&t->cart, i / 2, i % 2 ? 1 : -1)
                                      : t->graph.edges[t->graph.index[c->rank] - in_n + i];

        sources[i] = destinations[i] = who;
    }
}
