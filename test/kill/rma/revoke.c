/* SPDX-License-Identifier: BSD-3-Clause */
/* A window that one member revokes: calls that wait on it end at all the others, later ones fail at once, what is local
 * still works, and so does a window of the same members that nobody has revoked.
 *
 *   R30: a window or a file with dead members can be freed
 *   S0-95: a revocation of a window reaches all its members
 *   S0-96: it ends the calls that wait on the window
 *   S0-97: on a revoked window every non-local call fails
 *
 * RUN: -n 4 ; args fence
 * RUN: -n 4 ; args lock
 * RUN: -n 4 ; args start
 * RUN: -n 4 ; args wait
 * RUN: -n 4 ; args flush
 * RUN: -n 4 ; args fence ; set RMA_SHM=0
 * RUN: -n 4 ; args lock ; set RMA_SHM=0
 * RUN: -n 4 ; args start ; set RMA_SHM=0
 * RUN: -n 4 ; args wait ; set RMA_SHM=0
 * RUN: -n 4 ; args flush ; set RMA_SHM=0
 * RUN: -n 4 ; args fence ; set REVOKE_SHM=0 */
#include "../../mpi/rma/common.h"

#define REVOKED MPIX_ERR_REVOKED

static struct window k;
static int v;

static MPI_Group group_of(int member)
{
    MPI_Group all, one;

    CHECK_OK(MPI_Win_get_group(k.win, &all));
    MPI_Group_incl(all, 1, &member, &one);
    MPI_Group_free(&all);
    return one;
}

/* What has to be there before anything is revoked. */
static void begin(const char *call)
{
    MPI_Group zero = group_of(0);

    if (!strcmp(call, "wait"))
        CHECK_OK(MPI_Win_post(zero, 0, k.win));
    else if (!strcmp(call, "flush"))
        CHECK_OK(MPI_Win_lock_all(0, k.win));
    MPI_Group_free(&zero);
}

/* All but rank 0 wait for it, in the call that the argument names; what ends it is the revocation (S0-95, S0-96). */
static int wait_in(const char *call)
{
    MPI_Group zero = group_of(0);
    int class;

    if (!strcmp(call, "fence"))
        class = class_of(MPI_Win_fence(0, k.win));
    else if (!strcmp(call, "lock"))
        class = class_of(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
    else if (!strcmp(call, "start"))
        class = class_of(MPI_Win_start(zero, 0, k.win));
    else if (!strcmp(call, "wait"))
        class = class_of(MPI_Win_wait(k.win));
    else
        do {
            MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, k.win);
            class = class_of(MPI_Win_flush(0, k.win));
        } while (class == MPI_SUCCESS);
    MPI_Group_free(&zero);
    return class;
}

static void revoke_it(const char *call)
{
    if (!strcmp(call, "lock"))
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
    CHECK_OK(MPI_Barrier(W));
    CHECK_OK(MPI_Win_invalidate(k.win));
}

/* S0-97: all that is not local. */
static void nothing_works(void)
{
    MPI_Group zero = group_of(0), failed;
    MPI_Request r;
    int flag;

    CHECK_CLASS(MPI_Win_fence(0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_lock_all(0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_start(zero, 0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_post(zero, 0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_complete(k.win), REVOKED);
    CHECK_CLASS(MPI_Win_wait(k.win), REVOKED);
    CHECK_CLASS(MPI_Win_test(k.win, &flag), REVOKED);
    CHECK_CLASS(MPI_Win_flush(0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_flush_local(0, k.win), REVOKED);
    CHECK_CLASS(MPI_Win_flush_all(k.win), REVOKED);
    CHECK_CLASS(MPI_Win_sync(k.win), REVOKED);
    CHECK_CLASS(MPI_Put(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, k.win), REVOKED);
    CHECK_CLASS(MPI_Rget(&v, 1, MPI_INT, 0, 0, 1, MPI_INT, k.win, &r), REVOKED);
    CHECK_OK(MPI_Win_get_failed(k.win, &failed));
    CHECK(failed == MPI_GROUP_EMPTY);
    MPI_Group_free(&zero);
}

int main(int argc, char **argv)
{
    struct window other;

    MPI_Init(&argc, &argv);
    know_rank();
    snprintf(doing, sizeof(doing), "%s", argv[1]);
    k = make_window(ALLOCATED, 4000, 4, W);
    other = make_window(ALLOCATED, 4000, 4, W);
    if (rank == 0) {
        revoke_it(argv[1]);
    } else {
        begin(argv[1]);
        CHECK_OK(MPI_Barrier(W));
        CHECK_EQ(wait_in(argv[1]), REVOKED);
    }
    nothing_works();
    free_window(&k); /* local: R30 */
    CHECK_OK(MPI_Win_fence(0, other.win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, other.win));
    free_window(&other);
    MPI_Finalize();
    return 0;
}
