/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: several threads per rank, each with its own tag or communicator; all of one tag
 * by matched probes; one thread waits while another sends what it waits for. */
/* RUN: -n 1 */
/* RUN: -n 2 */
/* RUN: -n 4 ; time 60 */
/* BUILD: -pthread */
#include "common.h"

#include <pthread.h>

#define THREADS  4
#define MESSAGES 200

static MPI_Comm own[THREADS];
static int left, right;

/* Each thread is a ring of its own, by tag or by communicator. */
static void *ring(void *arg)
{
    int t = (int)(long)arg, by_comm = t % 2;
    MPI_Comm c = by_comm ? own[t] : MPI_COMM_WORLD;
    unsigned char *out = malloc(40000), *in = malloc(40000);

    for (int i = 0; i < MESSAGES; i++) {
        int n = i % 10 ? i * 17 % 9000 : 40000, got;
        MPI_Request r[2];
        MPI_Status s[2];

        fill(out, (size_t)n, (unsigned)(t * MESSAGES + i + rank));
        MPI_Irecv(in, 40000, MPI_BYTE, left, by_comm ? MPI_ANY_TAG : t, c, &r[0]);
        MPI_Isend(out, n, MPI_BYTE, right, t, c, &r[1]);
        if (i % 3)
            MPI_Waitall(2, r, s);
        else
            for (int k = 0; k < 2; k++)
                MPI_Wait(&r[k], &s[k]);
        MPI_Get_count(&s[0], MPI_BYTE, &got);
        CHECK_EQ(got, n);
        CHECK_EQ(wrong(in, (size_t)n, (unsigned)(t * MESSAGES + i + left)), -1);
    }
    free(out);
    free(in);
    return NULL;
}

/* All threads take messages of one tag: a matched probe gives each to one of them only. */
static int taken[THREADS * MESSAGES];

static void *taker(void *arg)
{
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Message m;
        MPI_Status s;
        int n, v[3];

        MPI_Mprobe(left, 70, MPI_COMM_WORLD, &m, &s);
        MPI_Get_count(&s, MPI_INT, &n);
        MPI_Mrecv(v, n, MPI_INT, &m, MPI_STATUS_IGNORE);
        CHECK_EQ(n, v[0] % 3 + 1);
        __atomic_fetch_add(&taken[v[0]], 1, __ATOMIC_RELAXED);
    }
    (void)arg;
    return NULL;
}

static void *giver(void *arg)
{
    (void)arg;
    for (int i = 0; i < THREADS * MESSAGES; i++) {
        int v[3] = {i, i, i};

        MPI_Send(v, i % 3 + 1, MPI_INT, right, 70, MPI_COMM_WORLD);
    }
    return NULL;
}

/* Waits for what another thread of the same process sends later. */
static void *waits(void *arg)
{
    int v = 0;

    (void)arg;
    MPI_Recv(&v, 1, MPI_INT, rank, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(v, 11);
    return NULL;
}

static void run(int n, void *(*fn)(void *), pthread_t t[])
{
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, fn, (void *)(long)i);
}

static void join(int n, pthread_t t[])
{
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS], other;
    int provided, v = 11;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    run(THREADS, ring, t);
    join(THREADS, t);
    pthread_create(&other, NULL, giver, NULL);
    run(THREADS, taker, t);
    join(THREADS, t);
    pthread_join(other, NULL);
    for (int i = 0; i < THREADS * MESSAGES; i++)
        CHECK_EQ(taken[i], 1);
    for (int i = 0; i < 20; i++) {
        pthread_create(&other, NULL, waits, NULL);
        MPI_Send(&v, 1, MPI_INT, rank, 80, MPI_COMM_WORLD);
        pthread_join(other, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&own[i]);
    return finish();
}
