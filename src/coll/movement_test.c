/* SPDX-License-Identifier: BSD-3-Clause */
/* movement_test.c – every algorithm that only moves data, as algorithm_test.c does for reductions.
 *
 * Byte k of the data that `from` has for `to` is a function of the three; type maps differ between
 * ranks, block sizes between pairs where the collective allows it. */
#include "coll/play.h"

static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32, 33};
static const MPI_Count counts[] = {0, 1, 3, 40};
#define EACH(var, list) for (size_t var##_ = 0; var##_ < MEND_COUNT_OF(list); var##_++)

/* Types of 4 bytes. */
static const struct mend_type types[3] = {
    {.dense = true, .size = 4, .extent = 4, .true_extent = 4},
    {.size = 4, .lb = 4, .extent = 12, .true_lb = 4, .true_extent = 4},
    {.size = 4, .extent = 8, .true_extent = 4},
};
#define EXTENT_MAX 12

struct movement {
    int n, root;
    MPI_Count count;
    bool in_place, late, mixed; /* mixed: type maps differ between ranks */
};

static const struct mend_type *type_of(const struct movement *t, int rank, bool is_out)
{
    return &types[t->mixed ? (rank * 2 + is_out) % 3 : 0];
}

static unsigned char data(int from, int to, MPI_Count k)
{
    return (unsigned char)(from * 37 + to * 101 + k * 7 + 1);
}

/* Fills, or checks, a block with the data of a pair. */
static void block(struct play_rank *p, struct mend_piece piece, int from, int to, bool check)
{
    for (MPI_Count k = 0; k < mend_piece_bytes(piece); k++) {
        char *at = play_element(p, piece, k / 4) + k % 4;

        if (check)
            CHECK_EQ((unsigned char)*at, data(from, to, k));
        else
            *at = (char)data(from, to, k);
    }
}

/* Bytes outside of the elements of a block have not changed. */
static void check_gaps(struct play_rank *p, struct mend_piece piece)
{
    const struct mend_type *t = piece.type;

    for (MPI_Count i = 0; i < piece.count; i++)
        for (MPI_Count k = 0; k < t->extent; k++)
            if (k < t->true_lb || k >= t->true_lb + t->size)
                CHECK_EQ((unsigned char)p->at[piece.operand][piece.at + i * t->extent + k], 0xA5);
}

static int most_ranks = 33;

static void all_movements(bool each_root, bool in_place_too, void (*one)(struct movement *t))
{
    EACH(s, sizes)
    EACH(c, counts)
    for (int mode = 0; mode < 8; mode++) {
        struct movement t = {sizes[s_], 0, counts[c_], mode & 1, mode & 2, mode & 4};

        if (t.n > most_ranks || (t.in_place && !in_place_too))
            continue;
        for (t.root = 0; t.root < (each_root ? t.n : 1); t.root++)
            if (t.n <= 17 || t.root < 2 || t.root > t.n - 3)
                one(&t);
    }
}

typedef void bcast_fn(struct mend_sched *s, struct mend_piece p, int root);
static bcast_fn *bcast;

static void one_bcast(struct movement *t)
{
    struct play w = play_open(t->n, 0, (size_t)(t->count * EXTENT_MAX));
    bool in_bytes = bcast == mend_bcast_scatter_ring;

    w.late = t->late;
    t->mixed &= !in_bytes;
    for (int r = 0; r < t->n; r++) {
        struct mend_piece p = mend_piece_of(MEND_OPERAND_OUTPUT, t->count, type_of(t, r, true));

        if (r == t->root)
            block(&w.rank[r], p, t->root, 0, false);
        bcast(&w.rank[r].sched, in_bytes ? mend_piece_as_bytes(p) : p, t->root);
    }
    play(&w);
    for (int r = 0; r < t->n; r++) {
        struct mend_piece p = mend_piece_of(MEND_OPERAND_OUTPUT, t->count, type_of(t, r, true));

        block(&w.rank[r], p, t->root, 0, true);
        check_gaps(&w.rank[r], p);
    }
    play_close(&w);
}

MEND_TEST(bcast_binomial)
{
    bcast = mend_bcast_binomial;
    all_movements(true, false, one_bcast);
}

MEND_TEST(bcast_scatter_ring)
{
    bcast = mend_bcast_scatter_ring;
    all_movements(true, false, one_bcast);
}

MEND_TEST(bcast_in_parts)
{
    bcast = mend_bcast_in_parts;
    all_movements(true, false, one_bcast);
}

