/* SPDX-License-Identifier: BSD-3-Clause */
/* group_test.c – groups against a slow oracle, progressions, errors. */
#include "comm/objects.h"

#include "base/test.h"

static struct mend_proc *self;

static struct mend_group *make(int n, const mend_peer *peers)
{
    if (!self)
        self = mend_proc_create_bare();
    return mend_group_create(self, peers, n);
}

/* A pseudo-random permutation of 0 .. max-1, its first n. */
static void shuffle(mend_peer *peers, int max, uint32_t seed)
{
    for (int i = 0; i < max; i++)
        peers[i] = i;
    for (int i = max - 1; i > 0; i--) {
        int j;
        mend_peer t = peers[i];

        seed = seed * 1664525u + 1013904223u;
        j = (int)((seed >> 8) % (unsigned)(i + 1));
        peers[i] = peers[j];
        peers[j] = t;
    }
}

static int slow_rank(const struct mend_group *g, mend_peer p)
{
    for (int i = 0; i < g->size; i++)
        if (mend_group_peer(g, i) == p)
            return i;
    return MPI_UNDEFINED;
}

MEND_TEST(progressions_need_no_list)
{
    struct mend_group *up = make(4, (mend_peer[]){3, 5, 7, 9});
    struct mend_group *down = make(3, (mend_peer[]){9, 6, 3});
    struct mend_group *one = make(1, (mend_peer[]){42});
    struct mend_group *odd = make(3, (mend_peer[]){1, 2, 4});

    CHECK(!up->list && !down->list && !one->list && odd->list);
    CHECK_EQ(mend_group_rank(self, up, 7), 2);
    CHECK_EQ(mend_group_rank(self, up, 8), MPI_UNDEFINED);
    CHECK_EQ(mend_group_rank(self, up, 11), MPI_UNDEFINED);
    CHECK_EQ(mend_group_rank(self, up, 1), MPI_UNDEFINED);
    CHECK_EQ(mend_group_rank(self, down, 3), 2);
    CHECK_EQ(mend_group_rank(self, down, 12), MPI_UNDEFINED);
    CHECK_EQ(mend_group_rank(self, one, 42), 0);
    CHECK_EQ(mend_group_rank(self, odd, 3), MPI_UNDEFINED);
    mend_group_put(self, up);
    mend_group_put(self, down);
    mend_group_put(self, one);
    mend_group_put(self, odd);
}

MEND_TEST(there_is_one_empty_group)
{
    struct mend_group *a = make(0, NULL), *b = mend_group_create_range(self, 7, 3, 0);

    CHECK(a && a == b && a == &self->objects->empty);
    mend_group_put(self, a);
    mend_group_put(self, b);
    CHECK_EQ(a->magic, MEND_GROUP_MAGIC);
    CHECK_EQ(mend_group_rank(self, a, 0), MPI_UNDEFINED);
}

MEND_TEST(ranks_in_hashed_lists)
{
    mend_peer peers[1000];
    struct mend_group *g;

    shuffle(peers, 1000, 1);
    g = make(700, peers);
    CHECK(g->list);
    for (mend_peer p = 0; p < 1000; p++)
        CHECK_EQ(mend_group_rank(self, g, p), slow_rank(g, p));
    CHECK(g->index);
    mend_group_put(self, g);
}

MEND_TEST(set_operations_against_the_oracle)
{
    for (uint32_t seed = 1; seed < 60; seed++) {
        mend_peer pa[64], pb[64];
        int na = (int)(seed * 7 % 60), nb = (int)(seed * 13 % 60), n = 0;
        struct mend_group *a, *b, *u, *x, *d;

        shuffle(pa, 64, seed);
        shuffle(pb, 64, seed + 1000);
        a = make(na, pa);
        b = make(nb, pb);
        u = mend_group_union(self, a, b);
        x = mend_group_intersection(self, a, b);
        d = mend_group_difference(self, a, b);
        for (int i = 0; i < na; i++)
            CHECK_EQ(mend_group_peer(u, i), pa[i]);
        for (int i = 0; i < nb; i++)
            if (slow_rank(a, pb[i]) == MPI_UNDEFINED)
                CHECK_EQ(mend_group_peer(u, na + n++), pb[i]);
        CHECK_EQ(u->size, na + n);
        CHECK_EQ(x->size + d->size, na);
        for (int i = 0, in = 0, out = 0; i < na; i++) {
            if (slow_rank(b, pa[i]) != MPI_UNDEFINED)
                CHECK_EQ(mend_group_peer(x, in++), pa[i]);
            else
                CHECK_EQ(mend_group_peer(d, out++), pa[i]);
        }
        CHECK(mend_group_contains(self, u, a) && mend_group_contains(self, u, b));
        mend_group_put(self, a);
        mend_group_put(self, b);
        mend_group_put(self, u);
        mend_group_put(self, x);
        mend_group_put(self, d);
    }
}

