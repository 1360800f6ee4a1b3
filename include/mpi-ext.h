/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-ext.h – the name under which programs look for fault tolerance, and the macros by which they
 * find out that it is there.  The declarations are in mpi_ft.h.
 */
#ifndef MEND_MPI_EXT_H
#define MEND_MPI_EXT_H

#include "mpi.h"
#include "mpi_ft.h"

/* Existing programs test for these. */
#define OMPI_HAVE_MPI_EXT_FTMPI        1
#define OMPI_HAVE_MPIX_COMM_GET_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ACK_FAILED 1
#define OMPI_HAVE_MPIX_COMM_ISHRINK    1

#endif
