/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.h – what the programs share: a clock, measuring in batches, a board in a shared file, output.
 *
 *     prepare │ barrier │ run(n) timed │ check      one batch: n operations, about a millisecond
 *     prepare │ barrier │ run(n) timed │ check      the next one, with other data
 *     ...                                           until the time for this measure is used up
 *
 * A batch counts the mean over the ranks of the time per operation; a measure is the median of its
 * batches, so what another program does to a few of them does not matter.  With more ranks than
 * cores a batch lasts longer than the scheduler's slices.
 *
 * Output, by rank 0:  MEASURE VALUE P10 P90 BATCHES.  A wrong answer ends the job with status 3.
 *
 * The same source is compiled for every MPI library, so it uses nothing but MPI-3. */
#ifndef BENCH_H
#define BENCH_H

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BENCH_BATCH_US       1000.0  /* one batch, every rank on a core of its own */
#define BENCH_CROWDED_US     20000.0 /* one batch, more ranks than cores */
#define BENCH_TRIES          3
#define BENCH_BATCHES_MIN    3
#define BENCH_BATCHES_MAX    4000
#define BENCH_BOARD_BYTES    65536
#define BENCH_STATUS_WRONG   3
#define BENCH_OPERATIONS_MAX (1L << 22)

#ifndef BENCH_THREADS
#define BENCH_THREADS MPI_THREAD_SINGLE
#endif

struct bench {
    int rank, size;
    bool crowded; /* more ranks than cores */
    double budget_us;
    long bytes;
    unsigned batch; /* changes with every batch: no batch can live on the data of the last */
    unsigned char *send, *recv;
    volatile uint64_t *board;
    bool barrier_checked;
};

struct bench_measure {
    const char *name;
    void (*prepare)(struct bench *);
    double (*run)(struct bench *, long n);            /* n operations; the microseconds they took */
    void (*check)(struct bench *, long n);            /* what the last one left behind */
    double (*value)(const struct bench *, double us); /* NULL: the time itself */
    bool from_all; /* b->recv has room for a message of each rank */
};

static inline uint64_t bench_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline double bench_now_us(void)
{
    return (double)bench_now_ns() * 1e-3;
}

static inline _Noreturn void bench_wrong(const struct bench *b, const char *what)
{
    fprintf(stderr, "WRONG: rank %d of %d: %s, %ld bytes\n", b->rank, b->size, what, b->bytes);
    MPI_Abort(MPI_COMM_WORLD, BENCH_STATUS_WRONG);
    abort();
}

/* Pages of a file that all ranks map, to tell each other something without MPI. */
static inline volatile uint64_t *bench_open_board(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    void *p = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, BENCH_BOARD_BYTES) == 0)
        p = mmap(NULL, BENCH_BOARD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        perror(path);
        exit(1);
    }
    close(fd);
    return p;
}

