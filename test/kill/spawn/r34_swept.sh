# SPDX-License-Identifier: BSD-3-Clause
# r34_swept.sh – when a job has ended no file of a name that it has published is there, however it ended: also if the
# publisher runs in a PID namespace of its own, where its number means nothing to others (space), and if mpiexec is
# killed (killed).  If its keeper is killed, too, the name is not found, and the next job removes the file (both).
#
#   R34: a name of the dead is not found, and their ports are refused
#
# RUN: plain ; expect "nothing is left"
# RUN: space ; expect "nothing is left"
# RUN: killed ; expect "nothing is left"
# RUN: both ; expect "nothing is left"

dir=/dev/shm/mend-$(id -u)
if [ "$1" = killed ] && [ -z "$alone" ]; then # with a /dev/shm of its own: any other job removes the file, too
    for run in "unshare -m" "unshare -Urm"; do
        $run mount -t tmpfs none /dev/shm 2>/dev/null && alone=yes exec $run sh -c \
            'mount -t tmpfs none /dev/shm && exec sh "$0" killed' "$0"
    done
    echo "SKIPPED: this machine does not let us mount a /dev/shm; nothing is left"
    exit 0
fi
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
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Publish_name(argv[1], MPI_INFO_NULL, "port");
    printf("published\n");
    fflush(stdout);
    if (argc > 2)
        pause();
    raise(SIGKILL);
}
END
mpicc -o publish publish.c || exit 1
wrong()
{
    echo "wrong: $*"
    cat said
    exit 1
}

# Until "$@" succeeds.
await()
{
    i=0
    until "$@"; do
        i=$((i + 1))
        [ $i -lt 1000 ] || wrong "waited too long: $*"
        sleep 0.01
    done
}

is_gone() { ! grep -lq "$name" "$dir"/* 2>/dev/null; }
is_lost() { mpiexec -n 1 ./find "$name"; }
has_keeper() { keeper=$(pgrep -P $agent -x mend-keeper); } # it takes its name when it runs

cat >find.c <<'END'
#include <mpi.h>

/* 0: the name is not found, as it should be. */
int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    int class = 0, err;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    err = MPI_Lookup_name(argv[1], MPI_INFO_NULL, port);
    MPI_Error_class(err, &class);
    MPI_Finalize();
    return class != MPI_ERR_NAME;
}
END
mpicc -o find find.c || exit 1

case $1 in
killed | both)
    mpiexec -n 1 ./publish "$name" stay >said 2>&1 &
    agent=$!
    await grep -q published said
    await has_keeper
    [ "$1" = killed ] || kill -9 "$keeper"
    kill -9 $agent
    wait $agent 2>/dev/null
    [ "$1" = both ] || await is_gone # no other job has run
    await is_lost
    await is_gone
    echo "nothing is left"
    exit 0
    ;;
esac
mpiexec -n 2 $run ./publish "$name" >said 2>&1
grep -q published said || {
    echo "wrong: nothing was published"
    cat said
    exit 1
}
if grep -l "$name" "$dir"/* 2>/dev/null; then
    echo "wrong: a file is left"
    exit 1
fi
echo "nothing is left"
