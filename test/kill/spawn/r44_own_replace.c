/* SPDX-License-Identifier: BSD-3-Clause */
/* Tutorials of ULFM define MPIX_Comm_replace themselves, with arguments of their own: shrink, spawn, merge, split.  Such a
 * program compiles and runs: no header declares the name, and no library exports it, also not as a profiling name.
 *
 *   R44: a program may define MPIX_Comm_replace itself; the call is MPIX_Comm_refill */
/* RUN: -n 2 ; expect "rank 1 has its own MPIX_Comm_replace" */

#include "../common.h"

#include <dlfcn.h>

static int MPIX_Comm_replace(MPI_Comm comm, MPI_Comm *newcomm);
static int MPIX_Comm_replaced(void);

static int MPIX_Comm_replace(MPI_Comm comm, MPI_Comm *newcomm)
{
    return MPI_Comm_dup(comm, newcomm);
}

static int MPIX_Comm_replaced(void)
{
    return 44;
}

int main(int argc, char **argv)
{
    static const char *const gone[] = {"MPIX_Comm_replace", "PMPIX_Comm_replace",
                                       "MPIX_Comm_replaced", "PMPIX_Comm_replaced"};
    static const char *const there[] = {"MPIX_Comm_refill", "PMPIX_Comm_refill",
                                        "MPIX_Comm_refilled", "PMPIX_Comm_refilled"};
    MPI_Comm mine;

    MPI_Init(&argc, &argv);
    know_rank();
    CHECK_OK(MPIX_Comm_replace(MPI_COMM_WORLD, &mine));
    CHECK_OK(MPI_Barrier(mine));
    CHECK_EQ(MPIX_Comm_replaced(), 44);
    for (int i = 0; i < 4; i++) {
        CHECK(!dlsym(RTLD_DEFAULT, gone[i]));
        CHECK(dlsym(RTLD_DEFAULT, there[i]));
    }
    MPI_Comm_free(&mine);
    printf("rank %d has its own MPIX_Comm_replace\n", rank);
    return MPI_Finalize();
}
