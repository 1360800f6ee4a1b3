/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.h – handles, pointers and integers.
 *
 *   handle          predefined: a small integer of the ABI       else: the address of the object
 *   integer         predefined: the same small integer           else: MEND_HANDLE_FIRST and up
 *
 * A number names an address for as long as the process lives, so MPI_X_toint() gives the same
 * object always the same number (MPI-5.0 20.4), and nobody has to tell this table when an object
 * goes: a function that gets a number checks the object's magic as with any other handle.  The table
 * grows with the number of different addresses that were ever converted.
 *
 * All classes of handles share the table: types, operators, requests and messages too. */
#ifndef MEND_COMM_HANDLE_H
#define MEND_COMM_HANDLE_H

#include "base/arena.h"
#include "comm/comm.h"

#define MEND_HANDLE_FIRST 0x10000 /* outside the ABI's range and that of mpi_old.h */

/* True if a handle can be the address of an object: neither predefined nor nonsense. */
static inline bool mend_handle_is_object(const void *handle)
{
    return (uintptr_t)handle >= MEND_HANDLE_FIRST && ((uintptr_t)handle & 15) == 0;
}

/* The mark of an object that a handle may have been for: what it stands in may be released by then, but stays mapped (base/arena.h), also in the
 * eyes of the address sanitizer. */
MEND_LOOKS_AT_RELEASED static inline uint32_t mend_handle_mark(const uint32_t *magic)
{
    return *magic;
}

/* The number of a handle, predefined or not.  0, which is never a handle: no memory. */
int mend_handle_toint(struct mend_proc *self, const void *handle);

/* The handle with this number.  NULL, which is never a handle: there is none. */
void *mend_handle_fromint(struct mend_proc *self, int number);

/* Object to handle: predefined objects give back their small integer. */
MPI_Comm mend_comm_handle(const struct mend_comm *c);    /* NULL: MPI_COMM_NULL */
MPI_Group mend_group_handle(const struct mend_group *g); /* NULL: MPI_GROUP_NULL */
MPI_Errhandler mend_errhandler_handle(const struct mend_errhandler *e);

#endif
