# SPDX-License-Identifier: BSD-3-Clause
# library.sh – example/library: a library survives under a program whose error handler is fatal (S0-74,
# S0-85, R10), and the program's own calls do not (S0-5, S4-3): then the status is that of the death (R22).
#
# The arguments are the status, the ranks and the places.
#
#   R10: a shrunken communicator inherits the error handler
#   R22: the job's status is 0 only if all deaths were handled
#   S0-5: a failure is fatal with the default error handler, and returned with another
#   S0-74: shrink never fails because of a death or a revocation
#   S0-85: revoke and shrink give a communicator on which collectives work
#   S4-3: a fatal error ends the processes of its object and no others
#
# RUN: 0 1 ; time 60
# RUN: 0 4 ; time 60
# RUN: 0 4 kill:2@call:MPIX_Comm_shrink ; time 60
# RUN: 0 4 kill:0@shrink.decided kill:1@shrink.decided ; time 60
# RUN: 0 4 kill:0@call:MPI_Allreduce#9 kill:1@agree.enter ; time 60
# RUN: 0 4 kill:0@call:MPIX_Comm_agree kill:1@call:MPIX_Comm_agree kill:2@call:MPIX_Comm_agree ; time 60
# RUN: 0 3 kill:2@call:MPI_Allreduce#5>coll.done kill:0@call:MPIX_Comm_agree ; time 60
# RUN: 0 8 kill:3@call:MPI_Allreduce#2 kill:4@call:MPIX_Comm_revoke kill:5@call:MPIX_Comm_shrink#2 kill:0@agree.done ;
#      time 60
# RUN: 0 16 kill:9@call:MPI_Allreduce#3 kill:10@call:MPI_Allreduce#4 kill:0@call:MPI_Allreduce#5 ; time 60
# RUN: 137 4 kill:1@call:MPI_Bcast ; time 60
# RUN: 137 4 kill:0@call:MPI_Barrier ; time 60

status=$1 ranks=$2
shift 2
library=$MEND_TEST_ROOT/example/library

. "$MEND_TEST_ROOT/test/build.sh"
. "$MEND_TEST_ROOT/test/mpi/demo/victims.sh"

build host "$library/host.c" -O2 -Wall -Wextra -Werror "$library/tasks.c"
mpiexec -q -n "$ranks" --timeout 50 $(kills "$@") ./host >said
ended=$?
[ $ended = "$status" ] || fail "status $ended"
[ "$status" != 0 ] || grep -q . said || fail "no result"
! grep -vqx 'host: pi is 3.141592653590' said || fail "the result"
