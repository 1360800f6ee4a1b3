# SPDX-License-Identifier: BSD-3-Clause
# s0_38_left.sh – the root of a spawn dies when the new processes wait for its group, which has not heard of them.  So the others
# of the group get an error, know none of the new processes, and leave MPI.  The new ones must not wait for them.
#
#   root 3         tells of the new processes, meets the first of them, and dies
#   ranks 0 to 2   are stopped meanwhile; they learn of the death before they have heard all, and leave
#   ranks 4, 5     are about to vote and stopped; they go on, and learn of the death, when ranks 0 to 2 have ended
#
#   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure
#   S0-1: a call that needs a dead process returns in bounded time
#
# RUN: messages ; time 60 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "3 survivors, nobody was born"
# RUN: votes ; time 60 ; set COLL_SHM=0 ; expect "3 survivors, nobody was born"

cat >starts.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *args[] = {"new", NULL};
    MPI_Comm parent, inter;
    int rank, err;

    if (argc > 1) {
        printf("new process %d\n", (int)getpid());
        fflush(stdout);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        printf("born\n");
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("process %d is %d\n", rank, (int)getpid());
    fflush(stdout);
    err = MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, 3, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    MPI_Error_class(err, &err);
    printf("rank %d has %s\n", rank, err == MPI_ERR_PROC_FAILED ? "the error" : "another result");
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
C
mpicc -O1 -o starts starts.c || exit 1

wrong()
{
    echo "wrong: $*"
    cat out
    exit 1
}

# until_there N WORDS: N lines of the output have them
until_there()
{
    i=0
    while [ "$(grep -c "$2" out)" -lt "$1" ]; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "'$2' does not come"
        sleep 0.01
    done
}

until_stopped()
{
    i=0
    while [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" != T ]; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "$1 does not stop"
        sleep 0.01
    done
}

# until_ended PID: it has, or is a zombie
until_ended()
{
    i=0
    while [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null || echo Z)" != Z ]; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "$1 does not end"
        sleep 0.01
    done
}

# The first new process votes on the bridge before; where that goes by messages, on its end as well.
case $1 in
messages) vote=3 ;;
votes) vote=2 ;;
esac
: >out
mpiexec -n 4 --universe 8 --timeout 20 --lenient-exit \
    --inject "stop:0,1,2@call:MPI_Comm_spawn>coll.enter" --inject "stop:3@call:MPI_Comm_spawn>coll.enter#3" \
    --inject "stop:4@agree.enter#$vote" --inject stop:5@agree.enter ./starts >out 2>&1 &
job=$!
until_there 2 "new process"
root=$(sed -n 's/^process 3 is //p' out)
group=$(sed -n 's/^process [012] is //p' out)
new=$(sed -n 's/^new process //p' out)
for pid in $root $group $new; do
    until_stopped "$pid"
done
kill -9 "$root"
until_there 1 "killed by signal"
kill -CONT $group
for pid in $group; do
    until_ended "$pid"
done
kill -CONT $new
wait $job || wrong "the job ended with $?"
[ "$(grep -c 'has the error' out)" = 3 ] || wrong "survivors"
! grep -q '^born' out || wrong "a process was born"
echo "3 survivors, nobody was born"
