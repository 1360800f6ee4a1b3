/* SPDX-License-Identifier: BSD-3-Clause */
/* deprecated.c – functions of MPI-1 that were replaced: each calls what replaced it.
 *
 * Deprecated names of the standard (MPI-5.0 chapter 16), names that MPI-3.0 removed, and the
 * conversions from and to Fortran integers (mpi_old.h); MPI_Type_struct is in bounds.c.
 *
 * Errors are found and raised by the function that does the work.  All are local; none blocks, and
 * a death affects none of them. */
#include "mpi/check.h"

#include <string.h>

/* ---- Attributes of communicators ---- */

MEND_API(MPI_Keyval_create);
int MPI_Keyval_create(MPI_Copy_function *copy_fn, MPI_Delete_function *delete_fn, int *keyval,
                      void *extra_state)
{
    return PMPI_Comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}

MEND_API(MPI_Keyval_free);
int MPI_Keyval_free(int *keyval)
{
    return PMPI_Comm_free_keyval(keyval);
}

MEND_API(MPI_Attr_put);
int MPI_Attr_put(MPI_Comm comm, int keyval, void *attribute_val)
{
    return PMPI_Comm_set_attr(comm, keyval, attribute_val);
}

MEND_API(MPI_Attr_get);
int MPI_Attr_get(MPI_Comm comm, int keyval, void *attribute_val, int *flag)
{
    return PMPI_Comm_get_attr(comm, keyval, attribute_val, flag);
}

MEND_API(MPI_Attr_delete);
int MPI_Attr_delete(MPI_Comm comm, int keyval)
{
    return PMPI_Comm_delete_attr(comm, keyval);
}

/* ---- Error handlers ---- */

MEND_API(MPI_Errhandler_create);
int MPI_Errhandler_create(MPI_Handler_function *handler_fn, MPI_Errhandler *errhandler)
{
    return PMPI_Comm_create_errhandler(handler_fn, errhandler);
}

MEND_API(MPI_Errhandler_set);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return PMPI_Comm_set_errhandler(comm, errhandler);
}

MEND_API(MPI_Errhandler_get);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return PMPI_Comm_get_errhandler(comm, errhandler);
}

/* ---- Addresses and bounds of datatypes ---- */

MEND_API(MPI_Address);
int MPI_Address(void *location, MPI_Aint *address)
{
    return PMPI_Get_address(location, address);
}

MEND_API(MPI_Type_extent);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
    MPI_Aint lb = 0;

    return PMPI_Type_get_extent(datatype, &lb, extent);
}

MEND_API(MPI_Type_lb);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent = 0;

    return PMPI_Type_get_extent(datatype, displacement, &extent);
}

MEND_API(MPI_Type_ub);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint lb = 0, extent = 0;
    int err = PMPI_Type_get_extent(datatype, &lb, displacement ? &extent : NULL);

    if (!err)
        *displacement = lb + extent;
    return err;
}

/* ---- Constructors of datatypes ---- */

MEND_API(MPI_Type_hvector);
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                     MPI_Datatype *newtype)
{
    return PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

MEND_API(MPI_Type_hindexed);
int MPI_Type_hindexed(int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                      MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype,
                                     newtype);
}

/* ---- Fortran integers ---- */

MEND_API(MPI_Comm_c2f);
MPI_Fint MPI_Comm_c2f(MPI_Comm comm)
{
    return PMPI_Comm_toint(comm);
}

MEND_API(MPI_Comm_f2c);
MPI_Comm MPI_Comm_f2c(MPI_Fint comm)
{
    return PMPI_Comm_fromint(comm);
}

MEND_API(MPI_Errhandler_c2f);
MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler)
{
    return PMPI_Errhandler_toint(errhandler);
}

MEND_API(MPI_Errhandler_f2c);
MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler)
{
    return PMPI_Errhandler_fromint(errhandler);
}

MEND_API(MPI_File_c2f);
MPI_Fint MPI_File_c2f(MPI_File file)
{
    return PMPI_File_toint(file);
}

