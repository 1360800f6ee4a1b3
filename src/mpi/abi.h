/* SPDX-License-Identifier: BSD-3-Clause */
/* abi.h – information about the Fortran compiler that a Fortran layer has passed to the library. */
#ifndef MEND_MPI_ABI_H
#define MEND_MPI_ABI_H

#include <stdbool.h>

#define MEND_ABI_LOGICALS     5  /* sizes of 1, 2, 4, 8, 16 bytes */
#define MEND_ABI_FORTRAN_KEYS 23 /* the keys of MPI_Abi_get_fortran_info, in the order of abi.c */

/* Hangs from mend_proc.abi; NULL there means that nothing has been told. */
struct mend_abi {
    struct {
        bool set;
        unsigned char true_bytes[16], false_bytes[16]; /* .TRUE. and .FALSE. as memory */
    } logical[MEND_ABI_LOGICALS];                      /* by the logarithm of the size */
    bool fortran_set;
    int fortran[MEND_ABI_FORTRAN_KEYS]; /* a size in bytes, or 1 and 0 for true and false, -1:
                                           unsaid */
};

#endif
