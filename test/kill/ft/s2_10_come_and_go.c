/* SPDX-License-Identifier: BSD-3-Clause */
/* Duplicates of a communicator with a hole come and go, and so does what carries each of them: after
 * a warm-up the survivors do not grow any more.
 *
 *   S0-69: a revoked communicator can be freed
 *   S2-10: validate makes collectives and creation work again
 *
 * RUN: -n 3 ; expect "rank 1 ok" ; time 60
 * RUN: -n 3 ; set AGREE_SHM=0 ; expect "rank 1 ok" ; time 60 */
#include "../common.h"

#define WARM_UP 5000 /* more than what is remembered of communicators that are gone */
#define ROUNDS  2000
#define ALLOWED (16 * 1024L) /* 8 bytes a round */
#define PERIODS 12           /* a leak grows in all of them, first touches of memory do not */

static void rounds(int n)
{
    MPI_Comm made;

    for (int i = 0; i < n; i++) {
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &made), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    }
}

static long resident_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all, resident;

    CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
    fclose(f);
    return resident * sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    MPI_Group failed;
    int settled = 0;

    start(&argc, &argv);
    if (rank == size - 1)
        die_now();
    CHECK_EQ(MPI_Comm_validate(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_free(&failed);
    rounds(WARM_UP);
    for (int i = 0; i < PERIODS && !settled; i++) {
        long before = resident_bytes();

        rounds(ROUNDS);
        settled = resident_bytes() - before <= ALLOWED;
        CHECK_EQ(MPI_Comm_agreement(MPI_COMM_WORLD, &settled), MPI_SUCCESS);
    }
    CHECK(settled);
    return finish();
}
