/* SPDX-License-Identifier: BSD-3-Clause */
/* Two processes put long data to each other, or get it, by messages, and take turns with the memory that it goes through.  One of
 * them dies after any of its frames: the other one, which may wait for its turn, learns of it in its flush, and can put to itself and
 * free the window.  Nor does it wait long for a turn that never comes, because the other one puts nothing.
 *
 *   R30: a window or a file with dead members can be freed
 *   S0-40: one-sided operations never report a death
 *   S0-47: unlocking a dead target fails
 *
 * RUN: -n 2 --lenient-exit ; args put ; set SINGLE_COPY=never ; kill 1 at rma.sent#1 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args put ; set SINGLE_COPY=never ; kill 1 at rma.sent#3 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args put ; set SINGLE_COPY=never ; kill 1 at rma.served#5 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args put ; set RMA_SHM=0 ; kill 1 at rma.sent#21 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args get ; set SINGLE_COPY=never ; kill 1 at rma.sent#3 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args get ; set SINGLE_COPY=never ; kill 1 at rma.served#5 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args alone ; set SINGLE_COPY=never ; kill 1 at rma.served#40 ; expect "rank 0 ok" */
#include "../common.h"

#define BYTES (1 << 20)
#define TURNS 1000

static MPI_Win win;
static char *mine, *other;

static int move(const char *how, int target)
{
    if (!strcmp(how, "get"))
        CHECK_OK(MPI_Get(other, BYTES, MPI_BYTE, target, 0, BYTES, MPI_BYTE, win));
    else
        CHECK_OK(MPI_Put(other, BYTES, MPI_BYTE, target, 0, BYTES, MPI_BYTE, win));
    return class_of(MPI_Win_flush(target, win));
}

/* Until the victim is dead. */
static void go_on(const char *how)
{
    int class = MPI_SUCCESS;

    for (int i = 0; i < TURNS && class == MPI_SUCCESS; i++)
        class = move(how, !rank);
    CHECK_EQ(class, MPI_ERR_PROC_FAILED);
    CHECK_EQ(move(how, !rank), MPI_ERR_PROC_FAILED);
    CHECK_EQ(move(how, rank), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    mine = calloc(1, BYTES);
    other = calloc(1, BYTES);
    CHECK_OK(MPI_Win_create(mine, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Win_lock_all(0, win));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD)); /* nobody dies before the other one has locked */
    if (rank == 0 || strcmp(argv[1], "alone"))
        go_on(argv[1]);
    else
        for (;;)
            MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Win_unlock_all(win), MPI_ERR_PROC_FAILED);
    CHECK_OK(MPI_Win_free(&win));
    return finish();
}
