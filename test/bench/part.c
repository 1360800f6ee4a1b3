/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c – one message in 16 partitions, of which two threads mark one half each.
 *
 *     partitioned:BYTES   rank 0 sends, rank 1 receives; BYTES of one partition
 *
 * With a library without partitioned messages each partition is a persistent message of its own, which is what programs
 * do there. */
#define BENCH_THREADS MPI_THREAD_MULTIPLE
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>

#define PARTITIONS 16
#define THREADS    2

#if MPI_VERSION >= 4
#define REQUESTS 1
#else
#define REQUESTS PARTITIONS
#endif

static MPI_Request requests[REQUESTS];
static atomic_long begun, ended;

static void mark(int number)
{
    for (int i = number * PARTITIONS / THREADS; i < (number + 1) * PARTITIONS / THREADS; i++)
#if MPI_VERSION >= 4
        MPI_Pready(i, requests[0]);
#else
        MPI_Start(&requests[i]);
#endif
}

static void wait_for(atomic_long *what, long n)
{
    while (atomic_load(what) < n)
        sched_yield();
}

static void *work(void *arg)
{
    long n = *(long *)arg;

    for (long i = 1; i <= n; i++) {
        wait_for(&begun, i);
        mark(1);
        atomic_store(&ended, i);
    }
    return NULL;
}

static void send_all(long n)
{
    pthread_t other;

    begun = ended = 0;
    pthread_create(&other, NULL, work, &n);
    for (long i = 1; i <= n; i++) {
        if (MPI_VERSION >= 4)
            MPI_Start(&requests[0]);
        atomic_store(&begun, i);
        mark(0);
        wait_for(&ended, i);
        MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
    }
    pthread_join(other, NULL);
}

static void receive_all(long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Startall(REQUESTS, requests);
        MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
    }
}

static double run(struct bench *b, long n)
{
    double start = bench_now_us();

    if (b->rank == 0)
        send_all(n);
    else
        receive_all(n);
    return bench_now_us() - start;
}

static void init(struct bench *b)
{
    int bytes = (int)b->bytes;

#if MPI_VERSION >= 4
    if (b->rank == 0)
        MPI_Psend_init(b->send, PARTITIONS, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
    else
        MPI_Precv_init(b->recv, PARTITIONS, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
#else
    for (int i = 0; i < PARTITIONS; i++)
        if (b->rank == 0)
            MPI_Send_init(b->send + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, 1, i,
                          MPI_COMM_WORLD, &requests[i]);
        else
            MPI_Recv_init(b->recv + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, 0, i,
                          MPI_COMM_WORLD, &requests[i]);
#endif
}

static void prepare(struct bench *b)
{
    size_t all = PARTITIONS * (size_t)b->bytes;

    for (int i = 0; i < REQUESTS; i++)
        if (requests[i] && requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    free(b->send);
    free(b->recv);
    b->send = bench_buffer(all);
    b->recv = bench_buffer(all);
    bench_fill(b->send, all, (unsigned)b->rank, b->batch);
    init(b);
}

static void check(struct bench *b, long n)
{
    (void)n;
    if (b->rank == 1 && !bench_is(b->recv, 0, PARTITIONS * (size_t)b->bytes, 0, b->batch))
        bench_wrong(b, "partitions: damaged data");
}

int main(int argc, char **argv)
{
    static const struct bench_measure table[] = {{"partitioned", prepare, run, check, NULL}, {0}};
    struct bench b;

    bench_open(&b, &argc, &argv);
    bench_all(&b, table, argv + 3);
    MPI_Finalize();
    return 0;
}