static int shape; /* of nodes */
static bcast_fn *bcast_leaders;
static void bcast_nodes(struct mend_sched *s, struct mend_piece p, int root)
{
    struct mend_nodes *nodes = play_nodes(s->size, shape);

    mend_nodes_bcast(s, nodes, p, root, bcast_leaders);
    mend_free(play_proc(), nodes);
}

MEND_TEST(nodes_bcast)
{
    bcast = bcast_nodes;
    most_ranks = 12;
    for (shape = 0; shape < PLAY_SHAPES; shape++) {
        bcast_leaders = mend_bcast_binomial;
        all_movements(true, false, one_bcast);
        bcast_leaders = mend_bcast_in_parts;
        all_movements(true, false, one_bcast);
    }
    most_ranks = 33;
}

/* Blocks of an operand of one rank; irregular: sizes (r * 5 + 1) % 4 * count and displacements from
 * the end. */
struct layout {
    struct mend_blocks blocks;
    struct mend_coll_counts v;
    int counts[PLAY_RANKS], displs[PLAY_RANKS];
};

static MPI_Count irregular(const struct movement *t, int from, int to)
{
    return (from * 5 + to * 3 + 1) % 4 * t->count;
}

/* mode: 0 uniform, 1 counts by block (gatherv), 2 counts by pair (alltoallv). */
static void layout(struct layout *l, const struct movement *t, enum mend_operand operand, int rank,
                   int mode)
{
    int at = 0;
    bool is_out = operand == MEND_OPERAND_OUTPUT;

    *l =
        (struct layout){.blocks = {operand, t->count, type_of(t, rank, is_out), NULL, NULL, false}};
    if (!mode)
        return;
    for (int i = t->n - 1; i >= 0; i--) {
        int a = is_out ? i : rank, b = is_out ? rank : i;

        l->counts[i] = (int)irregular(t, mode == 1 ? i : a, mode == 1 ? 0 : b);
        l->displs[i] = at;
        at += l->counts[i];
    }
    l->v.counts = l->counts;
    l->v.displs = l->displs;
    l->blocks.counts = &l->v;
}

static size_t place_bytes(const struct movement *t)
{
    return (size_t)(3 * t->count * EXTENT_MAX * t->n);
}

static int irregular_mode;

static bool tree;

static struct mend_piece one_piece(const struct movement *t, enum mend_operand operand, int rank)
{
    return mend_piece_of(operand, irregular_mode ? irregular(t, rank, 0) : t->count,
                         type_of(t, rank, operand == MEND_OPERAND_OUTPUT));
}

static void one_gather(struct movement *t)
{
    struct play w = play_open(t->n, place_bytes(t), place_bytes(t));
    struct layout l;

    w.late = t->late;
    layout(&l, t, MEND_OPERAND_OUTPUT, t->root, irregular_mode);
    for (int r = 0; r < t->n; r++) {
        struct mend_piece in = one_piece(t, MEND_OPERAND_INPUT, r), *in_p = &in;

        if (r == t->root && t->in_place) {
            block(&w.rank[r], mend_block(&l.blocks, r), r, t->root, false);
            in_p = NULL;
        } else {
            block(&w.rank[r], in, r, t->root, false);
        }
        if (r != t->root)
            w.rank[r].bytes[MEND_OPERAND_OUTPUT] = 0;
        if (tree)
            mend_gather_binomial(&w.rank[r].sched, in_p, &l.blocks, t->count * 4, t->root);
        else
            mend_gather_linear(&w.rank[r].sched, in_p, &l.blocks, t->root);
    }
    play(&w);
    for (int i = 0; i < t->n; i++) {
        block(&w.rank[t->root], mend_block(&l.blocks, i), i, t->root, true);
        check_gaps(&w.rank[t->root], mend_block(&l.blocks, i));
    }
    play_close(&w);
}

MEND_TEST(gather_linear)
{
    tree = false;
    for (irregular_mode = 0; irregular_mode < 2; irregular_mode++)
        all_movements(true, true, one_gather);
}

MEND_TEST(gather_binomial)
{
    tree = true;
    irregular_mode = 0;
    all_movements(true, true, one_gather);
}

