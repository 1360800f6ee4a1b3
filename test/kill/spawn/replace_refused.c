/* SPDX-License-Identifier: BSD-3-Clause */
/* Dead ranks that cannot be replaced, for there is no room: the same error at all survivors, with its reason, and the
 * communicator is as it was.
 *
 *   S2-5: creation is uniform: at all survivors or at none */
/* RUN: -n 3 --universe 3 */
/* RUN: -n 4 --universe 5 ; set NODES=2 */
/* RUN: -n 4 --universe 5 ; set COLL_SHM=0 ; set AGREE_SHM=0 */
#include "../common.h"

static void check_arguments(void)
{
    MPI_Comm c;

    CHECK_CLASS(MPIX_Comm_replace(MPI_COMM_NULL, MPI_INFO_NULL, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_replace(MPI_COMM_SELF, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_replaced(NULL), MPI_ERR_ARG);
    CHECK_EQ(MPIX_Comm_replace(MPI_COMM_SELF, MPI_INFO_NULL, &c), MPI_SUCCESS);
    CHECK(c != MPI_COMM_NULL && c != MPI_COMM_SELF);
    MPI_Comm_free(&c);
    CHECK_EQ(MPIX_Comm_replaced(&c), MPI_SUCCESS);
    CHECK(c == MPI_COMM_NULL);
}

static void check_refused(void)
{
    MPI_Comm next = MPI_COMM_WORLD, small;
    char text[MPI_MAX_ERROR_STRING];
    int err = MPIX_Comm_replace(MPI_COMM_WORLD, MPI_INFO_NULL, &next), len;

    CHECK_CLASS(err, MPI_ERR_SPAWN);
    CHECK(next == MPI_COMM_NULL);
    MPI_Error_string(err, text, &len);
    CHECK(strstr(text, "room for"));
    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &small), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(small, &len), MPI_SUCCESS);
    CHECK_EQ(len, size - 2);
    CHECK_EQ(MPI_Barrier(small), MPI_SUCCESS);
    MPI_Comm_free(&small);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    check_arguments();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 || rank == 2)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 1);
    wait_until_dead(MPI_COMM_WORLD, 2);
    check_refused();
    return finish();
}
