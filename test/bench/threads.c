/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c – MPI_THREAD_MULTIPLE: as many threads as ranks.
 *
 *     threads:BYTES   each thread starts a send to and a receive from the rank of its number; the first
 *                     completes all of them, and the others wait for it in a barrier of threads
 *
 * The barrier spins on a lock, as barriers of programs do, so a library whose waiting threads keep the
 * cores busy is slow here, and so is one that gives them up too readily. */
#define BENCH_THREADS MPI_THREAD_MULTIPLE
#include "bench.h"

#include <pthread.h>

struct barrier {
    pthread_mutex_t lock;
    int here, round;
};

struct worker {
    struct bench *b;
    int number;
    long n;
    pthread_t thread;
};

static struct barrier barrier = {.lock = PTHREAD_MUTEX_INITIALIZER};
static MPI_Request *requests;

static int round_of(void)
{
    int round;

    pthread_mutex_lock(&barrier.lock);
    round = barrier.round;
    pthread_mutex_unlock(&barrier.lock);
    return round;
}

static void wait_for_threads(int n)
{
    int mine;

    pthread_mutex_lock(&barrier.lock);
    mine = barrier.round;
    if (++barrier.here == n) {
        barrier.here = 0;
        barrier.round++;
    }
    pthread_mutex_unlock(&barrier.lock);
    while (round_of() == mine)
        ;
}

static unsigned char *place(unsigned char *p, const struct bench *b, int number)
{
    return p + (size_t)number * (size_t)b->bytes;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct bench *b = w->b;
    MPI_Request *mine = &requests[2 * w->number];
    int bytes = (int)b->bytes;

    for (long i = 0; i < w->n; i++) {
        wait_for_threads(b->size);
        MPI_Isend(place(b->send, b, w->number), bytes, MPI_BYTE, w->number, 1, MPI_COMM_WORLD,
                  &mine[0]);
        MPI_Irecv(place(b->recv, b, w->number), bytes, MPI_BYTE, w->number, 1, MPI_COMM_WORLD,
                  &mine[1]);
        wait_for_threads(b->size);
        if (w->number == 0)
            MPI_Waitall(2 * b->size, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static void prepare(struct bench *b)
{
    free(b->send);
    free(b->recv);
    b->send = bench_buffer((size_t)b->bytes * (size_t)b->size);
    b->recv = bench_buffer((size_t)b->bytes * (size_t)b->size);
    for (int i = 0; i < b->size; i++)
        bench_fill(place(b->send, b, i), (size_t)b->bytes, (unsigned)b->rank, b->batch);
}

static double run(struct bench *b, long n)
{
    struct worker *all = calloc((size_t)b->size, sizeof(*all));
    double start;

    requests = calloc(2 * (size_t)b->size, sizeof(*requests));
    start = bench_now_us();
    for (int i = 0; i < b->size; i++) {
        all[i] = (struct worker){.b = b, .number = i, .n = n};
        pthread_create(&all[i].thread, NULL, work, &all[i]);
    }
    for (int i = 0; i < b->size; i++)
        pthread_join(all[i].thread, NULL);
    free(all);
    free(requests);
    return bench_now_us() - start;
}

static void check(struct bench *b, long n)
{
    (void)n;
    for (int i = 0; i < b->size; i++)
        if (!bench_is(place(b->recv, b, i), 0, (size_t)b->bytes, (unsigned)i, b->batch))
            bench_wrong(b, "threads: damaged data");
}

int main(int argc, char **argv)
{
    static const struct bench_measure table[] = {{"threads", prepare, run, check, NULL}, {0}};
    struct bench b;

    bench_open(&b, &argc, &argv);
    bench_all(&b, table, argv + 3);
    MPI_Finalize();
    return 0;
}