static void one_scatter(struct movement *t)
{
    struct play w = play_open(t->n, place_bytes(t), place_bytes(t));
    struct layout l;

    w.late = t->late;
    layout(&l, t, MEND_OPERAND_INPUT, t->root, irregular_mode);
    for (int i = 0; i < t->n; i++)
        block(&w.rank[t->root], mend_block(&l.blocks, i), t->root, i, false);
    for (int r = 0; r < t->n; r++) {
        struct mend_piece out = one_piece(t, MEND_OPERAND_OUTPUT, r);
        const struct mend_piece *out_p = r == t->root && t->in_place ? NULL : &out;

        if (r != t->root)
            w.rank[r].bytes[MEND_OPERAND_INPUT] = 0;
        if (tree)
            mend_scatter_binomial(&w.rank[r].sched, &l.blocks, out_p, t->count * 4, t->root);
        else
            mend_scatter_linear(&w.rank[r].sched, &l.blocks, out_p, t->root);
    }
    play(&w);
    for (int r = 0; r < t->n; r++) {
        struct mend_piece out = one_piece(t, MEND_OPERAND_OUTPUT, r);

        if (r == t->root && t->in_place)
            continue;
        block(&w.rank[r], out, t->root, r, true);
        check_gaps(&w.rank[r], out);
    }
    play_close(&w);
}

MEND_TEST(scatter_linear)
{
    tree = false;
    for (irregular_mode = 0; irregular_mode < 2; irregular_mode++)
        all_movements(true, true, one_scatter);
}

MEND_TEST(scatter_binomial)
{
    tree = true;
    irregular_mode = 0;
    all_movements(true, true, one_scatter);
}

typedef void allgather_fn(struct mend_sched *s, const struct mend_piece *in,
                          const struct mend_blocks *out);
static allgather_fn *allgather;

static void one_allgather(struct movement *t)
{
    struct play w;
    struct layout l;

    if (allgather == mend_allgather_doubling && (t->n & (t->n - 1)))
        return;
    w = play_open(t->n, place_bytes(t), place_bytes(t));
    w.late = t->late;
    for (int r = 0; r < t->n; r++) {
        struct mend_piece in = one_piece(t, MEND_OPERAND_INPUT, r),
                          *in_p = t->in_place ? NULL : &in;

        layout(&l, t, MEND_OPERAND_OUTPUT, r, irregular_mode);
        block(&w.rank[r], t->in_place ? mend_block(&l.blocks, r) : in, r, 0, false);
        allgather(&w.rank[r].sched, in_p, &l.blocks);
    }
    play(&w);
    for (int r = 0; r < t->n; r++) {
        layout(&l, t, MEND_OPERAND_OUTPUT, r, irregular_mode);
        for (int i = 0; i < t->n; i++) {
            block(&w.rank[r], mend_block(&l.blocks, i), i, 0, true);
            check_gaps(&w.rank[r], mend_block(&l.blocks, i));
        }
    }
    play_close(&w);
}

MEND_TEST(allgather_ring)
{
    allgather = mend_allgather_ring;
    for (irregular_mode = 0; irregular_mode < 2; irregular_mode++)
        all_movements(false, true, one_allgather);
}

MEND_TEST(allgather_doubling)
{
    allgather = mend_allgather_doubling;
    irregular_mode = 0;
    all_movements(false, true, one_allgather);
}

MEND_TEST(allgather_bruck)
{
    allgather = mend_allgather_bruck;
    irregular_mode = 0;
    all_movements(false, true, one_allgather);
}

static void allgather_nodes(struct mend_sched *s, const struct mend_piece *in,
                            const struct mend_blocks *out)
{
    struct mend_nodes *nodes = play_nodes(s->size, shape);

    mend_nodes_allgather(s, nodes, in, out);
    mend_free(play_proc(), nodes);
}

MEND_TEST(nodes_allgather)
{
    allgather = allgather_nodes;
    irregular_mode = 0;
    for (shape = 0; shape < PLAY_SHAPES; shape++)
        all_movements(false, true, one_allgather);
}

typedef void alltoall_fn(struct mend_sched *s, const struct mend_blocks *in,
                         const struct mend_blocks *out);
static alltoall_fn *alltoall;

static void one_alltoall(struct movement *t)
{
    struct play w = play_open(t->n, place_bytes(t), place_bytes(t));
    struct layout in, out;
    /* In place both directions of a pair have one size: use block sizes that depend on the sum. */
    int mode = irregular_mode && !t->in_place ? 2 : 0;

    w.late = t->late;
    for (int r = 0; r < t->n; r++) {
        layout(&in, t, MEND_OPERAND_INPUT, r, mode);
        layout(&out, t, MEND_OPERAND_OUTPUT, r, mode);
        for (int i = 0; i < t->n; i++)
            block(&w.rank[r], mend_block(t->in_place ? &out.blocks : &in.blocks, i), r, i, false);
        alltoall(&w.rank[r].sched, t->in_place ? NULL : &in.blocks, &out.blocks);
    }
    play(&w);
    for (int r = 0; r < t->n; r++) {
        layout(&out, t, MEND_OPERAND_OUTPUT, r, mode);
        for (int i = 0; i < t->n; i++) {
            block(&w.rank[r], mend_block(&out.blocks, i), i, r, true);
            check_gaps(&w.rank[r], mend_block(&out.blocks, i));
        }
    }
    play_close(&w);
}

