/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine on which a job runs hangs while its ranks talk, and goes on: the job does, too, if it has one agent, or if that was shorter than a
 * lease.  It loses its power: nothing is left of the job. */
/* RUN: -n 4 ; freeze 1 at "ready" ; thaw 1 at +1500ms ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 4 --machines 2 ; freeze 1 at "ready" ; thaw 1 at +350ms ; away 0.5 ; expect "rank 0 ok" ; expect "rank 3 ok" */
/* RUN: -n 4 --machines 2 ; cut 1 at "ready" ; exit 137 ; expect-no "ok" */
/* RUN: -n 4 --machines 2 ; signal KILL 1 mpiexec at "ready" ; exit 137 ; expect-no "ok" */
#include "../kill/common.h"

#define ROUNDS_S 2.5 /* by the clock of one rank, which goes on while the machine hangs */

int main(int argc, char **argv)
{
    int one = 1, sum, more = 1;
    double begin;

    start(&argc, &argv);
    begin = MPI_Wtime();
    for (int i = 0; more; i++) {
        CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(sum, size);
        if (i == 0 && rank == 0)
            printf("ready\n"), fflush(stdout);
        more = MPI_Wtime() - begin < ROUNDS_S;
        CHECK_EQ(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    return finish();
}
