/* SPDX-License-Identifier: BSD-3-Clause */
/* A process with several threads says what it waits for (SIGUSR1) after waits of two threads that did
 * not end in the reverse order of their beginning, and both threads, with their stacks, are gone: the
 * report must not look at what they waited for.  (A moment of sleep makes the order; without it the
 * test shows less and passes.) */
/* RUN: -n 2 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define STACK ((size_t)256 << 20) /* more than a C library keeps for the next thread */
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
    } while (0)

static void *waiter(void *arg)
{
    int tag = (int)(long)arg, i = -1, v;
    MPI_Request q;

    CHECK(MPI_Irecv(&v, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &q) == MPI_SUCCESS);
    CHECK(MPI_Waitany(1, &q, &i, MPI_STATUS_IGNORE) == MPI_SUCCESS && i == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, v = 0, provided;
    pthread_attr_t large;
    pthread_t t[2];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, STACK);
    for (long i = 0; i < 2; i++) {
        if (rank == 0)
            CHECK(pthread_create(&t[i], &large, waiter, (void *)i) == 0);
        usleep(50000);
    }
    for (int i = 0; i < 2; i++) {
        if (rank == 1)
            MPI_Send(&v, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        else
            pthread_join(t[i], NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    raise(SIGUSR1);
    MPI_Finalize();
    printf("rank %d ok\n", rank);
    return 0;
}
