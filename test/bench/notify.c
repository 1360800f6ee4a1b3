/* SPDX-License-Identifier: BSD-3-Clause */
/* notify.c – from MPIX_Notify to its callback, and what a registered callback costs; for Mend only.
 *
 *   rank 0   writes the time │ MPIX_Notify
 *   rank 1   computes, sleeps in nanosleep(), or waits in MPI_Recv ───X callback: writes the time
 *
 * Beside it the same with a bare signal, from kill() to its handler.  Times are medians and the 99th of 100 in µs; the last
 * two lines are a call that does little, MPI_Comm_test_inter, in ns.
 *
 * usage: mpiexec -n 2 ./notify [TRIALS] */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define KEY   1
#define CALLS 10000000

enum { COMPUTES, SLEEPS, WAITS, SIGNAL, WAYS };

static const char *const names[WAYS] = {"computes", "sleeps in nanosleep", "waits in MPI_Recv",
                                        "computes; a bare signal"};

static struct shared {
    volatile int ready, done;
    volatile double called, ran;
    pid_t pid;
} * shared;
static int trials = 1000;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void note(void)
{
    shared->ran = now();
    shared->done++;
}

static void on_notify(MPI_Group sender, int key, const void *data, int bytes, void *state)
{
    (void)sender, (void)key, (void)data, (void)bytes, (void)state;
    note();
}

static void on_signal(int sig)
{
    (void)sig;
    note();
}

static void be_target(int way, int number)
{
    struct timespec second = {1, 0};
    int byte;

    shared->ready = number;
    if (way == WAITS)
        MPI_Recv(&byte, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (shared->done < number)
        if (way == SLEEPS)
            nanosleep(&second, NULL);
}

static double notify_once(MPI_Group world, int way, int number)
{
    int sent;

    while (shared->ready < number)
        ;
    for (double end = now() + 200; now() < end;) /* the target is where it is to be */
        ;
    shared->called = now();
    if (way == SIGNAL)
        kill(shared->pid, SIGUSR2);
    else
        MPIX_Notify(world, 1, KEY, NULL, 0, &sent);
    while (shared->done < number)
        ;
    if (way == WAITS)
        MPI_Send(&sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return shared->ran - shared->called;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure(int rank, MPI_Group world, int way)
{
    double *us = malloc((size_t)trials * sizeof(*us));

    for (int i = 0; i < trials; i++) {
        int number = way * trials + i + 1;

        if (rank == 1)
            be_target(way, number);
        else
            us[i] = notify_once(world, way, number);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        qsort(us, (size_t)trials, sizeof(*us), by_size);
        printf("target %-24s %7.2f us, 99 %% within %7.2f us\n", names[way], us[trials / 2],
               us[trials * 99 / 100]);
    }
    free(us);
}

static void measure_calls(int rank, const char *what)
{
    double start = now();
    int flag;

    for (int i = 0; i < CALLS; i++)
        MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
    if (rank == 1)
        printf("a call, %-31s %7.2f ns\n", what, (now() - start) * 1e3 / CALLS);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Group world;
    MPI_Win win;
    MPI_Aint bytes;
    int rank, unit;

    MPI_Init(&argc, &argv);
    if (argc > 1)
        trials = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_allocate_shared(rank == 0 ? sizeof(*shared) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &shared, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &shared);
    measure_calls(rank, "nothing registered");
    MPIX_Notify_register(KEY, on_notify, NULL);
    measure_calls(rank, "a callback registered");
    if (rank == 1)
        shared->pid = getpid();
    signal(SIGUSR2, on_signal);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int way = 0; way < WAYS; way++)
        measure(rank, world, way);
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    return MPI_Finalize();
}
