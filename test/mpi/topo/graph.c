/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph and distributed graph topologies (MPI-5.0 8.5.3 to 8.5.5). */
/* RUN: -n 4 */
/* RUN: -n 5 */
/* BUILD: -Werror */
/* (no warnings: MPI_UNWEIGHTED is an address behind which a compiler must not expect an array) */
#include "../comm/common.h"

/* 0 - 1, 0 - 3, 2 - 3 */
static const int index_of[] = {2, 3, 4, 6}, edges[] = {1, 3, 0, 3, 0, 2};

static void graph(void)
{
    MPI_Comm g = MPI_COMM_SELF;
    int n = -1, m = -1, i[4], e[6];

    CHECK_OK(MPI_Graph_map(MPI_COMM_WORLD, 4, index_of, edges, &n));
    CHECK_EQ(n, rank < 4 ? rank : MPI_UNDEFINED);
    CHECK_OK(MPI_Graph_create(MPI_COMM_WORLD, 4, index_of, edges, 0, &g));
    CHECK((g == MPI_COMM_NULL) == (rank >= 4));
    if (g != MPI_COMM_NULL) {
        CHECK_OK(MPI_Topo_test(g, &n));
        CHECK_EQ(n, MPI_GRAPH);
        CHECK_OK(MPI_Graphdims_get(g, &n, &m));
        CHECK(n == 4 && m == 6);
        CHECK_OK(MPI_Graph_get(g, 4, 6, i, e));
        CHECK(!memcmp(i, index_of, sizeof i) && !memcmp(e, edges, sizeof e));
        CHECK_OK(MPI_Graph_neighbors_count(g, 3, &n));
        CHECK_EQ(n, 2);
        CHECK_OK(MPI_Graph_neighbors(g, 3, 2, e));
        CHECK(e[0] == 0 && e[1] == 2);
        CHECK_CLASS(MPI_Graph_get(g, 3, 6, i, e), MPI_ERR_ARG);
        CHECK_CLASS(MPI_Graph_neighbors_count(g, 4, &n), MPI_ERR_RANK);
        CHECK_CLASS(MPI_Cartdim_get(g, &n), MPI_ERR_TOPOLOGY);
        CHECK_OK(MPI_Comm_free(&g));
    }
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, size + 1, index_of, edges, 0, &g), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 0}, edges, 0, &g), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, 2, (int[]){1, 2}, (int[]){1, 2}, 0, &g),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Graphdims_get(MPI_COMM_WORLD, &n, &m), MPI_ERR_TOPOLOGY);
}

/* Everybody names its own edges of a ring. */
static void adjacent(void)
{
    int from = (rank + size - 1) % size, to = (rank + 1) % size, in = -1, out = -1, weighted = -1;
    int w_in = 10 * from, w_out = 10 * rank, source = -1, dest = -1, got = -1;
    MPI_Comm g, dup;

    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &w_in, 1, &to, &w_out,
                                            MPI_INFO_NULL, 0, &g));
    CHECK_OK(MPI_Comm_dup(g, &dup));
    CHECK_OK(MPI_Comm_free(&g));
    CHECK_OK(MPI_Topo_test(dup, &got));
    CHECK_EQ(got, MPI_DIST_GRAPH);
    CHECK_OK(MPI_Dist_graph_neighbors_count(dup, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && weighted == 1);
    w_in = w_out = -1;
    CHECK_OK(MPI_Dist_graph_neighbors(dup, 1, &source, &w_in, 1, &dest, &w_out));
    CHECK(source == from && dest == to && w_in == 10 * from && w_out == 10 * rank);
    CHECK_OK(MPI_Comm_free(&dup));

    CHECK_OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
                                            MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &g));
    CHECK_OK(MPI_Dist_graph_neighbors_count(g, &in, &out, &weighted));
    CHECK(in == 0 && out == 0 && weighted == 1);
    CHECK_OK(MPI_Comm_free(&g));
    to = size;
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &g),
                MPI_ERR_RANK);
}

/* Rank 0 names a star for everybody, the last rank one more edge. */
static void named_elsewhere(void)
{
    int sources[1] = {0}, dests[8], weights[8], degree, n = 0, in = -1, out = -1, weighted = -1;
    int from[8], to[8], w[8], sum = 0;
    MPI_Comm g;

    if (rank == 0) {
        n = 1;
        for (degree = 0; degree < size - 1; degree++) {
            dests[degree] = degree + 1;
            weights[degree] = 100 + degree;
        }
    } else if (rank == size - 1) {
        n = 1;
        sources[0] = 1;
        dests[0] = 0;
        weights[0] = 7;
        degree = 1;
    }
    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, &degree, dests, weights,
                                   MPI_INFO_NULL, 0, &g));
    CHECK_OK(MPI_Dist_graph_neighbors_count(g, &in, &out, &weighted));
    CHECK_EQ(weighted, 1);
    CHECK_EQ(in, 1);
    CHECK_EQ(out, rank == 0 ? size - 1 : rank == 1 ? 1 : 0);
    CHECK_OK(MPI_Dist_graph_neighbors(g, in, from, w, out, to, weights));
    CHECK_EQ(from[0], rank == 0 ? 1 : 0);
    CHECK_EQ(w[0], rank == 0 ? 7 : 99 + rank);
    for (int i = 0; i < out; i++)
        sum += to[i];
    CHECK_EQ(sum, rank == 0 ? size * (size - 1) / 2 : 0);
    CHECK_OK(MPI_Comm_free(&g));

    CHECK_OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &g));
    CHECK_OK(MPI_Dist_graph_neighbors_count(g, &in, &out, &weighted));
    CHECK(in == 0 && out == 0 && weighted == 0);
    CHECK_OK(MPI_Comm_free(&g));
    degree = 1;
    dests[0] = -1;
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, &degree, dests, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &g),
                MPI_ERR_RANK);
    degree = -1;
    CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, &degree, dests, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &g),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &in, &out, &weighted),
                MPI_ERR_TOPOLOGY);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    graph();
    adjacent();
    named_elsewhere();
    return finish();
}
