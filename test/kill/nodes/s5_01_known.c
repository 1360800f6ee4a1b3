/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of different nodes die one after the other, and each survivor, on the victim's node and on all others, learns of each death without
 * a word from another rank: one waits for the victim, one for any rank, one asks for the failed processes, one asks what has come.  The time from
 * the victim's last instruction to the return of the last survivor is a bounded one: of all deaths of a run the fastest counts, for the cores
 * are shared.
 *
 * Arguments: the victims, in that order.
 *
 *   S3-3: every survivor can learn of every failure
 *   S5-1: a death is known on every node in bounded time */
/* RUN: -n 9 ; set MACHINES=3 ; args 1 8 4 2 7 5 ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect "rank 6 ok" ; expect "in time" */
/* RUN: -n 8 ; set MACHINES=4 ; args 7 1 4 3 6 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 5 ok" ; expect "in time" */
/* RUN: -n 8 ; set MACHINES=8 ; args 7 1 4 3 6 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "rank 5 ok" ; expect "in time" */
/* RUN: -n 5 ; set MACHINES=5 ; args 1 4 3 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "in time" */
#include "../common.h"

#include <limits.h>

/* Microseconds until all know, in the fastest of the deaths: 2 ms, and as much again for each of the links and for cores that all share. */
#define FASTEST_US 10000

enum { DIED_US, READY = 64, KNOWN = 128, LAST_US = 192 };

static int now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)(t.tv_sec % 1000 * 1000000 + t.tv_nsec / 1000);
}

static void wait_for_any(void)
{
    int word;

    CHECK_CLASS(MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

static void wait_for(int victim)
{
    int word;

    CHECK_CLASS(MPI_Recv(&word, 1, MPI_INT, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
}

static int failed_n(void)
{
    MPI_Group failed;
    int n;

    CHECK_EQ(MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed), MPI_SUCCESS);
    MPI_Group_size(failed, &n);
    if (n)
        MPI_Group_free(&failed);
    return n;
}

static void learn(int victim, int already)
{
    int acked;

    switch ((rank + already) % 4) {
    case 0:
        wait_for(victim);
        break;
    case 1:
        wait_for_any();
        break;
    case 2:
        while (failed_n() == already)
            sched_yield();
        break;
    default:
        wait_until_dead(MPI_COMM_WORLD, victim);
    }
    CHECK_EQ(failed_n(), already + 1);
    CHECK_EQ(MPIX_Comm_ack_failed(MPI_COMM_WORLD, already + 1, &acked), MPI_SUCCESS);
}

/* Written by several ranks. */
static void note_last(int k, int us)
{
    int was = posted(LAST_US + k);

    while (was < us && !__atomic_compare_exchange_n(&board[LAST_US + k], &was, us, false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
}

static void lose(int victim, int k)
{
    post(READY + k);
    if (rank == victim) {
        await(READY + k, size - k);
        board[DIED_US + k] = now_us();
        die_now();
    }
    learn(victim, k);
    note_last(k, now_us() - board[DIED_US + k]);
    post(KNOWN + k);
    await(KNOWN + k, size - k - 1);
}

int main(int argc, char **argv)
{
    int fastest = INT_MAX;

    start(&argc, &argv);
    for (int k = 0; k < argc - 1; k++) {
        lose(atoi(argv[1 + k]), k);
        if (posted(LAST_US + k) < fastest)
            fastest = posted(LAST_US + k);
    }
    if (rank == 0)
        printf("%s: all know after %d us\n", fastest < FASTEST_US ? "in time" : "late", fastest);
    return finish();
}
