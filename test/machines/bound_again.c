/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a lost machine are replaced on one that was kept free, and have processors of their own there as all have at the
 * beginning.  Where there is one processor none is bound.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 4 --hosts m1,m2,m3 --spare-nodes 1 ; expect "rank 3 ok" */
/* RUN: -n 4 --hosts m1,m2,m3 --spare-nodes 1 --spares 2 ; expect "rank 3 ok" */
#include "../kill/common.h"

enum { MACHINE_N = 2 }; /* ranks on each */

static int processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n < CPU_SETSIZE ? (int)n : CPU_SETSIZE;
}

/* No rank of my machine has a processor of mine. */
static void check_bound(MPI_Comm full)
{
    cpu_set_t mine, all[MACHINE_N], both;
    MPI_Comm here;
    int n;

    CHECK_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
    CHECK_EQ(MPI_Comm_split_type(full, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here), MPI_SUCCESS);
    MPI_Comm_size(here, &n);
    CHECK_EQ(n, MACHINE_N);
    CHECK_EQ(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all, sizeof(mine), MPI_BYTE, here),
             MPI_SUCCESS);
    CPU_AND(&both, &all[0], &all[1]);
    CHECK_EQ(CPU_COUNT(&both), processors() < MACHINE_N ? CPU_COUNT(&mine) : 0);
    MPI_Comm_free(&here);
}

static MPI_Comm refilled(void)
{
    MPI_Comm next;
    int err;

    while (MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS)
        ;
    while ((err = MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &next)) != MPI_SUCCESS)
        CHECK_EQ(err, MPI_ERR_PROC_FAILED);
    return next;
}

int main(int argc, char **argv)
{
    MPI_Comm full;

    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&full), MPI_SUCCESS);
    if (full == MPI_COMM_NULL) {
        check_bound(MPI_COMM_WORLD);
        if (rank == size - 1)
            kill(getppid(), SIGKILL);
        full = refilled();
    }
    MPI_Comm_rank(full, &rank);
    check_bound(full);
    return finish();
}
