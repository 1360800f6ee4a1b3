# SPDX-License-Identifier: BSD-3-Clause
# r34_swept.sh – when a job has ended no file of a name that it has published is there, however it ended, also if the
# publisher runs in a PID namespace of its own, where its number means nothing to others.
#
#   R34: a name of the dead is not found, and their ports are refused
#
# RUN: plain ; expect "nothing is left"
# RUN: space ; expect "nothing is left"

dir=/dev/shm/mend-$(id -u)
name="swept $$ $(date +%N)"
run=
if [ "$1" = space ]; then
    unshare -Urpf true 2>/dev/null || {
        echo "SKIPPED: this machine does not let us make PID namespaces; nothing is left"
        exit 0
    }
    run="unshare -pf"
    [ "$(id -u)" = 0 ] || run="unshare -Urpf"
fi

cat >publish.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Publish_name(argv[1], MPI_INFO_NULL, "port");
    printf("published\n");
    fflush(stdout);
    raise(SIGKILL);
}
END
mpicc -o publish publish.c || exit 1
mpiexec -n 2 $run ./publish "$name" >output 2>&1
grep -q published output || {
    echo "wrong: nothing was published"
    cat output
    exit 1
}
if grep -l "$name" "$dir"/* 2>/dev/null; then
    echo "wrong: a file is left"
    exit 1
fi
echo "nothing is left"
