# SPDX-License-Identifier: BSD-3-Clause
# s0_38_two_jobs.sh – processes are started on a communicator of two connected jobs, and a process dies meanwhile: the root,
# another one of its job, one of the other job, each of the new ones.  Those that asked all get an error, or all get the
# intercommunicator; the new ones leave MPI_Init with it or not at all; both jobs end.
#
#   S0-38: no new process can use the intercommunicator if the root of a spawn reports a failure
#   S2-5: creation is uniform: at all survivors or at none
#
# RUN: none ; time 60 ; expect "8 processes were started"
# RUN: roots ; time 120 ; expect "its turn of all 26 places"
# RUN: others ; time 120 ; expect "its turn of all 24 places"
# RUN: children ; time 120 ; expect "7 kills were survived"
# RUN: greeted ; times 6 ; time 60 ; expect "5 kills were survived"
# RUN: early ; time 60 ; expect "2 kills were survived"
# RUN: room ; time 60 ; expect "2 refusals were heard by all"
# RUN: agents ; time 120 ; expect "10 agents were killed"
# RUN: roots ; set MACHINES=2 ; time 120 ; expect "its turn of all 26 places"
# RUN: others ; set MACHINES=2 ; time 120 ; expect "its turn of all 24 places"
# RUN: children ; set MACHINES=2 ; time 120 ; expect "7 kills were survived"
# RUN: agents ; set MACHINES=2 ; time 120 ; expect "10 agents were killed"

cat >starts.c <<'C'
#include "two_jobs.h"

/* All of both groups, and each with each other. */
static void use(MPI_Comm inter, int is_new)
{
    int rank, size, sum, one = 1, err;
    MPI_Comm all;

    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    err = MPI_Intercomm_merge(inter, is_new, &all);
    CHECK(is_usual(err));
    if (err == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
        MPI_Comm_rank(all, &rank);
        MPI_Comm_size(all, &size);
        CHECK(size == 6 && is_new == rank >= 4);
        err = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
        CHECK(is_usual(err) && (err || sum == 6));
        for (int r = 0; r < size && !err; r++) {
            int mine = rank, theirs = -1;

            err = MPI_Sendrecv(&mine, 1, MPI_INT, (rank + r) % size, 1, &theirs, 1, MPI_INT,
                               (rank + size - r) % size, 1, all, MPI_STATUS_IGNORE);
            CHECK(is_usual(err) && (err || theirs == (rank + size - r) % size));
        }
        MPIX_Comm_revoke(all);
    }
    MPI_Comm_disconnect(&inter);
}

/* host|guest ROOT-OF-BOTH */
int main(int argc, char **argv)
{
    int host = !strcmp(argv[1], "host"), rank, err, same, mine;
    char port[MPI_MAX_PORT_NAME] = "", *args[] = {"new", NULL};
    MPI_Comm inter = MPI_COMM_NULL, both, parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        printf("born\n");
        fflush(stdout);
        use(parent, 1);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("process %s %d is %d\n", argv[1], rank, (int)getpid());
    fflush(stdout);
    if (rank == 0 && host) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(port);
    } else if (rank == 0) {
        hear(port);
    }
    err = host ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)
               : MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    CHECK(err == MPI_SUCCESS);
    CHECK(MPI_Intercomm_merge(inter, !host, &both) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    MPI_Comm_free(&inter);
    inter = MPI_COMM_NULL;
    err = MPI_Comm_spawn(argv[0], args, 2, MPI_INFO_NULL, atoi(argv[2]), both, &inter,
                         MPI_ERRCODES_IGNORE);
    if (err != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;

        MPI_Error_string(err, text, &length);
        printf("%s %d: %s\n", argv[1], rank, text);
        fflush(stdout);
        CHECK(class_of(err) == MPI_ERR_PROC_FAILED || class_of(err) == MPI_ERR_SPAWN);
    }
    mine = err == MPI_SUCCESS;
    if (mine)
        use(inter, 0);
    do { /* all survivors have the same answer */
        same = mine ? 1 : 2;
        MPIX_Comm_failure_ack(both);
    } while (class_of(MPIX_Comm_agree(both, &same)) == MPI_ERR_PROC_FAILED);
    CHECK(same == (mine ? 1 : 2));
    MPI_Finalize();
    printf("survived %s %d\n", argv[1], mine);
    return 0;
}
C
. "$MEND_TEST_ROOT/test/kill/turns.sh"
. "$MEND_TEST_ROOT/test/build.sh"
build starts "$PWD/starts.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"
kills=0
events="spawn.told coll.enter coll.enter#2 coll.enter#3 member.create.enter agree.enter agree.done member.create.decided"

wrong()
{
    echo "wrong: $*"
    tail -n 40 host.out guest.out
    exit 1
}

