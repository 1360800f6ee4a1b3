/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads fill and mark partitions of one message while the main thread waits, and threads of the receiver take each
 * partition as soon as it has arrived.
 *
 * BUILD: -pthread */
/* RUN: -n 2 */
/* RUN: -n 2 ; args small */
/* RUN: -n 2 ; set SINGLE_COPY=never */
#include "common.h"

#include <pthread.h>
#include <sched.h>

#define THREADS    4
#define PARTITIONS 64
#define ROUNDS     100
#define MOST       20000

static unsigned char buf[PARTITIONS * MOST];
static MPI_Request r;
static int each = MOST, now;
static pthread_barrier_t begin, end;

static void send_share(int me)
{
    for (int i = me; i < PARTITIONS; i += THREADS) {
        fill(buf + i * each, (size_t)each, (unsigned)(now + i));
        CHECK_OK(MPI_Pready(i, r));
    }
}

static void receive_share(int me)
{
    for (int i = me; i < PARTITIONS; i += THREADS) {
        for (int flag = 0; !flag; sched_yield())
            CHECK_OK(MPI_Parrived(r, i, &flag));
        CHECK_EQ(wrong(buf + i * each, (size_t)each, (unsigned)(now + i)), -1);
    }
}

static void *work(void *arg)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&begin);
        if (rank == 0)
            send_share(*(int *)arg);
        else
            receive_share(*(int *)arg);
        pthread_barrier_wait(&end);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    int number[THREADS], level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    know_rank();
    each = argc > 1 ? 8 : MOST;
    pthread_barrier_init(&begin, NULL, THREADS + 1);
    pthread_barrier_init(&end, NULL, THREADS + 1);
    r = rank == 0 ? psend(buf, PARTITIONS, each, MPI_BYTE, 1, 0, W)
                  : precv(buf, PARTITIONS, each, MPI_BYTE, 0, 0, W);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&t[i], NULL, work, &number[i]);
    }
    for (now = 0; now < ROUNDS; now++) {
        CHECK_OK(MPI_Start(&r));
        pthread_barrier_wait(&begin);
        CHECK_OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        pthread_barrier_wait(&end);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    CHECK_OK(MPI_Request_free(&r));
    MPI_Finalize();
    return 0;
}
