# SPDX-License-Identifier: BSD-3-Clause
# halo.sh – example/halo ends with the right answer wherever ranks are killed: revocation frees the ranks that
# wait for messages of a survivor (S0-57, S0-60), validation lets collectives work again (S2-10, S2-11,
# S2-12), the copy of what has holes has them, too, and the result is written before the job ends.
#
# The arguments are the ranks and the places, or `sweep`, the ranks, a number of runs N and K: the runs K N + 1 to K N + N, in
# which the first rank is lost in a halo exchange, others at some place of the repair or of the end.
#
#   R22: the job's status is 0 only if all deaths were handled
#   S0-57: a revocation reaches all members, in both groups
#   S0-60: a revocation ends calls in progress
#   S2-10: validate makes collectives and creation work again
#   S2-11: validate returns the same failed processes everywhere
#   S2-12: collectives from before a validation match none from after it
#
# RUN: 1 ; time 60
# RUN: 2 kill:1@call:MPI_Waitall#57 ; time 60
# RUN: 2 kill:0@init.done ; time 60
# RUN: 3 kill:1@p2p.recv.matched#100 kill:2@validate.decided ; time 60
# RUN: 4 kill:2@call:MPI_Isend#114 kill:3@validate.cut ; time 60
# RUN: 4 kill:0@call:MPI_Barrier kill:1@call:MPI_Barrier ; time 60
# RUN: 5 kill:4@call:MPI_Allreduce#9 kill:0@call:MPI_Comm_dup#2 kill:1@call:MPI_Bcast#2 ; time 60
# RUN: 8 kill:3@coll.shm.arrived#9 kill:4@call:MPIX_Comm_revoke kill:5@call:MPIX_Comm_agree kill:0@agree.done ;
#      time 60
# RUN: 8 kill:0@finalize.enter kill:7@call:MPI_Barrier ; time 60
# RUN: 16 kill:1@call:MPI_Waitall#20 kill:2@call:MPI_Waitall#20 kill:3@call:MPI_Waitall#21 kill:9@coll.done#14 ;
#      time 60
# RUN: sweep 2 10 {n} ; times 6 ; time 120
# RUN: sweep 3 10 {n} ; times 6 ; time 120
# RUN: sweep 5 10 {n} ; times 4 ; time 120
# RUN: sweep 8 10 {n} ; times 3 ; time 120
# RUN: sweep 16 5 {n} ; times 3 ; time 120

. "$MEND_TEST_ROOT/test/build.sh"
. "$MEND_TEST_ROOT/test/mpi/demo/victims.sh"

# check RANKS PLACE...: one run
check()
{
    ranks=$1
    shift
    mpiexec -q -n "$ranks" --timeout 50 --report report.json $(kills "$@") ./halo >said || fail "$*: status $?"
    lost "$@"
    sort -u said >answer
    echo 'halo: the sum after 200 steps is 586007' | cmp - answer || fail "$*: the result"
}

# places RANKS RUN: as many victims as there are bits, at places that every rank comes to after a loss
places()
{
    awk -v n="$1" -v run="$2" 'BEGIN {
        split("MPI_Comm_validate MPI_Comm_dup#2 MPI_Bcast#2 MPI_Comm_free MPIX_Comm_agree MPI_Barrier", call)
        srand(4711 + 1000 * n + run)
        first = int(rand() * n)
        printf "kill:%d@call:MPI_Waitall#%d", first, 20 + int(rand() * 180)
        for (i = left = 1; i < n; i++)
            if (left < n - 1 && rand() < 0.4 && left++)
                printf " kill:%d@call:%s", (first + i) % n, call[1 + int(rand() * 6)]
    }'
}

build halo "$MEND_TEST_ROOT/example/halo/halo.c" -O2 -Wall -Wextra -Werror
if [ "$1" != sweep ]; then
    check "$@"
    exit
fi
for run in $(seq $(($4 * $3 + 1)) $(($4 * $3 + $3))); do
    check "$2" $(places "$2" "$run")
done
