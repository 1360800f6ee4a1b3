/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_idup and hints (MPI-5.0 7.4.2, 7.4.4): the copy is that of the moment of the call. */
/* RUN: -n 1 */
/* RUN: -n 4 */
#include "common.h"

static long get(MPI_Comm comm, int key)
{
    void *value;
    int flag;

    CHECK_OK(MPI_Comm_get_attr(comm, key, &value, &flag));
    return flag ? (long)value : -1;
}

static void attributes(void)
{
    MPI_Comm c[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
    MPI_Request r[3];
    int key, kind = -1;

    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)1));
    CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &c[0], &r[0]));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *)2));
    CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &c[1], &r[1]));
    CHECK_OK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    CHECK_OK(MPI_Comm_idup(MPI_COMM_WORLD, &c[2], &r[2]));
    ring(MPI_COMM_WORLD); /* other traffic meanwhile */
    CHECK_OK(MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
    CHECK_EQ(get(c[0], key), 1);
    CHECK_EQ(get(c[1], key), 2);
    CHECK_EQ(get(c[2], key), -1);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(MPI_Comm_compare(c[i], MPI_COMM_WORLD, &kind));
        CHECK_EQ(kind, MPI_CONGRUENT);
        ring(c[i]);
        CHECK_OK(MPI_Comm_free(&c[i]));
    }
    CHECK_OK(MPI_Comm_free_keyval(&key));
}

static int hint(MPI_Comm comm, const char *key, char *value, int max)
{
    MPI_Info used;
    int flag;

    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK_OK(MPI_Info_get_string(used, key, &max, value, &flag));
    CHECK_OK(MPI_Info_free(&used));
    return flag;
}

static void hints(void)
{
    MPI_Info info;
    MPI_Comm a, b, d;
    MPI_Request r;
    char value[16] = "";

    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &a));
    CHECK_OK(MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &b, &r));
    CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "false"));
    CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK(hint(a, "mpi_assert_no_any_tag", value, sizeof value));
    CHECK_STR(value, "true");
    CHECK(hint(b, "mpi_assert_no_any_tag", value, sizeof value));
    CHECK_STR(value, "true");
    CHECK_OK(MPI_Comm_dup(a, &d)); /* hints are not handed down */
    CHECK(!hint(d, "mpi_assert_no_any_tag", value, sizeof value));
    CHECK_OK(MPI_Comm_set_info(d, info));
    CHECK(hint(d, "mpi_assert_no_any_tag", value, sizeof value));
    CHECK_STR(value, "false");
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_free(&a));
    CHECK_OK(MPI_Comm_free(&b));
    CHECK_OK(MPI_Comm_free(&d));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    attributes();
    hints();
    return finish();
}
