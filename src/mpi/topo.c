/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.c – Cartesian topologies (MPI-5.0 8.5.1, 8.5.2, 8.5.5 to 8.5.8).
 *
 * MPI_Cart_create and MPI_Cart_sub create communicators: collective, blocking, and with a death as
 * comm_create.c says.  Everything else is local and works whichever processes are dead, also on a revoked
 * communicator.
 *
 * Classes: MPI_ERR_TOPOLOGY no grid; MPI_ERR_DIMS dimensions that are wrong or do not fit;
 * MPI_ERR_ARG other values. */
#include "mpi/topo.h"

static int check_grid(const struct mend_comm *c, int ndims, const int *dims, const int *periods)
{
    int nodes;

    if (ndims < 0)
        return MPI_ERR_DIMS;
    if (ndims > 0 && !(dims && periods))
        return MPI_ERR_ARG;
    for (int d = 0; d < ndims; d++)
        if (dims[d] <= 0)
            return MPI_ERR_DIMS;
    nodes = mend_cart_nodes(ndims, dims);
    return nodes < 0 || nodes > c->size ? MPI_ERR_DIMS : MPI_SUCCESS;
}

/* Processes beyond the grid get MPI_COMM_NULL. */
MEND_API(MPI_Cart_create);
int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                    int reorder, MPI_Comm *comm_cart)
{
    struct mend_comm *c = NULL, *made = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm_old, &c);
    if (!err)
        err = mend_check_pointer(comm_cart);
    if (!err)
        err = check_grid(c, ndims, dims, periods);
    if (!err)
        err = mend_create_cart(c, ndims, dims, periods, &made);
    if (!err)
        *comm_cart = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}

/* Fills dims where they are 0. */
MEND_API(MPI_Dims_create);
int MPI_Dims_create(int nnodes, int ndims, int dims[])
{
    int err = mend_enter(__func__);

    if (!err && ndims > 0)
        err = mend_check_pointer(dims);
    if (!err && (nnodes < 1 || ndims < 0))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_dims_create(nnodes, ndims, dims);
    return mend_report(err, __func__);
}

/* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED. */
MEND_API(MPI_Topo_test);
int MPI_Topo_test(MPI_Comm comm, int *status)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_find_comm(comm, &c);
    if (!err)
        err = mend_check_pointer(status);
    if (!err)
        *status = c->topo ? c->topo->kind : MPI_UNDEFINED;
    return mend_report_comm(c, err, __func__);
}

static int check_cart(MPI_Comm comm, struct mend_comm **c_p, const struct mend_cart **cart_p)
{
    int err = mend_check_topo(comm, MPI_CART, c_p);

    if (!err)
        *cart_p = &(*c_p)->topo->cart;
    return err;
}

MEND_API(MPI_Cartdim_get);
int MPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
    struct mend_comm *c = NULL;
    const struct mend_cart *cart = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_cart(comm, &c, &cart);
    if (!err)
        err = mend_check_pointer(ndims);
    if (!err)
        *ndims = cart->ndims;
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Cart_get);
int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    struct mend_comm *c = NULL;
    const struct mend_cart *cart = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_cart(comm, &c, &cart);
    if (!err && (maxdims < cart->ndims || (cart->ndims > 0 && !(dims && periods && coords))))
        err = MPI_ERR_ARG;
    for (int d = 0; !err && d < cart->ndims; d++) {
        dims[d] = cart->dims[d];
        periods[d] = cart->periods[d];
        coords[d] = cart->coords[d];
    }
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Cart_rank);
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
    struct mend_comm *c = NULL;
    const struct mend_cart *cart = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_cart(comm, &c, &cart);
    if (!err && (!rank || (cart->ndims > 0 && !coords)))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_cart_rank(cart, coords, rank);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Cart_coords);
int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    struct mend_comm *c = NULL;
    const struct mend_cart *cart = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_cart(comm, &c, &cart);
    if (!err)
        err = mend_check_rank(c, rank);
    if (!err && (maxdims < cart->ndims || (cart->ndims > 0 && !coords)))
        err = MPI_ERR_ARG;
    if (!err)
        mend_cart_coords(cart, rank, coords);
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Cart_shift);
int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    struct mend_comm *c = NULL;
    const struct mend_cart *cart = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_cart(comm, &c, &cart);
    if (!err && !(rank_source && rank_dest))
        err = MPI_ERR_ARG;
    if (!err && (direction < 0 || direction >= cart->ndims))
        err = MPI_ERR_DIMS;
    if (!err) {
        *rank_source = mend_cart_neighbour(cart, direction, -(int64_t)disp);
        *rank_dest = mend_cart_neighbour(cart, direction, disp);
    }
    return mend_report_comm(c, err, __func__);
}

/* The rank that this process would have. */
MEND_API(MPI_Cart_map);
int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
    struct mend_comm *c = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = mend_check_intra(comm, &c);
    if (!err)
        err = mend_check_pointer(newrank);
    if (!err)
        err = check_grid(c, ndims, dims, periods);
    if (!err)
        *newrank = c->rank < mend_cart_nodes(ndims, dims) ? c->rank : MPI_UNDEFINED;
    return mend_report_comm(c, err, __func__);
}

MEND_API(MPI_Cart_sub);
int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
    struct mend_comm *c = NULL, *made = NULL;
    const struct mend_cart *cart = NULL;
    int err = mend_enter(__func__);

    if (!err)
        err = check_cart(comm, &c, &cart);
    if (!err && (!newcomm || (cart->ndims > 0 && !remain_dims)))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_create_subgrid(c, remain_dims, &made);
    if (!err)
        *newcomm = mend_comm_handle(made);
    return mend_report_comm(c, err, __func__);
}
