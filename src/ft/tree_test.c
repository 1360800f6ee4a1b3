/* SPDX-License-Identifier: BSD-3-Clause */
/* tree_test.c – the walk over children against the definition of a parent, for many dead sets. */
#include "base/test.h"
#include "ft/tree.h"

#define N_MAX 70

static uint32_t seed = 1;

static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

/* Kills about `part` of 8 ranks, and the lowest `lowest` ones; returns the root, or -1. */
static int32_t kill_some(int32_t n, uint32_t part, int32_t lowest, uint64_t *dead)
{
    int32_t root = -1;

    dead[0] = dead[1] = 0;
    for (int32_t r = 0; r < n; r++) {
        if (r < lowest || chance(8) < part)
            mend_bits_set(dead, r);
        else if (root < 0)
            root = r;
    }
    return root;
}

static void check_walk(const struct mend_tree *t, int32_t root, const uint64_t *dead)
{
    struct mend_tree_walk walk;
    uint64_t seen[2] = {0};
    int32_t r, n = 0;

    mend_tree_walk_begin(t, root == t->me, &walk);
    while (mend_tree_walk_next(t, &walk, dead, NULL, &r)) {
        CHECK(!mend_bits_test(seen, r) && !mend_bits_test(dead, r));
        mend_bits_set(seen, r);
        CHECK_EQ(mend_tree_live_parent(t, dead, root, r), t->me);
        n++;
    }
    for (r = 0; r < t->n; r++)
        if (r != t->me && r != root && !mend_bits_test(dead, r))
            n -= mend_tree_live_parent(t, dead, root, r) == t->me;
    CHECK_EQ(n, 0);
}

MEND_TEST(children_are_those_whose_parent_i_am)
{
    uint64_t dead[2];

    for (int32_t n = 1; n < N_MAX; n++)
        for (uint8_t bits = 1; bits <= 7; bits += bits > 2 ? 3 : 1)
            for (int round = 0; round < 20; round++) {
                int32_t root = kill_some(n, (uint32_t)round % 7, round % 3 * round, dead);

                for (int32_t me = 0; root >= 0 && me < n; me++)
                    if (!mend_bits_test(dead, me))
                        check_walk(&(struct mend_tree){n, me, bits}, root, dead);
            }
}

/* A rank that is covered stands for its whole subtree, also if it is dead. */
MEND_TEST(covered_subtrees_are_left_out)
{
    struct mend_tree t = {8, 0, 1};
    struct mend_tree_walk walk;
    uint64_t dead[1] = {1 << 4 | 1 << 2}, covered[1] = {1 << 4};
    int32_t r;

    mend_tree_walk_begin(&t, true, &walk);
    CHECK(mend_tree_walk_next(&t, &walk, dead, covered, &r));
    CHECK_EQ(r, 3);
    CHECK(mend_tree_walk_next(&t, &walk, dead, covered, &r));
    CHECK_EQ(r, 1);
    CHECK(!mend_tree_walk_next(&t, &walk, dead, covered, &r));
}

MEND_TEST(the_largest_subtree_comes_first)
{
    struct mend_tree t = {16, 0, 1};
    struct mend_tree_walk walk;
    uint64_t dead[1] = {0};
    int32_t r;

    mend_tree_walk_begin(&t, true, &walk);
    for (int32_t expected = 8; expected; expected /= 2) {
        CHECK(mend_tree_walk_next(&t, &walk, dead, NULL, &r));
        CHECK_EQ(r, expected);
    }
    CHECK(!mend_tree_walk_next(&t, &walk, dead, NULL, &r));
}

MEND_TEST_MAIN()
