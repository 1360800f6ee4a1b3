/* SPDX-License-Identifier: BSD-3-Clause */
/* common.h – checks over any MPI, and the way back to a safe point.  Knows of Mend only the public header of the layer. */
#ifndef TEST_MPI_ROLLBACK_COMMON_H
#define TEST_MPI_ROLLBACK_COMMON_H

#include "mend_rollback.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, undone;
static jmp_buf safe_point;

#define CHECK(x_)                                                                                  \
    do {                                                                                           \
        if (!(x_)) {                                                                               \
            fprintf(stderr, "rank %d line %d: %s (%s)\n", rank, __LINE__, #x_, rollback_why());    \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

static void back(void *arg)
{
    (void)arg;
    undone++;
    longjmp(safe_point, 1);
}

#endif
