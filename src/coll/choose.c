/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.c – one function per collective says which algorithm is used when.
 *
 * The limits (choose_limits.h) were measured on two cores of one machine (README.md says how); the shapes are
 * those of Thakur, Rabenseifner and Gropp (2005): few rounds for short vectors, little traffic
 * for long ones.  MEND_COLL=allreduce=ring,bcast=binomial forces an algorithm where it can be
 * used at all.  choice.def says for readers what is done here. */
#include "coll/choose.h"

#include "coll/nodes.h"

#include <string.h>

#define KIB(name_) ((MPI_Count)MEND_KIB_##name_ * 1024)
_Static_assert(KIB(OF_CELL) == MEND_CELL_CHUNK, "the number that choice.def has");

static const struct {
    const char *name;
    enum mend_algorithm algorithm;
} names[] = {
    {"shm", MEND_ALGORITHM_SHM},           {"dissemination", MEND_ALGORITHM_DISSEMINATION},
    {"binomial", MEND_ALGORITHM_BINOMIAL}, {"scatter_ring", MEND_ALGORITHM_SCATTER_RING},
    {"doubling", MEND_ALGORITHM_DOUBLING}, {"halving", MEND_ALGORITHM_HALVING},
    {"ring", MEND_ALGORITHM_RING},         {"linear", MEND_ALGORITHM_LINEAR},
    {"bruck", MEND_ALGORITHM_BRUCK},       {"pairwise", MEND_ALGORITHM_PAIRWISE},
    {"nodes", MEND_ALGORITHM_NODES},
};

enum mend_algorithm mend_choose_forced(const char *text, const char *collective)
{
    size_t len = strlen(collective);

    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *value = at + len + 1;

        if (strncmp(at, collective, len) || at[len] != '=')
            continue;
        for (size_t i = 0; i < MEND_COUNT_OF(names); i++)
            if (strcspn(value, ",") == strlen(names[i].name) &&
                !strncmp(value, names[i].name, strlen(names[i].name)))
                return names[i].algorithm;
    }
    return MEND_ALGORITHM_NONE;
}

/* The forced algorithm, NONE in nearly all runs. */
static enum mend_algorithm forced(const struct mend_coll_choice *x, const char *collective)
{
    if (mend_choose_freely(x->c))
        return MEND_ALGORITHM_NONE;
    return mend_choose_forced(x->c->self->params.coll_algorithm, collective);
}

static bool is_power_of_two(int n)
{
    return !(n & (n - 1));
}

static bool shm_possible(const struct mend_coll_choice *x)
{
    return mend_choose_shm_possible(x->c, x->how);
}

static bool shm_reduction_possible(const struct mend_coll_choice *x)
{
    return mend_choose_shm_reduction(x->c, x->how, x->op, x->type);
}

/* use: nothing forced, or just this. */
static bool use(enum mend_algorithm forced_one, enum mend_algorithm this_one)
{
    return forced_one == MEND_ALGORITHM_NONE || forced_one == this_one;
}

/* Members are on several nodes, and some on one. */
static bool use_nodes(const struct mend_coll_choice *x, enum mend_algorithm forced_one,
                      MPI_Count bytes, MPI_Count end)
{
    const struct mend_nodes *nodes = x->c->coll->nodes;

    if (!nodes || (x->op && !x->op->commutative && !nodes->in_order))
        return false;
    if (forced_one == MEND_ALGORITHM_NONE)
        return bytes < end;
    return forced_one == MEND_ALGORITHM_NODES;
}

/* From so much on, a scan goes from rank to rank, in segments of this length.  That takes as many rounds as there are segments
 * and ranks together, while doubling moves the whole vector log2(ranks) times: so there must be a segment for every four
 * ranks at least. */
#define CHAIN   KIB(SCAN_CHAIN)
#define SEGMENT KIB(SCAN_SEGMENT)

static bool use_cell(const struct mend_coll_choice *x, enum mend_algorithm forced_one,
                     MPI_Count bytes, MPI_Count most, MPI_Count most_of_pair)
{
    if (forced_one == MEND_ALGORITHM_NONE && x->c->size == 2 && bytes > most_of_pair)
        return false;
    return use(forced_one, MEND_ALGORITHM_SHM) && bytes <= most;
}

enum mend_algorithm mend_choose_barrier(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "barrier");

    if (use(f, MEND_ALGORITHM_SHM) && shm_possible(x))
        return MEND_ALGORITHM_SHM;
    return use_nodes(x, f, 0, 1) ? MEND_ALGORITHM_NODES : MEND_ALGORITHM_DISSEMINATION;
}

enum mend_algorithm mend_choose_bcast(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "bcast");

    if (use_cell(x, f, x->bytes, INT64_MAX, MEND_PAIR_BCAST) && shm_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_BINOMIAL || f == MEND_ALGORITHM_SCATTER_RING)
        return f;
    return use_nodes(x, f, 0, 1) ? MEND_ALGORITHM_NODES : mend_choose_bcast_among(x, x->c->size);
}

enum mend_algorithm mend_choose_bcast_among(const struct mend_coll_choice *x, int n)
{
    return x->bytes >= KIB(BCAST_PARTS) && n > 2 ? MEND_ALGORITHM_SCATTER_RING
                                                 : MEND_ALGORITHM_BINOMIAL;
}

