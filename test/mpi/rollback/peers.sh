# SPDX-License-Identifier: BSD-3-Clause
# peers.sh – chain.c and every_collective.c over MPICH and Open MPI: the layer needs nothing but the profiling interface. A library that
# is not installed is named; tools/install-deps bench installs both.
#
#   S1-13: communication is rolled back over any MPI, through the profiling interface
#
# RUN: ; expect "all installed libraries rolled back" ; time 120

sources=
for name in match layer round wrap collective refuse; do
    sources="$sources $MEND_TEST_ROOT/rollback/$name.c"
done

# over TITLE COMPILER RANKS LAUNCHER...     a chain of partners needs 4 ranks; RANKS: of every_collective, since ranks that poll crowd
# the cores
over()
{
    title=$1 compiler=$2 few=$3
    shift 3
    if ! command -v "$1" >/dev/null || ! echo "#include <mpi.h>" | "$compiler" -fsyntax-only -x c - 2>/dev/null; then
        echo "$title is not installed: not run over it"
        return
    fi
    for program in chain every_collective; do
        "$compiler" -O2 -std=gnu17 -D_GNU_SOURCE -w -I"$MEND_TEST_ROOT/rollback" -o "$MEND_TEST_TMP/$program" \
            "$MEND_TEST_ROOT/test/mpi/rollback/$program.c" $sources || exit 1
        ranks=4
        [ $program = chain ] || ranks=$few
        "$@" -n $ranks "$MEND_TEST_TMP/$program" >"$MEND_TEST_TMP/said" 2>&1
        grep -qx "rolled back and went on" "$MEND_TEST_TMP/said" || {
            echo "$program is wrong over $title:"
            cat "$MEND_TEST_TMP/said"
            exit 1
        }
        rm -f "$MEND_TEST_TMP/$program" "$MEND_TEST_TMP/said"
    done
}

over MPICH mpicc.mpich 2 mpiexec.mpich
root=
[ "$(id -u)" = 0 ] && root=--allow-run-as-root
over "Open MPI" mpicc.openmpi 4 mpirun.openmpi $root --oversubscribe --mca mpi_yield_when_idle 1 --mca btl vader,self
echo "all installed libraries rolled back"
