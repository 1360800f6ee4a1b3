/* SPDX-License-Identifier: BSD-3-Clause */
/* topo.h – virtual topologies: the neighbours of each rank (MPI-5.0 chapter 8).
 *
 * A topology belongs to one communicator.  Functions here compute; the ones that create
 * communicators are in create/.  All local. */
#ifndef MEND_COMM_TOPO_H
#define MEND_COMM_TOPO_H

#include "comm/comm.h"

struct mend_cart {
    int ndims;
    int *dims, *coords; /* coords: of this process */
    bool *periods;
};

/* The whole graph at every process: neighbours of rank r are edges[index[r-1]] ..
 * edges[index[r]-1].
 */
struct mend_graph {
    int nodes;
    int *index, *edges;
};

/* Only this process's own neighbours. */
struct mend_dist_graph {
    int in_n, out_n;
    bool weighted;
    int *sources, *source_weights, *destinations, *dest_weights; /* weights NULL if !weighted */
};

struct mend_topo {
    int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
    union {
        struct mend_cart cart;
        struct mend_graph graph;
        struct mend_dist_graph dist;
    };
};

/* Constructors copy what they are given.  NULL: no memory. */
struct mend_topo *mend_topo_cart(struct mend_proc *self, int ndims, const int *dims,
                                 const int *periods, int rank);
struct mend_topo *mend_topo_graph(struct mend_proc *self, int nodes, const int *index,
                                  const int *edges);
struct mend_topo *mend_topo_dist(struct mend_proc *self, const struct mend_dist_graph *d);
struct mend_topo *mend_topo_dup(struct mend_proc *self, const struct mend_topo *t);
void mend_topo_free(struct mend_proc *self, struct mend_topo *t);

/* Processes of a grid, -1 if it is more than an int. */
int mend_cart_nodes(int ndims, const int *dims);

/* Row-major order: the last coordinate changes fastest. */
void mend_cart_coords(const struct mend_cart *cart, int rank, int *coords);

/* MPI_ERR_ARG: a coordinate out of range in a dimension that is not periodic. */
int mend_cart_rank(const struct mend_cart *cart, const int *coords, int *rank_p);

/* The neighbour at a distance in one dimension, MPI_PROC_NULL beyond the border. */
int mend_cart_neighbour(const struct mend_cart *cart, int direction, int64_t disp);

/* Fills the entries of dims that are 0 so that the product is nodes, larger factors first.  The largest
 * and the smallest are as close to each other as possible; if several products are equal in that, the
 * one with the largest smallest factor, then the second smallest and so on.  MPI_ERR_DIMS: not possible, a negative entry. */
int mend_dims_create(int nodes, int ndims, int *dims);

/* Number of neighbours that this process receives from and sends to in neighbourhood collectives,
 * and who they are in the order of their blocks (8.6).  In a grid: per dimension the one before,
 * then the one behind; MPI_PROC_NULL at a border. */
void mend_topo_degrees(const struct mend_comm *c, int *in_n_p, int *out_n_p);
void mend_topo_neighbours(const struct mend_comm *c, int *sources, int *destinations);

#endif
