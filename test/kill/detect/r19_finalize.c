/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Finalize succeeds at every survivor, whichever processes have died, whatever is pending, and however
 * late the death is detected: a death before it, inside it, of a process that waits in it, or of the last one that it
 * waits for.  A process that ends after MPI_Finalize has not failed (R23).  But a job has failed if a process
 * ends badly there, or dies in the last call, where no process is told of it (R22).  If a process dies while requests are
 * pending, a survivor may or may not be told in time.
 *
 *   R19: MPI_Finalize succeeds in bounded time at every survivor
 *   R22: the job's status is 0 only if all deaths were handled
 *   R23: a process that ends without MPI_Finalize has failed
 *
 * RUN: -n 4 ; args before ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --lenient-exit ; args pending ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args inside ; kill 3 at in:MPI_Finalize:0-2 ; exit 137 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args none ; exit 137 ; kill 3 at finalize.enter ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args none ; exit 137 ; kill 0,1,2 at finalize.enter ; expect "rank 3 ok"
 * RUN: -n 4 --stop-timeout 0.2 ; args none ; exit 137 ; stop 2 at finalize.enter ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 2 ; args before ; expect "rank 0 ok"
 * RUN: -n 2 ; args inside ; kill 1 at in:MPI_Finalize:0 ; exit 137 ; expect "rank 0 ok"
 * RUN: -n 16 --lenient-exit ; args pending ; expect "rank 0 ok" ; expect "rank 14 ok"
 * RUN: -n 16 ; args none ; exit 137 ; kill 0,3,7,8,15 at finalize.enter ; expect "rank 1 ok" ; expect "rank 14 ok"
 * RUN: -n 4 ; args revoked ; exit 137 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 ; args none ; exit 137 ; kill 2 at finalize.done ; expect "rank 0 ok" ;
 *   expect "killed by signal 9 (Killed) after MPI_Finalize" */
#include "../common.h"

static char large[200000];

/* Operations with the victim, with others and with nobody, that nobody ever completes. */
static void leave_pending(void)
{
    static int in[4], sum;
    MPI_Request r;

    MPI_Irecv(&in[0], 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, &r);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r);
    MPI_Isend(large, sizeof large, MPI_CHAR, size - 1, 3, MPI_COMM_WORLD, &r);
    MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    MPI_Icomm_agreement(MPI_COMM_WORLD, &in[2], &r);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];

    start(&argc, &argv);
    if (!strcmp(how, "pending"))
        leave_pending();
    if (!strcmp(how, "revoked"))
        MPI_Comm_invalidate(MPI_COMM_WORLD);
    if (rank == size - 1 && !strcmp(how, "inside"))
        await_kill();
    if (rank == size - 1 && strcmp(how, "none") != 0)
        die_now();
    if (!strcmp(how, "before"))
        wait_until_dead(MPI_COMM_WORLD, size - 1);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    printf("rank %d ok\n", rank);
    return 0;
}
