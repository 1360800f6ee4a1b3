#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# broken.sh – the simulator's checkers can fail: machines with a known mistake are found out, by
# seeds and by exhaustive search, and the command that the failure prints finds it again.
#
# Usage: broken.sh MEND-SIM
set -u
sim="${MESON_EXE_WRAPPER:-} $1" # two words or more, on purpose

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
    out=$($sim "$@")
    [ $? = 1 ] || fail "mend-sim $* found nothing: $out"
    case $out in
    "wrong: $rule"*) ;;
    *) fail "mend-sim $*: $out" ;;
    esac
    replay=$(echo "$out" | sed -n 's/^replay: mend-sim //p')
    # shellcheck disable=SC2086
    again=$($sim $replay)
    [ $? = 1 ] || fail "the replay found nothing: $replay"
    [ "$(echo "$again" | grep '^wrong:')" = "$(echo "$out" | grep '^wrong:')" ] ||
        fail "the replay found something else: $replay"
    echo "ok $*"
}

# every rule with a mistake that it catches, in all orders of events, and with seeds
both()
{
    rule=$1 play=$2 broken=$3
    shift 3
    finds "$rule" "$play" --exhaustive "$@" --break "$broken"
    [ "$1" = --together ] || set -- ""
    finds "$rule" "$play" $1 --seeds 20000 --ranks 8 --break "$broken"
}

finds A1 agree --exhaustive --ranks 3 --crashes 1 --break no-promise
finds A agree --seeds 20000 --ranks 8 --break no-promise
both A1 agree forget --ranks 3 --crashes 1
both A2 agree omit --ranks 3
both A3 agree accuse --ranks 3
both A4 agree hush --ranks 3 --crashes 2
both A5 agree deaf --ranks 3 --crashes 2
both A6 agree invent --ranks 3 --crashes 1
both A7 agree mix --ranks 3
both A9 agree change --ranks 3 --crashes 1
both A10 agree phantom --ranks 3
both A11 agree boast --ranks 3 --crashes 1
both A15 agree piecemeal --together --ranks 4 --crashes 2
both A15 agree curt --together --ranks 4 --crashes 2
finds D1 detector --exhaustive --ranks 2 --suspicions 1 --break report-first
finds D1 detector --seeds 1000 --ranks 8 --suspicions 2 --break report-first
both D2 detector accuse --ranks 2
both D3 detector babble --ranks 2
both D4 detector deaf --ranks 2

# the bounds are of runs with a seed; creation is a variant; floods have to be repaired in larger worlds
finds A8 agree --seeds 100 --break babble
finds A8 agree --seeds 100 --break detour
finds A5 agree --creation --exhaustive --instances 2 --break shy
finds A5 agree --creation --seeds 1000 --instances 2 --break shy
finds C1 agree --creation --exhaustive --instances 2 --break lie
finds C1 agree --creation --seeds 1000 --instances 2 --break lie
finds A5 agree --validation --exhaustive --instances 2 --break shy
finds C1 agree --validation --exhaustive --instances 2 --break lie
both A1 agree extend --ranks 3 --crashes 1
finds A5 agree --free --exhaustive --ranks 3 --crashes 1 --instances 2 --break silent
finds A5 agree --free --seeds 2000 --break silent
finds A5 agree --free --exhaustive --ranks 3 --crashes 1 --instances 2 --break rash
finds A5 agree --free --seeds 2000 --break rash

# shared memory: the code sees a mistaken order of accesses, or too few slots, or a verdict before its time
finds A1 memory --exhaustive --ranks 3 --crashes 2 --break late-look
finds A1 memory --exhaustive --ranks 3 --crashes 1 --suspicions 1 --break report-first
finds A2 memory --exhaustive --ranks 3 --crashes 1 --break forget
finds A4 memory --exhaustive --ranks 3 --break impatient
finds A6 memory --exhaustive --ranks 2 --break hasty
finds A6 memory --exhaustive --ranks 2 --fine --break hasty
finds A12 memory --exhaustive --ranks 3 --instances 2 --break narrow
finds A12 memory --exhaustive --ranks 3 --instances 4 --window 2 --break narrow
finds A1 memory --exhaustive --ranks 3 --creation --break deaf
finds A1 memory --exhaustive --ranks 3 --creation --break change
finds A1 memory --exhaustive --ranks 2 --validation --break lie
finds A5 memory --exhaustive --ranks 2 --validation --break shy
finds A12 memory --exhaustive --ranks 2 --instances 3 --validation --break babble

# words of two members: a slot that stays empty, a word about another agreement
finds A5 memory --exhaustive --ranks 2 --brief --instances 3 --window 2 --break hush
finds A1 memory --exhaustive --ranks 2 --brief --instances 3 --window 2 --break rash

# windows that all look into: one place for two, steps behind a no, a failed read that nobody hears of, none at all, a sum
# that fails at one and is not told
finds L1 look --exhaustive --ranks 2 --window 3 --break narrow
finds L1 look --exhaustive --ranks 2 --window 3 --break rash
finds L1 look --exhaustive --ranks 2 --window 3 --break boast
finds L1 look --exhaustive --ranks 2 --window 3 --break shy
finds L3 look --exhaustive --ranks 3 --window 2 --break hush

