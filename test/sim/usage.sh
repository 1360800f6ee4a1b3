#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage.sh – mend-sim's command line: --help, wrong options end with 2, and a seed decides everything.
#
# Usage: usage.sh MEND-SIM
set -u
sim="${MESON_EXE_WRAPPER:-} $1" # two words or more, on purpose

fail()
{
    echo "wrong: $*"
    exit 1
}

refuses()
{
    $sim "$@" >/dev/null 2>&1
    [ $? = 2 ] || fail "mend-sim $* does not end with 2"
}

$sim --help | grep -q '^Usage: mend-sim' || fail "--help"
for option in exhaustive count ranks crashes suspicions instances reorder window radix inter comms creation free \
    validation brief fine nodes agent-crashes aborts revocations papers outside victim seed seeds budget steps pauses partitions duplicate states path trace break; do
    $sim --help | grep -q -e "--$option" || fail "--help has no --$option"
done
refuses nonsense
refuses agree memory
refuses agree --nonsense
refuses agree --ranks
refuses agree --ranks 0
refuses agree --ranks 3x
refuses agree --ranks -3
refuses agree --radix 3
refuses agree --break promises
refuses agree --exhaustive --ranks 9
refuses detector --count
refuses memory --seeds 1
refuses lock --exhaustive --ranks 5
refuses lock --ranks 65
refuses lock --suspicions 1
refuses lock --duplicate
refuses lock --count
refuses memory --exhaustive --suspicions 1
refuses memory --exhaustive --creation --validation
refuses look --seeds 1
refuses lease --seeds 1 --fine
refuses lease --seeds 1 --ranks 1
refuses lease --exhaustive --ranks 4
refuses lease --exhaustive --ranks 3 --window 4
refuses lease --exhaustive --ranks 3 --victim 1
refuses lease --seeds 1 --ranks 3 --victim 3
refuses agree --victim 1
refuses look --exhaustive --window 5
refuses agree --fine
refuses memory --exhaustive --ranks 3 --brief
refuses memory --exhaustive --ranks 2 --brief --creation
refuses agree --free --creation
refuses lock --free
refuses detector --crashes 1
refuses agree --creation --validation
refuses birth --validation
refuses agree --nodes 2
refuses agree --aborts 1
refuses nodes --suspicions 1
refuses nodes --together
refuses nodes --outside 1
refuses nodes --papers --outside 1 --creation
refuses agree --papers
refuses nodes --nodes 65
refuses nodes --ranks 3 --aborts 4
refuses nodes --exhaustive --nodes 3 --ranks 6
echo "ok usage"

# The steps of one run; its last line, the sum, has the time that it took.
steps()
{
    $sim agree --seed "$1" --ranks 8 --suspicions 1 --trace | sed '$d' | cksum
}

one=$(steps 4711)
two=$(steps 4711)
other=$(steps 4712)
[ "$one" = "$two" ] || fail "a seed does not decide everything"
[ "$one" != "$other" ] || fail "a seed decides nothing"
echo "ok seeds"

# A timer that was set again must not set others, or a long run has more and more of them.
$sim lease --ranks 200 --radix 2 --crashes 0 --instances 20 |
    awk '/ steps, / { n++; bad += $10 > 2 * $12 } END { exit n != 1 || bad }' || fail "leases have too many timers"
echo "ok timers"

$sim --seed 4711 --ranks 4 | grep -c '^[a-z]*: 1 seeds' | grep -qx 8 || fail "all eight are not played"
echo "ok all"
