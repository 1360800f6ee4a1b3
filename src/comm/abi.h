/* SPDX-License-Identifier: BSD-3-Clause */
/* abi.h – what the ABI tells of itself, and what a Fortran layer has told of its compiler (MPI-5.0 chapter 20).
 *
 * The library is C and independent of Fortran compilers.  A Fortran layer on top of it may describe its compiler's
 * types, once, and others may query them.  The description must agree with the predefined Fortran datatypes of the
 * library.  All local, and possible before MPI_Init and after MPI_Finalize. */
#ifndef MEND_COMM_ABI_H
#define MEND_COMM_ABI_H

#include "comm/info.h"

/* The sizes of the ABI's integers.  The caller's.  MPI_ERR_NO_MEM. */
int mend_abi_sizes(struct mend_proc *self, struct mend_info **info_p);

/* Tells the library about Fortran's types.  MPI_ERR_INFO_VALUE: something else than a size, or than "true" and "false";
 * MPI_ERR_ABI: something else has been told before, or a size differs from the library's; MPI_ERR_NO_MEM. */
int mend_abi_set_fortran(struct mend_proc *self, const struct mend_info *info);

/* What has been told; *info_p NULL: nothing.  The caller's.  MPI_ERR_NO_MEM. */
int mend_abi_fortran(struct mend_proc *self, struct mend_info **info_p);

/* .TRUE. and .FALSE. of a LOGICAL of that size as memory; *set_p: whether they have been told, and are written.
 * MPI_ERR_ARG: no such size; MPI_ERR_ABI: something else has been told before; MPI_ERR_NO_MEM. */
int mend_abi_set_logical(struct mend_proc *self, int size_bytes, const void *true_bytes,
                         const void *false_bytes);
int mend_abi_logical(struct mend_proc *self, int size_bytes, void *true_bytes, void *false_bytes,
                     bool *set_p);

#endif
