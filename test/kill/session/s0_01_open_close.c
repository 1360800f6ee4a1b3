/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks open a session, make a communicator of mend://alive, use it and close the session, several times, and one dies
 * at each place.  Every call returns; a set that still has a process which has died gives MPI_ERR_PROC_FAILED, and
 * mend://alive leaves it out from then on; a process that has closed its last session for good and has ended holds up
 * nobody.  At the end each survivor has had its turns.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *   S0-1: a call that needs a dead process returns in bounded time
 *   S0-10: an operation without a dead process never reports a failure
 *   S2-5: creation is uniform: at all survivors or at none
 *
 * RUN: -n 2 --lenient-exit ; kill 1 at session.open#1 ; expect "rank 0 ok"
 * RUN: -n 4 --lenient-exit ; kill 1 at session.open#1 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 1 at session.open#3 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 0 at session.end#1 ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 2 at session.end#2 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 3 at session.away#2 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 4 --lenient-exit ; kill 0 at member.invite#4 ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 2 at agree.enter#2 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 2 at call:MPI_Session_finalize#3 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; kill 2 at call:MPI_Group_from_session_pset#2 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; set AGREE_SHM=0 ; kill 2 at session.end#2 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 --lenient-exit ; set AGREE_SHM=0 ; kill 0 at agree.enter#3 ; expect "rank 1 ok" ; expect "rank 3 ok"
 * RUN: -n 8 --lenient-exit ; kill 1 at session.open#2 ; kill 5 at session.away#1 ; expect "rank 0 ok" ; expect "rank 7 ok" */
#include "../common.h"

#include "../../mpi/session/common.h"

#define TURNS  4
#define FAILED MPI_ERR_PROC_FAILED

/* True if all went well. */
static bool turn(MPI_Session s)
{
    MPI_Group g = pset(s, "mend://alive");
    MPI_Comm c = MPI_COMM_NULL;
    int class, n, sum = 0, one = 1;

    MPI_Group_size(g, &n);
    class = class_of(MPI_Comm_create_from_group(g, "turn", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
    MPI_Group_free(&g);
    CHECK(class == MPI_SUCCESS || (class == FAILED && n > 1));
    if (class != MPI_SUCCESS)
        return false;
    class = class_of(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c));
    CHECK(class == FAILED || (class == MPI_SUCCESS && sum == n));
    CHECK_OK(MPI_Comm_free(&c));
    return class == MPI_SUCCESS;
}

int main(void)
{
    MPI_Group all;
    MPI_Session s;

    for (int turns = 0; turns < TURNS;) {
        s = open_session();
        all = pset(s, "mpi://WORLD");
        MPI_Group_rank(all, &rank);
        MPI_Group_size(all, &size);
        MPI_Group_free(&all);
        turns += turn(s);
        close_session(&s);
    }
    printf("rank %d ok\n", rank);
    return 0;
}
