/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups (MPI-5.0 7.3): constructors, set operations, translation, comparison. */
/* RUN: -n 1 */
/* RUN: -n 6 */
#include "../comm/common.h"

static MPI_Group world;

/* The group's members, as ranks of MPI_COMM_WORLD, are these. */
static void expect(MPI_Group g, int n, const int *ranks)
{
    int all[64], got[64], is = -1;

    CHECK_OK(MPI_Group_size(g, &is));
    CHECK_EQ(is, n);
    for (int i = 0; i < n; i++)
        all[i] = i;
    CHECK_OK(MPI_Group_translate_ranks(g, n, all, world, got));
    for (int i = 0; i < n; i++)
        CHECK_EQ(got[i], ranks[i]);
}

static void of_six(void)
{
    int some[] = {4, 1, 5}, others[] = {5, 0, 4};
    int up[2][3] = {{0, 3, 2}, {5, 4, -1}};
    int to[4], from[4] = {0, MPI_PROC_NULL, 2, 1}, me = -1, result = -1;
    MPI_Group a, b, g;

    CHECK_OK(MPI_Group_incl(world, 3, some, &a));
    expect(a, 3, some);
    CHECK_OK(MPI_Group_rank(a, &me));
    CHECK_EQ(me, rank == 4 ? 0 : rank == 1 ? 1 : rank == 5 ? 2 : MPI_UNDEFINED);
    CHECK_OK(MPI_Group_excl(world, 3, some, &b));
    expect(b, 3, (int[]){0, 2, 3});
    CHECK_OK(MPI_Group_free(&b));
    CHECK_OK(MPI_Group_range_incl(world, 2, up, &b));
    expect(b, 4, (int[]){0, 2, 5, 4});
    CHECK_OK(MPI_Group_free(&b));
    CHECK_OK(MPI_Group_range_excl(world, 2, up, &b));
    expect(b, 2, (int[]){1, 3});
    CHECK_OK(MPI_Group_free(&b));

    CHECK_OK(MPI_Group_incl(world, 3, others, &b));
    CHECK_OK(MPI_Group_union(a, b, &g));
    expect(g, 4, (int[]){4, 1, 5, 0});
    CHECK_OK(MPI_Group_free(&g));
    CHECK_OK(MPI_Group_intersection(a, b, &g));
    expect(g, 2, (int[]){4, 5});
    CHECK_OK(MPI_Group_free(&g));
    CHECK_OK(MPI_Group_difference(a, b, &g));
    expect(g, 1, (int[]){1});
    CHECK_OK(MPI_Group_free(&g));

    CHECK_OK(MPI_Group_translate_ranks(a, 4, from, b, to));
    CHECK(to[0] == 2 && to[1] == MPI_PROC_NULL && to[2] == 0 && to[3] == MPI_UNDEFINED);
    CHECK_OK(MPI_Group_compare(a, b, &result));
    CHECK_EQ(result, MPI_UNEQUAL);
    CHECK_OK(MPI_Group_free(&b));
    CHECK_OK(MPI_Group_incl(world, 3, (int[]){1, 4, 5}, &b));
    CHECK_OK(MPI_Group_compare(a, b, &result));
    CHECK_EQ(result, MPI_SIMILAR);
    CHECK_OK(MPI_Group_free(&a));
    CHECK_OK(MPI_Group_free(&b));
}

static void empty(void)
{
    MPI_Group g = MPI_GROUP_NULL;
    int n = -1, result = -1;

    CHECK_OK(MPI_Group_difference(world, world, &g));
    CHECK(g == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Group_free(&g)); /* allowed, any number of times */
    CHECK(g == MPI_GROUP_NULL);
    CHECK_OK(MPI_Group_incl(world, 0, NULL, &g));
    CHECK(g == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Group_free(&g));
    CHECK_OK(MPI_Group_size(MPI_GROUP_EMPTY, &n));
    CHECK_EQ(n, 0);
    CHECK_OK(MPI_Group_rank(MPI_GROUP_EMPTY, &n));
    CHECK_EQ(n, MPI_UNDEFINED);
    CHECK_OK(MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result));
    CHECK_EQ(result, MPI_IDENT);
    CHECK_OK(MPI_Group_union(MPI_GROUP_EMPTY, world, &g));
    CHECK_OK(MPI_Group_compare(g, world, &result));
    CHECK_EQ(result, MPI_IDENT);
    CHECK_OK(MPI_Group_free(&g));
}

/* A group outlives its communicator. */
static void outlives(void)
{
    MPI_Comm c;
    MPI_Group g;

    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
    CHECK_OK(MPI_Comm_group(c, &g));
    CHECK_OK(MPI_Comm_free(&c));
    for (int i = 0; i < 100; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &c);
        MPI_Comm_free(&c);
    }
    CHECK_OK(MPI_Group_rank(g, &(int){0}));
    CHECK_OK(MPI_Group_free(&g));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    if (size == 6)
        of_six();
    empty();
    outlives();
    CHECK_OK(MPI_Group_free(&world));
    return finish();
}
