/* SPDX-License-Identifier: BSD-3-Clause */
/* class.h – the class of an error, for programs under the simulator. */
#ifndef MEND_TEST_SIM_CLASS_H
#define MEND_TEST_SIM_CLASS_H

#include <mpi.h>

static inline int class_of(int err)
{
    int class = err;

    if (err)
        MPI_Error_class(err, &class);
    return class;
}

#endif
