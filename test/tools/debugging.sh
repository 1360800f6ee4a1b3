# SPDX-License-Identifier: BSD-3-Clause
# debugging.sh – doc/debugging.md: what it says of sanitizers, valgrind, debuggers and cores.
#
# RUN: ; plain ; expect "all debugging checks passed" ; time 120

fail()
{
    echo "wrong: $*"
    cat said 2>/dev/null
    exit 1
}

has()
{
    command -v "$1" >/dev/null && return
    echo "$1 is not here: not checked"
    return 1
}

cat >program.c <<'TEXT'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && !strcmp(argv[1], "over")) {
        volatile int *p = malloc(4 * sizeof(int));
        p[4 + rank] = 1; /* wrong */
    }
    if (argc > 1 && !strcmp(argv[1], "crash") && rank == 1)
        *(volatile int *)(size_t)(argc - 2) = 1; /* crash */
    if (argc > 1 && !strcmp(argv[1], "hang") && rank == 0)
        MPI_Recv(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (argc > 1 && !strcmp(argv[1], "unset")) {
        volatile int *p = malloc(sizeof(int));
        int got;
        if (rank == 0)
            MPI_Send((void *)p, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        else
            MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1 && got == 5) /* from rank 0 */
            return 5;
        if (rank == 0 && *p == 5) /* its own */
            return 5;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
TEXT
wrong=program.c:$(grep -n '/\* wrong' program.c | cut -d: -f1)
from_other=program.c:$(grep -n '/\* from rank 0' program.c | cut -d: -f1)
own=program.c:$(grep -n '/\* its own' program.c | cut -d: -f1)
crash=program.c:$(grep -n '/\* crash' program.c | cut -d: -f1)

# The library need not be built with a sanitizer that a program is built with.
for kind in address,undefined thread; do
    mpicc -g -fsanitize=$kind program.c -o sanitized || fail "-fsanitize=$kind"
    mpiexec -n 2 ./sanitized >said 2>&1 || fail "a right program with -fsanitize=$kind: status $?"
    [ ! -s said ] || fail "a right program with -fsanitize=$kind"
done
mpicc -g -fsanitize=address program.c -o sanitized
mpiexec -q -n 2 --output-filename log ./sanitized over >said 2>&1 && fail "a wrong program ends with 0"
grep -q "heap-buffer-overflow" log.0 log.1 && grep -q "$wrong" log.0 log.1 || fail "the address sanitizer"

mpicc -g program.c -o program || fail "compiling"
if has valgrind; then
    mpiexec -n 2 valgrind -q ./program >said 2>&1 || fail "valgrind: status $?"
    [ ! -s said ] || fail "valgrind complains of a right program"
    mpiexec -n 2 valgrind -q ./program over >said 2>&1
    [ "$(grep -c "Invalid write" said)" = 2 ] && grep -q "$wrong" said || fail "valgrind and a wrong program"
    mpiexec -n 2 valgrind -q ./program unset >said 2>&1 || fail "valgrind: status $?"
    grep -q "$own" said || fail "valgrind and data without a value"
    grep -q "$from_other" said && fail "valgrind follows data from rank to rank: doc/debugging.md says that it does not"
fi
if has gdb; then
    ulimit -c unlimited
    mpiexec -q -n 2 ./program crash >said 2>&1 && fail "a crash ends with 0"
    if [ -f core ]; then # where cores go is the machine's decision
        gdb -q -batch -ex bt ./program core >said 2>&1
        grep -q "$crash" said || fail "the core"
        rm core
    fi
    gdb -q -batch -ex 'info signals SIGURG' | grep -q 'SIGURG *No' || fail "gdb stops at SIGURG"
    if mpiexec --tty 0 -n 1 gdb -q -batch -ex run ./program >said 2>&1 </dev/null && ! grep -qi 'not permitted' said; then
        line=$(sed -n 's/^(gdb) \(handle .*\)/\1/p' "$MEND_TEST_ROOT/doc/debugging.md")
        rm said # the background shell opens it, at its own time
        mpiexec -n 1 gdb -q -batch -ex "$line" -ex run --args ./program hang : -n 1 sleep 100 >said 2>&1 </dev/null &
        job=$!
        until [ -s said ]; do sleep 0.05; done # before mpiexec runs the signal would end it
        until grep -q 'rank 0 .*in MPI_Recv: waits for' said; do # never, where gdb stops it
            kill -USR1 $job || fail "mpiexec with a rank in gdb"
            sleep 0.2
        done
        kill -TERM $job
        wait $job
    fi
    rm -f said
    mpiexec -v -n 2 ./program hang >said 2>&1 &
    job=$!
    until grep -qs 'rank 1: pid' said; do sleep 0.05; done
    pid=$(sed -n 's/mend: rank 0: pid \([0-9]*\),.*/\1/p' said)
    until gdb -q -batch -p "$pid" -ex bt >attached 2>&1 && grep -q MPI_Recv attached || # it is on its way there
        grep -qi 'not permitted' attached; do sleep 0.1; done
    grep -q 'main (' attached || grep -qi 'not permitted' attached || fail "attach: $(cat attached)"
    kill -TERM $job
    wait $job
fi
echo "all debugging checks passed"
