/* SPDX-License-Identifier: BSD-3-Clause */
/* algorithm_test.c – every algorithm, for all sizes 1..17 and some larger, all roots, several
 * counts, with and without MPI_IN_PLACE, dense and gapped types, messages that meet early or late.
 *
 * Reductions use an operator that knows what it has seen: an element is the interval of ranks it
 * stands for, and joining two that are not neighbours in order gives poison.  For algorithms that
 * may change the order it is the set of ranks, and joining two that overlap gives poison. */
#include "coll/choose.h"
#include "coll/play.h"
#include "ft/tree.h"

static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                            12, 13, 14, 15, 16, 17, 31, 32, 33, 64};
static const MPI_Count counts[] = {0, 1, 2, 5, 17, 64};
#define EACH(var, list) for (size_t var##_ = 0; var##_ < MEND_COUNT_OF(list); var##_++)

/* Elements of 8 bytes, without and with gaps. */
static const struct mend_type dense8 = {.dense = true, .size = 8, .extent = 8, .true_extent = 8};
static const struct mend_type gapped8 = {
    .size = 8, .lb = 8, .extent = 24, .true_lb = 8, .true_extent = 8};

struct element {
    int16_t lo, hi; /* ranks, in order */
    int32_t index;
};
#define POISON 0x7777

static void join(const char *from, char *to)
{
    struct element a, b;

    memcpy(&a, from, 8);
    memcpy(&b, to, 8);
    if (a.hi + 1 != b.lo || a.index != b.index || a.lo == POISON || b.lo == POISON)
        b.lo = b.hi = POISON;
    else
        b.lo = a.lo;
    memcpy(to, &b, 8);
}

/* The set of ranks (up to 56) and the index in the top byte. */
static void unite(const char *from, char *to)
{
    uint64_t a, b, ranks = ~(UINT64_C(255) << 56);

    memcpy(&a, from, 8);
    memcpy(&b, to, 8);
    if ((a & b & ranks) || (a >> 56) != (b >> 56))
        b = ~UINT64_C(0);
    b |= a;
    memcpy(to, &b, 8);
}

struct reduction {
    int n, root;
    MPI_Count count;
    bool in_place, late, ordered;
    const struct mend_type *type;
};

static struct mend_op test_op;

/* The value of ranks lo..hi at an index; none: lo > hi. */
static void expected(const struct reduction *t, int lo, int hi, MPI_Count index, char *value)
{
    struct element e = {(int16_t)lo, (int16_t)hi, (int32_t)index};
    uint64_t set = (uint64_t)index << 56;

    for (int r = lo; r <= hi; r++)
        set |= UINT64_C(1) << r;
    memcpy(value, t->ordered ? (const void *)&e : (const void *)&set, 8);
}

static char *element_of(const struct reduction *t, char *buf, MPI_Count i)
{
    return buf + i * t->type->extent + t->type->true_lb;
}

/* The ranks' inputs; *in_p is where an algorithm finds them. out_at_rank: OUTPUT is valid there. */
static struct play reduction_open(const struct reduction *t)
{
    size_t bytes = (size_t)(t->count * t->type->extent);
    struct play w = play_open(t->n, bytes, bytes);

    test_op.commutative = !t->ordered;
    w.late = t->late;
    w.reduce = t->ordered ? join : unite;
    for (int r = 0; r < t->n; r++) {
        bool here = t->in_place && (t->root < 0 || t->root == r);
        char *buf = w.rank[r].at[here ? MEND_OPERAND_OUTPUT : MEND_OPERAND_INPUT];

        w.rank[r].sched.op = &test_op;
        if (t->root >= 0 && t->root != r)
            w.rank[r].bytes[MEND_OPERAND_OUTPUT] = 0; /* not to be touched there */
        for (MPI_Count i = 0; i < t->count; i++)
            expected(t, r, r, i, element_of(t, buf, i));
    }
    return w;
}

static struct mend_piece piece_in(const struct reduction *t, int r)
{
    bool here = t->in_place && (t->root < 0 || t->root == r);

    return mend_piece_of(here ? MEND_OPERAND_OUTPUT : MEND_OPERAND_INPUT, t->count, t->type);
}

