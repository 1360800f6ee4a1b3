# SPDX-License-Identifier: BSD-3-Clause
# scripts.sh – the script that doc/scripts.md shows tells a good job from a bad one (R22): a loss that the
# program handles, one that it does not, a job without a result, a hang.
#
#   R22: the job's status is 0 only if all deaths were handled
#
# RUN: ; expect "the script of doc/scripts.md does what is said" ; time 60

cat >solver.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = getenv("HOW");
    int rank;
    MPI_Comm survivors;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && strcmp(how, "no-result"))
        raise(strcmp(how, "crash") ? SIGKILL : SIGSEGV);
    if (!strcmp(how, "handled"))
        MPIX_Comm_shrink(MPI_COMM_WORLD, &survivors);
    if (!strcmp(how, "hang"))
        MPI_Recv(&rank, 1, MPI_INT, rank == 0 ? 2 : 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0 && strcmp(how, "no-result")) {
        FILE *f = fopen("result.new", "w");

        if (!f || fputs("42\n", f) < 0 || fclose(f) || rename("result.new", argv[2]))
            abort();
    }
    return MPI_Finalize();
}
C
ulimit -c 0
mpicc -Wall -Werror -o solver solver.c || exit 1
sed -n '/^```sh$/,/^```$/p' "$MEND_TEST_ROOT/doc/scripts.md" | grep -v '^```' | sed 's/3600/5/' >job.sh
grep -q mpiexec job.sh || exit 1

# try HOW STATUS WORDS: what the script of the page makes of it
try()
{
    HOW=$1 sh job.sh >said 2>&1
    ended=$?
    [ $ended = "$2" ] && grep -q "$3" said || {
        echo "wrong: $1: status $ended, not $2, or it does not say: $3"
        cat said
        exit 1
    }
}
try handled 0 'rank 1'
try ignored 1 'killed: out of memory?'
try crash 139 'status 139'
try no-result 1 'no result'
try hang 124 'status 124'
echo "the script of doc/scripts.md does what is said"
