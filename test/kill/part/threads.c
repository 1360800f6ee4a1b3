/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads mark partitions, or ask for them, when the process at the other end dies: no marking call reports it, no thread
 * waits for ever, partitions that arrived are right, and the main thread's wait fails.
 *
 * BUILD: -pthread
 *
 *   R26: a partition that cannot arrive any more is reported as arrived, with the failure
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-15: a nonblocking call never reports a failure when it starts
 *   S0-16: the completion call reports the failure
 *
 * RUN: -n 2 --lenient-exit ; args 64 ; kill 1 at part.arrived#30 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args 64 ; kill 1 at part.started#7 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args 64 ; kill 0 at part.marked#20 ; expect "rank 1 ok"
 * RUN: -n 2 --lenient-exit ; args 64 ; kill 0 at part.sent#20 ; expect "rank 1 ok"
 * RUN: -n 2 --lenient-exit ; args 250000 ; kill 1 at part.arrived#30 ; expect "rank 0 ok"
 * RUN: -n 2 --lenient-exit ; args 250000 ; kill 0 at part.sent#30 ; expect "rank 1 ok"
 * RUN: -n 2 --lenient-exit ; args 250000 ; kill 1 at time:0.02 ; expect "rank 0 ok" ; times 3 */
#include "../common.h"

#include "../../mpi/part/common.h"

#include <pthread.h>

#define THREADS    3
#define PARTITIONS 12
#define AFTER      3 /* rounds after the failure */

static unsigned char *buf;
static MPI_Request r;
static int each, now;
static bool over;
static pthread_barrier_t begin, end;

static void mark(int i)
{
    fill(buf + i * each, (size_t)each, (unsigned)(now + i));
    CHECK_OK(MPI_Pready(i, r));
}

static void take(int i)
{
    int flag = 0, class = MPI_SUCCESS;

    for (; !flag; sched_yield())
        class = class_of(MPI_Parrived(r, i, &flag));
    CHECK(class == MPI_SUCCESS || class == MPI_ERR_PROC_FAILED);
    if (class == MPI_SUCCESS)
        CHECK_EQ(wrong(buf + i * each, (size_t)each, (unsigned)(now + i)), -1);
}

static void *work(void *arg)
{
    for (;;) {
        pthread_barrier_wait(&begin);
        if (over)
            return NULL;
        for (int i = *(int *)arg; i < PARTITIONS; i += THREADS)
            rank == 0 ? mark(i) : take(i);
        pthread_barrier_wait(&end);
    }
}

/* The threads are through with the partitions before the request is completed. */
static int round_of_all(void)
{
    CHECK_OK(MPI_Start(&r));
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    return class_of(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int number[THREADS], level, left = AFTER;
    pthread_t t[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    know_rank();
    return_errors();
    each = atoi(argv[1]);
    buf = guarded((size_t)(PARTITIONS * each));
    pthread_barrier_init(&begin, NULL, THREADS + 1);
    pthread_barrier_init(&end, NULL, THREADS + 1);
    r = rank == 0 ? psend(buf, PARTITIONS, each, MPI_BYTE, 1, 0, W)
                  : precv(buf, PARTITIONS, each, MPI_BYTE, 0, 0, W);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, work, &number[i]);
    }
    for (now = 0; left > 0; now++) {
        int class = round_of_all();

        CHECK(class == MPI_ERR_PROC_FAILED || (class == MPI_SUCCESS && left == AFTER));
        left -= class != MPI_SUCCESS;
    }
    over = true;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    check_guards(buf, (size_t)(PARTITIONS * each));
    CHECK_OK(MPI_Request_free(&r));
    return finish();
}
