/* SPDX-License-Identifier: BSD-3-Clause */
/* Origins die while they put and add into windows of others: what the memory of a window contains afterwards nobody
 * knows, but nothing beside it has changed, and the failed members only become more.
 *
 *   S0-44: nothing beside the memory of a window changes when an epoch fails
 *   S0-99: the failed members of a window that a process knows only become more */
/* RUN: -n 4 --lenient-exit ; args created 3000 ; times 4 */
/* RUN: -n 4 --lenient-exit ; args created 9000 ; times 4 */
/* RUN: -n 4 --lenient-exit ; args created 3000 ; set RMA_SHM=0 ; times 4 */
/* RUN: -n 4 --lenient-exit ; args created 3000 ; set NODES=2 */
#include "../common.h"

#define VICTIMS     2 /* the last ranks */
#define BYTES       (256 * 1024)
#define GUARD_BYTES 4096
#define AROUND      0xa5

static unsigned char memory[GUARD_BYTES + BYTES + GUARD_BYTES];
static int known_n;

static void check_around(void)
{
    for (int i = 0; i < GUARD_BYTES; i++)
        CHECK(memory[i] == AROUND && memory[GUARD_BYTES + BYTES + i] == AROUND);
}

static void check_failed(MPI_Win win)
{
    MPI_Group failed;
    int n;

    CHECK_OK(MPI_Win_get_failed(win, &failed));
    CHECK_OK(MPI_Group_size(failed, &n));
    CHECK(n >= known_n && n <= VICTIMS);
    known_n = n;
    CHECK_OK(MPI_Group_free(&failed));
}

/* Until it dies: to the survivors' windows, up to both ends. */
static void write_on(MPI_Win win)
{
    static unsigned char from[BYTES];

    memset(from, rank, sizeof(from));
    for (int i = 0;; i++) {
        int target = i % (size - VICTIMS), n = i % 3 ? BYTES : BYTES / 64;

        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        MPI_Put(from, n, MPI_BYTE, target, BYTES - n, n, MPI_BYTE, win);
        MPI_Accumulate(from, n, MPI_BYTE, target, 0, n, MPI_BYTE, MPI_BXOR, win);
        MPI_Win_unlock(target, win);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;

    start(&argc, &argv);
    memset(memory, AROUND, sizeof(memory));
    CHECK_OK(MPI_Win_create(memory + GUARD_BYTES, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank >= size - VICTIMS) {
        die_soon(atol(argv[2]) * (1 + rank % 2));
        write_on(win);
    }
    for (int v = size - VICTIMS; v < size; v++) {
        wait_until_dead(MPI_COMM_WORLD, v);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
        MPI_Win_unlock(rank, win);
        check_failed(win);
    }
    CHECK_CLASS(MPI_Win_fence(0, win), MPI_ERR_PROC_FAILED);
    check_failed(win);
    CHECK_EQ(known_n, VICTIMS);
    check_around();
    MPI_Win_free(&win);
    check_around();
    return finish();
}
