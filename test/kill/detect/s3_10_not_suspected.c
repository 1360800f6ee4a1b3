/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that lives is not suspected.  Every rank does for a while something that could look like a
 * failure, with a time-out for stopped processes that is far shorter than the default; nobody is
 * reported, the ranks communicate before and after it, and in the end all are there.
 *
 *   compute   no MPI call for a long time, more ranks than cores
 *   sleep     the same without using the processor
 *   resume    stopped again and again, each time for less than the time-out
 *   child     a child process of the rank is killed, another is stopped for long
 *   thread    threads of the process come and go
 *
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 8 --stop-timeout 0.05 ; args compute ; expect "rank 7 ok" ; expect-no "mend:"
 * RUN: -n 32 --stop-timeout 0.05 ; args compute ; expect "rank 31 ok" ; expect-no "mend:"
 * RUN: -n 4 --stop-timeout 0.05 ; args sleep ; expect "rank 3 ok" ; expect-no "mend:"
 * RUN: -n 4 --stop-timeout 1 ; args resume ; expect "rank 3 ok" ; expect-no "mend:"
 * RUN: -n 4 ; args resume ; expect "rank 3 ok" ; expect-no "mend:"
 * RUN: -n 3 --stop-timeout 0.05 ; args child ; expect "rank 2 ok" ; expect-no "mend:"
 * RUN: -n 3 --stop-timeout 0.05 ; args thread ; expect "rank 2 ok" ; expect-no "mend:" */
#include "../common.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#define PIDS   100 /* slots of the board */
#define LONG_S 0.4

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void compute(void)
{
    double end = now_s() + LONG_S;

    while (now_s() < end)
        ;
}

/* Rank 0 stops the others, ten times for 30 ms. */
static void resume(void)
{
    post(0);
    await(0, size);
    for (int i = 0; rank == 0 && i < 10; i++) {
        for (int r = 1; r < size; r++)
            CHECK_EQ(kill(board[PIDS + r], SIGSTOP), 0);
        usleep(30000);
        for (int r = 1; r < size; r++)
            CHECK_EQ(kill(board[PIDS + r], SIGCONT), 0);
        usleep(5000);
    }
}

static void children(void)
{
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            raise(i ? SIGSTOP : SIGKILL);
            _exit(0);
        }
        CHECK(pid > 0);
        usleep((useconds_t)(LONG_S * 1e6 / 2));
        kill(pid, SIGKILL);
        CHECK_EQ(waitpid(pid, NULL, 0), pid);
    }
}

static void *nothing(void *arg)
{
    return arg;
}

static void threads(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t t;

        CHECK_EQ(pthread_create(&t, NULL, nothing, NULL), 0);
        CHECK_EQ(pthread_join(t, NULL), 0);
    }
    usleep((useconds_t)(LONG_S * 1e6));
}

static void check_all_alive(void)
{
    MPI_Group failed;
    int n, sum, one = 1;

    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(sum, size);
    CHECK_EQ(MPI_Comm_get_failed(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 0);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    board[PIDS + rank] = (int)getpid();
    check_all_alive();
    if (!strcmp(argv[1], "compute"))
        compute();
    else if (!strcmp(argv[1], "sleep"))
        usleep((useconds_t)(LONG_S * 1e6));
    else if (!strcmp(argv[1], "resume"))
        resume();
    else if (!strcmp(argv[1], "child"))
        children();
    else
        threads();
    check_all_alive();
    return finish();
}
