# SPDX-License-Identifier: BSD-3-Clause
# forgotten_job.sh – a connected job has ended, and nobody looks at its processes any more.  Processes that begin later, new ones and
# one that replaces another, know nothing of it, and wait for nothing that nobody says any more.
#
# RUN: 8 -- ; time 60 ; expect "8 processes were started, and one replaced"
# RUN: 8 --spares 1 ; time 60 ; expect "8 processes were started, and one replaced"
# RUN: 8 --copies ; time 60 ; expect "8 processes were started, and one replaced"
# RUN: 8 -- ; set MACHINES=2 ; time 60 ; expect "8 processes were started, and one replaced"
# RUN: 8 --spares 1 ; set MACHINES=2 ; time 60 ; expect "8 processes were started, and one replaced"

cat >outlives.c <<'C'
#include "two_jobs.h"

#include <signal.h>

#define HOSTS 3

/* The agent forgets the other job some time after that has ended: meanwhile there is a process more each time. */
static void start_one(char *program)
{
    MPI_Comm inter;

    CHECK(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                         MPI_ERRCODES_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Barrier(inter) == MPI_SUCCESS);
    MPI_Comm_disconnect(&inter);
    usleep(20000);
}

static void use(MPI_Comm full)
{
    int rank, size;

    MPI_Comm_rank(full, &rank);
    MPI_Comm_size(full, &size);
    CHECK(size == HOSTS && MPI_Barrier(full) == MPI_SUCCESS);
    printf("whole %d\n", rank);
}

static void replace(void)
{
    MPI_Comm full;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == HOSTS - 1)
        raise(SIGKILL);
    CHECK(class_of(MPI_Barrier(MPI_COMM_WORLD)) == MPI_ERR_PROC_FAILED);
    CHECK(MPIX_Comm_refill(MPI_COMM_WORLD, MPI_INFO_NULL, &full) == MPI_SUCCESS);
    use(full);
}

/* host PROCESSES|guest */
int main(int argc, char **argv)
{
    MPI_Comm parent, full, both;
    int host = argc > 1 && !strcmp(argv[1], "host");

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_parent(&parent);
    MPIX_Comm_refilled(&full);
    if (full != MPI_COMM_NULL) {
        use(full);
    } else if (parent != MPI_COMM_NULL) {
        MPI_Barrier(parent);
        MPI_Comm_disconnect(&parent);
        printf("started\n");
    } else {
        both = connect_all(host);
        MPI_Barrier(both); /* all have it; a guest may be dead before the others have left this */
        if (!host)
            raise(SIGKILL);
        CHECK(class_of(MPI_Barrier(both)) == MPI_ERR_PROC_FAILED);
        MPI_Comm_free(&both);
        while (access("ended", F_OK))
            usleep(1000);
        for (int i = 0; i < atoi(argv[2]); i++)
            start_one(argv[0]);
        replace();
    }
    MPI_Finalize();
    return 0;
}
C
. "$MEND_TEST_ROOT/test/build.sh"
build outlives "$PWD/outlives.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"
n=$1
shift
[ "$1" != -- ] || shift
mpiexec -n 3 --universe 20 --timeout 20 --lenient-exit "$@" ./outlives host "$n" >host.out 2>&1 &
host=$!
mpiexec -n 2 --timeout 20 --lenient-exit ./outlives guest >guest.out 2>&1
: >ended
wait $host || { cat host.out guest.out && exit 1; }
[ "$(grep -c '^whole' host.out)" = 3 ] || { cat host.out && exit 1; }
echo "$(grep -c '^started' host.out) processes were started, and one replaced"