# begin HOST-FLAGS GUEST-FLAGS ROOT
begin()
{
    rm -f port ./*.out
    : >host.out
    : >guest.out
    mpiexec -n 2 --universe 20 --timeout 25 --lenient-exit $1 ./starts host $3 >host.out 2>&1 &
    host=$!
    mpiexec -n 2 --universe 20 --timeout 25 --lenient-exit $2 ./starts guest $3 >guest.out 2>&1 &
    guest=$!
}

# survivors HOST GUEST WHAT: so many of each job, which have one answer; nobody was born if the answer is no
survivors()
{
    [ "$(grep -c '^survived host' host.out)" = "$1" ] || wrong "survivors of the host's job ($3)"
    [ "$(grep -c '^survived guest' guest.out)" = "$2" ] || wrong "survivors of the guest's job ($3)"
    # S2-5: at all or at none, in both jobs
    [ "$(cat host.out guest.out | grep '^survived' | cut -d' ' -f3 | sort -u | wc -l)" = 1 ] ||
        wrong "some have an intercommunicator and some have not ($3)"
    # S0-38
    ! grep -q '^survived .* 0' host.out guest.out || ! grep -q '^born' host.out guest.out || wrong "somebody was born ($3)"
}

# one HOST-FLAGS GUEST-FLAGS SURVIVORS-OF-HOST SURVIVORS-OF-GUEST ROOT
one()
{
    begin "$1" "$2" $5
    wait $guest || wrong "the guest's job ended with $? ($*)"
    wait $host || wrong "the host's job ended with $? ($*)"
    survivors $3 $4 "$*"
    kills=$((kills + 1))
}

# one(), if it is the turn of this place
place()
{
    ! is_its_turn || one "$@"
}

# until_there FILE WORDS: the file has them
until_there()
{
    i=0
    while ! grep -q "$2" "$1"; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "'$2' does not come"
        sleep 0.01
    done
}

# stopped FILE WORDS: the pid that the file has behind the words, when that process has been stopped
stopped()
{
    until_there "$1" "$2"
    pid=$(sed -n "s/^$2 //p" "$1")
    i=0
    while [ "$(cut -d' ' -f3 "/proc/$pid/stat")" != T ]; do
        i=$((i + 1))
        [ $i -lt 2000 ] || wrong "$pid does not stop"
        sleep 0.01
    done
}

case $1 in
none)
    for root in 0 1 2 3; do
        one "" "" 2 2 $root
        [ "$(cat host.out guest.out | grep -c '^born')" = 2 ] || wrong "they were not born"
    done
    echo "$((2 * kills)) processes were started"
    ;;
roots)
    for event in $events spawn.ask spawn.started port.journey port.arrived member.hello; do
        place "--inject kill:0@call:MPI_Comm_spawn>$event" "" 1 2 0
        place "" "--inject kill:1@call:MPI_Comm_spawn>$event" 2 1 3
    done
    say_places $kills
    ;;
others)
    for event in $events; do
        place "--inject kill:1@call:MPI_Comm_spawn>$event" "" 1 2 0
        place "" "--inject kill:0@call:MPI_Comm_spawn>$event" 2 1 0
        place "" "--inject kill:1@call:MPI_Comm_spawn>$event" 2 1 0
    done
    say_places $kills
    ;;
children)
    for event in spawn.join member.hello agree.enter init.done; do
        one "--inject kill:4@$event" "" 2 2 0
        [ $event = member.hello ] || one "--inject kill:5@$event" "" 2 2 0
    done
    echo "$kills kills were survived"
    ;;
greeted)
    # some of the group have heard of the new processes and some have not: it is up to chance which wait for which
    while [ $kills -lt 5 ]; do
        one "--inject kill:0@call:MPI_Comm_spawn>member.hello" "" 1 2 0
    done
    echo "$kills kills were survived"
    ;;
early)
    # a new process is dead before the other job has got its name
    for child in 4 5; do
        begin "--inject stop:0@call:MPI_Comm_spawn>spawn.started --inject kill:$child@spawn.join" "" 0
        stopped host.out "process host 0 is"
        until_there host.out "killed by signal"
        kill -CONT $pid
        wait $guest || wrong "the guest's job ended with $?"
        wait $host || wrong "the host's job ended with $?"
        survivors 2 2 early
        [ "$(cat host.out guest.out | grep -c ': MPI_ERR_PROC_FAILED')" = 4 ] || wrong "an error"
        kills=$((kills + 1))
    done
    echo "$kills kills were survived"
    ;;
room)
    # the other job has no places for the new processes
    for root in 0 1; do
        one "" "--universe 5" 2 2 $root
        [ "$(cat host.out guest.out | grep -c ': MPI_ERR_SPAWN')" = 4 ] || wrong "an error"
        grep -q "host $root: .*no room for the processes" host.out || wrong "a text"
    done
    echo "$kills refusals were heard by all"
    ;;
agents)
    for event in spawn.started port.journey port.arrived spawn.told member.hello; do
        for side in host guest; do
            begin "--inject stop:0@call:MPI_Comm_spawn>$event" "" 0
            stopped host.out "process host 0 is"
            if [ $side = host ]; then
                kill -9 $host
                wait $guest || wrong "the guest's job ended with $? ($event)"
                survivors 0 2 "$event $side"
            else
                kill -9 $guest
                kill -CONT $pid
                wait $host || wrong "the host's job ended with $? ($event)"
                survivors 2 0 "$event $side"
            fi
            wait
            kills=$((kills + 1))
        done
    done
    echo "$kills agents were killed"
    ;;
esac
