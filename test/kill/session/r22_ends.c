/* SPDX-License-Identifier: BSD-3-Clause */
/* How the launcher counts a rank that ends without a session: status 0 is not a failure and needs no handling; a signal
 * and a status count as after MPI_Finalize; it may become another program.  With a session open it has failed, also if that
 * is not its first one.
 *
 *   R22: the job's status is 0 only if all deaths were handled
 *   R36: while no session is open no death is a failure, and a process that opens one again is the same peer
 *
 * RUN: -n 3 ; args exit 0 ; expect "rank 0 ok" ; expect "rank 2 ok"
 * RUN: -n 3 ; args exit 3 ; exit 3 ; expect "rank 0 ok"
 * RUN: -n 3 ; args kill 9 ; exit 137 ; expect "rank 0 ok"
 * RUN: -n 3 ; args exec 0 ; expect "rank 0 ok" ; expect "rank 2 ok" ; expect "another program"
 * RUN: -n 3 ; args again 0 ; exit 137 ; expect "rank 0 ok"
 * RUN: -n 3 ; args open 0 ; exit 1 ; expect "rank 0 ok" */
#include "../common.h"

#include "../../mpi/session/common.h"

int main(int argc, char **argv)
{
    bool open = argc > 1 && !strcmp(argv[1], "open");
    MPI_Session s;
    MPI_Comm c;

    open_board();
    s = open_session();
    c = world_of(s, "all");
    use(c);
    CHECK_OK(MPI_Comm_disconnect(&c));
    if (rank != 1 || !open)
        close_session(&s);
    post(1);
    if (rank == 1) {
        await(1, size);
        post(0);
        if (!strcmp(argv[1], "kill"))
            die_now();
        if (!strcmp(argv[1], "exec"))
            execl("/bin/sh", "sh", "-c", "sleep 0.1; echo another program", NULL);
        if (!strcmp(argv[1], "again")) {
            s = open_session();
            die_now();
        }
        _exit(atoi(argv[2]));
    }
    await(0, 1);
    printf("rank %d ok\n", rank);
    return 0;
}
