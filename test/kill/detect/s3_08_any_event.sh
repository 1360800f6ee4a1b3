# SPDX-License-Identifier: BSD-3-Clause
# s3_08_any_event.sh – any_event.c, with ranks killed, stopped or aborted at every event of the library:
# S3-2, S3-3, S3-4, S3-6, S3-8, S3-9, S3-10, S3-12, S4-1, S4-8, S4-9.
#
#     each ACTION    one rank ends so, at each event; 2 to 16 ranks
#     many           several are stopped at once, all but one too, in calls of each kind
#
#   S3-2: process failures are detected
#   S3-3: every survivor can learn of every failure
#   S3-4: a query returns the failed processes of a communicator
#   S3-6: all survivors see the excluded process as failed
#   S3-8: every dead process is suspected for ever by every survivor
#   S3-9: no survivor waits for ever for a dead process
#   S3-10: a running process is not suspected
#   S3-12: a process that was told of a death may rely on it
#   S4-1: a fatal error that no call can report ends its process alone
#   S4-8: an abort may end a part of the world
#   S4-9: communicators with aborted and surviving processes report errors
#
# RUN: each kill ; time 60 ; expect "its turn of all 46 places"
# RUN: each stop ; time 60 ; expect "its turn of all 44 places"
# RUN: each abort ; time 60 ; expect "its turn of all 46 places"
# RUN: many ; time 60 ; expect "its turn of all 20 places"

. "$MEND_TEST_ROOT/test/kill/turns.sh"
. "$MEND_TEST_ROOT/test/build.sh"
build any_event "$MEND_TEST_ROOT/test/kill/detect/any_event.c" -O1 -Wall -Wextra
runs=0

# size victims flags...: the victims get to their places, are declared dead, and all others come to the end.
# "some": a victim that is late may hear of the death of another one before it gets to its place.
run()
{
    size=$1 victims=$2
    shift 2
    rm -f board report output
    mpiexec -n "$size" --lenient-exit --timeout 15 --stop-timeout 0.1 --report report "$@" ./any_event >output 2>&1 </dev/null
    status=$?
    reached=$(grep -c '"event":"inject"' report)
    dead=$(grep -c '"event":"death"' report)
    [ "$victims" != some ] || victims=$reached
    if [ $status != $expected ] || [ "$reached" = 0 ] || [ "$reached" != "$victims" ] ||
        [ $((dead + finalized)) != "$victims" ] ||
        [ "$(grep -c ' ok$' output)" != $((size - victims)) ]; then
        echo "wrong: mpiexec -n $size $* ./any_event"
        head -60 output report
        exit 1
    fi
    runs=$((runs + 1))
}

# Nothing is started here (spawn.*, replace.*, port.*, disconnect.*: test/kill/spawn), no process notifies another (notify.*, module.*: test/kill/notify), nothing is
# called off (member.call.off), asked of agents (agree.asked: test/kill/nodes/s5_12_papers.c) nor held (p2p.hold: s0_01_held.c), no file is open (file.later, append.*: test/kill/file); whether a sender helps (p2p.data.taken:
# s0_60_shared.c) depends on timing; and a rank that is stopped after its good-bye is missed by nobody but the
# launcher.
each()
{
    action=$1 size=3
    for event in $(mend-info --events | sed -n 's/^  \([a-z.0-9]*\) .*/\1/p'); do
        place=$event who=1 victims=1 finalized=0 expected=0 shm=0 copy=never rma=0 more=
        unset WITH_SESSION
        case $event in
            agree.asked | member.call.off | p2p.hold | p2p.data.taken | p2p.data.pushed | file.later | append.* | spawn.* | replace.* | port.* | disconnect.* | notify.* | module.*) continue ;;
            finalize.done)
                [ "$action" != stop ] || continue
                finalized=1
                [ "$action" != abort ] || expected=7 ;; # as any exit with that status
            session.away)
                [ "$action" != stop ] || continue
                export WITH_SESSION=1
                [ "$action" != abort ] || finalized=1 expected=7 ;;
            session.*) export WITH_SESSION=1 ;;
            death.done) more="--inject kill:2@coll.enter" victims=2 ;;
            validate.cut) more="--inject kill:2@validate.enter" victims=2 ;;
            coll.shm.arrived) shm=1 ;;
            agree.sent.down | revoke.* | member.invite) who=0 ;;
            p2p.data.pulled) copy=always ;;
            rma.unlocked) rma=1 ;;
            p2p.* | coll.round | coll.enter | coll.done) place=$event#2 ;;
        esac
        [ "$action" != abort ] || who=$who:7
        ! is_its_turn || run $size $victims $more --set SINGLE_COPY=$copy --set EAGER_MAX=1k --set COLL_SHM=$shm --set AGREE_SHM=0 \
            --set REVOKE_SHM=0 --set RMA_SHM=$rma --inject "$action:$who@$place"
        size=$((size % 16 + 3))
    done
}

# Places in calls of several kinds that each rank gets to by itself; size: ranks.
many()
{
    finalized=0 expected=0
    for place in p2p.send.rts coll.enter agree.enter member.create.enter finalize.enter; do
        for ranks in "2: 1" "5: 0 1 3" "9: 1 2 3 4 5 6 7 8" "16: 0 2 4 6 8 10 12 14"; do
            more=
            for r in ${ranks#*:}; do
                more="$more --inject stop:$r@$place?"
            done
            ! is_its_turn || run ${ranks%%:*} some $more
        done
    done
}

"$@"
say_places $runs
