/* SPDX-License-Identifier: BSD-3-Clause */
/* safe_point.c – what safe points cost per page, beside a full copy and fork; for Mend only.
 *
 * One rank, an array of MIB (256) MiB.  MEND_SAFE_POINT selects the way:
 *
 *   for way in track drop copy_back full; do mpiexec -n 1 --set SAFE_POINT=$way ./safe_point; done
 *
 * Each figure is the median of ROUNDS.  A memory-bound kernel (a[i] = b[i] + 3 c[i]) runs before the first safe
 * point and after the last one, when its memory lies in the image and all its pages have been changed, with
 * ordinary and with huge pages.
 *
 * usage: safe_point [MIB] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE   4096
#define ROUNDS 7

/* In a shared mapping: no roll-back touches it. */
static struct shared {
    double begin, times[8][ROUNDS];
    int round;
} * shared;

enum { TOUCH, AGAIN, FIRST, BACK, READ, AFTER, COPY, FORK };

static char *array;
static size_t bytes;

static void begin(void)
{
    shared->begin = MPI_Wtime();
}

static void end(int what)
{
    shared->times[what][shared->round] = MPI_Wtime() - shared->begin;
}

static void touch(int what)
{
    begin();
    for (size_t i = 0; i < bytes; i += PAGE)
        array[i]++;
    end(what);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void tell(int what, const char *name)
{
    double *t = shared->times[what];

    qsort(t, ROUNDS, sizeof(*t), compare);
    printf("%-52s %8.0f ns per page\n", name, t[ROUNDS / 2] * 1e9 / (double)(bytes / PAGE));
}

static void use_safe_points(void)
{
    int value;
    volatile long sum = 0;

    for (shared->round = 0; shared->round < ROUNDS; shared->round++) {
        MPIX_Safe_point_enter(&value);
        if (!value) {
            touch(FIRST);
            begin();
            MPIX_Safe_point_roll_back(1);
        }
        end(BACK);
        begin();
        for (size_t i = 0; i < bytes; i += PAGE)
            sum += array[i];
        end(READ);
        touch(AFTER);
        MPIX_Safe_point_commit();
        begin();
        MPIX_Safe_point_enter(&value);
        end(AGAIN);
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
static void use_fork(void)
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
        for (size_t i = 0; i < bytes; i += PAGE)
            array[i]++;
        end(FORK);
        close(pipes[0]);
        close(pipes[1]);
        waitpid(child, NULL, 0);
    }
}

static double kernel(double *a, const double *b, const double *c, size_t n)
{
    double best = 1e9;

    for (int round = 0; round < 60; round++) {
        double t = MPI_Wtime();

        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3 * c[i];
        t = MPI_Wtime() - t;
        best = t < best ? t : best;
    }
    return best;
}

/* The loss of speed when the memory has become part of the image. */
static void use_kernel(int advice, const char *name)
{
    size_t n = bytes / 4 / sizeof(double);
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *a = (double *)p, *b = a + n, *c = b + n, before, after;
    int value;

    madvise(p, bytes, advice);
    memset(p, 0, bytes);
    kernel(a, b, c, n);
    before = kernel(a, b, c, n);
    MPIX_Safe_point_enter(&value);
    after = kernel(a, b, c, n);
    MPIX_Safe_point_commit();
    printf("%-52s %8.1f %%\n", name, (after / before - 1) * 100);
    munmap(p, bytes);
}

int main(int argc, char **argv)
{
    const char *way = getenv("MEND_SAFE_POINT");

    MPI_Init(&argc, &argv);
    bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 256) << 20;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    array = malloc(bytes);
    memset(array, 1, bytes);
    printf("%s, %zu MiB, all pages changed\n", way ? way : "drop", bytes >> 20);
    for (shared->round = 0; shared->round < ROUNDS; shared->round++)
        touch(TOUCH);
    use_copy();
    use_fork();
    tell(TOUCH, "write, nothing recorded");
    tell(COPY, "full copy, memcpy into memory in use");
    tell(FORK, "fork and first write");
    use_kernel(MADV_NOHUGEPAGE, "memory-bound kernel loses");
    use_kernel(MADV_HUGEPAGE, "memory-bound kernel with huge pages loses");
    use_safe_points();
    tell(FIRST, "first write after a safe point");
    tell(AGAIN, "next safe point, which saves the changed pages");
    tell(BACK, "roll-back");
    tell(READ, "first read after the roll-back");
    tell(AFTER, "write after that");
    MPI_Finalize();
    return 0;
}
