/* SPDX-License-Identifier: BSD-3-Clause */
/* A process whose recovery frees a window within an epoch that a death has spoilt: the free ends the epoch, and what waits for that
 * epoch at others goes on.
 *
 *   R30: a window or a file with dead members can be freed
 *
 * RUN: -n 4 ; args all allocated
 * RUN: -n 4 ; args all created
 * RUN: -n 4 ; args all allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args lock allocated
 * RUN: -n 4 ; args lock created
 * RUN: -n 4 ; args lock allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args some allocated
 * RUN: -n 4 ; args some created
 * RUN: -n 4 ; args some allocated ; set RMA_SHM=0
 * RUN: -n 4 ; args fence allocated
 * RUN: -n 4 ; args fence allocated ; set RMA_SHM=0 */
#include "../common.h"

#include "../../mpi/rma/common.h"

#define VICTIM 1
#define FAILED MPI_ERR_PROC_FAILED

static struct window k;
static int value = 42;

static void mourn(void)
{
    CHECK_CLASS(MPI_Recv(NULL, 0, MPI_INT, VICTIM, 99, W, MPI_STATUS_IGNORE), FAILED);
}

static void put(int target)
{
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, target, disp_of(&k, target, rank, 4), 1, MPI_INT, k.win));
}

/* Rank 2 holds the lock of rank 0 when it frees the window; that lets rank 3 in. */
static void hand_over(void)
{
    if (rank == 2) {
        put(0);
        CHECK_OK(MPI_Win_flush(0, k.win));
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 3, 0, W));
    }
    if (rank != 3)
        return;
    CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 2, 0, W, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
    CHECK_OK(MPI_Get(&value, 1, MPI_INT, 0, disp_of(&k, 0, 2, 4), 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_unlock(0, k.win));
    CHECK_EQ(value, 42);
}

static void lock_all(void)
{
    CHECK_CLASS(MPI_Win_lock_all(0, k.win), FAILED);
    if (rank != 2)
        CHECK_CLASS(MPI_Win_unlock_all(k.win), FAILED);
    hand_over();
}

static void lock(void)
{
    if (rank == 2) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, k.win));
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, k.win));
        CHECK_CLASS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, VICTIM, 0, k.win), FAILED);
    }
    hand_over();
}

/* Rank 0 gives access to all, and waits for them; rank 2 does not complete, and has given access to rank 0, which does not start. */
static void some(void)
{
    MPI_Group all, others, first;
    int zero = 0;

    CHECK_OK(MPI_Win_get_group(k.win, &all));
    MPI_Group_excl(all, 1, &zero, &others);
    MPI_Group_incl(all, 1, &zero, &first);
    if (rank == 0) {
        CHECK_CLASS(MPI_Win_post(others, 0, k.win), FAILED);
        CHECK_CLASS(MPI_Win_wait(k.win), FAILED);
        for (int r = 2; r < size; r++)
            CHECK_EQ(((int *)k.base)[r], 42);
    } else {
        if (rank == 2)
            CHECK_OK(MPI_Win_post(first, 0, k.win));
        CHECK_OK(MPI_Win_start(first, 0, k.win));
        put(0);
        if (rank == 3)
            CHECK_OK(MPI_Win_complete(k.win));
    }
    MPI_Group_free(&all);
    MPI_Group_free(&others);
    MPI_Group_free(&first);
}

/* Rank 2 has begun another epoch of fences, which nobody else has. */
static void fence(void)
{
    CHECK_CLASS(MPI_Win_fence(0, k.win), FAILED);
    if (rank == 2)
        put(0);
}

static void run(const char *what)
{
    if (!strcmp(what, "all"))
        lock_all();
    else if (!strcmp(what, "lock"))
        lock();
    else if (!strcmp(what, "some"))
        some();
    else
        fence();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    know_rank();
    open_board();
    return_errors();
    snprintf(doing, sizeof(doing), "%s, a window that is %s", argv[1], argv[2]);
    k = make_window(!strcmp(argv[2], "created") ? CREATED : ALLOCATED, 4000, 4, W);
    CHECK_OK(MPI_Barrier(W));
    post(0);
    if (rank == VICTIM) {
        await(0, size); /* all have returned from the barrier */
        die_now();
    }
    mourn();
    run(argv[1]);
    free_window(&k);
    MPI_Finalize();
    return 0;
}
