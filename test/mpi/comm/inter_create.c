/* SPDX-License-Identifier: BSD-3-Clause */
/* New communicators from an intercommunicator (MPI-5.0 7.4.2): duplicates, parts of it by color and by
 * groups, and what is not allowed there.  The lower half of the ranks is one group, the rest the other. */
/* RUN: -n 2 */
/* RUN: -n 3 */
/* RUN: -n 7 */
/* RUN: -n 7 ; set AGREE_SHM=0 */
#include "common.h"

static MPI_Comm inter;
static int upper, low; /* my side; size of the lower group */

/* The world ranks of both groups of c, in order, are `ours` and `theirs`; a message to each of them
 * arrives, and a collective works. */
static void holds(MPI_Comm c, const int *ours, int ours_n, const int *theirs, int theirs_n)
{
    MPI_Group world, mine, other;
    int n = -1, flag = 0, at = -1, sum = -1, expected = 0, heard[64];
    MPI_Request q[64];

    CHECK_OK(MPI_Comm_test_inter(c, &flag));
    CHECK_EQ(flag, 1);
    CHECK_OK(MPI_Comm_size(c, &n));
    CHECK_EQ(n, ours_n);
    CHECK_OK(MPI_Comm_remote_size(c, &n));
    CHECK_EQ(n, theirs_n);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(c, &mine);
    MPI_Comm_remote_group(c, &other);
    for (int i = 0; i < ours_n; i++) {
        CHECK_OK(MPI_Group_translate_ranks(mine, 1, &i, world, &at));
        CHECK_EQ(at, ours[i]);
    }
    for (int i = 0; i < theirs_n; i++) {
        CHECK_OK(MPI_Group_translate_ranks(other, 1, &i, world, &at));
        CHECK_EQ(at, theirs[i]);
        CHECK_OK(MPI_Isend(&rank, 1, MPI_INT, i, 9, c, &q[i]));
        expected += theirs[i] + 1;
    }
    for (int i = 0; i < theirs_n; i++) {
        CHECK_OK(MPI_Recv(&heard[i], 1, MPI_INT, i, 9, c, MPI_STATUS_IGNORE));
        CHECK_EQ(heard[i], theirs[i]);
    }
    CHECK_OK(MPI_Waitall(theirs_n, q, MPI_STATUSES_IGNORE));
    at = rank + 1;
    CHECK_OK(MPI_Allreduce(&at, &sum, 1, MPI_INT, MPI_SUM, c));
    CHECK_EQ(sum, expected);
    MPI_Group_free(&world);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
}

/* The world ranks from..to of one side whose value of `which` is `value`; returned in *list, by
 * descending rank if `down`. */
static int choose(int side, int (*which)(int), int value, int down, int *list)
{
    int from = side ? low : 0, to = side ? size : low, n = 0;

    for (int i = 0; i < to - from; i++) {
        int r = down ? to - 1 - i : from + i;

        if (which(r) == value)
            list[n++] = r;
    }
    return n;
}

static void check_parts(MPI_Comm c, int (*which)(int), int down)
{
    int ours[64], theirs[64], n = 0, m = 0, mine = which(rank);

    if (mine != MPI_UNDEFINED) {
        n = choose(upper, which, mine, down, ours);
        m = choose(!upper, which, mine, down, theirs);
    }
    CHECK((c == MPI_COMM_NULL) == (m == 0));
    if (c != MPI_COMM_NULL)
        holds(c, ours, n, theirs, m);
}

static int all_red(int r)
{
    (void)r;
    return 7;
}

static int by_parity(int r)
{
    return r % 2;
}

/* Color 0 on both sides, 1 on the lower only, 2 on the upper only; nobody asks for rank 1. */
static int one_sided(int r)
{
    if (r == 1)
        return MPI_UNDEFINED;
    return r % 3 == 0 ? 0 : r < low ? 1 : 2;
}

static int nobody_above(int r)
{
    return r < low ? 0 : MPI_UNDEFINED;
}

static void split(void)
{
    int (*const ways[])(int) = {all_red, by_parity, one_sided, nobody_above};

    for (int way = 0; way < 4; way++)
        for (int down = 0; down < 2; down++) {
            MPI_Comm c = MPI_COMM_WORLD;

            CHECK_OK(MPI_Comm_split(inter, ways[way](rank), down ? -rank : 5, &c));
            check_parts(c, ways[way], down);
            if (c != MPI_COMM_NULL)
                CHECK_OK(MPI_Comm_free(&c));
        }
}

