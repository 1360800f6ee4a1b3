/* SPDX-License-Identifier: BSD-3-Clause */
/* Dead ranks that cannot be replaced, for there is no room: a window holds their places, because survivors may read what
 * the dead had there.  The same error at all survivors, with its reason, and the communicator is as it was.  Without
 * the window there is room.
 *
 *   R31: the memory of a dead member stays as it was
 *   S2-5: creation is uniform: at all survivors or at none */
/* RUN: -n 3 --universe 3 */
/* RUN: -n 4 --universe 5 ; set MACHINES=2 */
/* RUN: -n 4 --universe 5 ; set COLL_SHM=0 ; set AGREE_SHM=0 */
#include "../common.h"

static void check_arguments(void)
{
    MPI_Comm c;

    CHECK_CLASS(MPIX_Comm_refill(MPI_COMM_NULL, MPI_INFO_NULL, &c), MPI_ERR_COMM);
    CHECK_CLASS(MPIX_Comm_refill(MPI_COMM_SELF, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_CLASS(MPIX_Comm_refilled(NULL), MPI_ERR_ARG);
    CHECK_EQ(MPIX_Comm_refill(MPI_COMM_SELF, MPI_INFO_NULL, &c), MPI_SUCCESS);
    CHECK(c != MPI_COMM_NULL && c != MPI_COMM_SELF);
    MPI_Comm_free(&c);
    CHECK_EQ(MPIX_Comm_refilled(&c), MPI_SUCCESS);
    CHECK(c == MPI_COMM_NULL);
}

static void check_refused(void)
{
    MPI_Comm next = MPI_COMM_WORLD, small;
    char text[MPI_MAX_ERROR_STRING];
    int err = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &next), len;

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

/* At the newcomers, too. */
static void check_full(MPI_Comm full)
{
    int n, most, sum, one = 1;

    CHECK_EQ(MPI_Comm_size(full, &n), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&size, &most, 1, MPI_INT, MPI_MAX, full), MPI_SUCCESS);
    CHECK_EQ(n, most); /* the size of the world of the survivors */
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, full), MPI_SUCCESS);
    CHECK_EQ(sum, n);
    MPI_Comm_free(&full);
}

static void survive(void)
{
    MPI_Comm full;
    int *base;
    MPI_Win win;

    check_arguments();
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    post(0);
    await(0, size);
    if (rank == 1 || rank == 2)
        die_now();
    wait_until_dead(MPI_COMM_WORLD, 1);
    wait_until_dead(MPI_COMM_WORLD, 2);
    check_refused();
    MPI_Win_free(&win);
    CHECK_EQ(MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &full), MPI_SUCCESS);
    check_full(full);
}

int main(int argc, char **argv)
{
    MPI_Comm full;

    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&full), MPI_SUCCESS);
    if (full == MPI_COMM_NULL)
        survive();
    else
        check_full(full);
    return finish();
}