MEND_TEST(alltoall_pairwise)
{
    alltoall = mend_alltoall_pairwise;
    for (irregular_mode = 0; irregular_mode < 2; irregular_mode++)
        all_movements(false, true, one_alltoall);
}

MEND_TEST(alltoall_bruck)
{
    alltoall = mend_alltoall_bruck;
    irregular_mode = 0;
    all_movements(false, true, one_alltoall);
}

/* A periodic ring of n ranks: what goes out to the left comes in from the right, also where both
 * are the same rank. */
MEND_TEST(neighbor_ring)
{
    for (int n = 1; n <= 5; n++) {
        struct play w = play_open(n, 64, 64);
        struct mend_blocks in = {.operand = MEND_OPERAND_INPUT, .count = 2, .type = &types[0]};
        struct mend_blocks out = {.operand = MEND_OPERAND_OUTPUT, .count = 2, .type = &types[0]};

        for (int r = 0; r < n; r++) {
            int around[2] = {(r + n - 1) % n, (r + 1) % n};

            for (int i = 0; i < 2; i++)
                block(&w.rank[r], mend_block(&in, i), r, i, false);
            mend_neighbor_exchange(&w.rank[r].sched, around, 2, around, 2, true, &in, &out);
        }
        play(&w);
        for (int r = 0; r < n; r++) {
            block(&w.rank[r], mend_block(&out, 0), (r + n - 1) % n, 1, true);
            block(&w.rank[r], mend_block(&out, 1), (r + 1) % n, 0, true);
        }
        play_close(&w);
    }
}

/* The ends of a line have no neighbour on one side; every neighbour gets the same block. */
MEND_TEST(neighbor_line)
{
    int n = 4;
    struct play w = play_open(n, 64, 64);
    struct mend_blocks in = {
        .operand = MEND_OPERAND_INPUT, .count = 2, .type = &types[0], .one = true};
    struct mend_blocks out = {.operand = MEND_OPERAND_OUTPUT, .count = 2, .type = &types[0]};

    for (int r = 0; r < n; r++) {
        int around[2] = {r ? r - 1 : MPI_PROC_NULL, r < n - 1 ? r + 1 : MPI_PROC_NULL};

        block(&w.rank[r], mend_block(&in, 0), r, 0, false);
        mend_neighbor_exchange(&w.rank[r].sched, around, 2, around, 2, true, &in, &out);
    }
    play(&w);
    for (int r = 0; r < n; r++) {
        if (r)
            block(&w.rank[r], mend_block(&out, 0), r - 1, 0, true);
        else
            CHECK_EQ((unsigned char)w.rank[r].at[MEND_OPERAND_OUTPUT][0], 0xA5);
        if (r < n - 1)
            block(&w.rank[r], mend_block(&out, 1), r + 1, 0, true);
    }
    play_close(&w);
}

/* Two groups of a and b ranks: the list of each names the other's ranks. */
static struct play two_groups(int a, int b, bool late)
{
    struct play w = play_open(a + b, 4096, 4096);

    w.group = a;
    w.late = late;
    for (int r = 0; r < a + b; r++)
        w.rank[r].sched.size = r < a ? b : a;
    return w;
}

MEND_TEST(inter_exchange)
{
    for (int a = 1; a <= 5; a++)
        for (int b = 1; b <= 5; b++)
            for (int one = 0; one < 2; one++) {
                struct play w = two_groups(a, b, one);
                struct mend_blocks in = {
                    .operand = MEND_OPERAND_INPUT, .count = 3, .type = &types[0], .one = one};
                struct mend_blocks out = {
                    .operand = MEND_OPERAND_OUTPUT, .count = 3, .type = &types[1]};

                for (int r = 0; r < a + b; r++) {
                    for (int i = 0; i < (one ? 1 : r < a ? b : a); i++)
                        block(&w.rank[r], mend_block(&in, i), r,
                              one     ? 0
                              : r < a ? a + i
                                      : i,
                              false);
                    mend_exchange_blocks(&w.rank[r].sched, &in, &out);
                }
                play(&w);
                for (int r = 0; r < a + b; r++)
                    for (int i = 0; i < (r < a ? b : a); i++)
                        block(&w.rank[r], mend_block(&out, i), r < a ? a + i : i, one ? 0 : r,
                              true);
                play_close(&w);
            }
}

MEND_TEST_MAIN()
