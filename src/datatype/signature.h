/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.h – the sequence of basic elements that a type consists of, in the order of packing. */
#ifndef MEND_DATATYPE_SIGNATURE_H
#define MEND_DATATYPE_SIGNATURE_H

#include "datatype/datatype.h"

/* n times the predefined type leaf, which is not a pair.  False: stop here. */
typedef bool mend_signature_fn(void *arg, const struct mend_type *leaf, MPI_Count n);

/* Calls fn for the elements of count copies of t, in order, in few pieces.  False: fn said stop. */
bool mend_signature_walk(const struct mend_type *t, MPI_Count count, mend_signature_fn *fn,
                         void *arg);

/* Basic elements in the first `bytes` packed bytes of an endless row of t, MPI_UNDEFINED if the
 * last one is not complete (MPI-5.0 5.1.11).  Also the reverse: bytes of that many elements, -1 if
 * no MPI_Count holds them. */
MPI_Count mend_signature_elements(const struct mend_type *t, MPI_Count bytes);
MPI_Count mend_signature_bytes(const struct mend_type *t, MPI_Count elements);

#endif
