/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows without shared memory: every call on one ends, whichever rank dies and wherever, with success or with
 * MPI_ERR_PROC_FAILED; a window exists at all survivors or at none; a counter that all add to under a lock is never more
 * than what they have added. */
#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>

#define W     MPI_COMM_WORLD
#define TURNS 3

static int wrong(int rank, const char *what, int err)
{
    fprintf(stderr, "rank %d: %s: class %#x\n", rank, what, (unsigned)err);
    return 1;
}

/* 1: another error than that of a death. */
static int bad(int err)
{
    int class = err;

    if (err)
        MPI_Error_class(err, &class);
    return class != MPI_SUCCESS && class != MPI_ERR_PROC_FAILED;
}

#define TRY(call_)                                                                                 \
    do {                                                                                           \
        int err_ = call_;                                                                          \
        if (bad(err_))                                                                             \
            return wrong(rank, #call_, err_);                                                      \
    } while (0)

static int fences(MPI_Win win, int rank, int size)
{
    int v = rank + 1, got = 0, next = (rank + 1) % size;

    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&v, 1, MPI_INT, next, rank, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get(&got, 1, MPI_INT, next, rank, 1, MPI_INT, win));
    TRY(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    return 0;
}

static int locks(MPI_Win win, int rank, int size)
{
    int one = 1, got = 0;

    for (int i = 0; i < TURNS; i++) {
        int err = MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);

        if (bad(err))
            return wrong(rank, "MPI_Win_lock", err);
        TRY(MPI_Fetch_and_op(&one, &got, MPI_INT, 0, 32, MPI_SUM, win));
        TRY(MPI_Win_unlock(0, win));
        if (got < 0 || got >= TURNS * size)
            return wrong(rank, "counter", got);
    }
    TRY(MPI_Win_lock_all(0, win));
    for (int t = 0; t < size; t++)
        TRY(MPI_Accumulate(&one, 1, MPI_INT, t, 33, 1, MPI_INT, MPI_SUM, win));
    TRY(MPI_Win_flush_all(win));
    TRY(MPI_Win_unlock_all(win));
    return 0;
}

static int among_some(MPI_Win win, int rank, int size)
{
    int v = rank, next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Group all, to, from;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &last, &from);
    for (int i = 0; i < TURNS; i++) {
        TRY(MPI_Win_post(from, 0, win));
        TRY(MPI_Win_start(to, 0, win));
        TRY(MPI_Put(&v, 1, MPI_INT, next, 34, 1, MPI_INT, win));
        TRY(MPI_Win_complete(win));
        TRY(MPI_Win_wait(win));
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size, err, all, *base;
    MPI_Win win = MPI_WIN_NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    err = MPI_Win_allocate(40 * sizeof(int), sizeof(int), MPI_INFO_NULL, W, &base, &win);
    if (bad(err))
        return wrong(rank, "MPI_Win_allocate", err);
    all = !err;
    MPIX_Comm_agree(W, &all);
    if (all != !err)
        return wrong(rank, "the window is not everywhere", err);
    if (!err) {
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        if (fences(win, rank, size) || locks(win, rank, size) || among_some(win, rank, size))
            return 1;
        TRY(MPI_Win_free(&win));
    }
    MPI_Finalize();
    return 0;
}
