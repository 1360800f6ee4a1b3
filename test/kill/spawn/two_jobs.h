/* SPDX-License-Identifier: BSD-3-Clause */
/* two_jobs.h – what the programs of tests with two connected jobs share.  A script compiles such a program, starts it as the
 * host and as the guest, and reads what it prints; a check that fails ends the process with status 3. */
#ifndef TEST_KILL_SPAWN_TWO_JOBS_H
#define TEST_KILL_SPAWN_TWO_JOBS_H

#include <mpi.h>
#include <mpi_ft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            printf("wrong: line %d: " #what "\n", __LINE__);                                       \
            fflush(stdout);                                                                        \
            _exit(3);                                                                              \
        }                                                                                          \
    } while (0)

static inline int class_of(int err)
{
    MPI_Error_class(err, &err);
    return err;
}

/* What an operation gives that a death, or a process that has given up, may prevent. */
static inline int is_usual(int err)
{
    return err == MPI_SUCCESS || class_of(err) == MPI_ERR_PROC_FAILED ||
           class_of(err) == MPI_ERR_INVALIDATED;
}

/* The name of a port goes from the host to the guest in the file "port"; that of an earlier one becomes "port.old". */
static inline void say(const char *text)
{
    FILE *f = fopen("port.new", "w");

    fputs(text, f);
    fclose(f);
    rename("port", "port.old");
    rename("port.new", "port");
}

static inline void hear(char *text)
{
    FILE *f;

    while (!(f = fopen("port", "r")))
        usleep(1000);
    CHECK(fgets(text, MPI_MAX_PORT_NAME, f));
    fclose(f);
}

/* A communicator of both jobs, the host's ranks first, that returns errors. */
static inline MPI_Comm connect_all(int host)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter, both;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && host) {
        MPI_Open_port(MPI_INFO_NULL, port);
        say(port);
    } else if (rank == 0) {
        hear(port);
    }
    CHECK((host ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)
                : MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) == MPI_SUCCESS);
    CHECK(MPI_Intercomm_merge(inter, !host, &both) == MPI_SUCCESS);
    MPI_Comm_free(&inter);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    return both;
}

#endif
