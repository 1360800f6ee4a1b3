# SPDX-License-Identifier: BSD-3-Clause
# s3_09_stopped_mpiexec.sh – mpiexec alone is stopped, and a rank dies: the others, which wait for it, get the error all the same,
# because mpiexec is continued after a time.  The text does not say that the rank has died just now.
#
#   S0-1: a call that needs a dead process returns in bounded time
#   S3-9: no survivor waits for ever for a dead process
#
# RUN: ; time 60 ; expect "all learned of it"

cat >waits.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char text[MPI_MAX_ERROR_STRING];
    int rank, err, len;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        printf("victim %d\n", (int)getpid());
    fflush(stdout);
    err = MPI_Recv(&len, 1, MPI_INT, rank == 1 ? 0 : 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_string(err, text, &len);
    printf("rank %d: %s\n", rank, text);
    return MPI_Finalize();
}
C
mpicc -O1 -o waits waits.c || exit 1

wrong()
{
    echo "wrong: $*"
    cat out
    exit 1
}

: >out
mpiexec --set AGENT_STOP_TIMEOUT=2 --timeout 40 --lenient-exit -n 3 ./waits >out 2>&1 &
job=$!
i=0
while ! grep -q victim out; do
    i=$((i + 1))
    [ $i -lt 2000 ] || wrong "no victim"
    sleep 0.01
done
kill -STOP $job
kill -9 "$(sed -n 's/^victim //p' out)"
wait $job || wrong "the job ended with $?"
[ "$(grep -c '^rank [02]: MPI_ERR_PROC_FAILED.* rank 1 .*(SIGKILL), at most [2-9]\.[0-9] s ago' out)" = 2 ] || wrong "texts"
grep -q 'mpiexec (pid .*) was stopped for' out || wrong "mpiexec says nothing"
echo "all learned of it"
