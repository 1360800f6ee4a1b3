/* SPDX-License-Identifier: BSD-3-Clause */
/* An error on a window with a fatal handler, which every window has at first, ends the members of the window and no
 * other process, whatever the error is: wrong arguments, the death of a member, a revocation.  The outsiders see the
 * members as failed, and their own window of the same kind works.  All members but the one that raises the error wait,
 * inside MPI, for something else.
 *
 *   R13: a fatal error ends the processes of its object and no others
 *   S4-5: fatal errors on windows and files end the object's group
 *
 * RUN: -n 5 ; args wrong ; expect "on a window without a name" ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok"
 * RUN: -n 5 ; args death ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok"
 * RUN: -n 5 ; args revoked ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok"
 * RUN: -n 5 ; args wrong ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok"
 * RUN: -n 5 ; args death ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok"
 * RUN: -n 5 ; args revoked ; set RMA_SHM=0 ; expect "rank 0 ok" ; expect "rank 4 ok" ; expect-no "rank 2 ok"
 * RUN: -n 16 ; args death ; expect "rank 0 ok" ; expect "rank 15 ok" ; expect-no "rank 14 ok"
 * RUN: -n 16 ; args revoked ; expect "rank 0 ok" ; expect "rank 15 ok" ; expect-no "rank 14 ok" */
#include "../common.h"

#include <mpi_ft.h>

static bool is_doomed(int r)
{
    return r > 0 && r < size - 1;
}

/* Ranks 1 and 2 make the error; the others know nothing of it. */
static _Noreturn void raise_it(const char *how, MPI_Win win)
{
    int v = 0;

    if (!strcmp(how, "wrong") && rank == 2)
        MPI_Put(&v, 1, MPI_INT, 99, 0, 1, MPI_INT, win); /* no such rank */
    if (!strcmp(how, "death") && rank == 2)
        die_now();
    if (!strcmp(how, "revoked") && rank == 2)
        CHECK_OK(MPIX_Win_revoke(win));
    if (strcmp(how, "wrong") && rank == 1)
        MPI_Win_fence(0, win); /* waits for member 3, which does not come */
    MPI_Recv(&v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits to be ended */
    CHECK(!"reached");
    abort();
}

static void go_on(MPI_Win win)
{
    int v = rank, got = -1, me;
    MPI_Group all;

    for (int r = 1; r < size - 1; r++)
        CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                    MPI_ERR_PROC_FAILED);
    MPI_Win_get_group(win, &all);
    MPI_Group_rank(all, &me);
    MPI_Group_free(&all);
    CHECK_OK(MPI_Win_fence(0, win));
    v = rank;
    CHECK_OK(MPI_Put(&v, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    CHECK_OK(MPI_Get(&got, 1, MPI_INT, 1 - me, 0, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_EQ(got, rank);
}

int main(int argc, char **argv)
{
    MPI_Comm sub;
    MPI_Win win;
    int *base;

    start(&argc, &argv);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, is_doomed(rank), rank, &sub));
    MPI_Comm_set_errhandler(sub, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Win_allocate(4096, 4, MPI_INFO_NULL, sub, &base, &win));
    if (is_doomed(rank))
        raise_it(argv[1], win);
    go_on(win);
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Comm_free(&sub));
    return finish();
}
