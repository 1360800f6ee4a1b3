/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting.h – processes that wait in MPI_Init until they are needed, as a test finds them: for the tests of spares and copies. */
#ifndef TEST_KILL_SPAWN_WAITING_H
#define TEST_KILL_SPAWN_WAITING_H

#include "../common.h"

/* Does it to all processes of this program that are children of mpiexec and no ranks. */
static inline void treat_waiting(int sig)
{
    int pids[64], mine = (int)getpid(), pid;
    char path[64], name[64], own[64];
    FILE *f, *g;

    CHECK_EQ(MPI_Allgather(&mine, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank != 0)
        return;
    snprintf(path, sizeof(path), "ps -o pid=,comm= --ppid %d", (int)getppid());
    g = fopen("/proc/self/comm", "r");
    CHECK(g && fgets(own, sizeof(own), g));
    fclose(g);
    f = popen(path, "r");
    CHECK(f);
    while (fscanf(f, "%d %63s", &pid, name) == 2) {
        bool is_rank = strncmp(name, own, strlen(name)) != 0;

        for (int r = 0; r < size; r++)
            is_rank |= pids[r] == pid;
        if (!is_rank && kill(pid, sig) == 0 && sig == SIGSTOP)
            await_state(pid, 'T');
        while (!is_rank && sig == SIGKILL && kill(pid, 0) == 0) /* until mpiexec has seen it */
            sched_yield();
    }
    pclose(f);
}

#endif
