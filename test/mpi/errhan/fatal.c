/* SPDX-License-Identifier: BSD-3-Clause */
/* The default handler (MPI-5.0 9.3): the job ends with a message that says which process, where, what, and
 * what to do next (S0-5, S4-11); an error without an object ends its process alone (S4-1, D16).
 *
 *   S0-5: a failure is fatal with the default error handler, and returned with another
 *   S4-1: a fatal error that no call can report ends its process alone
 *   S4-11: without spawned processes the connected ones are the world */
/* RUN: -n 3 ; args world ; exit 4 ; expect "MPI_Send on MPI_COMM_WORLD: MPI_ERR_TAG" ;
   expect "the 3 processes of MPI_COMM_WORLD end" ; expect "MPI_ERRORS_RETURN" */
/* RUN: -n 3 ; args self ; expect "MPI_ERR_GROUP" ; expect "this process ends" ;
   expect "others go on" */
/* RUN: -n 3 ; args abort ; exit 42 ; expect "MPI_Abort on MPI_COMM_WORLD with code 42" */
/* RUN: -n 3 ; args connected ; set FATAL_SCOPE=connected ; exit 9 ;
   expect "all processes of the job end" ; expect-no "others go on" */
/* RUN: -n 3 ; args file ; exit 13 ; expect "MPI_File_seek on a file: MPI_ERR_ARG" ;
   expect "the 3 processes of a file end" ; expect "MPI_File_set_errhandler" */
#include "../comm/common.h"

int main(int argc, char **argv)
{
    MPI_File file;
    int n;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(argv[1], "file")) {
        MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
        if (rank == 1)
            MPI_File_seek(file, 0, -1);
    }
    if (rank == 1 && !strcmp(argv[1], "world"))
        MPI_Send(NULL, 0, MPI_INT, 0, -1, MPI_COMM_WORLD);
    if (rank == 1 && !strcmp(argv[1], "abort"))
        MPI_Abort(MPI_COMM_WORLD, 42);
    if (rank == 1)
        MPI_Group_size(MPI_GROUP_NULL, &n);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Recv(&n, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                MPI_ERR_PROC_FAILED);
    puts("others go on");
    MPI_Finalize();
    return 0;
}
