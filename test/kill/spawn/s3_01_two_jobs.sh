# SPDX-License-Identifier: BSD-3-Clause
# s3_01_two_jobs.sh – ranks of a communicator of two connected jobs die, of one job or of both, and are replaced: the result
# has the old size and the old ranks, and each new process belongs to the job of the one that it replaces.  A process dies
# meanwhile, at each event: survivors of either job, new processes of either job, or a mpiexec.  The survivors call again
# together, or have the same error.
#
#   S2-5: creation is uniform: at all survivors or at none
#   S3-1: a failed process never returns under its identity
#
# RUN: none ; time 60 ; expect "6 times the old size"
# RUN: survivors ; time 200 ; expect "its turn of all 70 places"
# RUN: newcomers ; time 200 ; expect "its turn of all 38 places"
# RUN: agents ; time 120 ; expect "10 agents were killed"
# RUN: survivors ; set MACHINES=2 ; time 200 ; expect "its turn of all 70 places"
# RUN: newcomers ; set MACHINES=2 ; time 200 ; expect "its turn of all 38 places"
# RUN: agents ; set MACHINES=2 ; time 120 ; expect "10 agents were killed"

cat >replaces.c <<'C'
#include "two_jobs.h"

#include <signal.h>

#define SIZE 6 /* of both: ranks 0 to 2 are the host's */

/* Everybody is there, at its place, and each can talk to each.  A failure: the communicator is revoked. */
static int use(MPI_Comm full, int host)
{
    int rank, size, where[SIZE], err;

    MPI_Comm_set_errhandler(full, MPI_ERRORS_RETURN);
    MPI_Comm_rank(full, &rank);
    MPI_Comm_size(full, &size);
    CHECK(size == SIZE && host == rank < SIZE / 2);
    err = MPI_Allgather(&host, 1, MPI_INT, where, 1, MPI_INT, full);
    for (int r = 0; !err && r < SIZE; r++)
        CHECK(where[r] == r < SIZE / 2);
    for (int r = 0; !err && r < SIZE; r++) {
        int theirs = -1, from = (rank + SIZE - r) % SIZE;

        err = MPI_Sendrecv(&rank, 1, MPI_INT, (rank + r) % SIZE, 1, &theirs, 1, MPI_INT, from, 1, full,
                           MPI_STATUS_IGNORE);
        CHECK(err || theirs == from);
    }
    if (err)
        MPIX_Comm_revoke(full);
    return err;
}

/* All members, those that have been replaced, too, until a round has no failure. */
static int go_on(MPI_Comm full, int host)
{
    int ok, err;

    for (;;) {
        MPI_Comm next;

        if (full != MPI_COMM_NULL) {
            ok = use(full, host) == MPI_SUCCESS;
            err = MPIX_Comm_agree(full, &ok);
            if (!err && ok)
                return MPI_SUCCESS;
        }
        err = MPIX_Comm_refill(full, MPI_INFO_NULL, &next);
        while (class_of(err) == MPI_ERR_PROC_FAILED)
            err = MPIX_Comm_refill(full, MPI_INFO_NULL, &next);
        if (err)
            return err;
        MPI_Comm_free(&full);
        full = next;
    }
}

/* host|guest VICTIMS: the ranks of both that die */
int main(int argc, char **argv)
{
    int host = !strcmp(argv[1], "host"), first, rank, err;
    MPI_Comm full;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPIX_Comm_refilled(&full);
    first = full == MPI_COMM_NULL;
    if (first)
        full = connect_all(host);
    MPI_Comm_rank(full, &rank);
    printf("process %d is %d\n", rank, (int)getpid());
    fflush(stdout);
    if (first && strchr(argv[2], '0' + rank))
        raise(SIGKILL);
    err = go_on(full, host);
    if (err) {
        char text[MPI_MAX_ERROR_STRING];
        int length;

        MPI_Error_string(err, text, &length);
        printf("rank %d: %s\n", rank, text);
    }
    MPI_Finalize();
    printf("ended %d %d\n", rank, class_of(err));
    return 0;
}
C
. "$MEND_TEST_ROOT/test/kill/turns.sh"
. "$MEND_TEST_ROOT/test/build.sh"
build replaces "$PWD/replaces.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"
kills=0
events="replace.shrunk coll.enter coll.enter#2 coll.enter#3 coll.enter#5 spawn.told member.create.enter#2 member.create.enter#3 \
    member.create.decided#2 member.create.decided#3 agree.enter#2 agree.enter#3 agree.enter#4 replace.meet"

