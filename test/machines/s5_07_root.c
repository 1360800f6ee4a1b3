/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine of mpiexec loses its power, hangs or is cut off, in each phase of a job: all ranks on all other machines end within the
 * lease, and nothing stays behind anywhere: keepers call mpiexec for a second more.
 *
 * Arguments: the call in which the ranks are.
 *
 *   S5-7: the loss of mpiexec ends every rank on every node, and nothing stays behind */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args allreduce ; cut 1 at "ready" ; exit 137 ; left 2 ; expect-no "ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args compute ; cut 1 at "ready" ; exit 137 ; left 2 ; expect-no "ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args init ; cut 1 at "starting" ; exit 137 ; left 2 ; expect-no "ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args finalize ; cut 1 at "ready" ; exit 137 ; left 2 ; expect-no "ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args compute ; unplug 1 at "ready" ; shell 1 "sleep 1.5" at +0ms ; cut 1 at +0ms ; exit 137 ; left 0.5 ;
 *      expect-no "ok" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; args compute ; freeze 1 at "ready" ; shell 2 "sleep 1.5" at +0ms ; cut 1 at +0ms ; exit 137 ; left 0.5 ;
 *      expect-no "ok" */
#include "lost.h"

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int one = 1, sum;

    if (!strcmp(what, "init")) {
        say("starting");
        if (getenv("MEND_RANK") && atoi(getenv("MEND_RANK")) == 0)
            sleep(1000);
    }
    start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        say("ready");
    while (!strcmp(what, "allreduce"))
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(what, "compute") || (!strcmp(what, "finalize") && rank == 0))
        for (;;)
            pause();
    return finish();
}
