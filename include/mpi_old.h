/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_old.h – what old programs still use and the standard ABI has no place for.
 *
 * Functions and constants that MPI-3.0 removed, and the conversion of handles and statuses from and
 * to Fortran integers.  New programs use what is named beside each.  Included by mpi.h unless
 * MEND_STANDARD_ONLY is defined.
 *
 * Constants have values outside the MPI Forum's ranges (handles from 0x1000, integers from 0x4000).
 */
#ifndef MEND_MPI_OLD_H
#define MEND_MPI_OLD_H

#include "mpi.h"

#include <stddef.h> /* NULL and size_t: programs count on mpi.h for them */

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------
 * Removed in MPI-3.0
 * -------------------------------------------------------------------------- */

/* Addresses and bounds: MPI_Get_address, MPI_Type_get_extent */
extern int MPI_Address(void *location, MPI_Aint *address);
extern int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent);
extern int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement);
extern int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement);

/* Constructors: MPI_Type_create_hvector, _hindexed, _struct */
extern int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                            MPI_Datatype *newtype);
extern int MPI_Type_hindexed(int count, int array_of_blocklengths[],
                             MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                             MPI_Datatype *newtype);
extern int MPI_Type_struct(int count, int array_of_blocklengths[],
                           MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[],
                           MPI_Datatype *newtype);

/* Bounds of a structure, as members of structures and nowhere else: MPI_Type_create_resized */
#define MPI_LB MEND_CAST(MPI_Datatype, 0x1000)
#define MPI_UB MEND_CAST(MPI_Datatype, 0x1001)

/* Answers of MPI_Type_get_envelope for types made in Fortran; never given */
#define MPI_COMBINER_HVECTOR_INTEGER  0x4000
#define MPI_COMBINER_HINDEXED_INTEGER 0x4001
#define MPI_COMBINER_STRUCT_INTEGER   0x4002

/* Error handlers: MPI_Comm_create_errhandler, _set_errhandler, _get_errhandler */
typedef void(MPI_Handler_function)(MPI_Comm *comm, int *error_code, ...);
extern int MPI_Errhandler_create(MPI_Handler_function *handler_fn, MPI_Errhandler *errhandler);
extern int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
extern int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);

/* --------------------------------------------------------------------------
 * Fortran integers: MPI_Comm_toint, MPI_Comm_fromint and so on
 * -------------------------------------------------------------------------- */

typedef int MPI_Fint;

/* Handles */
extern MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
extern MPI_Comm MPI_Comm_f2c(MPI_Fint comm);
extern MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler);
extern MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler);
extern MPI_Fint MPI_File_c2f(MPI_File file);
extern MPI_File MPI_File_f2c(MPI_Fint file);
extern MPI_Fint MPI_Group_c2f(MPI_Group group);
extern MPI_Group MPI_Group_f2c(MPI_Fint group);
extern MPI_Fint MPI_Info_c2f(MPI_Info info);
extern MPI_Info MPI_Info_f2c(MPI_Fint info);
extern MPI_Fint MPI_Message_c2f(MPI_Message message);
extern MPI_Message MPI_Message_f2c(MPI_Fint message);
extern MPI_Fint MPI_Op_c2f(MPI_Op op);
extern MPI_Op MPI_Op_f2c(MPI_Fint op);
extern MPI_Fint MPI_Request_c2f(MPI_Request request);
extern MPI_Request MPI_Request_f2c(MPI_Fint request);
extern MPI_Fint MPI_Session_c2f(MPI_Session session);
extern MPI_Session MPI_Session_f2c(MPI_Fint session);
extern MPI_Fint MPI_Type_c2f(MPI_Datatype datatype);
extern MPI_Datatype MPI_Type_f2c(MPI_Fint datatype);
extern MPI_Fint MPI_Win_c2f(MPI_Win win);
extern MPI_Win MPI_Win_f2c(MPI_Fint win);

