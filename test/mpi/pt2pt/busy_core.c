/* SPDX-License-Identifier: BSD-3-Clause */
/* busy_core.c – a rank that waits on a core where another program computes goes to sleep at once: a sleeper gets the core
 * back when it is woken, while each yield gives it away for a time slice.
 *
 * RUN: -n 2 ; time 30
 *
 * Rank 1 sends when /proc says that rank 0 sleeps.  A rank that yielded 20,000 slices of 4 ms first would do so after 80
 * seconds. */
#include "common.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static pid_t compute_on(int core)
{
    cpu_set_t one;
    pid_t child = fork();

    if (child)
        return child;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof(one), &one);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        ;
}

static void stay_on(int core)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK(!sched_setaffinity(0, sizeof(one), &one));
}

static char state_of(int pid)
{
    char path[64], state = '?';
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    f = fopen(path, "r");
    CHECK(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
    fclose(f);
    return state;
}

int main(int argc, char **argv)
{
    int rank, pid = getpid(), other, sleeps = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pid_t busy;

        stay_on(sched_getcpu());
        busy = compute_on(sched_getcpu());
        MPI_Send(&pid, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        kill(busy, SIGKILL);
    } else {
        MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (sleeps < 3) { /* in a row: one may be a page that is read */
            sleeps = state_of(other) == 'S' ? sleeps + 1 : 0;
            usleep(1000);
        }
        MPI_Send(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
