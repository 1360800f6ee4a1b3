# SPDX-License-Identifier: BSD-3-Clause
# ways.sh – the four programs of example/ways and two of example/hello write the right answer wherever
# ranks are killed, the writer included: ignore (S0-2, S0-20, S0-22, S0-25), shrink and survive (S0-75,
# S0-85), replace (R35), validate (S2-10, S2-11, S2-12, S2-18).  Where the loss cannot be survived (rank 0 of ignore
# before the answer) the job's status is not 0.
#
# The arguments are the program, the ranks and the places.
#
#   R22: the job's status is 0 only if all deaths were handled
#   R35: a replacement is a new process with an old rank; its MPI_COMM_WORLD holds those replaced together
#   S0-2: a call that needs no dead process completes normally
#   S0-20: a wildcard receive without a match stays pending
#   S0-22: acknowledging tells which processes have failed
#   S0-25: a pending receive completes after the acknowledgement
#   S0-75: all survivors get the same group from shrink
#   S0-85: revoke and shrink give a communicator on which collectives work
#   S2-10: validate makes collectives and creation work again
#   S2-11: validate returns the same failed processes everywhere
#   S2-12: collectives from before a validation match none from after it
#   S2-18: a death inside validate is in its result or makes the communicator inactive
#
# RUN: ignore 1 ; time 60
# RUN: ignore 2 ; time 60
# RUN: ignore 2 kill:1@call:MPI_Send#5 ; time 60
# RUN: ignore 4 kill:2@call:MPI_Recv kill:1@call:MPI_Send kill:3@call:MPI_Send#9 ; time 60
# RUN: ignore 4 kill:1@init.done kill:2@finalize.enter ; time 60
# RUN: ignore 8 kill:1@init.done kill:4@call:MPI_Send kill:7@call:MPI_Recv kill:5@p2p.recv.matched ; time 60
# RUN: ignore 3 kill:0@finalize.enter ; time 60
# RUN: no-answer 4 kill:0@call:MPI_Wait#50 ; time 60
# RUN: survive 4 kill:1@init.done ; time 60
# RUN: survive 4 kill:1@init.done kill:0@coll.done ; time 60
# RUN: survive 4 kill:1@init.done kill:0@call:MPIX_Comm_agree#2 ; time 60
# RUN: survive 4 kill:1@init.done kill:0@agree.enter kill:2@shrink.decided ; time 60
# RUN: waitall 1 ; time 60
# RUN: waitall 5 kill:2@call:MPI_Waitall#7 ; time 60
# RUN: waitall 5 kill:2@call:MPI_Waitall#7 kill:0@shrink.decided kill:1@call:MPI_Waitall#20 ; time 60
# RUN: shrink 1 ; time 60
# RUN: shrink 2 kill:1@call:MPI_Allreduce#50 ; time 60
# RUN: shrink 2 kill:0@init.done ; time 60
# RUN: shrink 4 kill:2@call:MPI_Allreduce#50 kill:0@call:MPI_Bcast#2 ; time 60
# RUN: shrink 4 kill:2@coll.shm.arrived#40 kill:0@agree.enter kill:1@shrink.decided ; time 60
# RUN: shrink 5 kill:0@call:MPIX_Comm_agree kill:4@agree.done ; time 60
# RUN: shrink 3 kill:0@coll.done#102 ; time 60
# RUN: shrink 3 kill:0@call:MPIX_Comm_agree kill:1@call:MPIX_Comm_agree#2 ; time 60
# RUN: shrink 4 kill:0@agree.enter kill:1@agree.done ; time 60
# RUN: shrink 3 kill:0@finalize.enter kill:1@finalize.enter ; time 60
# RUN: shrink 8 kill:3@coll.enter#9 kill:7@call:MPIX_Comm_revoke kill:6@call:MPIX_Comm_shrink kill:0@shrink.decided ;
#      time 60
# RUN: shrink 8 kill:7@call:MPI_Finalize kill:1@coll.done#102 ; time 60
# RUN: replace 1 ; time 60
# RUN: replace 2 kill:1@call:MPI_Allreduce#50 ; time 60
# RUN: replace 2 kill:0@init.done ; time 60
# RUN: replace 4 kill:2@call:MPI_Allreduce#50 kill:0@call:MPI_Bcast#2 ; time 60
# RUN: replace 4 kill:2@coll.shm.arrived#40 kill:0@agree.enter kill:1@replace.shrunk ; time 60
# RUN: replace 5 kill:0@call:MPIX_Comm_agree kill:4@agree.done ; time 60
# RUN: replace 3 kill:0@coll.done#102 ; time 60
# RUN: replace 8 kill:3@coll.enter#9 kill:7@call:MPIX_Comm_revoke kill:6@call:MPIX_Comm_refill kill:0@replace.meet ;
#      time 60
# RUN: validate 1 ; time 60
# RUN: validate 2 kill:1@call:MPI_Allreduce#20 ; time 60
# RUN: validate 2 kill:0@init.done ; time 60
# RUN: validate 4 kill:2@call:MPI_Allreduce#5 kill:3@validate.enter ; time 60
# RUN: validate 4 kill:1@coll.shm.arrived#30 kill:0@agree.done#2 kill:2@validate.decided ; time 60
# RUN: validate 5 kill:0@call:MPIX_Comm_agree kill:4@call:MPI_Allreduce#41 ; time 60
# RUN: validate 3 kill:0@coll.done#41 ; time 60
# RUN: validate 4 kill:0@call:MPI_Barrier kill:1@call:MPI_Barrier ; time 60
# RUN: validate 3 kill:0@agree.enter kill:1@finalize.enter ; time 60
# RUN: validate 8 kill:2@coll.done#9 kill:0@validate.enter kill:7@validate.decided kill:5@validate.cut ;
#      time 60
# RUN: validate 8 kill:6@coll.enter#40 kill:1@agree.enter kill:3@call:MPI_Comm_validate ; time 60

program=$1 ranks=$2
shift 2

. "$MEND_TEST_ROOT/test/build.sh"
. "$MEND_TEST_ROOT/test/mpi/demo/victims.sh"

# A line that must be written, and nothing else: once, or again by the next writer if the first was lost.
status=0 folder=ways
case $program in
ignore) answer='ignore: pi is about 3\.14[0-4]' ;;
no-answer) answer='never written' program=ignore status=1 ;;
shrink) answer='shrink: x in the middle is 1922\.3808023459171 after 100 steps' ;;
replace) answer="replace: x in the middle is 1922\.3808023459171 after 100 steps, on $ranks ranks" ;;
survive) answer='[1-3] ranks are left, their old ranks add up to [35]' folder=hello ;;
waitall) answer='[1-5] ranks are left, their old ranks add up to [0-9]*' folder=hello ;;
validate) answer='validate: 9592 primes below 100000' ;;
esac
build "$program" "$MEND_TEST_ROOT/example/$folder/$program.c" -O2 -Wall -Wextra -Werror
# Of a death after the last agreement was decided only a rank is told that calls MPI again in time; of a worker that dies
# when it asks for darts and there are none left, none may be.
lenient=
case $* in *agree.done* | *7@call:MPI_Recv*) lenient=--lenient-exit ;; esac
mpiexec -q $lenient -n "$ranks" --timeout 50 --report report.json $(kills "$@") "./$program" >said
ended=$?
[ $ended = $status ] || fail "status $ended"
lost "$@"
[ $status != 0 ] || grep -qx "$answer" said || fail "the answer is not written"
! grep -vqx "$answer" said || fail "there is more than the answer"
