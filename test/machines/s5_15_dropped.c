/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets between the machines of ranks 1 and 2 are dropped silently, in both directions or in one, while both still reach mpiexec: one of the two
 * is ended, whatever they do, although their connection was there before; and the job goes on.
 *
 *   receive    each waits for the other one, and has nothing on its way
 *   stream     2 sends little messages all the time, and is hardly ever in MPI; 1 receives them
 *   compute    the same, but 2 is never in MPI again: its kernel repeats what is not acknowledged, less and less often (net/tcp/silent.c)
 *   exchange   both send and receive
 *   large      2 sends long messages, which 1 receives
 *   all        all are in an allreduce
 *
 *   S0-17: point-to-point that cannot complete because of a death ends with PROC_FAILED
 *   S5-15: a broken connection is made again, nothing lost or doubled */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 --lenient-exit ; set REACH_TIMEOUT=2 ; args receive ; partition 2|3 at "ready" ; within 6 ; expect ") cannot reach each other: rank 2 is ended" ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 --lenient-exit ; set REACH_TIMEOUT=2 ; args stream ; partition 2|3 at "ready" ; within 6 ; expect ") cannot reach each other: rank 2 is ended" ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 --lenient-exit ; set REACH_TIMEOUT=2 ; args compute ; partition 2>3 at "ready" ; within 12 ; expect ") cannot reach each other: rank 2 is ended" ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 --lenient-exit ; set REACH_TIMEOUT=2 ; args exchange ; partition 2>3 at "ready" ; within 6 ; expect ") cannot reach each other: rank 2 is ended" ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 --lenient-exit ; set REACH_TIMEOUT=2 ; args large ; partition 3>2 at "ready" ; within 6 ; expect ") cannot reach each other: rank 2 is ended" ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1 --lenient-exit ; set REACH_TIMEOUT=2 ; args all ; partition 2|3 at "ready" ; within 6 ; expect "rank 1 (m2, 10.77.0.2 port" ; expect "rank 2 (m3, 10.77.0.3 port" ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" */
#include "lost.h"

#define LONG 3000000

static char much[LONG];

static int exchange(int with)
{
    int mine = rank, other = -1;
    int rc = MPI_Sendrecv(&mine, 1, MPI_INT, with, 1, &other, 1, MPI_INT, with, 1, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);

    CHECK(rc != MPI_SUCCESS || other == with);
    return rc;
}

/* What 1 does again and again, until that fails. */
static int call(const char *what, int n)
{
    int word, one = 1, sum;

    if (!strcmp(what, "exchange"))
        return exchange(3 - rank);
    if (!strcmp(what, "all"))
        return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(what, "large"))
        return MPI_Recv(much, LONG, MPI_CHAR, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    word = -1;
    if (MPI_Recv(&word, 1, MPI_INT, 3 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return MPI_ERR_PROC_FAILED;
    CHECK_EQ(word, n);
    return MPI_SUCCESS;
}

/* And 2. */
static int answer(const char *what, int n)
{
    if (!strcmp(what, "large"))
        return MPI_Send(much, LONG, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    if (strcmp(what, "stream") != 0 && strcmp(what, "compute") != 0)
        return call(what, n);
    if (!strcmp(what, "stream"))
        MPI_Send(&n, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    usleep(20000);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rc = MPI_SUCCESS, n = 0;

    start(&argc, &argv);
    first_lost = 2;
    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++)
            if (rank == a || rank == b)
                CHECK_OK(exchange(rank == a ? b : a));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        say("ready");
        rc = strcmp(argv[1], "all") ? MPI_ERR_PROC_FAILED : rc;
    }
    while (rc == MPI_SUCCESS)
        rc = rank == 2 ? answer(argv[1], n++) : call(argv[1], n++);
    if (rank > 0 || !strcmp(argv[1], "all"))
        say_learned();
    else
        wait_until_dead(MPI_COMM_WORLD, 2);
    CHECK_EQ(rc, MPI_ERR_PROC_FAILED);
    check_failed(MPI_COMM_WORLD);
    go_on(MPI_COMM_WORLD);
    return finish();
}
