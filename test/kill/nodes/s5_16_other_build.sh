# SPDX-License-Identifier: BSD-3-Clause
# s5_16_other_build.sh – a library of another build than mpiexec is refused with one sentence, whether the job has one agent or more,
# and nobody waits for what the other one does not understand.
#
# The other build is a copy of the library in which the number of the build is another one.
#
#   S5-16: nodes that do not fit together are refused in a sentence that names both
#
# RUN: ; expect "refused by 1 and by 2 agents" ; time 60
other=$MEND_TEST_TMP/lib
mkdir "$other" || exit 1

fail()
{
    echo "wrong: $*"
    exit 1
}

build=$(mend-info --abi | sed -n 's/^build  *\([0-9a-f]*\) .*/\1/p')
[ ${#build} = 16 ] || fail "mend-info names no build"
python3 - "$build" "$MEND_TEST_STAGE/lib/libmpi_abi.so.1" "$other/libmpi_abi.so.1" <<'EOF' || fail "the number is not in the library"
import sys
number = int(sys.argv[1], 16)
with open(sys.argv[2], "rb") as f:
    library = f.read()
mine, others = (n.to_bytes(8, "little") for n in (number, number ^ 1))
with open(sys.argv[3], "wb") as f:
    f.write(library.replace(mine, others))
sys.exit(mine not in library)
EOF

cat >"$MEND_TEST_TMP/hello.c" <<'EOF'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts("hello");
    MPI_Finalize();
    return 0;
}
EOF
mpicc -o "$MEND_TEST_TMP/hello" "$MEND_TEST_TMP/hello.c" || fail "does not compile"

# AGENTS: both ranks are refused, and the job ends.
try()
{
    said=$(LD_LIBRARY_PATH=$other timeout 20 mpiexec --machines "$1" -n 2 "$MEND_TEST_TMP/hello" 2>&1)
    status=$?
    [ $status != 0 ] && [ $status != 124 ] || fail "$1 agents: status $status: $said"
    case $said in
    *hello*) fail "$1 agents: a rank got through" ;;
    *"this library and the mpiexec that has started the program are of different builds of Mend"*) ;;
    *) fail "$1 agents: $said" ;;
    esac
}

try 1
try 2
echo "refused by 1 and by 2 agents"
