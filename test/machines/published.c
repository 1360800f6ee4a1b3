/* SPDX-License-Identifier: BSD-3-Clause */
/* For test_names.py: rank 0 publishes a name and stays, `publish NAME`; or says what it finds, `find NAME`. */
/* RUN: none */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void stay(const char *name)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name(name, MPI_INFO_NULL, port);
        printf("up %s\n", port);
        fflush(stdout);
    }
    for (;;)
        pause();
}

static int find(const char *name)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int err;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    err = MPI_Lookup_name(name, MPI_INFO_NULL, port);
    if (err == MPI_SUCCESS || err == MPI_ERR_NAME)
        printf("%s\n", err ? "nothing" : port);
    return MPI_Finalize();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!strcmp(argv[1], "publish"))
        stay(argv[2]);
    return find(argv[2]);
}
