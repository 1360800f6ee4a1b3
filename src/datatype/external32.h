/* SPDX-License-Identifier: BSD-3-Clause */
/* external32.h – the data representation that all MPI libraries agree on (MPI-5.0 14.5.2). */
#ifndef MEND_DATATYPE_EXTERNAL32_H
#define MEND_DATATYPE_EXTERNAL32_H

#include "datatype/datatype.h"

/* Bytes of count elements; -1: more than fit into an MPI_Count. */
MPI_Count mend_external_size(const struct mend_type *t, MPI_Count count);

/* Writes and reads exactly that many bytes.  The type is committed. */
void mend_external_pack(const struct mend_type *t, const void *buf, MPI_Count count, void *out);
void mend_external_unpack(const struct mend_type *t, void *buf, MPI_Count count, const void *in);

#endif
