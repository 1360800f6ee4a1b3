/* SPDX-License-Identifier: BSD-3-Clause */
/* An agent is stopped, alone and for ever, at some time while processes are started on its node and on others: a request for processes, and
 * those behind it, wait for it no longer than its lease.  The one that needs its node fails, the others are carried out.
 *
 * Arguments: the node of the rank that asks for processes on the last node; a seed of the time.
 *
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 3 --lenient-exit ; set MACHINES=3 ; args 0 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 12 */
/* RUN: -n 3 --lenient-exit ; set MACHINES=3 ; args 1 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 12 */
/* RUN: -n 3 --lenient-exit ; set MACHINES=3 ; set LEASE=0.3 ; args 0 {n} ; expect "rank 0 ok" ; expect "rank 1 ok" ; times 12 */
#include "../../agent.h"
#include "on_host.h"

enum { READY };

/* Longer than a request may wait: a lease of one second, what the root counts more, and what a busy machine takes. */
#define WAIT_MAX_S 5.0

static int delay_us;

static void *stop_agent(void *unused)
{
    (void)unused;
    usleep((useconds_t)delay_us);
    signal_own_agent(SIGSTOP);
    return NULL;
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_one_dead(void)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    MPI_Group_free(&failed);
    return n > 0;
}

/* Until that node is lost; each request has its end in time. */
static void ask_for_last(MPI_Comm self, char *program)
{
    double begin;
    int rc;

    do {
        begin = seconds();
        rc = start_on(self, 0, program, 3, "node:2,node:0", NULL);
        CHECK(seconds() - begin < WAIT_MAX_S);
    } while (rc == MPI_SUCCESS);
    CHECK(rc == MPI_ERR_SPAWN || rc == MPI_ERR_PROC_FAILED);
}

/* A rank whose requests are behind those. */
static void ask_for_others(MPI_Comm self, char *program)
{
    double begin;

    do {
        begin = seconds();
        CHECK_EQ(start_on(self, 0, program, 2, "node:1", NULL), MPI_SUCCESS);
        CHECK(seconds() - begin < WAIT_MAX_S);
    } while (!is_one_dead());
}

int main(int argc, char **argv)
{
    pthread_t thread;
    MPI_Comm self;

    start(&argc, &argv);
    if (is_child())
        be_child();
    delay_us = atoi(argv[2]) * 1777 % 29000;
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &self), MPI_SUCCESS);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    post(READY);
    if (rank == 2) {
        await(READY, size);
        CHECK(pthread_create(&thread, NULL, stop_agent, NULL) == 0);
        for (;;)
            pause();
    }
    if (rank == atoi(argv[1]))
        ask_for_last(self, argv[0]);
    else
        ask_for_others(self, argv[0]);
    wait_until_dead(MPI_COMM_WORLD, 2);
    return finish();
}
