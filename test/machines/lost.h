/* SPDX-License-Identifier: BSD-3-Clause */
/* lost.h – common parts of programs that lose a machine: its ranks are the last ones.
 *
 * The ranks of the lost machine leave a trace on the board in each round, for as long as they run; their board is a file, which all
 * machines share, as with NFS.  Times are those of CLOCK_REALTIME, which machines that are namespaces have in common (README.md).
 *
 *   S5-2: the loss of a node is one verdict over all its processes */
#ifndef TEST_MACHINES_LOST_H
#define TEST_MACHINES_LOST_H

#include "../kill/common.h"

enum { TRACE = 100 }; /* and one for each rank */

static int first_lost;

static inline void say(const char *text)
{
    printf("%s\n", text);
    fflush(stdout);
}

/* "rank 0 learned at 1700000000.123456", which `within` of test/machines/run reads. */
static inline void say_learned(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    printf("rank %d learned at %lld.%06ld\n", rank, (long long)t.tv_sec, t.tv_nsec / 1000);
    fflush(stdout);
}

static inline double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* S5-2: whatever says that one of them has failed says so of all. */
static inline void check_failed(MPI_Comm c)
{
    MPI_Group failed, all;
    int n, at = 0;

    CHECK_EQ(MPIX_Comm_get_failed(c, &failed), MPI_SUCCESS);
    MPI_Comm_group(c, &all);
    MPI_Group_size(failed, &n);
    CHECK_EQ(n, size - first_lost);
    for (int i = 0; i < n; i++) {
        MPI_Group_translate_ranks(failed, 1, &i, all, &at);
        CHECK(at >= first_lost);
    }
    MPI_Group_free(&failed);
    MPI_Group_free(&all);
}

/* What is left goes on. */
static inline void go_on(MPI_Comm c)
{
    MPI_Comm rest;
    int one = 1, sum = 0, n;

    CHECK_EQ(MPIX_Comm_shrink(c, &rest), MPI_SUCCESS);
    MPI_Comm_size(rest, &n);
    CHECK_EQ(n, first_lost);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
    CHECK_EQ(sum, first_lost);
    MPI_Comm_free(&rest);
}

#endif