# locks: a look too early, a count that is forgotten, the dead misread, silence, wake-ups that are missing
finds L1 lock --exhaustive --ranks 2 --break hasty
finds L1 lock --exhaustive --ranks 2 --instances 3 --window 2 --break rash
finds L2 lock --exhaustive --ranks 2 --break forget
finds L3 lock --exhaustive --ranks 2 --break accuse
finds L4 lock --exhaustive --ranks 2 --break lie
finds L5 lock --exhaustive --ranks 2 --break deaf
finds L5 lock --exhaustive --ranks 2 --break silent
finds L5 lock --exhaustive --ranks 2 --break hush
finds L5 lock --exhaustive --ranks 3 --break shy
finds L6 lock --exhaustive --ranks 2 --break omit
# the same with more origins than an exhaustive search can have
finds L1 lock --seeds 1000 --ranks 32 --break hasty
finds L1 lock --seeds 1000 --ranks 8 --window 2 --break rash
finds L3 lock --seeds 1000 --ranks 32 --break accuse
finds L4 lock --seeds 1000 --ranks 8 --break forget
finds L4 lock --seeds 1000 --ranks 32 --break lie
finds L5 lock --seeds 1000 --ranks 32 --break deaf
finds L5 lock --seeds 1000 --ranks 32 --break silent
finds L5 lock --seeds 1000 --ranks 32 --break hush
finds L5 lock --seeds 1000 --ranks 8 --break shy
finds L5 lock --seeds 1000 --ranks 32 --break narrow
finds L6 lock --seeds 1000 --ranks 8 --break omit

# processes that join: one that leaves does not say so, one is not withdrawn, deaths that are not heard, a result too early, a
# no that is none, an error that is not agreed on, nothing called off, nothing vetoed, an end that nobody hears of, seats that nobody has agreed on
both B2 birth forget --ranks 5 --crashes 2
both B2 birth omit --ranks 5
both B2 birth hush --ranks 5
both B2 birth deaf --ranks 5
both B birth rash --ranks 5
finds B3 birth --exhaustive --ranks 5 --crashes 2 --break lie
both B2 birth silent --ranks 5 --crashes 2
both B2 birth shy --ranks 5 --crashes 2
both B2 birth slip --ranks 5
both B5 birth change --ranks 5
finds B6 birth --exhaustive --ranks 5 --inter 3 --replace --break boast
finds B6 birth --seeds 20000 --ranks 8 --replace --break boast
finds B1 birth --exhaustive --ranks 5 --replace --break hasty
finds B1 birth --seeds 20000 --ranks 8 --replace --break hasty

# two jobs that connect: a guest that gives up and does not answer, or does not say why; a host that does not wait for the
# answer, or for ever; a port that closes unheard, an agent that dies unheard; the meeting after that; a no that is a yes; one
# that leaves too early
# agents: a refusal that is final, an answer that is not given, a wrong number, a link that is forgotten, one that closes unheard
both C4 contact deaf --ranks 2
both C3 contact omit --ranks 2
both C1 contact boast --ranks 2
both C2 contact forget --ranks 2
finds C3 contact --seeds 20000 --ranks 8 --break hush
both P1 port boast --ranks 5 --crashes 1
both P2 port forget --ranks 4 --instances 2
both P2 port omit --ranks 5 --crashes 1
both P2 port impatient --ranks 4 --instances 2
both P2 port no-repair --ranks 4 --crashes 1
both P2 port accuse --ranks 5 --inter 2 --crashes 1
both P2 port slip --ranks 4
both P2 port shy --ranks 5 --crashes 2
both P3 port rash --ranks 6 --crashes 1
both P5 port change --ranks 5 --inter 2 --crashes 1
finds P6 port --exhaustive --ranks 5 --free --crashes 0 --break hasty
finds P6 port --seeds 20000 --ranks 8 --free --break hasty

