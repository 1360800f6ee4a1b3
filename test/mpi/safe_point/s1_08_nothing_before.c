/* SPDX-License-Identifier: BSD-3-Clause */
/* s1_08_nothing_before.c – a program without safe points does not pay for them: no mapping or descriptor exists before
 * the first one.
 *
 *   S1-8: changes to memory are recorded page by page from a safe point on
 *
 * RUN: -n 2 ; expect "nothing before the first safe point"
 * RUN: -n 2 ; set SAFE_POINT=protect ; expect "nothing before the first safe point" */
#include "../../program.h"

#include <errno.h>
#include <unistd.h>

static bool exists(const char *name)
{
    static char text[1 << 16];
    FILE *f = fopen("/proc/self/maps", "r");
    bool found = false;

    while (fgets(text, sizeof(text), f))
        found |= strstr(text, name) != NULL;
    fclose(f);
    return found;
}

static int descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 1000; fd++)
        n += lseek(fd, 0, SEEK_CUR) != -1 || errno != EBADF;
    return n;
}

int main(int argc, char **argv)
{
    int value, before, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    before = descriptors();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(!exists("mend-safe-points") && !exists("mend-image"));
    CHECK_OK(MPIX_Safe_point_enter(&value));
    CHECK(exists("mend-safe-points") && descriptors() > before);
    CHECK_OK(MPIX_Safe_point_commit());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("nothing before the first safe point");
    MPI_Finalize();
    return 0;
}