static void split_type(void)
{
    MPI_Comm c = MPI_COMM_WORLD;

    CHECK_OK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &c));
    check_parts(c, all_red, 1);
    CHECK_OK(MPI_Comm_free(&c));
    CHECK_OK(MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &c));
    CHECK(c == MPI_COMM_NULL);
    CHECK_CLASS(MPI_Comm_split_type(inter, 7, 0, MPI_INFO_NULL, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_split(inter, -2, 0, &c), MPI_ERR_ARG);
}

/* The members of a side with the value, as a group of ranks of this side. */
static MPI_Group group_of(int (*which)(int), int value, int down)
{
    int list[64], n = choose(upper, which, value, down, list);
    MPI_Group mine, part;

    MPI_Comm_group(inter, &mine);
    for (int i = 0; i < n; i++)
        list[i] -= upper ? low : 0;
    CHECK_OK(MPI_Group_incl(mine, n, list, &part));
    MPI_Group_free(&mine);
    return part;
}

static int ends(int r) /* the last of each group and one more */
{
    return r == low - 1 || r == size - 1 || r == low;
}

static void create(void)
{
    int ours[64], theirs[64], n = choose(upper, ends, 1, 1, ours);
    int m = choose(!upper, ends, 1, 1, theirs);
    MPI_Group g = group_of(ends, 1, 1), remote;
    MPI_Comm c = MPI_COMM_WORLD;

    CHECK_OK(MPI_Comm_create(inter, g, &c));
    CHECK((c != MPI_COMM_NULL) == ends(rank));
    if (c != MPI_COMM_NULL) {
        holds(c, ours, n, theirs, m);
        CHECK_OK(MPI_Comm_free(&c));
    }
    CHECK_OK(MPI_Comm_create(inter, upper ? MPI_GROUP_EMPTY : g, &c)); /* one side is empty */
    CHECK(c == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_remote_group(inter, &remote));
    CHECK_CLASS(MPI_Comm_create(inter, remote, &c), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create(inter, MPI_GROUP_NULL, &c), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create_group(inter, g, 0, &c), MPI_ERR_COMM); /* 7.4.2 */
    MPI_Group_free(&remote);
    MPI_Group_free(&g);
}

static void dup_and_idup(void)
{
    MPI_Comm c, later;
    MPI_Info info, got;
    MPI_Request q;
    int flag, len = 4;
    char value[8];

    CHECK_OK(MPI_Comm_dup(inter, &c));
    check_parts(c, all_red, 0);
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_hint", "yes"));
    CHECK_OK(MPI_Comm_idup_with_info(c, info, &later, &q));
    CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_free(&c));
    check_parts(later, all_red, 0);
    CHECK_OK(MPI_Comm_get_info(later, &got));
    CHECK_OK(MPI_Info_get_string(got, "mpi_hint", &len, value, &flag));
    CHECK(flag && !strcmp(value, "yes"));
    MPI_Info_free(&got);
    CHECK_OK(MPI_Comm_idup(later, &c, &q));
    CHECK_OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    check_parts(c, all_red, 0);
    CHECK_OK(MPI_Comm_free(&c));
    CHECK_OK(MPI_Comm_dup_with_info(later, info, &c));
    CHECK_OK(MPI_Info_free(&info));
    check_parts(c, all_red, 0);
    CHECK_OK(MPI_Comm_free(&c));
    CHECK_OK(MPI_Comm_free(&later));
}

/* A part of a part of a part. */
static void chain(void)
{
    MPI_Comm c = inter, next;

    for (int i = 0; i < 20; i++) {
        CHECK_OK(i % 2 ? MPI_Comm_dup(c, &next) : MPI_Comm_split(c, 1, rank, &next));
        if (c != inter)
            CHECK_OK(MPI_Comm_free(&c));
        c = next;
    }
    check_parts(c, all_red, 0);
    CHECK_OK(MPI_Comm_free(&c));
}

static void not_allowed(void)
{
    MPI_Comm c = MPI_COMM_WORLD;
    int dims[1] = {2}, periods[1] = {0}, none[1] = {0};

    CHECK_CLASS(MPI_Cart_create(inter, 1, dims, periods, 0, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Graph_create(inter, 1, none, none, 0, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(inter, 0, none, MPI_UNWEIGHTED, 0, none,
                                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c),
                MPI_ERR_COMM);
    CHECK_CLASS(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 0, &c), MPI_ERR_COMM);
    CHECK(c == MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm local;

    start(&argc, &argv);
    low = size / 2;
    upper = rank >= low;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &local));
    CHECK_OK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, upper ? 0 : low, 11, &inter));
    CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    split();
    split_type();
    create();
    dup_and_idup();
    chain();
    not_allowed();
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&local));
    return finish();
}
