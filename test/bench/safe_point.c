/* SPDX-License-Identifier: BSD-3-Clause */
/* safe_point.c – what safe points cost, beside a full copy and fork; for Mend only.  safe_point.py runs it for all ways.
 *
 *   pages     per page, in nanoseconds of processor time: the first write after a safe point, in order and scattered; the
 *             next safe point; a roll-back; reading and writing afterwards
 *   touched   milliseconds of processor time of an interval in which 1/256 ... 1 of the memory is written to: all first writes
 *             and the safe point after them, less the writes themselves
 *   kernel    a[i] = b[i] + 3 c[i] before the first safe point and after it, in percent
 *   idle      the same without a safe point: how far the figure scatters
 *   by_hand   as touched, for a full copy and for fork
 *   job       seconds until all ranks have rolled back, each with its part of 1 GiB or more
 *
 * Processor time, because one process that never waits is measured, and others may use the machine; for a job it is the time on
 * the wall.
 *
 * usage: safe_point pages|touched|by_hand|kernel|idle|job [MIB] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE   4096
#define ROUNDS 7

/* In a shared mapping: no roll-back touches it. */
static struct shared {
    double begin, times[16][ROUNDS];
    int round;
} * shared;

enum { TOUCH, AGAIN, FIRST, SCATTERED, BACK, READ, AFTER, COPY, FORK };

static char *array;
static size_t bytes;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(void)
{
    shared->begin = now();
}

static void end(int what)
{
    shared->times[what][shared->round] = now() - shared->begin;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(int what)
{
    double *t = shared->times[what];

    qsort(t, ROUNDS, sizeof(*t), compare);
    return t[ROUNDS / 2];
}

static void tell(int what, const char *name)
{
    printf("%s\t%.0f\n", name, median(what) * 1e9 / (double)(bytes / PAGE));
}

/* Every page once, in order or (each odd stride does that for a power of two) scattered. */
static void touch(size_t pages, size_t stride)
{
    size_t all = bytes / PAGE;

    for (size_t i = 0; i < pages; i++)
        array[i * stride % all * PAGE]++;
}

#define SCATTER ((size_t)40503)

static void read_all(void)
{
    volatile long sum = 0;

    for (size_t i = 0; i < bytes; i += PAGE)
        sum += array[i];
}

/* --- pages --- */

static void use_safe_points(void)
{
    int value;

    for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
        MPIX_Safe_point_enter(&value);
        if (!value) {
            begin();
            touch(bytes / PAGE, 1);
            end(FIRST);
            begin();
            MPIX_Safe_point_roll_back(1);
        }
        end(BACK);
        begin();
        read_all();
        end(READ);
        begin();
        touch(bytes / PAGE, 1);
        end(AFTER);
        MPIX_Safe_point_commit();
        begin();
        MPIX_Safe_point_enter(&value);
        end(AGAIN);
        begin();
        touch(bytes / PAGE, SCATTER);
        end(SCATTERED);
        MPIX_Safe_point_commit();
    }
}

static void use_copy(void)
{
    char *copy = malloc(bytes);

    memset(copy, 1, bytes);
    for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
        begin();
        memcpy(copy, array, bytes);
        __asm__ volatile("" : : "r"(copy) : "memory");
        end(COPY);
    }
    free(copy);
}

/* The child keeps the old contents, the parent's first writes copy them. */
static void use_fork(size_t pages, size_t stride)
{
    for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
        int pipes[2];
        char c;
        pid_t child;

        if (pipe(pipes))
            exit(1);
        begin();
        child = fork();
        if (!child) {
            close(pipes[1]);
            _exit((int)read(pipes[0], &c, 1));
        }
        touch(pages, stride);
        end(FORK);
        close(pipes[0]);
        close(pipes[1]);
        waitpid(child, NULL, 0);
    }
}

static void measure_pages(void)
{
    for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
        begin();
        touch(bytes / PAGE, 1);
        end(TOUCH);
    }
    use_copy();
    use_fork(bytes / PAGE, 1);
    use_safe_points();
    tell(TOUCH, "write, nothing recorded");
    tell(COPY, "full copy into memory in use");
    tell(FORK, "fork and first write");
    tell(FIRST, "first write, in order");
    tell(SCATTERED, "first write, scattered");
    tell(AGAIN, "next safe point");
    tell(BACK, "roll-back");
    tell(READ, "first read after it");
    tell(AFTER, "write after that");
}

