/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong arguments of the functions of communicators: the right class, and outputs untouched. */
/* RUN: -n 2 */
#include "common.h"

static const MPI_Comm not_comms[] = {MPI_COMM_NULL, (MPI_Comm)0, (MPI_Comm)MPI_INT,
                                     (MPI_Comm)MPI_GROUP_EMPTY, (MPI_Comm)0x10001};

static void handles(void)
{
    for (unsigned i = 0; i < sizeof not_comms / sizeof *not_comms; i++) {
        MPI_Comm bad = not_comms[i], c = (MPI_Comm)3;
        MPI_Group g = (MPI_Group)3;
        MPI_Info info = (MPI_Info)3;
        MPI_Request r = (MPI_Request)3;
        int n = -5;
        char name[MPI_MAX_OBJECT_NAME];

        CHECK_CLASS(MPI_Comm_size(bad, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_rank(bad, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_remote_size(bad, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_test_inter(bad, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_compare(MPI_COMM_WORLD, bad, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_compare(bad, MPI_COMM_WORLD, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_group(bad, &g), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_remote_group(bad, &g), MPI_ERR_COMM);
        if (bad != MPI_COMM_NULL) /* which has a name (MPI-5.0 7.8) */
            CHECK_CLASS(MPI_Comm_get_name(bad, name, &n), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_set_name(bad, "x"), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_get_info(bad, &info), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_set_info(bad, MPI_INFO_NULL), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_dup(bad, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_dup_with_info(bad, MPI_INFO_NULL, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_idup(bad, &c, &r), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_create(bad, MPI_GROUP_EMPTY, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_create_group(bad, MPI_GROUP_EMPTY, 0, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_split(bad, 0, 0, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_split_type(bad, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c),
                    MPI_ERR_COMM);
        CHECK_CLASS(MPI_Intercomm_create(bad, 0, MPI_COMM_WORLD, 0, 0, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Intercomm_merge(bad, 0, &c), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_free(&bad), MPI_ERR_COMM);
        CHECK_CLASS(MPI_Comm_disconnect(&bad), MPI_ERR_COMM);
        CHECK(bad == not_comms[i] && c == (MPI_Comm)3 && g == (MPI_Group)3 && info == (MPI_Info)3 &&
              r == (MPI_Request)3 && n == -5);
    }
}

static void null_pointers(void)
{
    MPI_Comm c;
    int n;

    CHECK_CLASS(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_rank(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_test_inter(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_group(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_set_name(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &n), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_get_info(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_idup(MPI_COMM_WORLD, &c, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_free(NULL), MPI_ERR_ARG);
}

static void values(void)
{
    MPI_Group world, other;
    MPI_Comm c = MPI_COMM_WORLD, alone;
    int n;

    CHECK_CLASS(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_remote_group(MPI_COMM_WORLD, &other), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_split(MPI_COMM_WORLD, -2, 0, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, 7, 0, MPI_INFO_NULL, &c), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &c), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Comm_dup_with_info(MPI_COMM_WORLD, (MPI_Info)7, &c), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_set_info(MPI_COMM_WORLD, MPI_INFO_NULL), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, MPI_GROUP_EMPTY, -1, &c), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 1, MPI_COMM_WORLD, 0, 0, &c), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, size, 0, &c), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 0, -1, &c), MPI_ERR_TAG);
    CHECK_CLASS(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &c), MPI_ERR_COMM);

    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &alone));
    CHECK_OK(MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Comm_create(alone, world, &c), MPI_ERR_GROUP); /* no part of it */
    CHECK_CLASS(MPI_Comm_create_group(alone, world, 0, &c), MPI_ERR_GROUP);
    CHECK_OK(MPI_Group_excl(world, 1, &rank, &other)); /* without the caller */
    CHECK_CLASS(MPI_Comm_create_group(MPI_COMM_WORLD, other, 0, &c), MPI_ERR_GROUP);
    CHECK(c == MPI_COMM_WORLD);
    CHECK_OK(MPI_Comm_free(&alone));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Group_free(&other));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    handles();
    null_pointers();
    values();
    ring(MPI_COMM_WORLD);
    return finish();
}
