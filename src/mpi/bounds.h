/* SPDX-License-Identifier: BSD-3-Clause */
/* bounds.h – structures with MPI_LB and MPI_UB among their members. */
#ifndef MEND_MPI_BOUNDS_H
#define MEND_MPI_BOUNDS_H

#include "mpi.h"

#include <stdbool.h>

/* True if one of the types is MPI_LB or MPI_UB. */
bool mend_bounds_given(int count, const MPI_Datatype *types);

/* What MPI_Type_struct and MPI_Type_create_struct make of members with MPI_LB and MPI_UB among them: a structure of the
 * others (PMPI_Type_create_struct), resized to the lowest MPI_LB and the highest MPI_UB.  A bound
 * that is not given is the structure's own.  Errors are raised by the calls it makes, and returned.
 * Local.  Does not hold the library's lock. */
int mend_bounds_struct(int count, const int *lens, const MPI_Aint *displs,
                       const MPI_Datatype *types, MPI_Datatype *newtype_p);

#endif
