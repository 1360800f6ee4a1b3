/* SPDX-License-Identifier: BSD-3-Clause */
/* Being prepared for failures costs nothing while there are none.  Times are measured by make
 * bench, beside those of other libraries; here is what would cost time: the library has no thread
 * of its own, a rank that computes is not interrupted (no signal, no answer that it owes to
 * anybody), also when others die, and the launcher, which watches all of them, uses no processor
 * time.
 *
 *   S0-6: fault tolerance costs nothing until something fails
 *
 * RUN: -n 3 ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "../common.h"

#include <dirent.h>
#include <sys/resource.h>

#define COMPUTE_US 200e3

static double now_us(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int threads(void)
{
    DIR *d = opendir("/proc/self/task");
    int n = 0;

    CHECK(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n - 2; /* . and .. */
}

static double launcher_cpu_us(void)
{
    clockid_t clock;

    CHECK_EQ(clock_getcpuclockid(getppid(), &clock), 0);
    return now_us(clock);
}

/* Computes for a while; nobody makes this process wait, or wakes it. */
static void undisturbed(void)
{
    struct rusage before, after;
    double end = now_us(CLOCK_MONOTONIC) + COMPUTE_US, launcher = launcher_cpu_us();

    getrusage(RUSAGE_SELF, &before);
    while (now_us(CLOCK_MONOTONIC) < end)
        ;
    getrusage(RUSAGE_SELF, &after);
    CHECK_EQ(after.ru_nvcsw, before.ru_nvcsw);
    CHECK_EQ(after.ru_nsignals, before.ru_nsignals);
    CHECK(launcher_cpu_us() - launcher < 20e3);
}

int main(int argc, char **argv)
{
    int before = threads();

    start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(threads(), before);
    undisturbed();
    if (rank == size - 1)
        die_now();
    undisturbed();
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    CHECK_EQ(threads(), before);
    return finish();
}