MEND_API(MPI_File_f2c);
MPI_File MPI_File_f2c(MPI_Fint file)
{
    return PMPI_File_fromint(file);
}

MEND_API(MPI_Group_c2f);
MPI_Fint MPI_Group_c2f(MPI_Group group)
{
    return PMPI_Group_toint(group);
}

MEND_API(MPI_Group_f2c);
MPI_Group MPI_Group_f2c(MPI_Fint group)
{
    return PMPI_Group_fromint(group);
}

MEND_API(MPI_Info_c2f);
MPI_Fint MPI_Info_c2f(MPI_Info info)
{
    return PMPI_Info_toint(info);
}

MEND_API(MPI_Info_f2c);
MPI_Info MPI_Info_f2c(MPI_Fint info)
{
    return PMPI_Info_fromint(info);
}

MEND_API(MPI_Message_c2f);
MPI_Fint MPI_Message_c2f(MPI_Message message)
{
    return PMPI_Message_toint(message);
}

MEND_API(MPI_Message_f2c);
MPI_Message MPI_Message_f2c(MPI_Fint message)
{
    return PMPI_Message_fromint(message);
}

MEND_API(MPI_Op_c2f);
MPI_Fint MPI_Op_c2f(MPI_Op op)
{
    return PMPI_Op_toint(op);
}

MEND_API(MPI_Op_f2c);
MPI_Op MPI_Op_f2c(MPI_Fint op)
{
    return PMPI_Op_fromint(op);
}

MEND_API(MPI_Request_c2f);
MPI_Fint MPI_Request_c2f(MPI_Request request)
{
    return PMPI_Request_toint(request);
}

MEND_API(MPI_Request_f2c);
MPI_Request MPI_Request_f2c(MPI_Fint request)
{
    return PMPI_Request_fromint(request);
}

MEND_API(MPI_Session_c2f);
MPI_Fint MPI_Session_c2f(MPI_Session session)
{
    return PMPI_Session_toint(session);
}

MEND_API(MPI_Session_f2c);
MPI_Session MPI_Session_f2c(MPI_Fint session)
{
    return PMPI_Session_fromint(session);
}

MEND_API(MPI_Type_c2f);
MPI_Fint MPI_Type_c2f(MPI_Datatype datatype)
{
    return PMPI_Type_toint(datatype);
}

MEND_API(MPI_Type_f2c);
MPI_Datatype MPI_Type_f2c(MPI_Fint datatype)
{
    return PMPI_Type_fromint(datatype);
}

MEND_API(MPI_Win_c2f);
MPI_Fint MPI_Win_c2f(MPI_Win win)
{
    return PMPI_Win_toint(win);
}

MEND_API(MPI_Win_f2c);
MPI_Win MPI_Win_f2c(MPI_Fint win)
{
    return PMPI_Win_fromint(win);
}

/* All forms of a status are the same eight integers. */
_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "a Fortran status");
_Static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status), "a Fortran 2008 status");

static int copy_status(const void *from, void *to, const char *fn)
{
    int err = mend_enter_any(fn);

    if (!err && !(from && to))
        err = MPI_ERR_ARG;
    if (!err)
        memcpy(to, from, sizeof(MPI_Status));
    return mend_report(err, fn);
}

MEND_API(MPI_Status_c2f);
int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
    return copy_status(c_status, f_status, __func__);
}

MEND_API(MPI_Status_f2c);
int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
    return copy_status(f_status, c_status, __func__);
}

MEND_API(MPI_Status_c2f08);
int MPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
    return copy_status(c_status, f08_status, __func__);
}

MEND_API(MPI_Status_f082c);
int MPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{
    return copy_status(f08_status, c_status, __func__);
}

MEND_API(MPI_Status_f2f08);
int MPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{
    return copy_status(f_status, f08_status, __func__);
}

MEND_API(MPI_Status_f082f);
int MPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{
    return copy_status(f08_status, f_status, __func__);
}
