/* SPDX-License-Identifier: BSD-3-Clause */
/* abi.c – the ABI's own functions (MPI-5.0 chapter 20): its version, sizes, and Fortran's types (comm/abi.h).
 *
 * All of them may be called at any time, also before MPI_Init and after MPI_Finalize; none is
 * collective, blocks, or is affected by a death. */
#include "mpi/check.h"

#include "comm/abi.h"

MEND_API(MPI_Abi_get_version);
int MPI_Abi_get_version(int *abi_major, int *abi_minor)
{
    int err = mend_enter_any(__func__);

    if (!err && !(abi_major && abi_minor))
        err = MPI_ERR_ARG;
    if (!err) {
        *abi_major = MPI_ABI_VERSION;
        *abi_minor = MPI_ABI_SUBVERSION;
    }
    return mend_report(err, __func__);
}

/* The caller frees the info object. */
MEND_API(MPI_Abi_get_info);
int MPI_Abi_get_info(MPI_Info *info)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    if (!err)
        err = mend_abi_sizes(mend_self, &i);
    if (!err)
        *info = (MPI_Info)i;
    return mend_report(err, __func__);
}

/* *info is MPI_INFO_NULL as long as nothing has been told.  The caller frees it. */
MEND_API(MPI_Abi_get_fortran_info);
int MPI_Abi_get_fortran_info(MPI_Info *info)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_pointer(info);
    if (!err)
        err = mend_abi_fortran(mend_self, &i);
    if (!err)
        *info = i ? (MPI_Info)i : MPI_INFO_NULL;
    return mend_report(err, __func__);
}

/* The info object stays the caller's. */
MEND_API(MPI_Abi_set_fortran_info);
int MPI_Abi_set_fortran_info(MPI_Info info)
{
    struct mend_info *i = NULL;
    int err = mend_enter_any(__func__);

    if (!err)
        err = mend_check_info(info, &i);
    if (!err)
        err = mend_abi_set_fortran(mend_self, i);
    return mend_report(err, __func__);
}

/* Writes .TRUE. and .FALSE. if they have been told, and *is_set whether they have been. */
MEND_API(MPI_Abi_get_fortran_booleans);
int MPI_Abi_get_fortran_booleans(int logical_size, void *logical_true, void *logical_false,
                                 int *is_set)
{
    bool set = false;
    int err = mend_enter_any(__func__);

    if (!err && !(logical_true && logical_false && is_set))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_abi_logical(mend_self, logical_size, logical_true, logical_false, &set);
    if (!err)
        *is_set = set;
    return mend_report(err, __func__);
}

/* Tells the library what a LOGICAL of that size looks like in memory. */
MEND_API(MPI_Abi_set_fortran_booleans);
int MPI_Abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
    int err = mend_enter_any(__func__);

    if (!err && !(logical_true && logical_false))
        err = MPI_ERR_ARG;
    if (!err)
        err = mend_abi_set_logical(mend_self, logical_size, logical_true, logical_false);
    return mend_report(err, __func__);
}
