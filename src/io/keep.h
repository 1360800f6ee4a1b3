/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h – what this process has written since the last good sync, to be written again.
 *
 * When writing to a device fails, the system may drop the data, and the next attempt would seem to succeed (R33).  When a machine
 * fails, what its processes had written for others goes with it.  With the hint mend_keep_bytes a process keeps the bytes
 * of its own writes, and the places they went to, up to that many.  What comes behind that bound is not kept, and nothing is any
 * more until the next good sync: then a sync that fails stays failed, as without the hint. */
#ifndef MEND_IO_KEEP_H
#define MEND_IO_KEEP_H

#include "io/move.h"

#define MEND_KEEP_APART                                                                            \
    ((int64_t)64 << 20) /* bytes, without the hint, if not all members are on one machine */

/* bytes > 0 of the view's stream from `at` on were written: those of d, or `raw` as they are in the file. */
void mend_file_keep(struct mend_file *f, MPI_Offset at, MPI_Offset bytes,
                    const struct mend_file_data *d, const char *raw);

/* Whether what is written now is kept, if there is room. */
bool mend_file_keeps(const struct mend_file *f);

/* Something was written that is not kept, or could not be written. */
void mend_file_keep_not(struct mend_file *f);

/* A sync was good: everything is on the device. */
void mend_file_keep_begin(struct mend_file *f);

/* Writes it once more.  An errno value. */
int mend_file_write_again(struct mend_file *f);

#endif
