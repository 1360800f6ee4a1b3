# SPDX-License-Identifier: BSD-3-Clause
# s0_65_every_call.sh – every function of the headers that takes a communicator or a request, on invalid
# communicators (of one group, of two, with topologies): S0-58, S0-62, S0-64, S0-65, S0-66, S0-67, S0-69,
# S0-70, R1, R2; those that are exempt work on (S0-61).  All other processes are outside of MPI, or dead.
# The calls are made from the headers by every_call.py; a new function that nobody has put into a class
# fails here.
#
#   R1: a nonblocking call on a revoked communicator starts; its completion reports the error
#   R2: revoking a revoked object succeeds
#   S0-58: one caller of a revocation suffices, and it does not wait
#   S0-61: a revocation ends neither shrink nor agreement
#   S0-62: at its caller the communicator is revoked at once
#   S0-64: elsewhere the communicator is revoked when a status first reports it
#   S0-65: on a revoked communicator every non-local call fails
#   S0-66: calls on a revoked communicator return without any other process
#   S0-67: local calls still work on a revoked communicator
#   S0-69: a revoked communicator can be freed
#   S0-70: freeing a revoked communicator never hangs
#
# RUN: ; time 60 ; expect "all calls"

fail()
{
    echo "wrong: $*"
    cat output 2>/dev/null
    exit 1
}

root=$MEND_TEST_ROOT
here=$root/test/kill/ft
python3 "$here/every_call.py" "$root/include/mpi.h" "$root/include/mpi_ft.h" "$root/include/mend.h" \
    >calls.h || fail "the calls cannot be made"
mpicc -Wall -Wextra -Wno-unused -Wno-deprecated-declarations -I. -o every_call "$here/every_call.c" ||
    fail "it does not compile"
for run in "1 asleep" "2 asleep" "5 asleep" "2 dead" "5 dead"; do
    set -- $run
    rm -f board
    mpiexec -q -n "$1" --timeout 15 ./every_call "$2" >output 2>&1 || fail "$run: status $?"
    grep -q "rank 0 ok" output || fail "$run"
done
echo "all calls: $(grep -c 'static int call_' calls.h)"