static struct mend_piece piece_out(const struct reduction *t)
{
    return mend_piece_of(MEND_OPERAND_OUTPUT, t->count, t->type);
}

static void check_result(const struct reduction *t, struct play *w, int r, int lo, int hi)
{
    for (MPI_Count i = 0; i < t->count; i++) {
        char want[8];

        expected(t, lo, hi, i, want);
        CHECK(!memcmp(want, element_of(t, w->rank[r].at[MEND_OPERAND_OUTPUT], i), 8));
    }
}

static int most_ranks = 64;

/* All combinations of size, count, in place, type, time of meeting. */
static void all_reductions(bool ordered, bool each_root, void (*one)(struct reduction *t))
{
    EACH(s, sizes)
    EACH(c, counts)
    for (int mode = 0; mode < 8; mode++) {
        struct reduction t = {.n = sizes[s_],
                              .root = -1,
                              .count = counts[c_],
                              .in_place = mode & 1,
                              .late = mode & 2,
                              .type = mode & 4 ? &gapped8 : &dense8,
                              .ordered = ordered};

        if (t.n > most_ranks || (!ordered && t.n > 56) || (t.n > 17 && t.count > 5))
            continue;
        for (t.root = each_root ? 0 : -1; t.root < (each_root ? t.n : 0); t.root++)
            if (t.n <= 17 || t.root <= 0 || t.root == t.n - 1 || t.root == 21)
                one(&t);
    }
}

typedef void allreduce_fn(struct mend_sched *s, struct mend_piece in, struct mend_piece out);
static allreduce_fn *allreduce;

static void one_allreduce(struct reduction *t)
{
    struct play w = reduction_open(t);

    for (int r = 0; r < t->n; r++)
        allreduce(&w.rank[r].sched, piece_in(t, r), piece_out(t));
    play(&w);
    for (int r = 0; r < t->n; r++)
        check_result(t, &w, r, 0, t->n - 1);
    play_close(&w);
}

MEND_TEST(allreduce_doubling)
{
    allreduce = mend_allreduce_doubling;
    all_reductions(true, false, one_allreduce);
}

MEND_TEST(allreduce_halving)
{
    allreduce = mend_allreduce_halving;
    all_reductions(true, false, one_allreduce);
}

MEND_TEST(allreduce_ring)
{
    allreduce = mend_allreduce_ring;
    all_reductions(false, false, one_allreduce);
}

typedef void reduce_fn(struct mend_sched *s, struct mend_piece in, struct mend_piece out, int root);
static reduce_fn *reduce;

static void one_reduce(struct reduction *t)
{
    struct play w = reduction_open(t);

    for (int r = 0; r < t->n; r++)
        reduce(&w.rank[r].sched, piece_in(t, r), piece_out(t), t->root);
    play(&w);
    check_result(t, &w, t->root, 0, t->n - 1);
    play_close(&w);
}

MEND_TEST(reduce_binomial)
{
    reduce = mend_reduce_binomial;
    all_reductions(true, true, one_reduce);
    all_reductions(false, true, one_reduce);
}

MEND_TEST(reduce_halving)
{
    reduce = mend_reduce_halving;
    all_reductions(true, true, one_reduce);
}

static bool exclusive;
static MPI_Count segment; /* of a chain; 0: doubling */

static void one_scan(struct reduction *t)
{
    struct play w = reduction_open(t);

    for (int r = 0; r < t->n; r++)
        if (segment)
            mend_scan_chain(&w.rank[r].sched, piece_in(t, r), piece_out(t), exclusive, segment);
        else
            mend_scan_doubling(&w.rank[r].sched, piece_in(t, r), piece_out(t), exclusive);
    play(&w);
    for (int r = exclusive; r < t->n; r++)
        check_result(t, &w, r, 0, r - exclusive);
    play_close(&w);
}

MEND_TEST(scan)
{
    exclusive = false;
    for (segment = 0; segment <= 4; segment++)
        all_reductions(true, false, one_scan);
}

MEND_TEST(exscan)
{
    exclusive = true;
    for (segment = 0; segment <= 4; segment++)
        all_reductions(true, false, one_scan);
}

typedef void reduce_scatter_fn(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                               const MPI_Count *begin);
static reduce_scatter_fn *reduce_scatter;
static bool uneven;

