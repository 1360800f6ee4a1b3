/* SPDX-License-Identifier: BSD-3-Clause */
/* All but rank 0 have freed a communicator of a group, and wait for a message.  They sleep meanwhile, although rank 0 has not
 * freed its part.  When it has, their sessions end, as does that of rank 0.
 *
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *
 * RUN: -n 2 ; expect "rank 0 ok"
 * RUN: -n 4 ; expect "rank 0 ok" ; expect "rank 3 ok"
 * RUN: -n 4 ; set COLL_SHM=0 ; expect "rank 0 ok"
 * RUN: -n 4 ; set AGREE_SHM=0 ; expect "rank 0 ok"
 * RUN: -n 4 --lenient-exit ; args die ; kill 0 at call:MPI_Comm_free#2 ; expect "rank 3 ok" */
#include "../common.h"

#include "../../mpi/session/common.h"

int main(int argc, char **argv)
{
    MPI_Session s = open_session();
    MPI_Comm c = world_of(s, "first"), freed[2];
    int pid = (int)getpid(), pids[64], err;

    set_watchdog();
    for (int i = 0; i < 2; i++) {
        freed[i] = world_of(s, i ? "second" : "third");
        use(freed[i]);
    }
    CHECK_OK(MPI_Gather(&pid, 1, MPI_INT, pids, 1, MPI_INT, 0, c));
    for (int i = 0; i < 2 && rank > 0; i++)
        CHECK_OK(MPI_Comm_free(&freed[i]));
    for (int r = 1; r < size && rank == 0; r++) {
        await_state(pids[r], 'S');
        CHECK_OK(MPI_Send(&pid, 1, MPI_INT, r, 0, c));
    }
    err = rank > 0 ? MPI_Recv(&pid, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE) : MPI_SUCCESS;
    CHECK(!err || (argc > 1 && err == MPI_ERR_PROC_FAILED));
    for (int i = 0; i < 2 && rank == 0; i++)
        CHECK_OK(MPI_Comm_free(&freed[i]));
    CHECK_OK(MPI_Comm_free(&c));
    close_session(&s);
    printf("rank %d ok\n", rank);
    return 0;
}
