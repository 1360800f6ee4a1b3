/* SPDX-License-Identifier: BSD-3-Clause */
/* class.h – the class of an error, for programs under the simulator, and what programs of modules ask of it. */
#ifndef MEND_TEST_SIM_CLASS_H
#define MEND_TEST_SIM_CLASS_H

#include <mpi.h>
#include <mpi_ft.h>

static inline int class_of(int err)
{
    int class = err;

    if (err)
        MPI_Error_class(err, &class);
    return class;
}

static inline int is_failure(int class)
{
    return class == MPI_ERR_PROC_FAILED || class == MPI_ERR_REVOKED;
}

/* The class of the error. */
static inline int add_up(MPI_Comm comm, int mine, int *sum)
{
    return class_of(MPI_Allreduce(&mine, sum, 1, MPI_INT, MPI_SUM, comm));
}

#endif
