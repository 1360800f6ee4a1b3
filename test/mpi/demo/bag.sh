# SPDX-License-Identifier: BSD-3-Clause
# bag.sh – the bag of tasks writes the right answer whichever rank is lost, and whenever: the manager, too, before
# and after it has written, up to the end (S0-20, S0-22, S0-25, S0-85, S0-88, S0-93).
#
# The arguments are the ranks and the places.
#
#   R22: the job's status is 0 only if all deaths were handled
#   S0-20: a wildcard receive without a match stays pending
#   S0-22: acknowledging tells which processes have failed
#   S0-25: a pending receive completes after the acknowledgement
#   S0-85: revoke and shrink give a communicator on which collectives work
#   S0-88: an agreement gives all survivors the AND of their values
#   S0-93: an agreement works on a revoked communicator
#
# RUN: 1 ; time 60
# RUN: 4 ; time 60
# RUN: 4 kill:2@call:MPI_Recv#5 ; time 60
# RUN: 4 kill:1@call:MPI_Send#1 kill:2@call:MPI_Send#2 kill:3@call:MPI_Send#3 ; time 60
# RUN: 4 kill:0@call:MPI_Wait#40 ; time 60
# RUN: 5 kill:3@call:MPI_Send#9 kill:0@call:MPI_Wait#60 kill:1@call:MPI_Wait#20 ; time 60
# RUN: 4 kill:0@call:MPIX_Comm_agree kill:1@call:MPIX_Comm_agree ; time 60
# RUN: 4 kill:0@call:MPI_Wait#9 kill:1@agree.enter kill:2@shrink.decided ; time 60
# RUN: 3 kill:0@call:MPI_Send#101 ; time 60
# RUN: 3 kill:0@call:MPI_Send#102 kill:1@agree.done ; time 60
# RUN: 3 kill:0@finalize.enter ; time 60
# RUN: 4 kill:0@agree.enter kill:1@finalize.enter kill:2@finalize.enter ; time 60

ranks=$1
shift

. "$MEND_TEST_ROOT/test/build.sh"
. "$MEND_TEST_ROOT/test/mpi/demo/victims.sh"

build bag "$MEND_TEST_ROOT/example/bag/bag.c" -O2 -Wall -Wextra
mpiexec -q -n "$ranks" --timeout 50 --report report.json $(kills "$@") ./bag >said || fail "status $?"
lost "$@"
grep -v 'has died, task' said | sort -u >answer
echo 'bag: 78498 primes' | cmp - answer || fail "the answer"
