/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that has been killed keeps no survivor from its core while the kernel frees its memory: once its death is known it has the lowest
 * priority, with one node and with several.
 *
 *   S3-3: every survivor can learn of every failure */
/* RUN: -n 2 ; expect "rank 0 ok" */
/* RUN: -n 2 ; set MACHINES=2 ; expect "rank 0 ok" */
/* RUN: -n 4 ; set MACHINES=2 ; expect "rank 0 ok" ; expect "rank 1 ok" ; expect "rank 2 ok" */
#include "../common.h"

#define POLICY 41 /* field of /proc/PID/stat; a zombie still has it */

enum { PID };

static int policy_of(int pid)
{
    char name[64], text[1024], *p;
    FILE *f;
    size_t n;

    snprintf(name, sizeof name, "/proc/%d/stat", pid);
    f = fopen(name, "r");
    CHECK(f);
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    p = strrchr(text, ')'); /* behind field 2 */
    for (int i = 2; p && i < POLICY; i++)
        p = strchr(p + 1, ' ');
    CHECK(p);
    return atoi(p);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank == size - 1) {
        board[PID] = getpid();
        MPI_Barrier(MPI_COMM_WORLD);
        die_now();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wait_until_dead(MPI_COMM_WORLD, size - 1);
    while (policy_of(board[PID]) !=
           SCHED_IDLE) /* its agent sets that beside the news; the time-out of the test ends this */
        sched_yield();
    return finish();
}