MEND_TEST(comparison)
{
    struct mend_group *a = make(3, (mend_peer[]){0, 1, 2}), *same = make(3, (mend_peer[]){0, 1, 2});
    struct mend_group *turned = make(3, (mend_peer[]){2, 1, 0});
    struct mend_group *other = make(3, (mend_peer[]){0, 1, 3});
    struct mend_group *less = make(2, (mend_peer[]){0, 1});

    CHECK_EQ(mend_group_compare(self, a, same), MPI_IDENT);
    CHECK_EQ(mend_group_compare(self, a, turned), MPI_SIMILAR);
    CHECK_EQ(mend_group_compare(self, a, other), MPI_UNEQUAL);
    CHECK_EQ(mend_group_compare(self, a, less), MPI_UNEQUAL);
    CHECK(!mend_group_contains(self, less, a) && mend_group_contains(self, a, less));
}

MEND_TEST(incl_and_excl)
{
    struct mend_group *g = make(5, (mend_peer[]){10, 11, 12, 13, 14}), *r = NULL;

    CHECK_EQ(mend_group_incl(self, g, 3, (int[]){4, 0, 2}, &r), MPI_SUCCESS);
    CHECK_EQ(r->size, 3);
    CHECK_EQ(mend_group_peer(r, 0), 14);
    CHECK_EQ(mend_group_peer(r, 2), 12);
    CHECK_EQ(mend_group_excl(self, g, 2, (int[]){0, 3}, &r), MPI_SUCCESS);
    CHECK_EQ(r->size, 3);
    CHECK_EQ(mend_group_peer(r, 0), 11);
    CHECK_EQ(mend_group_peer(r, 2), 14);
    CHECK_EQ(mend_group_incl(self, g, 0, NULL, &r), MPI_SUCCESS);
    CHECK_EQ(r->size, 0);
    CHECK_EQ(mend_group_excl(self, g, 0, NULL, &r), MPI_SUCCESS);
    CHECK_EQ(mend_group_compare(self, g, r), MPI_IDENT);
    r = NULL;
    CHECK_EQ(mend_group_incl(self, g, 1, (int[]){5}, &r), MPI_ERR_RANK);
    CHECK_EQ(mend_group_incl(self, g, 2, (int[]){1, 1}, &r), MPI_ERR_RANK);
    CHECK_EQ(mend_group_excl(self, g, 1, (int[]){-1}, &r), MPI_ERR_RANK);
    CHECK(!r);
}

MEND_TEST(ranges)
{
    int *ranks = NULL, n = 0;
    const int good[2][3] = {{1, 8, 3}, {6, 2, -4}};
    const int expected[] = {1, 4, 7, 6, 2};
    const int zero[1][3] = {{0, 3, 0}}, away[1][3] = {{3, 0, 1}}, out[1][3] = {{0, 12, 2}};
    const int below[1][3] = {{2, -3, -5}}, twice[2][3] = {{0, 9, 1}, {0, 0, 1}};

    CHECK_EQ(mend_group_expand(self, 10, 2, good, &ranks, &n), MPI_SUCCESS);
    CHECK_EQ(n, 5);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(ranks[i], expected[i]);
    mend_free(self, ranks);
    CHECK_EQ(mend_group_expand(self, 10, 1, zero, &ranks, &n), MPI_ERR_ARG);
    CHECK_EQ(mend_group_expand(self, 10, 1, away, &ranks, &n), MPI_ERR_ARG);
    CHECK_EQ(mend_group_expand(self, 10, 1, out, &ranks, &n), MPI_ERR_RANK);
    CHECK_EQ(mend_group_expand(self, 10, 1, below, &ranks, &n), MPI_ERR_RANK);
    CHECK_EQ(mend_group_expand(self, 10, 2, twice, &ranks, &n), MPI_ERR_RANK);
}

MEND_TEST(dead_members_in_the_order_of_the_log)
{
    struct mend_death log[3] = {{.peer = 4}, {.peer = 9}, {.peer = 2}};
    struct mend_group *g = make(5, (mend_peer[]){0, 1, 2, 3, 4}), *dead;

    self->deaths = log;
    self->deaths_n = 3;
    dead = mend_group_dead(self, g, 3);
    CHECK_EQ(dead->size, 2);
    CHECK_EQ(mend_group_peer(dead, 0), 4);
    CHECK_EQ(mend_group_peer(dead, 1), 2);
    mend_group_put(self, dead);
    dead = mend_group_dead(self, g, 2);
    CHECK_EQ(dead->size, 1);
    mend_group_put(self, dead);
    CHECK_EQ(mend_group_dead(self, g, 0)->size, 0);
    self->deaths_n = 0;
}

MEND_TEST_MAIN()