/* Statuses.  All three forms are the same eight integers in the same order. */
typedef struct MPI_F08_status {
    MPI_Fint MPI_SOURCE;
    MPI_Fint MPI_TAG;
    MPI_Fint MPI_ERROR;
    MPI_Fint MPI_internal[5];
} MPI_F08_status;

#define MPI_F_STATUS_IGNORE     MEND_CAST(MPI_Fint *, 0)
#define MPI_F_STATUSES_IGNORE   MEND_CAST(MPI_Fint *, 0)
#define MPI_F08_STATUS_IGNORE   MEND_CAST(MPI_F08_status *, 0)
#define MPI_F08_STATUSES_IGNORE MEND_CAST(MPI_F08_status *, 0)

extern int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status);
extern int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status);
extern int MPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status);
extern int MPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status);
extern int MPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status);
extern int MPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status);

/* --------------------------------------------------------------------------
 * The PMPI_ twins
 * -------------------------------------------------------------------------- */

extern __typeof__(MPI_Address) PMPI_Address;
extern __typeof__(MPI_Type_extent) PMPI_Type_extent;
extern __typeof__(MPI_Type_lb) PMPI_Type_lb;
extern __typeof__(MPI_Type_ub) PMPI_Type_ub;
extern __typeof__(MPI_Type_hvector) PMPI_Type_hvector;
extern __typeof__(MPI_Type_hindexed) PMPI_Type_hindexed;
extern __typeof__(MPI_Type_struct) PMPI_Type_struct;
extern __typeof__(MPI_Errhandler_create) PMPI_Errhandler_create;
extern __typeof__(MPI_Errhandler_set) PMPI_Errhandler_set;
extern __typeof__(MPI_Errhandler_get) PMPI_Errhandler_get;
extern __typeof__(MPI_Comm_c2f) PMPI_Comm_c2f;
extern __typeof__(MPI_Comm_f2c) PMPI_Comm_f2c;
extern __typeof__(MPI_Errhandler_c2f) PMPI_Errhandler_c2f;
extern __typeof__(MPI_Errhandler_f2c) PMPI_Errhandler_f2c;
extern __typeof__(MPI_File_c2f) PMPI_File_c2f;
extern __typeof__(MPI_File_f2c) PMPI_File_f2c;
extern __typeof__(MPI_Group_c2f) PMPI_Group_c2f;
extern __typeof__(MPI_Group_f2c) PMPI_Group_f2c;
extern __typeof__(MPI_Info_c2f) PMPI_Info_c2f;
extern __typeof__(MPI_Info_f2c) PMPI_Info_f2c;
extern __typeof__(MPI_Message_c2f) PMPI_Message_c2f;
extern __typeof__(MPI_Message_f2c) PMPI_Message_f2c;
extern __typeof__(MPI_Op_c2f) PMPI_Op_c2f;
extern __typeof__(MPI_Op_f2c) PMPI_Op_f2c;
extern __typeof__(MPI_Request_c2f) PMPI_Request_c2f;
extern __typeof__(MPI_Request_f2c) PMPI_Request_f2c;
extern __typeof__(MPI_Session_c2f) PMPI_Session_c2f;
extern __typeof__(MPI_Session_f2c) PMPI_Session_f2c;
extern __typeof__(MPI_Type_c2f) PMPI_Type_c2f;
extern __typeof__(MPI_Type_f2c) PMPI_Type_f2c;
extern __typeof__(MPI_Win_c2f) PMPI_Win_c2f;
extern __typeof__(MPI_Win_f2c) PMPI_Win_f2c;
extern __typeof__(MPI_Status_c2f) PMPI_Status_c2f;
extern __typeof__(MPI_Status_f2c) PMPI_Status_f2c;
extern __typeof__(MPI_Status_c2f08) PMPI_Status_c2f08;
extern __typeof__(MPI_Status_f082c) PMPI_Status_f082c;
extern __typeof__(MPI_Status_f2f08) PMPI_Status_f2f08;
extern __typeof__(MPI_Status_f082f) PMPI_Status_f082f;

#ifdef __cplusplus
}
#endif

#endif
