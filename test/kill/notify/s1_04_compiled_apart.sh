# SPDX-License-Identifier: BSD-3-Clause
# s1_04_compiled_apart.sh – the modules that know nothing of failures, here R of the tests and the statistics of the example, need
# nothing of the library but functions of the standard: their objects show it.
#
#   S1-4: a module that knows nothing of failures is interrupted unchanged
#
# RUN: ; expect "standard functions only"

# alone SOURCE FUNCTION: FUNCTION is one that it surely calls
alone()
{
    "$MEND_TEST_STAGE/bin/mpicc" -std=gnu17 -O2 -Wall -c -o module.o "$MEND_TEST_ROOT/$1" || exit 1
    nm -u module.o | awk '{ print $2 }' >needs
    grep -qx "$2" needs || { echo "$1 does not call $2: $(cat needs)"; exit 1; }
    if grep -iE 'mpi|mend' needs | grep -vE '^MPI_[A-Z][a-z_]+$'; then
        echo "$1 needs more than the standard has"
        exit 1
    fi
}

alone test/kill/notify/module_r.c MPI_Recv
alone example/modules/statistics.c MPI_Scatter
echo "standard functions only"
