/* SPDX-License-Identifier: BSD-3-Clause */
/* On an overloaded machine, with default settings, no living process is declared dead.
 * For some seconds all ranks compute, with more ranks than cores, with or without MPI calls
 * in between; half of them may have the lowest priority, beside processes of normal priority that only use time.
 * At the end all ranks exchange messages, so no rank has seen another one as failed.
 *
 *   outside   no MPI call                          calls    a collective, a message or an agreement now and then
 *   stops     calls, and rank 0 stops others for a moment, again and again
 *
 * A long run: LOADED_S=600 MEND_TEST_PATIENCE=50 test/run kill/detect/s3_10_loaded.c
 *
 *   S3-10: a running process is not suspected
 *
 * RUN: -n 16 ; args outside 1.5 0 ; expect "rank 15 ok" ; expect-no "mend:"
 * RUN: -n 16 ; args calls 1.5 0 ; expect "rank 15 ok" ; expect-no "mend:"
 * RUN: -n 16 ; args calls 1 3 ; expect "rank 15 ok" ; expect-no "mend:"
 * RUN: -n 8 --stop-timeout 2 ; args stops 1 1 ; expect "rank 7 ok" ; expect-no "mend:" */
#include "../common.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#define W     MPI_COMM_WORLD
#define PIDS  100 /* slots of the board */
#define BURST 0.01

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void compute(double s)
{
    for (double end = now_s() + s; now_s() < end;)
        ;
}

static void nobody_is_dead(void)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPI_Comm_get_failed(W, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, 0);
}

/* Each rank makes the same calls; rank 0 says when it is enough. */
static void calls(double s, bool stops)
{
    double end = now_s() + s;
    int right = (rank + 1) % size, left = (rank + size - 1) % size, go_on = 1, flag, v;

    for (int i = 0; go_on; i++) {
        int other = 1 + i % (size - 1);

        compute(BURST / 4);
        if (stops && rank == 0)
            CHECK_EQ(kill(board[PIDS + other], SIGSTOP), 0);
        flag = 1;
        v = rank;
        if (i % 3 == 0 && !stops)
            CHECK_EQ(MPI_Comm_agreement(W, &flag), MPI_SUCCESS);
        compute(rank == 0 ? BURST : 0);
        if (stops && rank == 0)
            CHECK_EQ(kill(board[PIDS + other], SIGCONT), 0);
        if (i % 3 == 1)
            CHECK_EQ(MPI_Sendrecv_replace(&v, 1, MPI_INT, right, 1, left, 1, W, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
        go_on = now_s() < end;
        CHECK_EQ(MPI_Bcast(&go_on, 1, MPI_INT, 0, W), MPI_SUCCESS);
        nobody_is_dead();
    }
}

/* Processes that take what they get; they end with this one. */
static void burn(int n)
{
    for (int i = 0; i < n; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                ;
        }
}

int main(int argc, char **argv)
{
    const char *how = argv[1], *longer = getenv("LOADED_S");
    double s = longer ? atof(longer) : atof(argv[2]);
    int hogs = atoi(argv[3]), sum, one = 1;

    start(&argc, &argv);
    alarm(60 + 10 * (unsigned)s);
    board[PIDS + rank] = (int)getpid();
    CHECK_EQ(MPI_Barrier(W), MPI_SUCCESS);
    if (rank == 0)
        burn(hogs);
    if (hogs && rank % 2)
        setpriority(PRIO_PROCESS, 0, 19);
    if (!strcmp(how, "outside"))
        compute(s);
    else
        calls(s, !strcmp(how, "stops"));
    nobody_is_dead();
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, W), MPI_SUCCESS);
    CHECK_EQ(sum, size);
    return finish();
}
