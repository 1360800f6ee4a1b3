/* SPDX-License-Identifier: BSD-3-Clause */
/* random_views.h – views drawn at random, each as the library gets it and as a list of places, which is worked out without any
 * datatype of the library.  random_etypes.h draws what the slots hold.
 *
 *   a tile      so many places for etypes, in order, each of which belongs to one rank or to nobody:   0 2 1 . 0 0 1
 *   a view      from a displacement on, tile behind tile:     its stream is the bytes of the slots of one rank
 *
 * All ranks draw the same numbers, so each knows the view of every other one.  The views of a round are disjoint. */
#ifndef TEST_MPI_FILE_RANDOM_VIEWS_H
#define TEST_MPI_FILE_RANDOM_VIEWS_H

#include "random_etypes.h"

#define SLOTS_MAX 800

struct view {
    struct etype e;
    int n, slot[SLOTS_MAX]; /* slots of the tile that it sees */
    int tile, step;         /* slots; from the begin of a tile to the next */
    long disp;              /* bytes */
    int once;               /* far away within a file type of which one tile fits */
    MPI_Datatype filetype;
};

/* ---- tiles: which slots belong to `who`, and the file type of them ---- */

/* Any slots, by one of four constructors; each rank takes another one. */
static MPI_Datatype of_slots(const struct view *v, int how, MPI_Aint from)
{
    int ones[SLOTS_MAX], runs[SLOTS_MAX], begin[SLOTS_MAX], n = 0;
    MPI_Aint at[SLOTS_MAX];
    MPI_Datatype types[SLOTS_MAX], t;

    for (int i = 0; i < v->n; i++) {
        ones[i] = 1;
        types[i] = v->e.type;
        at[i] = from + (MPI_Aint)v->slot[i] * v->e.extent;
        if (n && begin[n - 1] + runs[n - 1] == v->slot[i]) {
            runs[n - 1]++;
        } else {
            begin[n] = v->slot[i];
            runs[n++] = 1;
        }
    }
    if (from)
        how = 1 + how % 2;
    if (how == 0)
        CHECK_OK(MPI_Type_indexed(n, runs, begin, v->e.type, &t));
    else if (how == 1)
        CHECK_OK(MPI_Type_create_hindexed(v->n, ones, at, v->e.type, &t));
    else if (how == 2)
        CHECK_OK(MPI_Type_create_struct(v->n, ones, at, types, &t));
    else
        CHECK_OK(MPI_Type_create_indexed_block(v->n, 1, v->slot, v->e.type, &t));
    return t;
}

/* Each slot is of a rank or of nobody; each rank has one at least. */
static void draw_owners(int *owner, int *tile_p)
{
    int tile = size + draw(40) + 1;

    for (int i = 0; i < tile; i++)
        owner[i] = i < size ? i : draw(size + 1);
    for (int i = tile - 1; i > 0; i--) {
        int j = draw(i + 1), was = owner[i];

        owner[i] = owner[j];
        owner[j] = was;
    }
    *tile_p = tile;
}

static void make_pieces(struct view *v, const int *owner, int how, int who, MPI_Aint far)
{
    MPI_Datatype t;

    for (int i = 0; i < v->tile; i++)
        if (owner[i] == who)
            v->slot[v->n++] = i;
    t = of_slots(v, (how + who) % 4, far);
    CHECK_OK(MPI_Type_create_resized(t, 0, far + (MPI_Aint)v->tile * v->e.extent, &v->filetype));
    CHECK_OK(MPI_Type_free(&t));
}

/* A grid of ranks over an array of three dimensions, as both constructors take it. */
struct grid {
    int sizes[3], ranks[3], order;
    bool blocks;               /* a subarray for each rank, cut at random; else darray */
    int cut[3][9];             /* of the blocks */
    int distribution[3], k[3]; /* of darray */
};

static void draw_dim(struct grid *g, int d)
{
    int p = g->ranks[d], n = p + draw(7 - (p > 4 ? 2 : 0));

    g->sizes[d] = n;
    g->cut[d][0] = 0;
    for (int i = 1; i <= p; i++)
        g->cut[d][i] = i == p ? n : i + (n - p) * i / p;
    g->distribution[d] = p == 1 && draw(2) ? MPI_DISTRIBUTE_NONE
                         : draw(2)         ? MPI_DISTRIBUTE_CYCLIC
                                           : MPI_DISTRIBUTE_BLOCK;
    g->k[d] = 1 + draw(2);
    if (g->distribution[d] == MPI_DISTRIBUTE_BLOCK)
        g->k[d] = (n + p - 1) / p;
    if (g->distribution[d] == MPI_DISTRIBUTE_NONE)
        g->k[d] = MPI_DISTRIBUTE_DFLT_DARG;
}

