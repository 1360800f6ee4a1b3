# SPDX-License-Identifier: BSD-3-Clause
# tool.sh – example/tool prints each death once in each survivor of a program that knows nothing of it; without a death it
# prints nothing.
#
# The arguments are the places.
#
# RUN:
# RUN: kill:2@call:MPIX_Comm_agree
# RUN: kill:1@call:MPI_Allreduce#20 kill:3@call:MPIX_Comm_shrink

fail()
{
    echo "wrong: $*"
    cat said errors 2>/dev/null
    exit 1
}

inject=
for place in "$@"; do
    inject="$inject --inject $place"
done
make -s -C "$MEND_TEST_ROOT/example" OUT="$PWD" "$PWD/libdeaths.so" &&
    mpicc -O2 -o shrink "$MEND_TEST_ROOT/example/ways/shrink.c" || fail "it does not compile"
mpiexec -q -n 4 --timeout 15 $inject env LD_PRELOAD="$PWD/libdeaths.so" ./shrink >said 2>errors ||
    fail "status $?"
lines=$(grep -c '^deaths: rank [0-9] has died .*, known here [0-9.]* ms after the verdict$' errors)
# Those that live to the end hear of all; one that dies later may have heard of an earlier one, too.
least=$(((4 - $#) * $#))
[ "$lines" -ge "$least" ] && [ "$lines" -le $((4 * $#)) ] || fail "$lines lines, expected at least $least"