enum mend_algorithm mend_choose_reduce(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "reduce");

    if (use(f, MEND_ALGORITHM_SHM) && shm_reduction_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_BINOMIAL || f == MEND_ALGORITHM_HALVING)
        return f;
    return use_nodes(x, f, x->bytes, KIB(NODES_REDUCTION))
               ? MEND_ALGORITHM_NODES
               : mend_choose_reduce_among(x, x->c->size);
}

enum mend_algorithm mend_choose_reduce_among(const struct mend_coll_choice *x, int n)
{
    return x->bytes >= KIB(REDUCE_HALVING) && n > 2 ? MEND_ALGORITHM_HALVING
                                                    : MEND_ALGORITHM_BINOMIAL;
}

enum mend_algorithm mend_choose_allreduce(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "allreduce");

    if (use(f, MEND_ALGORITHM_SHM) && shm_reduction_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_DOUBLING || f == MEND_ALGORITHM_HALVING ||
        (f == MEND_ALGORITHM_RING && x->op->commutative))
        return f;
    return use_nodes(x, f, x->bytes, KIB(NODES_REDUCTION))
               ? MEND_ALGORITHM_NODES
               : mend_choose_allreduce_among(x, x->c->size);
}

enum mend_algorithm mend_choose_allreduce_among(const struct mend_coll_choice *x, int n)
{
    if (x->bytes < KIB(ALLREDUCE_HALVING) || n == 1)
        return MEND_ALGORITHM_DOUBLING;
    /* Folding moves the whole vector twice more. */
    if (x->bytes >= KIB(ALLREDUCE_RING) && !is_power_of_two(n) && x->op->commutative)
        return MEND_ALGORITHM_RING;
    return MEND_ALGORITHM_HALVING;
}

/* An element is not divided. */
static MPI_Count segment_bytes(const struct mend_coll_choice *x)
{
    return x->type->size > SEGMENT ? x->type->size : SEGMENT;
}

enum mend_algorithm mend_choose_scan(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "scan");

    if (use_cell(x, f, x->bytes, MEND_CELL_CHUNK, KIB(PAIR_SCAN)) && shm_reduction_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_DOUBLING || f == MEND_ALGORITHM_LINEAR)
        return f;
    return x->bytes >= CHAIN && x->bytes / segment_bytes(x) * 4 >= x->c->size && x->c->size > 2
               ? MEND_ALGORITHM_LINEAR
               : MEND_ALGORITHM_DOUBLING;
}

MPI_Count mend_choose_segment(const struct mend_coll_choice *x)
{
    return x->type->size ? segment_bytes(x) / x->type->size : SEGMENT;
}

enum mend_algorithm mend_choose_reduce_scatter(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "reduce_scatter");

    if (use_cell(x, f, x->bytes, MEND_CELL_CHUNK, 2 * KIB(PAIR_BLOCK)) && shm_reduction_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_DOUBLING || f == MEND_ALGORITHM_PAIRWISE ||
        (f == MEND_ALGORITHM_HALVING && x->op->commutative))
        return f;
    if (x->bytes <= KIB(REDUCE_SCATTER_WHOLE))
        return MEND_ALGORITHM_DOUBLING;
    return x->op->commutative && (x->bytes <= KIB(REDUCE_SCATTER_PAIRS) || x->c->size == 2)
               ? MEND_ALGORITHM_HALVING
               : MEND_ALGORITHM_PAIRWISE;
}

enum mend_algorithm mend_choose_gather(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "gather");

    if (use(f, MEND_ALGORITHM_SHM) && x->bytes <= MEND_CELL_CHUNK / x->c->size && shm_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_BINOMIAL || f == MEND_ALGORITHM_LINEAR)
        return f;
    return x->bytes <= KIB(GATHER_TREE) && x->c->size > 4 ? MEND_ALGORITHM_BINOMIAL
                                                          : MEND_ALGORITHM_LINEAR;
}

enum mend_algorithm mend_choose_allgather(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "allgather");

    if (use_cell(x, f, x->bytes, MEND_CELL_CHUNK, KIB(PAIR_BLOCK)) && shm_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_RING || f == MEND_ALGORITHM_BRUCK ||
        (f == MEND_ALGORITHM_DOUBLING && is_power_of_two(x->c->size)))
        return f;
    if (use_nodes(x, f, x->bytes * x->c->size, KIB(NODES_ALLGATHER)))
        return MEND_ALGORITHM_NODES;
    if (x->bytes * x->c->size >= KIB(ALLGATHER_RING))
        return MEND_ALGORITHM_RING;
    return is_power_of_two(x->c->size) ? MEND_ALGORITHM_DOUBLING : MEND_ALGORITHM_BRUCK;
}

enum mend_algorithm mend_choose_allgatherv(const struct mend_coll_choice *x)
{
    if (use_cell(x, forced(x, "allgatherv"), x->block_max, MEND_CELL_CHUNK, KIB(PAIR_BLOCK)) &&
        shm_possible(x))
        return MEND_ALGORITHM_SHM;
    return MEND_ALGORITHM_RING;
}

enum mend_algorithm mend_choose_alltoall(const struct mend_coll_choice *x)
{
    enum mend_algorithm f = forced(x, "alltoall");

    if (use_cell(x, f, x->bytes, MEND_CELL_CHUNK / x->c->size, KIB(PAIR_BLOCK)) && shm_possible(x))
        return MEND_ALGORITHM_SHM;
    if (f == MEND_ALGORITHM_BRUCK || f == MEND_ALGORITHM_PAIRWISE)
        return f;
    return x->bytes <= 256 && x->c->size >= 8 ? MEND_ALGORITHM_BRUCK : MEND_ALGORITHM_PAIRWISE;
}
