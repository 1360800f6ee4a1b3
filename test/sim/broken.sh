#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# broken.sh – the simulator's checkers can fail: machines with a known mistake are found out, by
# seeds and by exhaustive search, and the command that the failure prints finds it again.
#
# Usage: broken.sh MEND-SIM
set -u
sim=$1

fail()
{
    echo "wrong: $*"
    exit 1
}

# finds RULE ARGUMENTS...: (A: any rule of agreement) the run reports a violation of the rule, and its replay the same one
finds()
{
    rule=$1
    shift
    out=$("$sim" "$@")
    [ $? = 1 ] || fail "mend-sim $* found nothing: $out"
    case $out in
    "wrong: $rule"*) ;;
    *) fail "mend-sim $*: $out" ;;
    esac
    replay=$(echo "$out" | sed -n 's/^replay: mend-sim //p')
    # shellcheck disable=SC2086
    again=$("$sim" $replay)
    [ $? = 1 ] || fail "the replay found nothing: $replay"
    [ "$(echo "$again" | grep '^wrong:')" = "$(echo "$out" | grep '^wrong:')" ] ||
        fail "the replay found something else: $replay"
    echo "ok $*"
}

finds A1 agree --exhaustive --ranks 3 --crashes 1 --break no-promise
finds A1 agree --exhaustive --ranks 4 --crashes 2 --break no-promise
finds A agree --seeds 20000 --ranks 8 --break no-promise
finds A1 agree --exhaustive --ranks 3 --crashes 1 --break forget
finds A1 agree --exhaustive --ranks 4 --crashes 2 --break forget
finds A1 agree --seeds 20000 --ranks 8 --break forget
finds V1 revoke --exhaustive --ranks 6 --crashes 4 --break no-repair
finds V1 revoke --seeds 20000 --ranks 6 --crashes 4 --instances 1 --break no-repair
finds N1 notice --exhaustive --ranks 6 --crashes 4 --break no-repair
finds N1 notice --seeds 20000 --ranks 16 --crashes 12 --break no-repair
finds D1 detector --exhaustive --ranks 2 --suspicions 1 --break report-first
finds D1 detector --seeds 1000 --ranks 8 --suspicions 2 --break report-first