/* --- touched --- */

static double less_writes(int what, size_t pages)
{
    double with = median(what);

    for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
        begin();
        touch(pages, SCATTER);
        end(TOUCH);
    }
    return (with - median(TOUCH)) * 1e3;
}

static void measure_touched(void)
{
    int value;

    for (size_t part = 256; part; part /= 4) {
        size_t pages = bytes / PAGE / part;

        MPIX_Safe_point_enter(&value);
        for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
            begin();
            touch(pages, SCATTER);
            MPIX_Safe_point_commit();
            MPIX_Safe_point_enter(&value);
            end(AGAIN);
        }
        MPIX_Safe_point_commit();
        printf("%g\t%.3f\n", 1.0 / (double)part, less_writes(AGAIN, pages));
    }
}

/* Without safe points: what a program would do itself. */
static void measure_touched_by_hand(void)
{
    use_copy();
    printf("copy\t1\t%.3f\n", median(COPY) * 1e3);
    for (size_t part = 256; part; part /= 4) {
        size_t pages = bytes / PAGE / part;

        use_fork(pages, SCATTER);
        printf("fork\t%g\t%.3f\n", 1.0 / (double)part, less_writes(FORK, pages));
    }
}

/* --- kernel --- */

static double kernel(double *a, const double *b, const double *c, size_t n)
{
    double best = 1e9;

    for (int round = 0; round < 15; round++) {
        double t = now();

        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3 * c[i];
        t = now() - t;
        best = t < best ? t : best;
    }
    return best;
}

/* What has been written to since the safe point is written to again: only what the memory has become is measured. */
static void measure_kernel(int advice, const char *name, int with)
{
    size_t n = bytes / 4 / sizeof(double);
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *a = (double *)p, *b = a + n, *c = b + n, before, after;
    int value;

    madvise(p, bytes, advice);
    memset(p, 0, bytes);
    before = kernel(a, b, c, n);
    if (with)
        MPIX_Safe_point_enter(&value);
    after = kernel(a, b, c, n);
    if (with)
        MPIX_Safe_point_commit();
    printf("%s\t%.2f\n", name, (after / before - 1) * 100);
    munmap(p, bytes);
}

/* --- job --- */

static void measure_job(void)
{
    double mine, slowest;
    int value, rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes /= (size_t)size;
    memset(array, 1, bytes);
    MPIX_Safe_point_enter(&value); /* and here after each roll-back */
    if (value) {
        MPI_Barrier(MPI_COMM_WORLD);
        shared->times[BACK][value - 1] = MPI_Wtime() - shared->begin;
    }
    if (value < ROUNDS) {
        touch(bytes / PAGE, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        shared->begin = MPI_Wtime();
        MPIX_Safe_point_roll_back(value + 1);
    }
    MPIX_Safe_point_commit();
    mine = median(BACK);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks\t%.3f\n", size, slowest);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "pages";

    MPI_Init(&argc, &argv);
    bytes = (size_t)(argc > 2 ? atoi(argv[2]) : 64) << 20;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!strcmp(what, "kernel") || !strcmp(what, "idle")) {
        measure_kernel(MADV_NOHUGEPAGE, "pages of 4 KiB", *what == 'k');
        measure_kernel(MADV_HUGEPAGE, "huge pages", *what == 'k');
        MPI_Finalize();
        return 0;
    }
    if (!strcmp(what, "job"))
        bytes = bytes < ((size_t)1 << 30) ? (size_t)1 << 30 : bytes;
    array = malloc(bytes);
    if (strcmp(what, "job"))
        memset(array, 1, bytes);
    if (!strcmp(what, "job"))
        measure_job();
    else if (!strcmp(what, "touched"))
        measure_touched();
    else if (!strcmp(what, "by_hand"))
        measure_touched_by_hand();
    else
        measure_pages();
    MPI_Finalize();
    return 0;
}