/* Here count is the share of each rank, or about that: some get nothing, some twice. */
static void one_reduce_scatter(struct reduction *t)
{
    MPI_Count each = t->count, begin[PLAY_RANKS + 1] = {0};
    struct play w;

    for (int r = 0; r < t->n; r++)
        begin[r + 1] = begin[r] + (uneven ? each * ((r * 7) % 3) : each);
    t->count = begin[t->n];
    if (t->ordered || t->count < 256) {
        w = reduction_open(t);
        for (int r = 0; r < t->n; r++) {
            struct mend_piece out = piece_out(t);

            out.count = begin[r + 1] - begin[r];
            reduce_scatter(&w.rank[r].sched, piece_in(t, r), out, begin);
        }
        play(&w);
        for (int r = 0; r < t->n; r++)
            for (MPI_Count i = 0; i < begin[r + 1] - begin[r]; i++) {
                char want[8];

                expected(t, 0, t->n - 1, begin[r] + i, want);
                CHECK(!memcmp(want, element_of(t, w.rank[r].at[MEND_OPERAND_OUTPUT], i), 8));
            }
        play_close(&w);
    }
    t->count = each;
}

MEND_TEST(reduce_scatter_doubling)
{
    reduce_scatter = mend_reduce_scatter_doubling;
    for (uneven = false;; uneven = true) {
        all_reductions(true, false, one_reduce_scatter);
        if (uneven)
            break;
    }
}

MEND_TEST(reduce_scatter_pairwise)
{
    reduce_scatter = mend_reduce_scatter_pairwise;
    for (uneven = false;; uneven = true) {
        all_reductions(true, false, one_reduce_scatter);
        if (uneven)
            break;
    }
}

MEND_TEST(reduce_scatter_halving)
{
    reduce_scatter = mend_reduce_scatter_halving;
    for (uneven = false;; uneven = true) {
        all_reductions(false, false, one_reduce_scatter);
        if (uneven)
            break;
    }
}

/* Plays the lists of a barrier: every rank must depend on every other. */
static void barrier_played(struct play *w)
{
    play(w);
    for (int r = 0; r < w->n; r++)
        for (int i = 0; i < w->n; i++)
            CHECK(w->rank[r].heard[i]);
    play_close(w);
}

MEND_TEST(barrier_dissemination)
{
    EACH(s, sizes)
    {
        struct play w = play_open(sizes[s_], 0, 0);

        for (int r = 0; r < w.n; r++)
            mend_barrier_dissemination(&w.rank[r].sched);
        barrier_played(&w);
    }
}

static int shape; /* of nodes */

MEND_TEST(nodes_barrier)
{
    EACH(s, sizes)
    for (shape = 0; shape < PLAY_SHAPES; shape++) {
        struct play w = play_open(sizes[s_], 0, 0);
        struct mend_nodes *nodes = play_nodes(w.n, shape);

        for (int r = 0; r < w.n; r++)
            mend_nodes_barrier(&w.rank[r].sched, nodes);
        barrier_played(&w);
        mend_free(play_proc(), nodes);
    }
}

/* Nodes in all shapes; those that are not in order only where the operands need none. */
static void all_shapes(bool each_root, void (*one)(struct reduction *t))
{
    most_ranks = 10;
    for (shape = 0; shape < PLAY_SHAPES; shape++) {
        all_reductions(false, each_root, one);
        if (shape < PLAY_IN_ORDER)
            all_reductions(true, each_root, one);
    }
    most_ranks = 64;
}

static allreduce_fn *allreduce_leaders;
static void allreduce_nodes(struct mend_sched *s, struct mend_piece in, struct mend_piece out)
{
    struct mend_nodes *nodes = play_nodes(s->size, shape);

    mend_nodes_allreduce(s, nodes, in, out, allreduce_leaders);
    mend_free(play_proc(), nodes);
}

MEND_TEST(nodes_allreduce)
{
    allreduce = allreduce_nodes;
    allreduce_leaders = mend_allreduce_doubling;
    all_shapes(false, one_allreduce);
    allreduce_leaders = mend_allreduce_halving;
    all_shapes(false, one_allreduce);
    allreduce_leaders = mend_allreduce_ring; /* commutative only */
    for (shape = 0; shape < PLAY_SHAPES; shape++)
        all_reductions(false, false, one_allreduce);
}