# nodes: entries in the wrong order, members of a node one by one, words of the dead unread, a death reported before it is one, a
# loss that no agent says, processes that survive their agent, a root that does not wait for the victims of an abort, a revocation
# that one does not look at, a decision extended by what a process knows, a call before the last decision is given, decisions that are not written, agents that do not
# look or do not look again, links that take too long; and what agreement has to do
# for sets
finds N1 nodes --exhaustive --nodes 3 --aborts 1 --revocations 1 --break swap
finds N nodes --seeds 20000 --nodes 3 --break swap
finds N3 nodes --exhaustive --nodes 2 --ranks 4 --break piecemeal
finds N3 nodes --seeds 20000 --nodes 3 --break piecemeal
finds N6 nodes --exhaustive --nodes 2 --revocations 1 --break hasty
finds N6 nodes --seeds 20000 --nodes 3 --revocations 1 --break hasty
finds N5 nodes --exhaustive --nodes 2 --aborts 1 --break report-first
finds N5 nodes --seeds 20000 --nodes 3 --aborts 1 --break report-first
finds N2 nodes --exhaustive --nodes 2 --break slip
finds N2 nodes --seeds 20000 --nodes 3 --break slip
finds N7 nodes --exhaustive --nodes 2 --break late-look
finds N nodes --seeds 20000 --nodes 3 --break late-look
finds N4 nodes --exhaustive --nodes 3 --aborts 1 --break impatient
finds N4 nodes --seeds 20000 --nodes 3 --aborts 1 --break impatient
finds N8 nodes --exhaustive --nodes 2 --revocations 1 --break narrow
finds N8 nodes --seeds 20000 --nodes 3 --revocations 1 --break narrow
finds A1 nodes --exhaustive --nodes 3 --crashes 2 --break extend
finds A1 nodes --seeds 20000 --nodes 3 --break extend
finds N9 nodes --seeds 20000 --nodes 3 --break detour
finds N3 nodes --seeds 20000 --nodes 3 --aborts 1 --break curt
finds A1 nodes --exhaustive --nodes 3 --break no-promise
finds A5 nodes --exhaustive --nodes 3 --creation --revocations 1 --instances 2 --break shy
finds C1 nodes --exhaustive --nodes 3 --creation --revocations 1 --break lie
finds A5 nodes --exhaustive --nodes 3 --creation --revocations 1 --instances 3 --break rush
finds A5 nodes --exhaustive --nodes 3 --papers --outside 1 --break unwritten
finds A5 nodes --seeds 20000 --nodes 3 --papers --outside 3 --break unwritten
finds N10 nodes --exhaustive --nodes 3 --papers --break blind
finds N10 nodes --seeds 20000 --nodes 3 --papers --break blind
finds A5 nodes --seeds 20000 --nodes 3 --ranks 6 --papers --outside 3 --break stale
finds A5 nodes --seeds 20000 --nodes 3 --validation --revocations 1 --instances 6 --break rush

# leases: counted from the grant's arrival; a child declared at d, or d(1+2r), or by a time that was read too early; no fence; a
# whole lease handed on; a grant of an old incarnation; anybody believed that a node is lost; children lost with one that is gone
finds E1 lease --exhaustive --ranks 2 --window 2 --break late-look
finds E1 lease --exhaustive --ranks 2 --window 2 --break impatient
finds E1 lease --exhaustive --ranks 2 --window 2 --break narrow
finds E1 lease --exhaustive --ranks 2 --window 2 --break hasty
finds E1 lease --exhaustive --ranks 2 --window 2 --break deaf
finds E1 lease --exhaustive --ranks 2 --instances 2 --window 2 --replace --break stale
finds E1 lease --exhaustive --ranks 3 --instances 3 --break boast
finds E1 lease --exhaustive --ranks 3 --instances 3 --break accuse
finds E1 lease --exhaustive --ranks 3 --instances 3 --break slip
# the same in larger trees; and a grant before the root's answer, no time for a lease of a former parent (at the new one, at the
# root), an old turn
finds E1 lease --seeds 2000 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break boast
finds E1 lease --seeds 2000 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break deaf
finds E1 lease --seeds 2000 --ranks 20 --radix 4 --crashes 2 --pauses 3 --partitions 3 --break slip
finds E5 lease --seeds 2000 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break hasty
finds E1 lease --seeds 5000 --ranks 12 --window 2 --crashes 2 --pauses 8 --partitions 8 --break rash
finds E1 lease --seeds 5000 --ranks 12 --window 2 --crashes 2 --pauses 8 --partitions 8 --break curt
finds E1 lease --seeds 5000 --ranks 12 --window 2 --crashes 2 --pauses 8 --partitions 8 --break shy
finds E1 lease --seeds 5000 --ranks 12 --window 2 --crashes 2 --pauses 8 --partitions 8 --break forget

# what the layout of a message loses or alters: a number's high digits, what a child has heard (it heard all, or nothing), the length
# of a grant, a turn, an incarnation
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break mix
finds E6 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break phantom
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break omit
finds E1 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break invent
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break change
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --replace --break detour
finds E2 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --replace --break stale
# the root: tells of the first of a verdict only, lets orphans live for ever, does not answer, says no, believes an old turn, starts
# the old incarnation
finds E7 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break piecemeal
finds E6 lease --seeds 2000 --ranks 20 --radix 4 --crashes 2 --pauses 3 --partitions 3 --break no-repair
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break silent
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --break lie
finds E1 lease --seeds 300 --ranks 12 --window 2 --crashes 4 --pauses 16 --partitions 16 --replace --break swap
finds E5 lease --seeds 300 --ranks 20 --radix 4 --pauses 3 --partitions 3 --replace --break rush

# larger worlds, two groups, two communicators, the long search's own choice of runs
finds A1 agree --exhaustive --ranks 4 --crashes 2 --break no-promise
finds A1 agree --exhaustive --ranks 4 --crashes 2 --break forget
finds A2 agree --exhaustive --ranks 4 --inter 2 --break omit
finds A5 agree --exhaustive --ranks 3 --crashes 2 --comms 2 --break deaf
finds A agree --budget 30000000 --break no-promise
finds A1 agree --budget 30000000 --break forget
finds A4 agree --budget 30000000 --break hush
