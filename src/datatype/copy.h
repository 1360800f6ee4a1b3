/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h – the inner loops of pack and unpack, in both directions.
 *
 * `mem` is memory with gaps, `stream` is packed bytes.  All move n pieces and assume n > 0.  The order
 * of the copies is theirs: pieces that are written must not overlap (MPI-5.0 5.1.11). */
#ifndef MEND_DATATYPE_COPY_H
#define MEND_DATATYPE_COPY_H

#include "datatype/datatype.h"

struct mend_mover {
    void (*bytes)(char *mem, char *stream, size_t len);
    /* Pieces of len bytes, stride bytes apart. */
    void (*loop)(char *mem, char *stream, MPI_Count n, MPI_Count stride, size_t len);
    /* Pieces of len bytes at mem + displs[i]. */
    void (*at)(char *mem, char *stream, MPI_Count n, const MPI_Count *displs, size_t len);
    /* Pieces of starts[i + 1] - starts[i] bytes at mem + displs[i]. */
    void (*pieces)(char *mem, char *stream, MPI_Count n, const MPI_Count *displs,
                   const MPI_Count *starts);
    /* An array of n structures of such pieces, stride bytes apart. */
    void (*structs)(char *mem, char *stream, MPI_Count n, MPI_Count stride, MPI_Count pieces,
                    const MPI_Count *displs, const MPI_Count *starts);
};

extern const struct mend_mover mend_mover_pack, mend_mover_unpack;

#endif
