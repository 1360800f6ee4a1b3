/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that wait in MPI sleep, all of them, instead of polling side by side; and each is
 * woken by what it waits for, whichever thread polls by then: by messages in any order, by a message of
 * another thread of its own process, by a large message that has to be moved on in fragments, by the death
 * of the process it waits for, by a revocation.
 *
 * No sleep has a time-out here, so a wake-up that is not sent is noticed.
 *
 *     args HOW     messages, own (the only thread that waits, and so polls, waits for a message of another
 *                  thread), death, or revoke
 *
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-60: a revocation ends calls in progress
 *   S3-9: no survivor waits for ever for a dead process
 *
 * RUN: -n 2 ; args messages ; set SLEEP_MAX=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 2 ; args messages ; set SLEEP_MAX=0 ; set SINGLE_COPY=never ; set COLL_SHM=0 ; expect "rank 0 ok" ;
 *      expect "rank 1 ok"
 * RUN: -n 5 ; args messages ; set SLEEP_MAX=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * RUN: -n 1 ; args own ; set SLEEP_MAX=0 ; expect "rank 0 ok"
 * RUN: -n 2 ; args own ; set SLEEP_MAX=0 ; expect "rank 0 ok"
 * RUN: -n 2 ; args death ; set SLEEP_MAX=0 ; expect "rank 0 ok"
 * RUN: -n 3 ; args death ; set SLEEP_MAX=0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 2 ; args revoke ; set SLEEP_MAX=0 ; expect "rank 0 ok" ; expect "rank 1 ok"
 * BUILD: -pthread */
#include "../common.h"

#include <pthread.h>

#define THREADS 5
#define LARGE   3000000

/* What a thread of rank 0 waits for. */
enum { SMALL, BIG, PROBE, ANY_OF_TWO, OWN };

struct waiter {
    int kind, tag, error;
    pid_t id;
    pthread_t thread;
};

static MPI_Comm world;

static int receive(const struct waiter *w, int from, int n)
{
    unsigned char *buf = malloc((size_t)n);
    int err = MPI_Recv(buf, n, MPI_BYTE, from, w->tag, world, MPI_STATUS_IGNORE);

    if (err == MPI_SUCCESS)
        CHECK_EQ(wrong(buf, (size_t)n, (unsigned)w->tag), -1);
    free(buf);
    return err;
}

static int any_of_two(const struct waiter *w)
{
    MPI_Request r[2];
    unsigned char c[2];
    int i, err;

    MPI_Irecv(&c[0], 1, MPI_BYTE, 1, w->tag, world, &r[0]);
    MPI_Irecv(&c[1], 1, MPI_BYTE, 1, 1000 + w->tag, world, &r[1]);
    err = MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
    if (err == MPI_SUCCESS)
        MPI_Cancel(&r[!i]);
    MPI_Wait(&r[!i], MPI_STATUS_IGNORE);
    return err;
}

static void *run(void *arg)
{
    struct waiter *w = arg;

    __atomic_store_n(&w->id, gettid(), __ATOMIC_SEQ_CST);
    switch (w->kind) {
    case SMALL:
        w->error = receive(w, 1, 1);
        break;
    case BIG:
        w->error = receive(w, 1, LARGE);
        break;
    case OWN:
        w->error = receive(w, 0, 8);
        break;
    case PROBE:
        w->error = MPI_Probe(1, w->tag, world, MPI_STATUS_IGNORE);
        if (w->error == MPI_SUCCESS)
            w->error = receive(w, 1, 1);
        break;
    default:
        w->error = any_of_two(w);
    }
    return NULL;
}

/* Until the thread sleeps: what it waits for is still to come. */
static void await_sleep(const struct waiter *w)
{
    char path[64], state = 0;
    FILE *f;

    while (state != 'S') {
        sched_yield();
        snprintf(path, sizeof path, "/proc/self/task/%d/stat",
                 __atomic_load_n(&w->id, __ATOMIC_SEQ_CST));
        f = fopen(path, "r");
        state = 0;
        if (f && fscanf(f, "%*d %*s %c", &state) != 1)
            state = 0;
        if (f)
            fclose(f);
    }
}

static void begin(struct waiter *w, int kinds)
{
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct waiter){.kind = i % kinds, .tag = i};
        pthread_create(&w[i].thread, NULL, run, &w[i]);
    }
    for (int i = 0; i < THREADS; i++)
        await_sleep(&w[i]);
    post(0);
}

static void end(struct waiter *w, int class)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK_EQ(class_of(w[i].error), class);
    }
}

static void send_to(int to, int n, int tag)
{
    unsigned char *buf = malloc((size_t)n);

    fill(buf, (size_t)n, (unsigned)tag);
    CHECK_EQ(MPI_Send(buf, n, MPI_BYTE, to, tag, world), MPI_SUCCESS);
    free(buf);
}

/* Backwards: the thread that polls is mostly not the one that is meant. */
static void messages(void)
{
    struct waiter w[THREADS];

    if (rank == 0) {
        begin(w, THREADS);
        send_to(0, 8, OWN);
        pthread_join(w[OWN].thread, NULL); /* the others sleep on */
        post(1);
        for (int i = 0; i < THREADS; i++)
            if (i != OWN)
                pthread_join(w[i].thread, NULL);
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(w[i].error, MPI_SUCCESS);
        return;
    }
    await(1, 1);
    if (rank == 1) {
        send_to(0, 1, ANY_OF_TWO);
        send_to(0, 1, PROBE);
        send_to(0, LARGE, BIG);
        send_to(0, 1, SMALL);
    }
}

static void own(void)
{
    struct waiter w = {.kind = OWN, .tag = OWN};

    if (rank != 0)
        return;
    for (int i = 0; i < 20; i++) {
        w.id = 0;
        pthread_create(&w.thread, NULL, run, &w);
        await_sleep(&w);
        send_to(0, 8, OWN);
        pthread_join(w.thread, NULL);
        CHECK_EQ(w.error, MPI_SUCCESS);
    }
}

static void failure(bool dies)
{
    struct waiter w[THREADS];

    if (rank == 0) {
        begin(w, OWN);
        end(w, dies ? MPIX_ERR_PROC_FAILED : MPIX_ERR_REVOKED);
    } else if (rank == 1) {
        await(0, 1);
        if (dies)
            die_now();
        CHECK_EQ(MPIX_Comm_revoke(world), MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    int level;

    set_watchdog();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    open_board();
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    if (!strcmp(argv[1], "messages"))
        messages();
    else if (!strcmp(argv[1], "own"))
        own();
    else
        failure(!strcmp(argv[1], "death"));
    return finish();
}
