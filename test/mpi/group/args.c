/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments of the functions of groups: the right class, and outputs untouched. */
/* RUN: -n 2 */
#include "../comm/common.h"

static MPI_Group world;

static void handles(void)
{
    const MPI_Group all[] = {MPI_GROUP_NULL, (MPI_Group)0, (MPI_Group)MPI_COMM_WORLD,
                             (MPI_Group)0x10008};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        MPI_Group bad = all[i], g = (MPI_Group)3;
        int n = -5, ranks[1] = {0}, range[1][3] = {{0, 0, 1}};

        CHECK_CLASS(MPI_Group_size(bad, &n), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_rank(bad, &n), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_compare(bad, world, &n), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_compare(world, bad, &n), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_translate_ranks(bad, 1, ranks, world, &n), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_translate_ranks(world, 1, ranks, bad, &n), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_union(bad, world, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_intersection(world, bad, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_difference(bad, world, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_incl(bad, 1, ranks, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_excl(bad, 1, ranks, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_range_incl(bad, 1, range, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_range_excl(bad, 1, range, &g), MPI_ERR_GROUP);
        CHECK_CLASS(MPI_Group_free(&bad), MPI_ERR_GROUP);
        CHECK(n == -5 && g == (MPI_Group)3 && bad == all[i]);
    }
}

static void values(void)
{
    int out[] = {size}, twice[] = {0, 0}, below[] = {-1};
    int zero[1][3] = {{0, 1, 0}}, away[1][3] = {{1, 0, 1}}, far[1][3] = {{0, size, 1}};
    int again[2][3] = {{0, 1, 1}, {1, 1, 1}};
    MPI_Group g = (MPI_Group)3;

    CHECK_CLASS(MPI_Group_incl(world, 1, out, &g), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_incl(world, 2, twice, &g), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_excl(world, 1, below, &g), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_incl(world, -1, twice, &g), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_excl(world, 1, NULL, &g), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_incl(world, 1, twice, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_range_incl(world, 1, zero, &g), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_range_incl(world, 1, away, &g), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_range_excl(world, 1, far, &g), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_range_incl(world, 2, again, &g), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_translate_ranks(world, 1, out, world, twice), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Group_translate_ranks(world, -1, out, world, twice), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_union(world, world, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_size(world, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_compare(world, world, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Group_free(NULL), MPI_ERR_ARG);
    CHECK(g == (MPI_Group)3);
}

int main(int argc, char **argv)
{
    MPI_Group copy;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    handles();
    values();
    CHECK_OK(MPI_Group_incl(world, 1, (int[]){1}, &copy));
    world = copy;
    CHECK_OK(MPI_Group_free(&copy));
    CHECK_CLASS(MPI_Group_size(world, &(int){0}), MPI_ERR_GROUP); /* freed */
    return finish();
}