static reduce_fn *reduce_leaders;
static void reduce_nodes(struct mend_sched *s, struct mend_piece in, struct mend_piece out,
                         int root)
{
    struct mend_nodes *nodes = play_nodes(s->size, shape);

    mend_nodes_reduce(s, nodes, in, out, root, reduce_leaders);
    mend_free(play_proc(), nodes);
}

MEND_TEST(nodes_reduce)
{
    reduce = reduce_nodes;
    reduce_leaders = mend_reduce_binomial;
    all_shapes(true, one_reduce);
    reduce_leaders = mend_reduce_halving;
    all_shapes(true, one_reduce);
}

/* Ranks by node, nodes by their first ranks, whatever their numbers are. */
MEND_TEST(nodes_are_in_order_of_first_ranks)
{
    const int node[] = {9, 4, 9, 0, 4, 9}, first[] = {0, 3, 5, 6}, member[] = {0, 2, 5, 1, 4, 3};
    struct mend_nodes *x = mend_nodes_make(play_proc(), node, 6, 10);

    CHECK_EQ(x->n, 3);
    CHECK(!x->in_order);
    CHECK(!memcmp(x->first, first, sizeof(first)));
    CHECK(!memcmp(x->member, member, sizeof(member)));
    for (int k = 0; k < 3; k++)
        for (int i = x->first[k]; i < x->first[k + 1]; i++) {
            CHECK_EQ(x->node[x->member[i]], k);
            CHECK_EQ(x->at[x->member[i]], i);
        }
    mend_free(play_proc(), x);
}

/* Edges from node to node in the tree of an agreement over these ranks; order NULL: as they are. */
static int edges_between(const struct mend_nodes *x, const int *order)
{
    struct mend_tree t = {.n = x->size, .bits = 1};
    int edges = 0;

    for (int i = 1; i < x->size; i++) {
        int parent = mend_tree_parent(&t, i);

        edges += x->node[order ? order[i] : i] != x->node[order ? order[parent] : parent];
    }
    return edges;
}

/* decide/tree.c takes them node by node. */
MEND_TEST(nodes_in_a_tree)
{
    for (int n = 1; n <= 64; n++)
        for (shape = 0; shape < PLAY_SHAPES; shape++) {
            struct mend_nodes *x = play_nodes(n, shape);
            int whole = x->first[1]; /* members of each node, if all have the same number */
            int edges = edges_between(x, x->member), log = 31 - __builtin_clz((unsigned)n);

            CHECK(edges <= edges_between(x, NULL));
            CHECK(edges <= (x->n - 1) * (log + 1));
            for (int k = 0; k < x->n; k++)
                whole = x->first[k + 1] - x->first[k] == whole ? whole : 0;
            if (whole && !(whole & (whole - 1)))
                CHECK_EQ(edges, x->n - 1);
            mend_free(play_proc(), x);
        }
}

/* Two groups: each rank gets what the other group's vectors come to, or a share of it. */
MEND_TEST(inter_reduce)
{
    for (int a = 1; a <= 6; a++)
        for (int b = 1; b <= 6; b++) {
            struct reduction t = {a + b, -1, 7, false, (a + b) % 2, true, &gapped8};
            struct play w = reduction_open(&t);
            struct mend_piece in = piece_in(&t, 0), out = piece_out(&t);

            w.group = a;
            out.count = 4;
            for (int r = 0; r < a + b; r++) {
                w.rank[r].sched.size = r < a ? b : a;
                mend_exchange_reduce(&w.rank[r].sched, &in, &out, 7, 2);
            }
            play(&w);
            for (int r = 0; r < a + b; r++)
                for (MPI_Count i = 0; i < 4; i++) {
                    char want[8];

                    expected(&t, r < a ? a : 0, r < a ? a + b - 1 : a - 1, 2 + i, want);
                    CHECK(!memcmp(want, element_of(&t, w.rank[r].at[MEND_OPERAND_OUTPUT], i), 8));
                }
            play_close(&w);
        }
}

