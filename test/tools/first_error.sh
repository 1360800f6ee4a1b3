# SPDX-License-Identifier: BSD-3-Clause
# first_error.sh – the function that doc/failure-semantics.md shows for MPI_Waitall is that of
# example/hello/waitall.c, and with it the program sees the classes of a loss: the neighbours of the lost
# rank its death, the others the revocation (S0-26).
#
#   S0-26: calls for several requests return IN_STATUS, with classes in the statuses
#
# RUN: ; expect "as in the example"

function_of()
{
    sed -n 's/^    //;/^static int first_error(/,/^}/p' "$1"
}

function_of "$MEND_TEST_ROOT/doc/failure-semantics.md" >shown
sed -n '/^static int first_error(/,/^}/p' "$MEND_TEST_ROOT/example/hello/waitall.c" >kept
[ -s kept ] && diff shown kept || exit 1
mpicc -Wall -Wextra -Werror "$MEND_TEST_ROOT/example/hello/waitall.c" -o waitall || exit 1
mpiexec -q -n 6 --inject kill:2@call:MPI_Waitall#7 ./waitall >output 2>seen || { cat seen; exit 1; }
grep -q 'MPI_ERR_PROC_FAILED: .* rank 2 of ring' seen || { cat seen; exit 1; }
[ "$(grep -cE '^rank [0-5]: MPI_ERR_(PROC_FAILED|REVOKED)' seen)" = 5 ] || { cat seen; exit 1; }
grep -qx '5 ranks are left, their old ranks add up to 13' output || { cat output; exit 1; }
echo as in the example
