/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine, its agent or the network stands still for less than half a lease, again and again; and all cores are busy: no machine is lost,
 * and each call has its right result.
 *
 *   S5-5: no node is lost because its agent runs late
 *   S5-6: of two parts of a network the one without the root ends, and the other one goes on */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; freeze 3 at "ready" ; thaw 3 at +350ms ; freeze 2 at +300ms ; thaw 2 at +350ms ; away 0.5 ;
 *      expect "rank 0 ok" ; expect "rank 5 ok" ; expect-no "lost" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; signal STOP 3 --agent at "ready" ; signal CONT 3 --agent at +350ms ;
 *      signal STOP 2 --agent at +300ms ; signal CONT 2 --agent at +350ms ; away 0.5 ;
 *      expect "rank 0 ok" ; expect "rank 5 ok" ; expect-no "lost" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; unplug 3 at "ready" ; plug 3 at +350ms ; unplug 2 at +300ms ; plug 2 at +350ms ; away 0.5 ;
 *      expect "rank 0 ok" ; expect "rank 5 ok" ; expect-no "lost" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; partition 1>3 at "ready" ; heal at +350ms ; partition 2>1 at +300ms ; heal at +350ms ; away 0.5 ;
 *      expect "rank 0 ok" ; expect "rank 5 ok" ; expect-no "lost" */
/* RUN: -n 6 --hosts m1:2,m2:2,m3:2 ; lose 20 at "ready" ; heal at +2000ms ; expect "rank 0 ok" ; expect "rank 5 ok" ;
 *      expect-no "lost" */
#include "lost.h"

#define ROUNDS_S 3.0

int main(int argc, char **argv)
{
    int one = 1, sum, more = 1;
    double until;

    start(&argc, &argv);
    until = seconds() + ROUNDS_S;
    for (int i = 0; more; i++) {
        CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(sum, size);
        if (i == 0 && rank == 0)
            say("ready");
        more = seconds() < until;
        CHECK_EQ(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    return finish();
}
