/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls before MPI_Init and after MPI_Finalize end the process with a message, not with a crash. */
/* RUN: alone ; args before ; exit 1 ; expect "MPI_Comm_rank was called before MPI_Init" */
/* RUN: alone ; args after ; exit 1 ; expect "MPI_Send was called after MPI_Finalize" */
/* RUN: alone ; args info ; exit 1 ; expect "MPI_Info_free: MPI_ERR_INFO" */
/* RUN: alone ; args fine ; exit 0 ; expect "version 5.0" */
#include "../comm/common.h"

int main(int argc, char **argv)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Info none = MPI_INFO_NULL;
    int major, minor, flag = -1, n;

    if (!strcmp(argv[1], "before"))
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(argv[1], "info"))
        MPI_Info_free(&none);
    MPI_Get_version(&major, &minor);
    MPI_Get_library_version(text, &n);
    MPI_Initialized(&flag);
    if (flag || n != (int)strlen(text) || !strstr(text, "Mend"))
        return 2;
    printf("version %d.%d\n", major, minor);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Finalized(&flag);
    if (!flag)
        return 2;
    if (!strcmp(argv[1], "after"))
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return 0;
}
