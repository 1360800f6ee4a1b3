# SPDX-License-Identifier: BSD-3-Clause
# s0_90_any_instant.sh – any_instant.c, with ranks killed at every event of agreement, shrink, revocation and creation,
# at each rank of the tree, and at random: S0-59, S0-61, S0-74, S0-75, S0-77, S0-78, S0-79, S0-80, S0-88, S0-89,
# S0-90, S0-91, S0-92, S0-93, S0-94, S2-5, R3, R4, R5, R16.
#
#     every SIZE PARAMETERS...   one rank dies, each in turn, at each event
#     random SEED RUNS           2 to 16 ranks, up to half of them die; a failure prints its line
#
#   R3: the shrink of 2012 refuses only if the communicator is revoked at no survivor
#   R4: shrinking an intercommunicator with one group all dead gives MPI_COMM_NULL
#   R5: if a member dies inside an agreement, its value counts at all survivors or at none
#   R16: MPI_Comm_agreement takes a truth value, MPIX_Comm_agree a word
#   S0-59: a revocation reaches all survivors even if its caller dies
#   S0-61: a revocation ends neither shrink nor agreement
#   S0-74: shrink never fails because of a death or a revocation
#   S0-75: all survivors get the same group from shrink
#   S0-77: shrink keeps the order of ranks
#   S0-78: shrink leaves out the failed and keeps the callers
#   S0-79: the new communicator may contain a process that died meanwhile
#   S0-80: the new communicator sees no message and no revocation of the old one
#   S0-88: an agreement gives all survivors the AND of their values
#   S0-89: an agreement waits for every survivor and for no dead process
#   S0-90: an agreement never fails and is uniform under deaths
#   S0-91: dead processes do not contribute to an agreement
#   S0-92: on an intercommunicator each group gets the AND of the other one
#   S0-93: an agreement works on a revoked communicator
#   S0-94: the nonblocking agreement has the same meaning
#   S2-5: creation is uniform: at all survivors or at none
#
# RUN: every 5 ; time 60 ; expect "its turn of all 40 places"
# RUN: every 5 AGREE_SHM=0 REVOKE_SHM=0 ; time 60 ; expect "its turn of all 55 places"
# RUN: random 4711{n} 10 ; times 4 ; time 60 ; expect "all of 10 runs"

. "$MEND_TEST_ROOT/test/kill/turns.sh"
. "$MEND_TEST_ROOT/test/build.sh"
build any_instant "$MEND_TEST_ROOT/test/kill/ft/any_instant.c" -O1 -Wall -Wextra
runs=0 lost=0

# size deaths flags...: as many ranks come to the end as are not lost.
run()
{
    size=$1 most=$2
    shift 2
    rm -f board
    mpiexec -n "$size" --timeout 15 "$@" ./any_instant >output 2>&1
    status=$? dead=$(grep -c 'killed by signal 9' output)
    if [ $status != 0 ] || [ "$dead" -gt "$most" ] ||
        [ $(($(grep -c ' ok$' output) + dead)) != "$size" ]; then
        echo "wrong: mpiexec -n $size $* ./any_instant"
        cat output
        exit 1
    fi
    runs=$((runs + 1)) lost=$((lost + dead))
}

every()
{
    size=$1 sets= events="agree.enter agree.done shrink.decided revoke.local revoke.sent.one revoke.sent member.create.enter member.create.decided"
    shift
    for name in "$@"; do
        sets="$sets --set $name"
    done
    [ -z "$sets" ] || events="$events agree.sent.up agree.decided agree.sent.down"
    for event in $events; do
        for rank in $(seq 0 $((size - 1))); do
            case $event in
                revoke.*) count=1 ;; # few ranks invalidate something
                member.*) count=$((1 + rank % 4)) ;;
                *) count=$((1 + rank * 5 % 7)) ;;
            esac
            ! is_its_turn || run "$size" 1 $sets --inject "kill:$rank@call:MPI_Pcontrol>$event#$count?"
        done
    done
}

random()
{
    awk -v seed="$1" -v runs="$2" 'BEGIN {
        split("agree.enter agree.done agree.sent.up agree.decided agree.sent.down shrink.decided " \
              "revoke.local revoke.sent.one death.done member.create.enter member.create.decided", event)
        srand(seed)
        for (i = 0; i < runs; i++) {
            size = 2 + int(rand() * 15)
            deaths = 1 + int(rand() * size / 2)
            printf "%d %d --set AGREE_SHM=%d --set REVOKE_SHM=%d", size, deaths, i % 2, int(i / 2) % 2
            for (k = 0; k < deaths; k++)
                printf " --inject kill:%d@call:MPI_Pcontrol>%s#%d?", int(rand() * size),
                       event[1 + int(rand() * 11)], 1 + int(rand() * 20)
            print ""
        }
    }' >runs
    while read -r line; do
        run $line </dev/null
    done <runs
}

"$@"
[ "$lost" -ge $((runs / 2)) ] || exit 1 # the places are wrong
[ "$1" != every ] || say_places $runs
echo "all of $runs runs, $lost ranks lost"
