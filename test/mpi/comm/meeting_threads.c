/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_create_group, MPI_Comm_create_from_group and MPI_Intercomm_create by several threads of each rank at
 * once, each with tags of its own (MPI-5.0 7.4.2: the tag tells concurrent calls apart).  Threads of
 * different ranks come in different orders, and everybody gets the communicator of its own tag. */
/* RUN: -n 2 ; time 60 */
/* RUN: -n 4 ; time 60 */
/* RUN: -n 4 ; set AGREE_SHM=0 ; time 60 */
/* BUILD: -pthread */
#include "common.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS  150

static MPI_Group all;
static MPI_Comm halves[THREADS], leaders;

static void check(MPI_Comm c, int expected)
{
    int low = expected, high = expected;

    CHECK_OK(MPI_Allreduce(&expected, &low, 1, MPI_INT, MPI_MIN, c));
    CHECK_OK(MPI_Allreduce(&expected, &high, 1, MPI_INT, MPI_MAX, c));
    CHECK_EQ(low, expected);
    CHECK_EQ(high, expected);
    CHECK_OK(MPI_Comm_free(&c));
}

static void *work(void *arg)
{
    int t = (int)(long)arg;

    for (int i = 0; i < ROUNDS; i++) {
        int tag = i % 5 * THREADS + t; /* again and again */
        char text[32];
        MPI_Comm c;

        CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, all, tag, &c));
        check(c, tag);
        snprintf(text, sizeof(text), "tag %d", tag);
        CHECK_OK(MPI_Comm_create_from_group(all, text, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
        check(c, tag);
        CHECK_OK(MPI_Intercomm_create(halves[t], 0, leaders, 1 - rank % 2, tag, &c));
        check(c, tag);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int provided;

    CHECK_OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &leaders));
    for (int t = 0; t < THREADS; t++)
        CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves[t]));
    for (long i = 0; i < THREADS; i++) /* not in the same order everywhere */
        pthread_create(&thread[i], NULL, work, (void *)((i + rank) % THREADS));
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    MPI_Group_free(&all);
    return finish();
}
