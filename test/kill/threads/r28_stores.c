/* SPDX-License-Identifier: BSD-3-Clause */
/* A process with several threads is dead when all of them are.  Eight threads of a victim store
 * into memory that others share, without an end, and in the midst of that the process dies.  When a
 * survivor has got the error it clears that memory, and from then on nothing changes it any more.
 *
 *   kill     SIGKILL from outside
 *   leave    the main thread ends itself only (pthread_exit), which is as good as a death for an MPI process
 *   other    one of the eight kills the process
 *   crash    the main thread calls abort()        core     and leaves a core
 *
 * With `window` the memory is a window's: rank 0's part of it.
 *
 * That the verdict waits for each thread is shown one by one, with threads that cannot end, by test_held_thread in
 * test/launch/test_held.py.  Ten thousand deaths: make soak STORES=10000.
 *
 *   R28: a process is dead when all its threads are at their end
 *   S3-1: a failed process never returns under its identity
 *   S3-12: a process that was told of a death may rely on it
 *   S3-14: the detector may be perfect
 *
 * RUN: -n 26 ; args kill ; expect "rank 0 ok" ; times 3 ; time 60
 * RUN: -n 26 ; args leave ; expect "rank 0 ok" ; times 3 ; time 60
 * RUN: -n 26 ; args other ; expect "rank 0 ok" ; time 60
 * RUN: -n 26 ; args kill window ; expect "rank 0 ok" ; times 2 ; time 60
 * RUN: -n 26 ; args leave window ; expect "rank 0 ok" ; time 60
 * RUN: -n 26 ; plain ; args crash ; expect "rank 0 ok" ; time 60
 * RUN: -n 16 ; plain ; args core ; expect "rank 0 ok" ; time 60 */
#include "../common.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#define W       MPI_COMM_WORLD
#define THREADS 8
#define WORDS   64 /* that each thread stores into */
#define TURN    0  /* slots of the board: which victim */
#define STORING 1  /* threads that have begun, of all victims */
#define PID     2
#define AREA    64 /* the memory that they share */
#define LOOKS   200

static const char *how;
static void *in_window; /* NULL: the memory is the board's */

static atomic_int *area(void)
{
    return in_window ? in_window : (void *)&board[AREA];
}

static void open_window(MPI_Win *win)
{
    MPI_Aint bytes = rank ? 0 : THREADS * WORDS * (int)sizeof(int);
    void *mine;
    int unit;

    CHECK_OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, W, &mine, win));
    CHECK_OK(MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_shared_query(*win, 0, &bytes, &unit, &in_window));
}

static void *store(void *arg)
{
    atomic_int *mine = area() + WORDS * *(int *)arg;

    post(STORING);
    for (int v = 1;; v++) {
        for (int i = 0; i < WORDS; i++)
            atomic_store_explicit(&mine[i], v | 1, memory_order_relaxed);
        if (!strcmp(how, "other") && *(int *)arg == THREADS - 1 &&
            posted(STORING) >= THREADS * rank && v > 1000)
            die_now();
    }
    return NULL;
}

static void be_victim(void)
{
    static int number[THREADS];
    struct rlimit cores;
    pthread_t thread;

    getrlimit(RLIMIT_CORE, &cores);
    cores.rlim_cur = strcmp(how, "core") ? 0 : cores.rlim_max;
    setrlimit(RLIMIT_CORE, &cores);
    while (posted(TURN) < rank) /* without a core, which the storing threads need */
        usleep(500);
    board[PID] = (int)getpid();
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK_EQ(pthread_create(&thread, NULL, store, &number[i]), 0);
    }
    await(STORING, rank * THREADS);
    if (!strcmp(how, "leave"))
        pthread_exit(NULL);
    if (!strcmp(how, "crash") || !strcmp(how, "core"))
        abort();
    for (;;)
        pause();
}

static int dirty(void)
{
    int n = 0;

    for (int i = 0; i < THREADS * WORDS; i++)
        n += atomic_load_explicit(&area()[i], memory_order_relaxed) != 0;
    return n;
}

static void lose(int victim)
{
    post(TURN);
    await(STORING, victim * THREADS);
    if (!strcmp(how, "kill"))
        CHECK_EQ(kill(board[PID], SIGKILL), 0);
    wait_until_dead(W, victim);
    for (int i = 0; i < THREADS * WORDS; i++)
        atomic_store(&area()[i], 0);
    for (int i = 0; i < LOOKS; i++) {
        CHECK_EQ(dirty(), 0);
        if (i % 8 == 7)
            usleep(50);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win = MPI_WIN_NULL;

    start(&argc, &argv);
    how = argv[1];
    if (argc > 2)
        open_window(&win);
    if (rank)
        be_victim();
    for (int victim = 1; victim < size; victim++)
        lose(victim);
    if (win != MPI_WIN_NULL)
        CHECK_OK(MPI_Win_free(&win));
    return finish();
}
