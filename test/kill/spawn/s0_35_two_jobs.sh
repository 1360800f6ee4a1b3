# SPDX-License-Identifier: BSD-3-Clause
# s0_35_two_jobs.sh – a process dies while two jobs connect, talk or part: the accepting and the connecting root, another
# process of either group, at each event; and each mpiexec.  All others go on, and get the same answer.
#
#   S0-1: a call that needs a dead process returns in bounded time
#   S0-35: the roots of connect and accept both report a process failure or neither does
#   S2-5: creation is uniform: at all survivors or at none
#   S4-6: MPI_Abort ends all processes of its communicator
#   S4-10: an abort ends no processes that are not connected
#
# RUN: roots ; time 120 ; expect "its turn of all 12 places"
# RUN: others ; time 120 ; expect "its turn of all 16 places"
# RUN: absent ; time 120 ; expect "2 kills were survived"
# RUN: journey ; time 120 ; expect "4 kills were survived"
# RUN: late ; time 120 ; expect "its turn of all 12 places"
# RUN: agents ; time 120 ; expect "10 agents were killed"
# RUN: abort ; time 60 ; expect "2 aborts ended what they named"
# RUN: roots ; set MACHINES=2 ; time 120 ; expect "its turn of all 12 places"
# RUN: others ; set MACHINES=2 ; time 120 ; expect "its turn of all 16 places"
# RUN: absent ; set MACHINES=2 ; time 120 ; expect "2 kills were survived"
# RUN: journey ; set MACHINES=2 ; time 120 ; expect "4 kills were survived"
# RUN: late ; set MACHINES=2 ; time 120 ; expect "its turn of all 12 places"
# RUN: agents ; set MACHINES=2 ; time 120 ; expect "10 agents were killed"
# RUN: abort ; set MACHINES=2 ; time 60 ; expect "2 aborts ended what they named"

cat >dies.c <<'C'
#include "two_jobs.h"

/* What a process does when it has connected, or not: those that live are counted, and agree. */
static void use(MPI_Comm inter, int host, const char *what)
{
    int rank, flag = 1, got, err;
    MPI_Comm all;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    if (!strcmp(what, "abort") && host && rank == 0)
        MPI_Abort(inter, 7);
    if (!strcmp(what, "wait")) { /* until a process of the other group dies */
        printf("connected\n");
        fflush(stdout);
        err = MPI_Recv(&got, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE);
        CHECK(class_of(err) == MPI_ERR_PROC_FAILED);
    }
    while (class_of(err = MPIX_Comm_agree(inter, &flag)) == MPI_ERR_PROC_FAILED)
        MPIX_Comm_failure_ack(inter);
    CHECK(err == MPI_SUCCESS);
    err = MPI_Intercomm_merge(inter, host, &all);
    CHECK(is_usual(err));
    if (err == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
        err = MPI_Barrier(all);
        CHECK(is_usual(err));
    }
    MPIX_Comm_revoke(inter);
    MPI_Comm_disconnect(&inter);
}

/* host|guest HOW */
int main(int argc, char **argv)
{
    int host = !strcmp(argv[1], "host"), rank, err, same, mine;
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter = MPI_COMM_NULL, world;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &rank);
    if (rank == 0 && host) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(port);
        while (getenv("LATE") && access("over", F_OK))
            usleep(1000);
    } else if (rank == 0) {
        hear(port);
    }
    err = host ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, world, &inter)
               : MPI_Comm_connect(port, MPI_INFO_NULL, 0, world, &inter);
    if (err != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        int length;

        MPI_Error_string(err, text, &length);
        printf("%s %d: %s\n", argv[1], rank, text);
    }
    CHECK(err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED ||
          (!host && class_of(err) == MPI_ERR_PORT));
    mine = same = err == MPI_SUCCESS;
    if (mine)
        use(inter, host, argv[2]);
    /* all survivors of the group have the same answer */
    same = mine ? 1 : 2;
    MPIX_Comm_failure_ack(world);
    while (class_of(MPIX_Comm_agree(world, &same)) == MPI_ERR_PROC_FAILED) {
        same = mine ? 1 : 2;
        MPIX_Comm_failure_ack(world);
    }
    CHECK(same == (mine ? 1 : 2));
    MPI_Finalize();
    printf("survived %s %d\n", argv[1], mine);
    return 0;
}
C
. "$MEND_TEST_ROOT/test/kill/turns.sh"
. "$MEND_TEST_ROOT/test/build.sh"
build dies "$PWD/dies.c" -O1 -I "$MEND_TEST_ROOT/test/kill/spawn"
kills=0

wrong()
{
    echo "wrong: $*"
    tail -n 40 host.out guest.out
    exit 1
}