/* PROGRAM BOARD SECONDS MEASURE[:BYTES]... */
static inline void bench_open(struct bench *b, int *argc, char ***argv)
{
    int level;

    MPI_Init_thread(argc, argv, BENCH_THREADS, &level);
    if (level < BENCH_THREADS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    memset(b, 0, sizeof(*b));
    MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &b->size);
    if (*argc < 3) {
        fprintf(stderr, "usage: %s BOARD SECONDS MEASURE[:BYTES]...\n", (*argv)[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    b->board = bench_open_board((*argv)[1]);
    b->budget_us = atof((*argv)[2]) * 1e6;
    b->crowded = b->size > sysconf(_SC_NPROCESSORS_ONLN);
}

static inline unsigned char *bench_buffer(size_t bytes)
{
    void *p = NULL;

    if (posix_memalign(&p, 4096, bytes + 4096) != 0)
        abort();
    memset(p, 0, bytes + 4096);
    return p;
}

/* Byte i of the message of a rank in a batch. */
static inline unsigned char bench_pattern(unsigned rank, unsigned batch, size_t i)
{
    return (unsigned char)((i * 2654435761u >> 13) + rank * 89u + batch * 31u);
}

static inline void bench_fill(unsigned char *p, size_t bytes, unsigned rank, unsigned batch)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = bench_pattern(rank, batch, i);
}

/* True if the bytes from `from` on are those of this rank and batch. */
static inline bool bench_is(const unsigned char *p, size_t from, size_t bytes, unsigned rank,
                            unsigned batch)
{
    for (size_t i = from; i < bytes; i++)
        if (p[i] != bench_pattern(rank, batch, i))
            return false;
    return true;
}

/* Microseconds per operation, mean over the ranks; valid at rank 0. */
static inline double bench_one_batch(struct bench *b, const struct bench_measure *m, long n)
{
    double mine, all = 0;

    b->batch++;
    if (m->prepare)
        m->prepare(b);
    MPI_Barrier(MPI_COMM_WORLD);
    mine = m->run(b, n);
    MPI_Barrier(
        MPI_COMM_WORLD); /* a check computes: it must not take a core from a rank that is still measured */
    if (m->check)
        m->check(b, n);
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all / b->size / (double)n;
}

/* How many operations make a batch.  The shortest of some tries counts: the others may have been
 * interrupted. */
static inline long bench_calibrate(struct bench *b, const struct bench_measure *m)
{
    double target_us = b->crowded ? BENCH_CROWDED_US : BENCH_BATCH_US;

    for (long n = 1, next;; n = next) {
        double us = bench_one_batch(b, m, n) * (double)n, factor;

        for (int i = 1; i < BENCH_TRIES; i++) {
            double again_us = bench_one_batch(b, m, n) * (double)n;

            us = again_us < us ? again_us : us;
        }
        factor = target_us / (us > 0.01 ? us : 0.01);
        next = factor < 1.5 ? 0 : (long)((double)n * (factor < 10 ? factor : 10)) + 1;
        if (next > BENCH_OPERATIONS_MAX)
            next = 0;
        MPI_Bcast(&next, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        if (!next)
            return n;
    }
}

static int bench_by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double bench_quantile(double *v, int n, double q)
{
    qsort(v, (size_t)n, sizeof(*v), bench_by_size);
    return n % 2 == 0 && q == 0.5 ? (v[n / 2 - 1] + v[n / 2]) / 2 : v[(int)(q * (n - 1) + 0.5)];
}

static inline void bench_measure(struct bench *b, const struct bench_measure *m, const char *label)
{
    static double us[BENCH_BATCHES_MAX];
    long n = bench_calibrate(b, m);
    double start = bench_now_us(), value[3];
    int batches = 0, more = 1;

    while (more) {
        us[batches++] = bench_one_batch(b, m, n);
        more = batches < BENCH_BATCHES_MAX &&
               (batches < BENCH_BATCHES_MIN || bench_now_us() - start < b->budget_us);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (b->rank != 0)
        return;
    value[0] = bench_quantile(us, batches, 0.5);
    value[1] = bench_quantile(us, batches, 0.1);
    value[2] = bench_quantile(us, batches, 0.9);
    for (int i = 0; m->value && i < 3; i++)
        value[i] = m->value(b, value[i]);
    printf("%s %.6g %.6g %.6g %d\n", label, value[0], value[1], value[2], batches);
    fflush(stdout);
}

/* Runs what the command line asks for. */
static inline void bench_all(struct bench *b, const struct bench_measure *table, char **labels)
{
    for (; *labels; labels++) {
        const char *colon = strchr(*labels, ':');
        size_t len = colon ? (size_t)(colon - *labels) : strlen(*labels);
        const struct bench_measure *m = table;

        b->bytes = colon ? atol(colon + 1) : 0;
        while (m->name && (strlen(m->name) != len || strncmp(m->name, *labels, len)))
            m++;
        if (!m->name) {
            fprintf(stderr, "no measure %s\n", *labels);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        b->send = bench_buffer((size_t)b->bytes);
        b->recv = bench_buffer((size_t)b->bytes * (m->from_all ? (size_t)b->size : 1));
        bench_measure(b, m, *labels);
        free(b->send);
        free(b->recv);
    }
}

#endif
