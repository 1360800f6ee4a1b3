/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.c – communicators with a topology (MPI-5.0 8.5): which processes are in them, and their neighbours.
 *
 * Ranks are not reordered: on one node every order is as good.  When the members have agreed on the communicator, its
 * topology is made from the reserve (base/arena.h): the others have it, too.  create/dist_graph.c has the form in which
 * any process may name any edge. */
#include "create/creation.h"

#include "comm/topo.h"

/* A communicator of c's first `nodes` processes, NULL for the others.  MPI_ERR_PROC_FAILED also if one of them is a
 * hole: a topology is whole. */
static int create_of_first(struct mend_comm *c, int nodes, struct mend_comm **made_p)
{
    struct mend_group *g;
    mend_peer *peers;
    int err;

    mend_memory_press(c->self); /* the others take part */
    peers = mend_alloc(c->self, ((size_t)nodes + 1) * sizeof(*peers));
    for (int i = 0; i < nodes; i++)
        peers[i] = mend_group_peer(c->group, i);
    g = mend_group_create(c->self, peers, nodes);
    mend_memory_relax(c->self);
    mend_free(c->self, peers);
    err = mend_create_from_subset(c, g, made_p);
    mend_group_put(c->self, g);
    return err;
}

int mend_create_cart(struct mend_comm *c, int ndims, const int *dims, const int *periods,
                     struct mend_comm **new_p)
{
    int nodes = mend_cart_nodes(ndims, dims);
    int err = nodes == c->size ? mend_create_dup(c, MPI_SUCCESS, new_p)
                               : create_of_first(c, nodes, new_p);

    if (!err && *new_p) {
        mend_memory_press(c->self);
        (*new_p)->topo = mend_topo_cart(c->self, ndims, dims, periods, (*new_p)->rank);
        mend_memory_relax(c->self);
    }
    return err;
}

int mend_create_graph(struct mend_comm *c, int nodes, const int *index, const int *edges,
                      struct mend_comm **new_p)
{
    int err = create_of_first(c, nodes, new_p);

    if (!err && *new_p) {
        mend_memory_press(c->self);
        (*new_p)->topo = mend_topo_graph(c->self, nodes, index, edges);
        mend_memory_relax(c->self);
    }
    return err;
}

int mend_create_neighbours(struct mend_comm *c, const struct mend_dist_graph *d,
                           struct mend_comm **new_p)
{
    int err = mend_create_dup(c, MPI_SUCCESS, new_p);

    if (err)
        return err;
    mend_memory_press(c->self);
    (*new_p)->topo = mend_topo_dist(c->self, d);
    mend_memory_relax(c->self);
    return MPI_SUCCESS;
}

/* Number of the subgrid of this process: its coordinates in the dimensions that go. */
static int subgrid(const struct mend_cart *cart, const int *remain)
{
    int color = 0;

    for (int d = 0; d < cart->ndims; d++)
        if (!remain[d])
            color = color * cart->dims[d] + cart->coords[d];
    return color;
}

/* The topology of the subgrid, in which this process has that rank. */
static struct mend_topo *topo_of_subgrid(struct mend_proc *self, const struct mend_cart *cart,
                                         const int *remain, int rank)
{
    size_t n = (size_t)cart->ndims + 1;
    int *dims, *periods, at = 0;
    struct mend_topo *t;

    mend_memory_press(self);
    dims = mend_zalloc(self, 2 * n, sizeof(*dims));
    periods = dims + n;
    for (int d = 0; d < cart->ndims; d++) {
        if (!remain[d])
            continue;
        dims[at] = cart->dims[d];
        periods[at++] = cart->periods[d];
    }
    t = mend_topo_cart(self, at, dims, periods, rank);
    mend_memory_relax(self);
    mend_free(self, dims);
    return t;
}

int mend_create_subgrid(struct mend_comm *c, const int *remain, struct mend_comm **new_p)
{
    const struct mend_cart *cart = &c->topo->cart;
    int err;

    if (c->holes_n)
        return c->revoked ? MEND_CLASS_INVALIDATED : MEND_CLASS_PROC_FAILED;
    err = mend_create_split(c, subgrid(cart, remain), c->rank, new_p);
    if (!err)
        (*new_p)->topo = topo_of_subgrid(c->self, cart, remain, (*new_p)->rank);
    return err;
}
