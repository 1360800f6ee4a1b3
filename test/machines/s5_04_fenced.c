/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine hangs, or is cut off, for longer than its lease, and is back while the others go on.  From the time when they know that it is lost
 * none of its ranks does anything: neither a line of output nor a store into a file, while it is cut off and when it is back.
 *
 * Arguments: the first rank of the lost machine.
 *
 *   S5-4: a lost node runs no code of the program, and no byte of it is accepted
 *   S5-6: of two parts of a network the one without the root ends, and the other one goes on */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args 4 ; freeze 3 at "ready" ; thaw 3 at "watching" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "lost rank" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args 4 ; unplug 3 at "ready" ; plug 3 at "watching" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "lost rank" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args 4 ; partition 1,2|3 at "ready" ; heal at "watching" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "lost rank" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args 4 ; partition 1>3 at "ready" ; heal at "watching" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "lost rank" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args 4 ; partition 3>1 at "ready" ; heal at "watching" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "lost rank" */
/* RUN: -n 4 --hosts m1:1,m2:1,m3:1,m4:1 --lenient-exit ; args 2 ; partition 1,2|3,4 at "ready" ; heal at "watching" ; within 1.5 ;
 *      expect "rank 0 ok" ; expect "rank 1 ok" ; expect-no "lost rank" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args 4 ; load 3 30 at begin ; load 1 10 at begin ; unplug 3 at "ready" ;
 *      plug 3 at "watching" ; within 1.5 ; time 60 ; expect "rank 0 ok" ; expect "rank 3 ok" ; expect-no "lost rank" */
#include "lost.h"

#define WATCH_S 2.0

/* Runs until it is ended, and leaves traces. */
static void be_lost(void)
{
    MPI_Group failed;
    int n = 0;

    while (!n) {
        post(TRACE + rank);
        MPIX_Comm_get_failed(MPI_COMM_WORLD, &failed);
        MPI_Group_size(failed, &n);
        MPI_Group_free(&failed);
    }
    for (;;) { /* others may be taken for dead on this side, too */
        printf("lost rank %d is still here\n", rank);
        fflush(stdout);
        post(TRACE + rank);
        usleep(10000);
    }
}

static void watch(void)
{
    int before[64];
    double until = seconds() + WATCH_S;

    for (int r = first_lost; r < size; r++)
        before[r - first_lost] = posted(TRACE + r);
    if (rank == 0)
        say("watching");
    while (seconds() < until) {
        for (int r = first_lost; r < size; r++)
            CHECK_EQ(posted(TRACE + r), before[r - first_lost]);
        usleep(1000);
    }
}

int main(int argc, char **argv)
{
    int word, rc;

    start(&argc, &argv);
    first_lost = atoi(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        say("ready");
    if (rank >= first_lost)
        be_lost();
    rc = MPI_Recv(&word, 1, MPI_INT, size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say_learned();
    CHECK_CLASS(rc, MPI_ERR_PROC_FAILED);
    watch();
    go_on(MPI_COMM_WORLD);
    return finish();
}
