/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h – what all test programs that call MPI share.
 *
 * A check that fails says on which rank and where, and ends the job with status 1. */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include "../src/base/expect.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>

static int rank, size;  /* in MPI_COMM_WORLD */
static char doing[256]; /* the case at hand, for messages; may stay empty */

static void check_fails(const char *file, int line, const char *func, const char *format, ...)
{
    char text[4096];
    va_list args;

    (void)func;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "rank %d of %d: %s:%d: %s%s%s\n", rank, size, file, line, text,
            doing[0] ? ", doing " : "", doing);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static inline int class_of(int code)
{
    int class = code;

    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

/* The call answers with exactly this error class (MPI_SUCCESS: it succeeds).  */
#define CHECK_CLASS(call_, class_)                                                                 \
    do {                                                                                           \
        int got_ = class_of(call_);                                                                \
        if (got_ != (class_))                                                                      \
            CHECK_FAILS("%s gives class %#x, expected %s = %#x", #call_, (unsigned)got_, #class_,  \
                        (unsigned)(class_));                                                       \
    } while (0)

#define CHECK_OK(call_) CHECK_CLASS(call_, MPI_SUCCESS)

static inline void know_rank(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* The nodes of the job (mpiexec --machines); the first rank of node k; the node of a rank: those of a node follow each
 * other. */
static inline int nodes(void)
{
    const char *n = getenv("MEND_MACHINES");

    return n ? atoi(n) : 1;
}

static inline int first_of(int node)
{
    int more = size % nodes(); /* nodes with one rank more: the first */

    return size / nodes() * node + (node < more ? node : more);
}

static inline int node_of(int r)
{
    int node = 0;

    while (first_of(node + 1) <= r)
        node++;
    return node;
}

/* Errors of calls without a communicator are raised on MPI_COMM_SELF. */
static inline void return_errors(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

#endif
