/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines are lost when users of other libraries have seen their jobs hang or end (doc/machines.md): one machine after the other down to
 * that of mpiexec; one whose ranks have not come to MPI_Init; one while the others are in MPI_Finalize; one that a spare machine replaces,
 * where no slot is left after that.
 *
 * Arguments: what happens; the first rank of the lost machine.
 *
 *   S5-2: the loss of a node is one verdict over all its processes
 *   S5-3: a node that falls silent is lost in bounded time
 *   S5-13: processes are created and connected across nodes, on living ones with room */
/* RUN: -n 4 --hosts m1:1,m2:1,m3:1,m4:1 --lenient-exit ; args down ; cut 4 at "4 are left" ; freeze 2 at "3 are left" ; unplug 3 at "2 are left" ;
 *      expect "1 are left" ; expect "rank 0 ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; args init 4 ; cut 3 at "ready" ; within 1.5 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 --lenient-exit ; set SLEEP_MAX=0 ; args finalize 4 ; cut 3 at "ready" ; within 1.5 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 3 --hosts m1:1,m2:1,m3:1,m4:1 --spare-nodes 1 --lenient-exit ; args replace 2 ; cut 3 at "ready" ; cut 4 at "whole again" ;
 *      expect "rank 2 is on m4" ; expect "no room" ; expect "rank 0 ok" ; expect "rank 1 ok" */
#include "lost.h"

/* MPI_SUCCESS at all members, or an error at all survivors. */
static bool sum_up(MPI_Comm c)
{
    int one = 1, sum, good = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c) == MPI_SUCCESS;

    return MPIX_Comm_agree(c, &good) == MPI_SUCCESS && good;
}

static void go_down(void)
{
    MPI_Comm c = MPI_COMM_WORLD, rest;
    int n = size;

    for (;;) {
        if (rank == 0)
            printf("%d are left\n", n), fflush(stdout);
        if (n == 1)
            return;
        while (sum_up(c))
            ;
        CHECK_EQ(MPIX_Comm_shrink(c, &rest), MPI_SUCCESS);
        c = rest;
        MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
        MPI_Comm_size(c, &n);
    }
}

static void replace(MPI_Comm *whole_p)
{
    MPI_Comm c = *whole_p;
    char host[64] = "";
    int me, rc;

    gethostname(host, sizeof(host) - 1);
    MPI_Comm_rank(c, &me);
    if (me == first_lost)
        printf("rank %d is on %s\n", me, host), fflush(stdout);
    CHECK(sum_up(c));
    if (me == 0)
        say(c == MPI_COMM_WORLD ? "ready" : "whole again");
    while (sum_up(c))
        ;
    rc = MPIX_Comm_refill(c, MPI_INFO_NULL, whole_p);
    if (c != MPI_COMM_WORLD && me == 0 && rc == MPI_ERR_SPAWN)
        say("no room");
    CHECK_EQ(rc, c == MPI_COMM_WORLD ? MPI_SUCCESS : MPI_ERR_SPAWN);
    if (rc == MPI_SUCCESS)
        MPI_Comm_set_errhandler(*whole_p, MPI_ERRORS_RETURN);
}

/* The lost machine's are outside of MPI until they are gone. */
static void stay_outside(int me)
{
    while (me >= first_lost)
        pause();
}

int main(int argc, char **argv)
{
    MPI_Comm whole;
    const char *what = argv[1];
    int one = 1, sum;

    first_lost = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(what, "init"))
        stay_outside(atoi(getenv("MEND_RANK")));
    start(&argc, &argv);
    CHECK_EQ(MPIX_Comm_refilled(&whole), MPI_SUCCESS);
    if (rank == 0 && whole == MPI_COMM_NULL && strcmp(what, "down") && strcmp(what, "replace"))
        say("ready");
    if (!strcmp(what, "down"))
        go_down();
    if (!strcmp(what, "finalize"))
        stay_outside(rank);
    if (!strcmp(what, "init")) {
        CHECK_CLASS(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                    MPI_ERR_PROC_FAILED);
        say_learned();
        go_on(MPI_COMM_WORLD);
    }
    if (!strcmp(what, "replace") && whole == MPI_COMM_NULL) {
        whole = MPI_COMM_WORLD;
        replace(&whole);
    }
    if (!strcmp(what, "replace"))
        replace(&whole);
    if (strcmp(what, "finalize") != 0)
        return finish();
    MPI_Finalize();
    say_learned();
    printf("rank %d ok\n", rank);
    return 0;
}
