# SPDX-License-Identifier: BSD-3-Clause
# neighbour.sh – example/neighbour gives the sum that it gives without a loss, whichever ranks are killed while they work or
# work for others: the memory of the dead stays as it was.
#
# The arguments are the ranks and the places.
#
#   R31: the memory of a dead member stays as it was
#
# RUN: 1
# RUN: 4
# RUN: 2 kill:0@call:MPI_Win_sync#300
# RUN: 4 kill:2@call:MPI_Win_sync#700
# RUN: 4 kill:1@call:MPI_Win_sync#1 kill:2@call:MPI_Win_sync#999
# RUN: 5 kill:3@call:MPI_Win_sync#500 kill:4@call:MPI_Win_sync#1200
# RUN: 8 kill:1@call:MPI_Win_sync#10 kill:2@call:MPI_Win_sync#20 kill:7@call:MPIX_Comm_agree ; time 60

fail()
{
    echo "wrong: $*"
    cat said right 2>/dev/null
    exit 1
}

n=$1
shift
inject=
for place in "$@"; do
    inject="$inject --inject $place"
done
make -s -f "$MEND_TEST_ROOT/example/Makefile" -C "$MEND_TEST_ROOT/example" OUT="$PWD" "$PWD/neighbour" ||
    fail "it does not compile"
mpiexec -q -n "$n" ./neighbour >right || fail "without a loss: status $?"
mpiexec -q -n "$n" --timeout 15 $inject ./neighbour >said 2>errors
[ "$(grep -c 'the sum is' said)" -eq $((n - $#)) ] || fail "not all survivors have said the sum"
[ "$(sed 's/.*: //' said right | sort -u | wc -l)" -eq 1 ] || fail "another sum"
