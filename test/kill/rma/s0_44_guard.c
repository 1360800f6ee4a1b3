/* SPDX-License-Identifier: BSD-3-Clause */
/* Origins die while they put, get and add large and small vectors in windows of others, up to both ends of a range: what
 * the range contains afterwards nobody knows, but nothing beside it has changed, neither in the windows nor beside the
 * buffers of the survivors, which get and put all the time; and the failed members only become more.
 *
 *     s0_44_guard KIND MICROSECONDS
 *
 *   S0-44: nothing beside the memory of a window changes when an epoch fails
 *   S0-99: the failed members of a window that a process knows only become more */
/* RUN: -n 4 --lenient-exit ; args 0 3000 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 1 3000 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 1 9000 ; times 4 */
/* RUN: -n 4 --lenient-exit ; args 2 3000 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 3 3000 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 4 3000 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 5 3000 ; times 2 */
/* RUN: -n 8 --lenient-exit ; args 0 9000 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 1 3000 ; set RMA_SHM=0 ; times 4 */
/* RUN: -n 4 --lenient-exit ; args 5 3000 ; set RMA_SHM=0 ; times 2 */
/* RUN: -n 4 --lenient-exit ; args 1 3000 ; set MACHINES=2 */
#include "../common.h"

#include "../../mpi/rma/common.h"

#define VICTIMS     2 /* the last ranks */
#define BYTES       (256 * 1024)
#define GUARD_BYTES 4096
#define ALL_BYTES   (GUARD_BYTES + BYTES + GUARD_BYTES)
#define AROUND      0xa5
#define READY       0 /* of the board */

static unsigned char from[ALL_BYTES], to[ALL_BYTES];
static struct window k;
static int known_n, turns;

static void check_around(const void *memory)
{
    const unsigned char *at = memory;

    for (int i = 0; i < GUARD_BYTES; i++)
        CHECK(at[i] == AROUND && at[GUARD_BYTES + BYTES + i] == AROUND);
}

static void check_failed(void)
{
    MPI_Group failed;
    int n;

    CHECK_OK(MPI_Win_get_failed(k.win, &failed));
    CHECK_OK(MPI_Group_size(failed, &n));
    CHECK(n >= known_n && n <= VICTIMS);
    known_n = n;
    CHECK_OK(MPI_Group_free(&failed));
}

/* One epoch towards any member but the victims, or towards all; the ranges end where the guards begin. */
static void turn(bool victims_too)
{
    int target = turns % (size - (victims_too ? 0 : VICTIMS)), n = turns % 3 ? BYTES : BYTES / 64;
    MPI_Aint first = disp_of(&k, target, GUARD_BYTES, 1);
    MPI_Aint last = disp_of(&k, target, GUARD_BYTES + BYTES - n, 1);

    turns++;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, k.win);
    MPI_Put(from + GUARD_BYTES, n, MPI_BYTE, target, last, n, MPI_BYTE, k.win);
    MPI_Get(to + GUARD_BYTES + BYTES - n, n, MPI_BYTE, target, first, n, MPI_BYTE, k.win);
    MPI_Accumulate(from + GUARD_BYTES, n, MPI_BYTE, target, first, n, MPI_BYTE, MPI_BXOR, k.win);
    MPI_Win_unlock(target, k.win);
}

static void set_up(enum kind kind)
{
    memset(from, AROUND, sizeof from);
    memset(to, AROUND, sizeof to);
    memset(from + GUARD_BYTES, rank, BYTES);
    k = make_window(kind_on(MPI_COMM_WORLD, kind), ALL_BYTES, 1, MPI_COMM_WORLD);
    memset(k.base, AROUND, ALL_BYTES);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    post(READY); /* a death may reach a rank that is still in the barrier */
    await_in_mpi(READY, size);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    set_up((enum kind)atoi(argv[1]));
    if (rank >= size - VICTIMS) {
        die_soon(atol(argv[2]) * (1 + rank % 2));
        for (;;)
            turn(false);
    }
    while (!is_known_dead(MPI_COMM_WORLD, size - 1) || !is_known_dead(MPI_COMM_WORLD, size - 2)) {
        turn(true);
        check_failed();
    }
    for (int i = 0; i < 2 * size; i++) /* towards the dead, too */
        turn(true);
    CHECK_CLASS(MPI_Win_fence(0, k.win), MPI_ERR_PROC_FAILED);
    check_failed();
    CHECK_EQ(known_n, VICTIMS);
    check_around(k.base);
    check_around(from);
    check_around(to);
    if (k.kind == CREATED || k.kind == DYNAMIC) { /* its memory is the program's */
        CHECK_OK(MPI_Win_free(&k.win));
        check_around(k.base);
        free(k.base);
        free(k.at);
    } else {
        free_window(&k);
    }
    return finish();
}
