# SPDX-License-Identifier: BSD-3-Clause
# symbols.sh – tools/check-symbols finds what it is there for, in small libraries, and nothing else.
#
# RUN: ; expect "all symbol checks passed" ; time 60

fail()
{
    echo "wrong: $*"
    exit 1
}

# judged STATUS LINE CODE: check-symbols says so, and this, of a library with this code whose only function is MPI_A.
judged()
{
    echo "$3" >a.c
    "${CC:-cc}" -shared -fPIC -Wl,-soname,$soname a.c -o lib.so || fail "the compiler: $3"
    "$MEND_TEST_ROOT/tools/check-symbols" lib.so table.tsv >said 2>&1
    [ $? = "$1" ] || fail "status of $3: $(cat said)"
    [ -z "$2" ] || grep -qF "$2" said || fail "'$2' is not said of $3: $(cat said)"
}

soname=libmpi_abi.so.1
printf '# name\nMPI_A\tint\n' >table.tsv
good='int PMPI_A(void) { return 0; } int MPI_A(void) __attribute__((weak, alias("PMPI_A")));'
judged 0 '' "$good"
judged 1 'MPI_A is missing' 'int PMPI_A(void) { return 0; }'
judged 1 'PMPI_A is missing' '__attribute__((weak)) int MPI_A(void) { return 0; }'
judged 1 'MPI_A is not weak' 'int PMPI_A(void) { return 0; } int MPI_A(void) { return 0; }'
judged 1 'different functions' 'int PMPI_A(void) { return 0; } __attribute__((weak)) int MPI_A(void) { return 1; }'
judged 1 'mend_inner' "$good int mend_inner(void) { return 0; }"
judged 1 'call PMPI_A' "$good __attribute__((constructor)) static void begin(void) { MPI_A(); }"
soname=libmend.so.1
judged 1 'the soname is not' "$good"
echo "all symbol checks passed"
