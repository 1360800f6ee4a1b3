/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_create_from_group and MPI_Intercomm_create_from_groups: members, order, error handler, the same
 * tag again and two tags at once, empty groups, wrong arguments through the handler of the call. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 5 */
/* RUN: -n 8 ; set AGREE_SHM=0 */
#include "common.h"

static int handled;

static void note(MPI_Comm *c, int *code, ...)
{
    (void)c;
    handled = *code;
}

static MPI_Group part(int first, int last, int step)
{
    MPI_Group all, some;
    int range[3] = {first, last, step};

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, &range, &some);
    MPI_Group_free(&all);
    return some;
}

static void check_sum(MPI_Comm c, int members)
{
    int one = 1, sum = 0;

    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
    CHECK_EQ(sum, members);
}

static void check_intra(void)
{
    MPI_Group down = part(size - 1, 0, -1), even = part(0, size - 1, 2);
    MPI_Comm a, b;
    MPI_Errhandler h;
    int r;

    for (int again = 0; again < 3; again++) {
        CHECK_EQ(MPI_Comm_create_from_group(down, "down", MPI_INFO_NULL, MPI_ERRORS_RETURN, &a),
                 MPI_SUCCESS);
        MPI_Comm_rank(a, &r);
        CHECK_EQ(r, size - 1 - rank);
        check_sum(a, size);
        MPI_Comm_get_errhandler(a, &h);
        CHECK(h == MPI_ERRORS_RETURN);
        if (rank % 2 == 0) {
            CHECK_EQ(MPI_Comm_create_from_group(even, "even", MPI_INFO_NULL, MPI_ERRORS_RETURN, &b),
                     MPI_SUCCESS);
            check_sum(b, (size + 1) / 2);
            MPI_Comm_free(&b);
        }
        MPI_Comm_free(&a);
    }
    CHECK_EQ(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "", MPI_INFO_NULL, MPI_ERRORS_RETURN, &a),
             MPI_SUCCESS);
    CHECK(a == MPI_COMM_NULL);
    MPI_Group_free(&down);
    MPI_Group_free(&even);
}

/* Two groups, leaders at their ends. */
static void check_inter(void)
{
    int low = size / 2, n, m, upper = rank >= low, got = -1;
    MPI_Group mine = upper ? part(low, size - 1, 1) : part(0, low - 1, 1);
    MPI_Group other = upper ? part(0, low - 1, 1) : part(low, size - 1, 1);
    MPI_Comm inter;

    CHECK_EQ(MPI_Intercomm_create_from_groups(mine, upper ? 0 : low - 1, other, upper ? low - 1 : 0,
                                              "two", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter),
             MPI_SUCCESS);
    MPI_Comm_size(inter, &n);
    MPI_Comm_remote_size(inter, &m);
    CHECK_EQ(n, upper ? size - low : low);
    CHECK_EQ(n + m, size);
    CHECK_EQ(MPI_Bcast(upper ? &got : &rank, 1, MPI_INT,
                       upper ? 0 : (rank == 0 ? MPI_ROOT : MPI_PROC_NULL), inter),
             MPI_SUCCESS);
    CHECK_EQ(got, upper ? 0 : -1);
    MPI_Comm_free(&inter);
    MPI_Group_free(&mine);
    MPI_Group_free(&other);
}

/* One process alone makes the call with an empty group (MPI-5.0 7.6.2). */
static void empty(MPI_Group mine, int leader, MPI_Group other, int other_leader)
{
    MPI_Comm c = MPI_COMM_WORLD;

    CHECK_OK(MPI_Intercomm_create_from_groups(mine, leader, other, other_leader, "empty",
                                              MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    CHECK(c == MPI_COMM_NULL);
}

static void check_empty(void)
{
    MPI_Group all = part(0, size - 1, 1), none;

    MPI_Group_difference(all, all, &none);
    if (rank == 0) {
        empty(MPI_GROUP_EMPTY, 0, MPI_GROUP_EMPTY, 0);
        empty(MPI_GROUP_EMPTY, 0, all, 0);
        empty(MPI_GROUP_EMPTY, -3, all, size);
        empty(none, 0, all, 0);
        empty(all, 0, MPI_GROUP_EMPTY, 0);
        empty(all, size - 1, none, 7);
    }
    MPI_Group_free(&all);
}

static void check_wrong(void)
{
    MPI_Group all = part(0, size - 1, 1),
              others = size > 1 ? part(rank ? 0 : 1, rank ? 0 : 1, 1) : MPI_GROUP_NULL;
    static char long_tag[MPI_MAX_STRINGTAG_LEN + 1];
    MPI_Comm c = MPI_COMM_NULL;
    MPI_Errhandler h;

    MPI_Comm_create_errhandler(note, &h);
    memset(long_tag, 'x', sizeof(long_tag) - 1);
    CHECK_CLASS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "", MPI_INFO_NULL, h, &c),
                MPI_ERR_GROUP);
    CHECK_EQ(handled, MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create_from_group(others, "", MPI_INFO_NULL, h, &c), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_create_from_group(all, NULL, MPI_INFO_NULL, h, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_from_group(all, long_tag, MPI_INFO_NULL, h, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_from_group(all, "", MPI_INFO_NULL, h, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create_from_group(all, "", (MPI_Info)c, h, &c), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_create_from_group(all, "", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &c),
                MPI_ERR_ERRHANDLER);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(all, size, all, 0, "", MPI_INFO_NULL, h, &c),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(all, 0, all, size, "", MPI_INFO_NULL, h, &c),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(all, 0, all, 0, "", MPI_INFO_NULL, h, &c),
                MPI_ERR_GROUP);
    CHECK(c == MPI_COMM_NULL);
    MPI_Errhandler_free(&h);
    MPI_Group_free(&all);
    if (size > 1)
        MPI_Group_free(&others);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    check_intra();
    if (size > 1)
        check_inter();
    check_empty();
    check_wrong();
    return finish();
}