wrong()
{
    echo "wrong: $*"
    tail -n 40 host.out guest.out
    exit 1
}

# begin VICTIMS HOST-FLAGS GUEST-FLAGS
begin()
{
    rm -f port ./*.out
    : >host.out
    : >guest.out
    mpiexec -n 3 --universe 40 --timeout 25 --lenient-exit $2 ./replaces host $1 >host.out 2>&1 &
    host=$!
    mpiexec -n 3 --universe 40 --timeout 25 --lenient-exit $3 ./replaces guest $1 >guest.out 2>&1 &
    guest=$!
}

# one VICTIMS HOST-FLAGS GUEST-FLAGS: at the end all six ranks are there
one()
{
    begin "$1" "$2" "$3"
    wait $guest || wrong "the guest's job ended with $? ($*)"
    wait $host || wrong "the host's job ended with $? ($*)"
    [ "$(cat host.out guest.out | grep '^ended . 0' | sort -u | wc -l)" = 6 ] || wrong "ranks that ended ($*)"
    [ "$(cat host.out guest.out | grep -c '^ended')" = 6 ] || wrong "ranks that ended ($*)"
    kills=$((kills + 1))
}

# one(), if it is the turn of this place
place()
{
    ! is_its_turn || one "$@"
}

# stopped FILE WORDS: the pid that the file has behind the words, when that process has been stopped
stopped()
{
    i=0
    pid=
    while [ -z "$pid" ] || [ "$(cut -d' ' -f3 "/proc/$pid/stat")" != T ]; do
        pid=$(sed -n "s/^$2 //p" "$1")
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "nobody stops"
        sleep 0.01
    done
}

# gone FILE: no process of those that the file names is left, after the death of its mpiexec
gone()
{
    i=0
    for p in $(sed -n "s/^process . is //p" "$1"); do
        while kill -0 "$p" 2>/dev/null && [ "$(cut -d' ' -f3 "/proc/$p/stat" 2>/dev/null)" != Z ]; do
            i=$((i + 1))
            [ $i -lt 2000 ] || wrong "process $p is left"
            sleep 0.01
        done
    done
}

case $1 in
none)
    for victims in 1 4 14 0235 03; do
        one $victims "" ""
    done
    one 0235 "--spares 2" "--copies"
    echo "$kills times the old size"
    ;;
survivors)
    for event in $events spawn.ask spawn.started port.journey port.arrived member.hello spawn.told#2 member.create.enter#6; do
        place 14 "--inject kill:0@call:MPIX_Comm_refill>$event" ""
        place 14 "" "--inject kill:0@call:MPIX_Comm_refill>$event"
    done
    for event in $events; do
        place 14 "--inject kill:2@call:MPIX_Comm_refill>$event" ""
        place 14 "" "--inject kill:2@call:MPIX_Comm_refill>$event"
    done
    say_places $kills
    ;;
newcomers)
    for event in spawn.join member.hello coll.enter coll.enter#2 coll.enter#3 coll.enter#4 member.create.enter member.create.decided \
        member.create.decided#2 agree.enter agree.enter#2 replace.meet init.done; do
        place 14 "--inject kill:6@$event" ""
        place 14 "" "--inject kill:7@$event"
        [ $event = member.hello ] || place 0235 "--inject kill:7@$event" ""
    done
    say_places $kills
    ;;
agents)
    for event in replace.shrunk spawn.started port.arrived spawn.told replace.meet; do
        for side in host guest; do
            begin 14 "--inject stop:0@call:MPIX_Comm_refill>$event" ""
            stopped host.out "process 0 is"
            if [ $side = host ]; then
                kill -9 $host
                wait $guest || wrong "the guest's job ended with $? ($event)"
            else
                kill -9 $guest
                wait $guest
                gone guest.out # what goes on earlier finds all six
                kill -CONT $pid
                wait $host || wrong "the host's job ended with $? ($event)"
            fi
            wait
            # the same error at all: nobody is left that could start others there
            [ "$(cat host.out guest.out | grep '^ended' | cut -d' ' -f3 | sort -u | wc -l)" = 1 ] || wrong "errors ($event $side)"
            [ "$(cat host.out guest.out | grep -c '^rank .: MPI_ERR_SPAWN')" -ge 2 ] || wrong "an error ($event $side)"
            kills=$((kills + 1))
        done
    done
    echo "$kills agents were killed"
    ;;
esac
