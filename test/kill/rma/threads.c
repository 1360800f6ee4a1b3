/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads use windows, one of their own each and one together, when a rank dies at a random instant: every call of every
 * thread returns with success or MPI_ERR_PROC_FAILED, and what all have added towards a survivor is there.
 *
 * BUILD: -pthread
 *
 *   R29: lock_all with a dead member opens the epoch towards the survivors
 *   R30: a window or a file with dead members can be freed
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-2: a call that needs no dead process completes normally
 *
 * RUN: -n 4 ; args {n} ; times 8
 * RUN: -n 4 ; args {n} ; set RMA_SHM=0 ; times 8
 * RUN: -n 8 ; args {n} ; times 4
 * RUN: -n 8 ; args {n} ; set RMA_SHM=0 ; times 4 */
#include "../common.h"

#include "../../mpi/rma/common.h"

#include <pthread.h>

#define THREADS 4
#define TURNS   200
#define VICTIM  1
#define FAILED  MPI_ERR_PROC_FAILED
#define READY   0 /* of the board */

static struct window own[THREADS], together;
static int added[THREADS]; /* towards rank 0, in the common window, flushed with success */

static void may_fail(int err)
{
    int class = class_of(err);

    CHECK(class == MPI_SUCCESS || class == FAILED);
}

/* A lock of a living target may be poisoned: the victim may have had it. */
static void in_own(struct window *k, int target, int type)
{
    int one = 1, got = -1;

    may_fail(MPI_Win_lock(type, target, 0, k->win));
    CHECK_OK(
        MPI_Fetch_and_op(&one, &got, MPI_INT, target, disp_of(k, target, 0, 4), MPI_SUM, k->win));
    may_fail(MPI_Win_unlock(target, k->win));
}

static void in_common(int me, int target)
{
    int one = 1, got = -1, class;

    CHECK_OK(MPI_Fetch_and_op(&one, &got, MPI_INT, target, disp_of(&together, target, 0, 4),
                              MPI_SUM, together.win));
    class = class_of(MPI_Win_flush(target, together.win));
    CHECK(class == MPI_SUCCESS || (class == FAILED && target == VICTIM)); /* R29, S0-2 */
    added[me] += target == 0 && class == MPI_SUCCESS;
}

static void *work(void *arg)
{
    int me = *(int *)arg;

    for (int i = 0; i < TURNS; i++) {
        in_own(&own[me], (i + me) % size, i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE);
        in_common(me, (i + rank) % size);
    }
    return NULL;
}

static void run_threads(void)
{
    int number[THREADS];
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&t[i], NULL, work, &number[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

static void check_sum(MPI_Comm rest)
{
    int mine = 0, sum, all = -1;

    for (int i = 0; i < THREADS; i++)
        mine += added[i];
    CHECK_OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, rest));
    CHECK_OK(MPI_Get(&all, 1, MPI_INT, 0, disp_of(&together, 0, 0, 4), 1, MPI_INT, together.win));
    CHECK_OK(MPI_Win_flush(0, together.win));
    CHECK(all >= sum && all <= sum + THREADS * TURNS); /* what the victim has added, too */
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Comm rest;

    set_watchdog();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    after_init();
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    for (int i = 0; i < THREADS; i++)
        own[i] = make_window(kind_on(W, (enum kind)((atoi(argv[1]) + i) % KINDS)), 4096, 4, W);
    together = make_window(kind_on(W, (enum kind)(atoi(argv[1]) % KINDS)), 4096, 4, W);
    CHECK_OK(MPI_Comm_split(W, rank == VICTIM ? MPI_UNDEFINED : 0, rank, &rest));
    CHECK_OK(MPI_Win_lock_all(0, together.win));
    CHECK_OK(MPI_Barrier(W));
    post(READY); /* a death may reach a rank that is still in the barrier */
    await(READY, size);
    if (rank == VICTIM)
        die_soon(300 + 700 * atoi(argv[1]));
    run_threads();
    if (rank == VICTIM)
        die_now();
    wait_until_dead(W, VICTIM);
    MPI_Comm_set_errhandler(rest, MPI_ERRORS_RETURN);
    check_sum(rest);
    CHECK_CLASS(MPI_Win_unlock_all(together.win), FAILED);
    free_window(&together);
    for (int i = 0; i < THREADS; i++)
        free_window(&own[i]);
    return finish();
}