/* Writes one of four long lists for rank r of n. */
static void write_long(struct mend_sched *s, int which, int r, int n)
{
    struct mend_piece in = {MEND_OPERAND_INPUT, 0, 2 * n, &dense8};
    struct mend_piece out = {MEND_OPERAND_OUTPUT, 0, 2 * n, &dense8};
    struct mend_blocks from = {.operand = MEND_OPERAND_INPUT, .count = 2, .type = &dense8};
    struct mend_blocks to = {.operand = MEND_OPERAND_OUTPUT, .count = 2, .type = &dense8};

    mend_sched_open(s, play_proc(), "test", r, n);
    if (which == 0)
        mend_allreduce_ring(s, in, out);
    else if (which == 1)
        mend_alltoall_pairwise(s, &from, &to);
    else if (which == 2)
        mend_gather_linear(s, &in, &to, n / 2);
    else
        mend_exchange_reduce(s, &in, &out, 2 * n, 0);
}

/* Of a list that declines all receivers are kept, in order, and the number of receives, wherever memory ends. */
static void check_declined(const struct mend_sched *all, const struct mend_sched *s)
{
    unsigned sends_n = 0, receives_n = 0;

    CHECK(s->no_memory && s->steps_n == 0);
    for (unsigned i = 0; i < all->steps_n; i++) {
        receives_n += all->steps[i].kind == MEND_STEP_RECV;
        if (all->steps[i].kind == MEND_STEP_SEND && sends_n++ < s->declined.dests_n)
            CHECK(s->declined.dests[sends_n - 1] == all->steps[i].rank);
    }
    CHECK(s->declined.dests_n == sends_n);
    CHECK(s->declined.receives_n == receives_n);
}

MEND_TEST(lists_without_memory)
{
    struct mend_sched all, s;
    int n = 400;

    for (int which = 0; which < 4; which++)
        for (int r = 0; r < n; r += n / 4) {
            unsigned denied = 1;

            write_long(&all, which, r, n);
            for (uint32_t k = 1; denied; k++) {
                mend_arena_set_faults(play_proc()->arena, k, true);
                write_long(&s, which, r, n);
                denied = play_proc()->arena->faults.denied_n;
                mend_arena_set_faults(play_proc()->arena, 0, false);
                mend_free(play_proc(), mend_alloc(play_proc(), 16)); /* refills the reserve */
                if (s.no_memory)
                    check_declined(&all, &s);
                else
                    CHECK(s.steps_n == all.steps_n);
                mend_sched_decline(&s); /* and if it is found out when the list is complete */
                check_declined(&all, &s);
                mend_sched_close(&s);
            }
            mend_sched_close(&all);
        }
}

/* Scratch memory that no number can say the size of: the list is declined, not written wrongly. */
MEND_TEST(temporaries_too_large)
{
    struct mend_sched s;

    mend_sched_open(&s, NULL, "test", 0, 4);
    mend_sched_temp(&s, INT64_MAX / 16, &dense8);
    CHECK(!s.no_memory);
    mend_sched_temp(&s, INT64_MAX / 16, &dense8);
    mend_sched_temp(&s, INT64_MAX / 16, &dense8);
    CHECK(s.no_memory);
    mend_sched_open(&s, NULL, "test", 0, 4);
    mend_sched_temp_blocks(&s, 4, INT64_MAX / 32, &dense8);
    CHECK(!s.no_memory);
    mend_sched_temp_blocks(&s, 4, INT64_MAX / 8, &dense8);
    CHECK(s.no_memory);
}

/* Each pair of param.def names an algorithm. */
MEND_TEST(what_may_be_forced_exists)
{
    int pairs = 0;

    for (const char *k = mend_param_find("COLL")->allowed; *k; k += *k == ' ') {
        size_t key_len = strcspn(k, "="), n;

        for (const char *w = k + key_len;; w += n) {
            char key[32], pair[64];

            n = strcspn(++w, "| ");
            snprintf(key, sizeof(key), "%.*s", (int)key_len, k);
            snprintf(pair, sizeof(pair), "%s=%.*s", key, (int)n, w);
            CHECK(mend_choose_forced(pair, key) != MEND_ALGORITHM_NONE);
            pairs++;
            if (w[n] != '|')
                break;
        }
        k += strcspn(k, " ");
    }
    CHECK(pairs > 20);
}

MEND_TEST_MAIN()
