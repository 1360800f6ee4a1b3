# SPDX-License-Identifier: BSD-3-Clause
# heat.sh – the demo's solver ends with the same bits wherever its ranks are killed.
#
# The arguments are the ranks and the places.  The undisturbed result comes from one rank, so this also
# shows that it does not depend on their number.
#
# RUN: 4 ; time 90
# RUN: 4 kill:2@p2p.recv.matched#501 kill:0@coll.enter#40 ; time 90
# RUN: 4 kill:1@call:MPI_Waitall#130 kill:2@call:MPI_Waitall#130 ; time 90
# RUN: 4 kill:0@call:MPI_Barrier#3 kill:3@call:MPI_Allgather ; time 90
# RUN: 4 kill:1@coll.shm.arrived#40 kill:2@agree.enter kill:3@shrink.decided ; time 90
# RUN: 5 kill:1@call:MPI_Isend#300 kill:2@death.done kill:4@agree.done ; time 90
# RUN: 3 kill:0@call:MPI_Gatherv#6 kill:1@call:MPI_Barrier#9 ; time 90
# RUN: 2 kill:0@call:MPI_Comm_agree ; time 90
# RUN: 2 kill:0@init.done ; time 90
#
# Three neighbours of the ring at once: their rows are nowhere, it starts over from the picture.
# RUN: 4 kill:1@call:MPI_Waitall#130 kill:2@call:MPI_Waitall#130 kill:3@call:MPI_Waitall#130 ;
#      time 90
#
# Lost ranks are replaced, by a spare and by a process that is started: it ends with as many as it began with.
# RUN: replace 4 kill:2@p2p.recv.matched#501 kill:0@coll.enter#44 ; time 90
# RUN: replace 4 kill:0@call:MPI_Barrier#3 kill:3@call:MPI_Allgather ; time 90
# RUN: replace 4 kill:1@coll.shm.arrived#40 kill:2@agree.enter kill:3@replace.meet ; time 90
# RUN: replace 5 kill:1@call:MPI_Isend#300 kill:2@death.done kill:4@agree.done ; time 90
# RUN: replace 2 kill:0@call:MPI_Comm_agree ; time 90
# RUN: replace 4 kill:1@call:MPI_Waitall#130 kill:2@call:MPI_Waitall#130 kill:3@call:MPI_Waitall#130 ;
#      time 90

# Ranks die in the writing of a checkpoint; then the whole job is killed, and another one, on fewer ranks, goes on from it.
# RUN: checkpoint 4 kill:1@call:MPI_File_sync#2 kill:0@call:MPI_File_write_at_all#3 ; time 90
# RUN: checkpoint 4 kill:3@call:MPI_File_open#3 kill:2@call:MPI_File_close#5 ; time 90
# RUN: checkpoint 3 ; time 90
#
# Whole jobs are killed one after the other, on other numbers of ranks each, until one gets to the end: its result is the same.
# RUN: again 4 ; expect "9 jobs were killed" ; time 90

. "$MEND_TEST_ROOT/test/mpi/demo/victims.sh"
heat=$MEND_TEST_ROOT/example/heat

# The recipes share one program, which is built again when the header is newer.
build_heat()
{
    mkdir -p "$MEND_TEST_STAGE/../test/heat" && built=$(cd "$MEND_TEST_STAGE/../test/heat" && pwd) || fail "no folder for the program"
    (
        flock 9
        [ "$built/heat" -nt "$MEND_TEST_STAGE/include/mpi.h" ] || rm -f "$built/heat"
        make -s -C "$heat" MPICC=mpicc OUT="$built" "$built/heat"
    ) 9>"$built/lock" || fail "it does not build"
    cp "$built/heat" heat
}

if [ "$1" = again ]; then
    build_heat
    "$PWD/heat" --steps 1200 --view none --out whole "$heat/island.png" || fail "alone: status $?"
    killed=0 no_further="--inject stop:0@call:MPI_File_sync#4?"
    while :; do
        mpiexec -q -n $((killed % 4 + 1)) $no_further ./heat --checkpoint here --every 20 --steps 1200 --view lines --out result \
            "$heat/island.png" >said &
        job=$!
        before=$(date -r here.0 +%s%N 2>/dev/null || echo 0)
        while kill -0 $job 2>/dev/null && [ "$(date -r here.0 +%s%N 2>/dev/null || echo 0)" = "$before" ]; do sleep 0.0$killed; done
        [ $killed = 9 ] && break
        kill -9 $job 2>/dev/null && killed=$((killed + 1))
        wait $job
        [ $killed = 9 ] && no_further=
        [ -s result.f64 ] && fail "it ended before it was killed $killed times"
    done
    wait $job || fail "the last job: status $?"
    grep -q "goes on from the checkpoint of step [1-9]" said || fail "it does not go on from a checkpoint"
    cmp whole.f64 result.f64 || fail "the result of the last job differs"
    echo "$killed jobs were killed; $(grep "goes on" said)"
    exit 0
fi

replace= checkpoint=
[ "$1" = replace ] && replace=--replace && shift
[ "$1" = checkpoint ] && checkpoint="--checkpoint here --every 20" && shift
ranks=$1
shift
steps="--steps 250 --save-every 20"

build_heat
"$PWD/heat" $steps --view none --out whole "$heat/island.png" || fail "alone: status $?"
mpiexec -q -n "$ranks" ${replace:+--spares 1} --timeout 80 --report report.json $(kills "$@") ./heat $replace $checkpoint $steps \
    --view lines --out result "$heat/island.png" >said || fail "status $?"
[ -z "$replace" ] || grep -q "finished on $ranks of $ranks ranks" said || fail "ranks are missing: $(cat said)"
lost "$@"
cmp whole.f64 result.f64 || fail "the result differs"
[ -n "$checkpoint" ] || exit 0

# Killed as a whole when both files are there.
rm -f here.0 here.1
mpiexec -q -n "$ranks" ./heat $checkpoint --steps 100000 --view none "$heat/island.png" &
job=$!
while [ ! -s here.0 ] || [ ! -s here.1 ]; do sleep 0.01; done
kill -9 $job
wait $job
mpiexec -q -n 2 ./heat --checkpoint here --steps 100000 --every 20 --view lines --out again "$heat/island.png" >said &
job=$!
until grep -q "goes on from the checkpoint of step [1-9]" said; do
    kill -0 $job || fail "it does not go on from a checkpoint"
    sleep 0.01
done
kill -9 $job
wait $job
rm -f here.0 here.1
mpiexec -q -n "$ranks" ./heat --checkpoint here --every 20 --steps 130 --view none --out half "$heat/island.png" || fail "status $?"
mpiexec -q -n 2 ./heat --checkpoint here --every 20 --steps 250 --view lines --out result "$heat/island.png" >said || fail "status $?"
grep -q "goes on from the checkpoint of step 120" said || fail "it does not begin with the newest checkpoint"
cmp whole.f64 result.f64 || fail "the result behind a checkpoint differs"
