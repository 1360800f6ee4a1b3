/* SPDX-License-Identifier: BSD-3-Clause */
/* move.h – bytes between memory and a file. */
#ifndef MEND_IO_MOVE_H
#define MEND_IO_MOVE_H

#include "io/file.h"

struct mend_file_data {
    void *buf;
    MPI_Count count;
    const struct mend_type *type;
};

/* How many etypes of the file the data is.  MPI_ERR_IO: not a whole number of them; or the error of the data representation. */
int mend_file_etypes(const struct mend_file *f, const struct mend_file_data *d,
                     MPI_Offset *etypes_p);

/* Reads, or writes, from the etype `at` of the view on.  *bytes_p: bytes of memory that were read or written, fewer than
 * asked for at the end of the file.  Waits for no other process but in atomic mode, where it waits until others are done with the file:
 * a death ends that, for the kernel takes the lock back.  Errors of the system as mend_file_errno(); those of writing
 * stay with the file (R33).  MPI_ERR_NO_MEM; MPI_ERR_INVALIDATED
 * if the file is revoked during that wait. */
int mend_file_move(struct mend_file *f, bool write, MPI_Offset at, const struct mend_file_data *d,
                   MPI_Count *bytes_p);

/* The class of an errno value of reading or writing; of writing it stays with the file. */
int mend_file_failed(struct mend_file *f, bool write, int error);

#endif