static struct grid draw_grid(void)
{
    struct grid g = {.order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, .blocks = draw(2)};

    CHECK_OK(MPI_Dims_create(size, 3, g.ranks));
    for (int d = 0; d < 3; d++)
        draw_dim(&g, d);
    return g;
}

static bool owns(const struct grid *g, int d, int index, int coord)
{
    if (g->blocks)
        return index >= g->cut[d][coord] && index < g->cut[d][coord + 1];
    return g->distribution[d] == MPI_DISTRIBUTE_NONE || index / g->k[d] % g->ranks[d] == coord;
}

/* The ranks lie in the grid in the order of C, whatever that of the array is (MPI-5.0 5.1.4). */
static void grid_coords(const struct grid *g, int who, int *at)
{
    at[2] = who % g->ranks[2];
    at[1] = who / g->ranks[2] % g->ranks[1];
    at[0] = who / g->ranks[2] / g->ranks[1];
}

static void slots_of_grid(struct view *v, const struct grid *g, const int *at)
{
    v->tile = g->sizes[0] * g->sizes[1] * g->sizes[2];
    CHECK(v->tile <= SLOTS_MAX);
    for (int i = 0; i < v->tile; i++) {
        int index[3], left = i;
        bool c = g->order == MPI_ORDER_C;

        for (int d = 0; d < 3; d++) {
            int dim = c ? 2 - d : d;

            index[dim] = left % g->sizes[dim];
            left /= g->sizes[dim];
        }
        if (owns(g, 0, index[0], at[0]) && owns(g, 1, index[1], at[1]) &&
            owns(g, 2, index[2], at[2]))
            v->slot[v->n++] = i;
    }
}

static void make_grid(struct view *v, const struct grid *g, int who)
{
    int at[3], begin[3], len[3];

    grid_coords(g, who, at);
    slots_of_grid(v, g, at);
    for (int d = 0; d < 3; d++) {
        begin[d] = g->cut[d][at[d]];
        len[d] = g->cut[d][at[d] + 1] - begin[d];
    }
    if (g->blocks)
        CHECK_OK(
            MPI_Type_create_subarray(3, g->sizes, len, begin, g->order, v->e.type, &v->filetype));
    else
        CHECK_OK(MPI_Type_create_darray(size, who, 3, g->sizes, g->distribution, g->k, g->ranks,
                                        g->order, v->e.type, &v->filetype));
}

/* ---- views ---- */

/* One for each rank.  `far`: how far away the bytes of the file are that the test looks at. */
static void draw_views(struct view *views, MPI_Offset far)
{
    struct etype e = draw_etype();
    int owner[SLOTS_MAX], tile = 0, how = draw(4), disp = draw(50);
    bool pieces = draw(2), once = pieces && far && draw(2);
    struct grid g = draw_grid();

    draw_owners(owner, &tile);
    for (int r = 0; r < size; r++) {
        struct view *v = &views[r];

        *v = (struct view){.e = e, .disp = disp, .once = once};
        if (pieces) {
            v->tile = tile;
            make_pieces(v, owner, how, r, once ? (MPI_Aint)far : 0);
        } else {
            make_grid(v, &g, r);
        }
        v->step = v->tile;
        CHECK_OK(MPI_Type_commit(&v->filetype));
    }
}

/* For reading: each tile begins in the middle of the one before. */
static void overlap_tiles(struct view *v)
{
    MPI_Datatype wide = v->filetype;

    v->step = (v->tile + 1) / 2;
    CHECK_OK(MPI_Type_create_resized(wide, 0, (MPI_Aint)v->step * v->e.extent, &v->filetype));
    CHECK_OK(MPI_Type_commit(&v->filetype));
    CHECK_OK(MPI_Type_free(&wide));
}

static void free_views(struct view *views)
{
    if (!views[0].e.predefined)
        CHECK_OK(MPI_Type_free(&views[0].e.type));
    CHECK_OK(MPI_Type_free(&views[0].e.packed));
    for (int r = 0; r < size; r++)
        CHECK_OK(MPI_Type_free(&views[r].filetype));
}

/* Where byte k of the stream lies, from the begin of what is looked at. */
static long place(const struct view *v, long k, bool swapped)
{
    long q = k / v->e.size, slot = q / v->n * v->step + v->slot[q % v->n];
    long b = k % v->e.size;

    return v->disp + slot * v->e.extent + v->e.place[swapped ? v->e.size - 1 - b : b];
}

#endif
