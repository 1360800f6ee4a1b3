/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine falls silent: it loses its power, hangs, or its cable is pulled.  All others learn of it in 1.5 s, whatever they do: wait in a
 * call, send, or compute and ask now and then; and a rank that knows one of them to have failed knows all.
 *
 * Arguments: what the others do; the first rank of the lost machine.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-3: a node that falls silent is lost in bounded time */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args allreduce 4 ; cut 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args receive 4 ; cut 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args any 4 ; freeze 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args send 4 ; freeze 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args send 4 ; cut 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args agree 4 ; unplug 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args compute 4 ; cut 3 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "rank 5 learned" */
/* RUN: -n 4 --hosts m1:1,m2:1,m3:1,m4:1 --lenient-exit ; args allreduce 3 ; freeze 4 at "ready" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 2 ok" ; expect-no "rank 3 learned" */
#include "lost.h"

#define MANY 300000

static char much[MANY];

static int ask(void)
{
    MPI_Group failed;
    int n;
    double until = seconds() + 0.01;

    while (seconds() < until)
        ;
    MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
    MPI_Group_size(failed, &n);
    MPI_Group_free(&failed);
    return n ? MPI_ERR_PROC_FAILED : MPI_SUCCESS;
}

static int call(const char *what)
{
    int one = 1, sum, flag = 1, to = first_lost + rank % (size - first_lost);

    if (!strcmp(what, "allreduce"))
        return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(what, "receive"))
        return MPI_Recv(&one, 1, MPI_INT, to, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "any"))
        return MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "send"))
        return MPI_Send(much, MANY, MPI_CHAR, to, 4, MPI_COMM_WORLD);
    if (!strcmp(what, "agree"))
        return MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
    return ask();
}

/* A rank of the lost machine: takes part until it is gone. */
static int be_lost(const char *what)
{
    int rc = MPI_SUCCESS;

    while (rc == MPI_SUCCESS)
        if (!strcmp(what, "allreduce") || !strcmp(what, "agree"))
            rc = call(what);
        else if (!strcmp(what, "send"))
            rc = MPI_Recv(much, MANY, MPI_CHAR, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
        else
            usleep(1000);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = MPI_SUCCESS;

    start(&argc, &argv);
    first_lost = atoi(argv[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        say("ready");
    if (rank >= first_lost)
        rc = be_lost(argv[1]);
    while (rc == MPI_SUCCESS)
        rc = call(argv[1]);
    say_learned();
    CHECK_CLASS(rc, MPI_ERR_PROC_FAILED);
    check_failed(MPI_COMM_WORLD);
    go_on(MPI_COMM_WORLD);
    return finish();
}
