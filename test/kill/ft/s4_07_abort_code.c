/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of MPI_Abort is what the process and the launcher return, as main would: for the
 * whole job at once, also by a fatal error; for a part of it (the others finish well, and that
 * counts unless every death shall), and for a process that was started without a launcher.
 *
 *   S4-7: the abort code becomes the exit status
 *
 * RUN: -n 3 ; args world 42 ; exit 42
 * RUN: -n 3 ; args world 1 ; exit 1
 * RUN: -n 3 ; args world 255 ; exit 255
 * RUN: -n 2 ; args world 0 ; exit 0 ; expect "aborted the job with code 0"
 * RUN: -n 3 ; args world 256 ; exit 1
 * RUN: -n 3 ; args world -1 ; exit 255
 * RUN: -n 16 ; args world 259 ; exit 3
 * RUN: -n 3 ; args fatal 0 ; exit 6
 * RUN: -n 3 --strict-exit ; args self 43 ; exit 43 ; expect "rank 0 ok"
 * RUN: -n 3 --strict-exit ; args part 44 ; exit 44 ; expect "rank 0 ok"
 * RUN: -n 3 ; args part 44 ; exit 0 ; expect "rank 0 ok" ; expect "aborted with code 44"
 * RUN: -n 16 ; args part -2 ; exit 0 ; expect "rank 0 ok" ; expect "aborted with code -2"
 * RUN: -n 2 --strict-exit ; args self 0 ; exit 1 ; expect "rank 0 ok"
 * RUN: -n 2 --strict-exit ; args self 512 ; exit 1 ; expect "rank 0 ok"
 * RUN: -n 1 {prog} self 0 : -n 1 sh -c "$0 self 43; echo status $?; exit 0" {prog} ; expect "status 43"
 * RUN: alone ; args world 256 ; exit 1
 * RUN: alone ; args world -1 ; exit 255
 * RUN: alone ; args world 45 ; exit 45
 * RUN: alone ; args self 46 ; exit 46 */
#include "../common.h"

int main(int argc, char **argv)
{
    MPI_Comm part;
    int v, code;

    start(&argc, &argv);
    code = atoi(argv[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 && size > 1, rank, &part);
    if (rank == size - 1) {
        if (!strcmp(argv[1], "fatal")) {
            MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
            MPI_Send(&v, 1, MPI_INT, 9999, 0, MPI_COMM_WORLD);
        }
        MPI_Abort(!strcmp(argv[1], "world")  ? MPI_COMM_WORLD
                  : !strcmp(argv[1], "self") ? MPI_COMM_SELF
                                             : part,
                  code);
        CHECK(!"alive after MPI_Abort");
    }
    CHECK_CLASS(MPI_Recv(&v, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    return finish();
}
