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

replace=
[ "$1" = replace ] && replace=--replace && shift
ranks=$1
shift
heat=$MEND_TEST_ROOT/example/heat
steps="--steps 250 --save-every 20"

. "$MEND_TEST_ROOT/test/mpi/demo/victims.sh"

make -s -C "$heat" MPICC=mpicc OUT="$PWD" "$PWD/heat" || fail "it does not build"
"$PWD/heat" $steps --view none --out whole "$heat/island.png" || fail "alone: status $?"
mpiexec -q -n "$ranks" ${replace:+--spares 1} --timeout 80 --report report.json $(kills "$@") ./heat $replace $steps \
    --view lines --out result "$heat/island.png" >said || fail "status $?"
[ -z "$replace" ] || grep -q "finished on $ranks of $ranks ranks" said || fail "ranks are missing: $(cat said)"
lost "$@"
cmp whole.f64 result.f64 || fail "the result differs"
