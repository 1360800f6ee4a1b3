/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent of the last node is killed while all use a window, in each kind of epoch: calls of operations succeed, each synchronization ends
 * with success or with the death, and what goes between survivors of one node or of two is done. Then the survivors free the window, and
 * make another one.
 *
 * Arguments: the kind of memory; the kind of epoch; a seed of the instant.
 *
 *   S0-40: one-sided operations never report a death
 *   S0-41: the synchronization reports a death
 *   S0-45: a synchronization that reports a failure completes the epoch
 *   S5-8: the death of an agent is the loss of its node */
/* RUN: -n 6 ; set MACHINES=3 ; args allocated lock {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args own lock {n} ; set SINGLE_COPY=always ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args allocated all {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 6 */
/* RUN: -n 4 ; set MACHINES=2 ; args allocated all {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args allocated fence {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 6 */
/* RUN: -n 6 ; set MACHINES=3 ; args own groups {n} ; expect "rank 0 ok" ; expect "rank 3 ok" ; times 6 */
#include "../../agent.h"
#include "../common.h"

#define WORDS  2048
#define ROUNDS 100000

enum { READY, DONE, ADDED = 64 }; /* ADDED + rank: how often it has added to the counters of all */

static MPI_Win win;
static int *mine;

static void make(const char *kind, MPI_Comm c)
{
    MPI_Aint bytes = WORDS * sizeof(int);

    if (!strcmp(kind, "allocated")) {
        CHECK_OK(MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, c, &mine, &win));
    } else {
        mine = calloc(WORDS, sizeof(int));
        CHECK_OK(MPI_Win_create(mine, bytes, sizeof(int), MPI_INFO_NULL, c, &win));
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void *kill_agent(void *delay_us)
{
    usleep((useconds_t)(intptr_t)delay_us);
    signal_own_agent(SIGKILL);
    return NULL;
}

/* MPI_SUCCESS, or it has heard of the death. */
static int told(int rc)
{
    CHECK(rc == MPI_SUCCESS || rc == MPI_ERR_PROC_FAILED);
    return rc;
}

static void put_and_add(int target, int v)
{
    static const int one = 1;
    static int value; /* until the end of the epoch */

    value = v;
    CHECK_EQ(MPI_Put(&value, 1, MPI_INT, target, rank, 1, MPI_INT, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Accumulate(&one, 1, MPI_INT, target, 100 + rank, 1, MPI_INT, MPI_SUM, win),
             MPI_SUCCESS);
}

static int lock_each(int value)
{
    int rc, worst = MPI_SUCCESS;

    for (int t = 0; t < size; t++) {
        rc = told(MPI_Win_lock(t % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, t, 0, win));
        put_and_add(t, value);
        rc = told(MPI_Win_unlock(t, win)) + rc;
        worst = rc ? rc : worst;
    }
    return worst;
}

static int flush_each(int value)
{
    int rc = told(MPI_Win_lock_all(0, win));

    for (int t = 0; t < size; t++) {
        put_and_add(t, value);
        rc = told(MPI_Win_flush(t, win)) + rc;
    }
    return told(MPI_Win_unlock_all(win)) + rc;
}

static int fence(int value)
{
    for (int t = 0; t < size; t++)
        put_and_add(t, value);
    return told(MPI_Win_fence(0, win));
}

static int groups(int value)
{
    MPI_Group all;
    int rc;

    MPI_Win_get_group(win, &all);
    rc = told(MPI_Win_post(all, 0, win));
    rc = told(MPI_Win_start(all, 0, win)) + rc;
    for (int t = 0; t < size; t++)
        put_and_add(t, value);
    rc = told(MPI_Win_complete(win)) + rc;
    rc = told(MPI_Win_wait(win)) + rc;
    MPI_Group_free(&all);
    return rc;
}

static int play(const char *epoch, int value)
{
    return !strcmp(epoch, "lock")    ? lock_each(value)
           : !strcmp(epoch, "all")   ? flush_each(value)
           : !strcmp(epoch, "fence") ? fence(value)
                                     : groups(value);
}

static bool all_succeeded(int rc)
{
    int flag = rc == MPI_SUCCESS;

    MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    return flag;
}

/* Each survivor has added as often as it has begun to, for each of its flushes is over. */
static void check_sums(void)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPIX_Win_get_failed(win, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    post(DONE);
    await_in_mpi(DONE, size - n);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    for (int r = 0; r < size - n; r++) { /* the last ones are dead */
        CHECK_EQ(mine[100 + r], posted(ADDED + r));
        CHECK_EQ(mine[r], posted(ADDED + r) - 1);
    }
    CHECK_OK(MPI_Win_unlock(rank, win));
    MPI_Group_free(&failed);
}

/* All of the rest put, and each has what all have put. */
static void go_on(const char *kind)
{
    MPI_Comm rest;
    int n, me;

    CHECK_EQ(MPIX_Comm_shrink(MPI_COMM_WORLD, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &n);
    MPI_Comm_rank(rest, &me);
    make(kind, rest);
    CHECK_OK(MPI_Win_fence(0, win));
    for (int t = 0; t < n; t++)
        CHECK_OK(MPI_Put(&n, 1, MPI_INT, t, me, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(0, win));
    for (int i = 0; i < n; i++)
        CHECK_EQ(mine[i], n);
    CHECK_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    int heard = 0;
    pthread_t thread;

    start(&argc, &argv);
    make(argv[1], MPI_COMM_WORLD);
    if (!strcmp(argv[2], "fence"))
        CHECK_OK(MPI_Win_fence(0, win));
    post(READY);
    await_in_mpi(READY, size);
    if (rank == size - 1)
        CHECK(pthread_create(&thread, NULL, kill_agent,
                             (void *)(intptr_t)(atoi(argv[3]) * 7919 % 20000)) == 0);
    for (int i = 0; heard < 3 && i < ROUNDS; i++) {
        post(ADDED + rank);
        heard += !all_succeeded(play(argv[2], i));
    }
    CHECK_EQ(heard, 3);
    if (!strcmp(argv[2], "all"))
        check_sums();
    CHECK_OK(MPI_Win_free(&win));
    go_on(argv[1]);
    return finish();
}
