# SPDX-License-Identifier: BSD-3-Clause
# s5_13_stopped.sh – an agent of a job is stopped, alone and for ever, and then another job connects to a process of another node: names for
# the guests wait for that agent no longer than its lease.
#
# The agents of the host's job, and of the guest's; in which job it happens.
#
#   S5-13: processes are created and connected across nodes, on living ones with room
#
# RUN: 2 1 host ; time 60 ; expect "connected at both"
# RUN: 3 2 host ; time 60 ; expect "connected at both"
# RUN: 1 2 guest ; time 60 ; expect "connected at both"

cat >stopped.c <<'C'
#include "two_jobs.h"

#include <signal.h>
#include <sys/types.h>

/* host|guest, host|guest: in which the agent is stopped */
int main(int argc, char **argv)
{
    int host = !strcmp(argv[1], "host"), mine = !strcmp(argv[1], argv[2]);
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    int rank, got = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
    if (mine && rank == 3) {
        kill(getppid(), SIGSTOP);
        fclose(fopen("stopped", "w"));
        for (;;)
            pause();
    }
    while (access("stopped", F_OK) != 0)
        usleep(1000);
    if (rank == 0 && host) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(port);
        CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter) == MPI_SUCCESS);
    } else if (rank == 0) {
        hear(port);
        CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter) == MPI_SUCCESS);
    }
    if (rank == 0) {
        CHECK(MPI_Sendrecv(&host, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, inter,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(got == !host);
        CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS);
        printf("connected\n");
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
C
. "$MEND_TEST_ROOT/test/build.sh"
build stopped "$PWD/stopped.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"

# begin host|guest AGENTS
begin()
{
    [ "$2" = 1 ] && set -- "$1" || set -- "$1" --machines "$2"
    side=$1
    shift
    mpiexec -n 4 --timeout 30 --lenient-exit "$@" ./stopped $side $where >$side.out 2>&1 &
}

where=$3
begin host "$1"
begin guest "$2"
wait
[ "$(cat host.out guest.out | grep -c '^connected$')" = 2 ] && echo "connected at both"
tail -n 30 host.out guest.out
