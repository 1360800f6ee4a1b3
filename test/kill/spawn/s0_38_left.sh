# SPDX-License-Identifier: BSD-3-Clause
# s0_38_left.sh – the root of a spawn dies when the new processes wait for its group, which has not heard of them.  So the others
# of the group get an error, know none of the new processes, and leave MPI, or close their only session and stay away.  The new
# ones must not wait for them.
#
#   root 3         tells of the new processes, meets the first of them, and dies
#   ranks 0 to 2   are stopped meanwhile; they learn of the death before they have heard all, and leave
#   ranks 4, 5     are about to vote and stopped; they go on, and learn of the death, when ranks 0 to 2 have left
#
#   S0-1: a call that needs a dead process returns in bounded time
#   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure
#
# RUN: world messages ; time 60 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "3 survivors, nobody was born"
# RUN: world votes ; time 60 ; set COLL_SHM=0 ; expect "3 survivors, nobody was born"
# RUN: session messages ; time 60 ; set COLL_SHM=0 ; set AGREE_SHM=0 ; expect "3 survivors, nobody was born"
# RUN: session votes ; time 60 ; set COLL_SHM=0 ; expect "3 survivors, nobody was born"

cat >starts.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int newcomer(void)
{
    MPI_Comm parent;

    printf("new process %d\n", (int)getpid());
    fflush(stdout);
    MPI_Init(NULL, NULL);
    printf("born\n");
    MPI_Comm_get_parent(&parent);
    MPI_Comm_disconnect(&parent);
    return MPI_Finalize();
}

/* Of all but the last `less` processes. */
static MPI_Comm open_session(MPI_Session *s, int less)
{
    int size, range[1][3];
    MPI_Group all, some;
    MPI_Comm c;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, s);
    MPI_Group_from_session_pset(*s, "mpi://WORLD", &all);
    MPI_Group_size(all, &size);
    range[0][0] = 0;
    range[0][1] = size - 1 - less;
    range[0][2] = 1;
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm_create_from_group(some, "some", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    return c;
}

/* Away until the new processes have ended.  What these have sent meanwhile harms nothing later. */
static void close_session(MPI_Comm c, MPI_Session s)
{
    int one = 1, sum = 0;

    MPI_Comm_free(&c);
    MPI_Session_finalize(&s);
    printf("away\n");
    fflush(stdout);
    while (access("over", F_OK) != 0)
        usleep(10000);
    c = open_session(&s, 1);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, c);
    MPI_Comm_free(&c);
    MPI_Session_finalize(&s);
    printf("back: %d\n", sum);
}

/* world|session|new */
int main(int argc, char **argv)
{
    int session = !strcmp(argv[1], "session"), rank, err;
    char *args[] = {"new", NULL};
    MPI_Session s = MPI_SESSION_NULL;
    MPI_Comm c = MPI_COMM_WORLD, inter;

    if (!strcmp(argv[1], "new"))
        return newcomer();
    if (session)
        c = open_session(&s, 0);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
    MPI_Comm_rank(c, &rank);
    printf("process %d is %d\n", rank, (int)getpid());
    fflush(stdout);
    err = MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, 3, c, &inter, MPI_ERRCODES_IGNORE);
    MPI_Error_class(err, &err);
    printf("rank %d has %s\n", rank, err == MPI_ERR_PROC_FAILED ? "the error" : "another result");
    fflush(stdout);
    if (session)
        close_session(c, s);
    else
        MPI_Finalize();
    return 0;
}
C
. "$MEND_TEST_ROOT/test/build.sh"
build starts "$PWD/starts.c" -O1

wrong()
{
    echo "wrong: $*"
    cat out
    exit 1
}

# await CONDITION...: it comes to hold
await()
{
    i=0
    while ! "$@"; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "never: $*"
        sleep 0.01
    done
}

# N lines of the output have WORDS
has()
{
    [ "$(grep -c "$2" out)" -ge "$1" ]
}

# is PID STATE: T: stopped; Z: a zombie, or not there any more
is()
{
    [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null || echo Z)" = "$2" ]
}

# The first new process votes on the bridge before, and on its end.
rm -f over
: >out
mpiexec -n 4 --universe 8 --timeout 20 --lenient-exit \
    --inject "stop:0,1,2@call:MPI_Comm_spawn>coll.enter" --inject "stop:3@call:MPI_Comm_spawn>coll.enter#3" \
    --inject "stop:4@agree.enter#3" --inject stop:5@agree.enter ./starts $1 >out 2>&1 &
job=$!
await has 2 "new process"
root=$(sed -n 's/^process 3 is //p' out)
group=$(sed -n 's/^process [012] is //p' out)
new=$(sed -n 's/^new process //p' out)
for pid in $root $group $new; do
    await is "$pid" T
done
kill -9 "$root"
await has 1 "killed by signal"
kill -CONT $group
if [ $1 = session ]; then
    await has 3 away
else
    for pid in $group; do
        await is "$pid" Z
    done
fi
kill -CONT $new
for pid in $new; do
    await is "$pid" Z
done
: >over
wait $job || wrong "the job ended with $?"
[ "$(grep -c 'has the error' out)" = 3 ] || wrong "survivors"
[ $1 = world ] || has 3 "^back: 3" || wrong "those that were away"
! grep -q '^born' out || wrong "a process was born"
echo "3 survivors, nobody was born"