# one HOST-INJECTION GUEST-INJECTION SURVIVORS-OF-HOST SURVIVORS-OF-GUEST: each job ends, and those that live have one answer
one()
{
    rm -f port port.old over ./*.out
    mpiexec -n 2 --timeout 25 --lenient-exit $1 ./dies host x >host.out 2>&1 &
    host=$!
    mpiexec -n 2 --timeout 25 --lenient-exit $2 ./dies guest x >guest.out 2>&1 &
    guest=$!
    wait $guest || wrong "the guest's job ended with $? ($*)"
    : >over
    wait $host || wrong "the host's job ended with $? ($*)"
    [ "$(grep -c '^survived host' host.out)" = "$3" ] || wrong "survivors of the host's job ($*)"
    [ "$(grep -c '^survived guest' guest.out)" = "$4" ] || wrong "survivors of the guest's job ($*)"
    # S2-5: at all or at none, in both jobs
    [ "$(cat host.out guest.out | grep '^survived' | cut -d' ' -f3 | sort -u | wc -l)" = 1 ] ||
        wrong "some have an intercommunicator and some have not ($*)"
    kills=$((kills + 1))
}

# one(), if it is the turn of this place
place()
{
    ! is_its_turn || one "$@"
}

# A guest's root that dies before it is welcomed leaves the host waiting: then another guest comes.
case $1 in
roots)
    for event in port.welcome port.meet member.hello member.create.enter#2 member.create.decided#2 agree.enter#2; do
        place "--inject kill:0@$event" "" 1 2
    done
    # over sockets the last word of a process may be lost with it, and then the host waits for the next guest
    coming=port.coming
    [ -z "$MEND_MACHINES" ] || coming=port.meet
    for event in $coming port.meet member.hello member.create.enter#3 member.create.decided#2 agree.enter#2; do
        place "" "--inject kill:0@$event" 2 1
    done
    say_places $kills
    ;;
journey)
    # a guest that dies before it has knocked: its group hears so, the host does not, and takes the next one
    for event in port.journey port.arrived port.knock call:MPI_Comm_connect; do
        rm -f port port.old ./*.out
        mpiexec -n 2 --timeout 25 ./dies host x >host.out 2>&1 &
        host=$!
        mpiexec -n 2 --timeout 25 --lenient-exit --inject kill:0@$event ./dies first x >first.out 2>&1 ||
            wrong "the first guest's job ended with $? ($event)"
        [ "$(grep -c '^survived first 0' first.out)" = 1 ] || wrong "survivors of the first guest ($event)"
        mpiexec -n 2 --timeout 25 ./dies guest x >guest.out 2>&1 || wrong "the guest's job ended with $? ($event)"
        wait $host || wrong "the host's job ended with $? ($event)"
        [ "$(cat host.out guest.out | grep -c '^survived .* 1')" = 4 ] || wrong "they have not connected ($event)"
        kills=$((kills + 1))
    done
    echo "$kills kills were survived"
    ;;
others)
    for event in port.meet member.create.enter#2 agree.enter#2 agree.done#2 member.create.decided#2 coll.enter \
        call:MPI_Comm_accept call:MPI_Intercomm_merge; do
        place "--inject kill:1@$event" "" 1 2
    done
    for event in port.meet member.create.enter#2 agree.enter#2 agree.done#2 member.create.decided#2 coll.enter \
        call:MPI_Comm_connect call:MPI_Intercomm_merge; do
        place "" "--inject kill:1@$event" 2 1
    done
    say_places $kills
    ;;
absent)
    # the guests' root hears of the death, tells the host, which is not in MPI, and its job ends: the host hears it after all
    export LATE=1
    for event in member.create.enter#2 call:MPI_Comm_connect; do
        one "" "--inject kill:1@$event" 2 1
    done
    echo "$kills kills were survived"
    ;;
late)
    for event in call:MPIX_Comm_agree call:MPI_Barrier call:MPIX_Comm_revoke call:MPI_Comm_disconnect \
        disconnect.quiet disconnect.done; do
        place "--inject kill:0@$event" "" 1 2
        place "" "--inject kill:1@$event" 2 1
    done
    say_places $kills
    ;;
agents)
    for turn in 1 2 3 4 5; do
        for side in host guest; do
            rm -f port port.old ./*.out
            mpiexec -n 2 --timeout 25 --lenient-exit ./dies host wait >host.out 2>&1 &
            host=$!
            mpiexec -n 2 --timeout 25 --lenient-exit ./dies guest wait >guest.out 2>&1 &
            guest=$!
            i=0
            while [ "$(cat host.out guest.out | grep -c connected)" != 4 ]; do
                i=$((i + 1))
                [ $i -lt 2000 ] || wrong "they do not connect"
                sleep 0.01
            done
            [ $side = host ] && kill -9 $host || kill -9 $guest
            if [ $side = host ]; then
                wait $guest || wrong "the guest's job ended with $?"
            else
                wait $host || wrong "the host's job ended with $?"
            fi
            [ "$(cat host.out guest.out | grep -c '^survived')" = 2 ] || wrong "survivors"
            wait
            kills=$((kills + 1))
        done
    done
    echo "$kills agents were killed"
    ;;
abort)
    for turn in 1 2; do
        rm -f port port.old ./*.out
        mpiexec -n 1 --timeout 25 sleep 2 >else.out 2>&1 & # S4-10: another job
        other=$!
        mpiexec -n 2 --timeout 25 ./dies host abort >host.out 2>&1 &
        host=$!
        mpiexec -n 2 --timeout 25 ./dies guest abort >guest.out 2>&1 &
        guest=$!
        wait $host
        [ $? = 7 ] || wrong "the host's job ended with $?"
        wait $guest
        [ $? = 7 ] || wrong "the guest's job ended with $?"
        wait $other || wrong "a job that is not connected ended with $?"
        cat host.out guest.out | grep -q '^survived' && wrong "somebody has survived"
    done
    echo "2 aborts ended what they named"
    ;;
esac
