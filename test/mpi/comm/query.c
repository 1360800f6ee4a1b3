/* SPDX-License-Identifier: BSD-3-Clause */
/* Size, rank, comparison, names, numbers of communicators (MPI-5.0 7.4.1, 7.8, 20.4). */
/* RUN: -n 1 */
/* RUN: -n 4 */
#include "common.h"

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME], longer[3 * MPI_MAX_OBJECT_NAME];
    MPI_Comm dup;
    int n = -1;

    CHECK_OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &n));
    CHECK_STR(name, "MPI_COMM_WORLD");
    CHECK_EQ(n, 14);
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_NULL, name, &n)); /* MPI-5.0 7.8 */
    CHECK_STR(name, "MPI_COMM_NULL");
    CHECK_EQ(n, 13);
    CHECK_CLASS(MPI_Comm_get_name(MPI_COMM_NULL, name, NULL), MPI_ERR_ARG);
    CHECK_OK(MPI_Win_get_name(MPI_WIN_NULL, name, &n));
    CHECK_STR(name, "MPI_WIN_NULL");
    CHECK_EQ(n, 12);
    CHECK_CLASS(MPI_Win_get_name((MPI_Win)MPI_COMM_WORLD, name, &n), MPI_ERR_WIN);
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &n));
    CHECK_STR(name, "MPI_COMM_SELF");
    CHECK_OK(MPI_Comm_set_name(MPI_COMM_WORLD, "everybody"));
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &n));
    CHECK_STR(name, "everybody");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_OK(MPI_Comm_get_name(dup, name, &n));
    CHECK_STR(name, "");
    CHECK_EQ(n, 0);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK_OK(MPI_Comm_set_name(dup, longer));
    CHECK_OK(MPI_Comm_get_name(dup, name, &n));
    CHECK_EQ(n, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQ(strlen(name), n);
    CHECK_OK(MPI_Comm_free(&dup));
}

static void comparison(void)
{
    MPI_Comm dup, turned;
    int result = -1;

    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_IDENT);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, dup, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_split(dup, 0, -rank, &turned));
    CHECK_OK(MPI_Comm_compare(dup, turned, &result));
    CHECK_EQ(result, size > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result));
    CHECK_EQ(result, size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_OK(MPI_Comm_free(&turned));
    CHECK(dup == MPI_COMM_NULL && turned == MPI_COMM_NULL);
}

static void numbers(void)
{
    MPI_Comm dup;
    MPI_Group group;
    int n;

    CHECK_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    CHECK_EQ(MPI_Comm_toint(MPI_COMM_NULL), 0x100);
    CHECK(MPI_Comm_fromint(0x102) == MPI_COMM_SELF);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &dup));
    n = MPI_Comm_toint(dup);
    CHECK(n > 0x3fff);
    CHECK_EQ(MPI_Comm_toint(dup), n);
    CHECK(MPI_Comm_fromint(n) == dup);
    CHECK_OK(MPI_Comm_group(dup, &group));
    CHECK(MPI_Group_toint(group) != n);
    CHECK(MPI_Group_fromint(MPI_Group_toint(group)) == group);
    CHECK_EQ(MPI_Group_toint(MPI_GROUP_EMPTY), 0x109);
    CHECK_CLASS(MPI_Comm_size(MPI_Comm_fromint(n + 1000), &n), MPI_ERR_COMM);
    CHECK_OK(MPI_Group_free(&group));
    CHECK_OK(MPI_Comm_free(&dup));
}

int main(int argc, char **argv)
{
    MPI_Comm parent = MPI_COMM_SELF;
    int flag = -1, n = -1, r = -1;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
    CHECK_EQ(flag, 0);
    CHECK_OK(MPI_Comm_size(MPI_COMM_SELF, &n));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_SELF, &r));
    CHECK(n == 1 && r == 0);
    CHECK_OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    names();
    comparison();
    numbers();
    return finish();
}
