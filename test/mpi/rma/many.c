/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of all kinds are made, used and freed again and again: memory, descriptors and mappings stay as they are after the
 * first hundred.  By hand with 100000 (9 s).
 *
 * RUN: -n 3 ; args 1000 ; time 60
 * RUN: -n 3 ; args 1000 ; set RMA_SHM=0 ; time 60 */
#include "mpi/rma/common.h"

#include <dirent.h>

#define SETTLED 100

struct use {
    long kib;
    int descriptors, mappings;
};

static long resident_kib(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long all, resident;

    CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
    fclose(f);
    return resident * 4;
}

static int descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int n = 0;

    CHECK(d != NULL);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static int mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    int n = 0, c;

    CHECK(f != NULL);
    while ((c = fgetc(f)) != EOF)
        n += c == '\n';
    fclose(f);
    return n;
}

static struct use use_now(void)
{
    return (struct use){resident_kib(), descriptors(), mappings()};
}

static void one(enum kind kind, int i)
{
    struct window k = make_window(kind, 4096 + 1000 * (i % 7), 1, W);
    int right = (rank + 1) % size, got = -1;

    CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, k.win));
    CHECK_OK(MPI_Put(&i, 1, MPI_INT, right, disp_of(&k, right, 8, 1), 1, MPI_INT, k.win));
    CHECK_OK(MPI_Win_unlock(right, k.win));
    CHECK_OK(MPI_Win_fence(0, k.win));
    memcpy(&got, k.base + 8, sizeof got);
    CHECK_EQ(got, i);
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, k.win));
    if (kind == DYNAMIC)
        CHECK_OK(MPI_Win_detach(k.win, k.base));
    free_window(&k);
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    struct use before, after;

    MPI_Init(&argc, &argv);
    know_rank();
    for (int i = 0; i < SETTLED; i++)
        one((enum kind)(i % KINDS), i);
    before = use_now();
    for (int i = 0; i < n; i++)
        one((enum kind)(i % KINDS), i);
    after = use_now();
    CHECK_EQ(after.descriptors, before.descriptors);
    CHECK(after.mappings <= before.mappings + 4); /* memory for small things comes in pieces */
    CHECK(after.kib <= before.kib + 512);
    MPI_Finalize();
    return 0;
}
