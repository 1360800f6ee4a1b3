/* SPDX-License-Identifier: BSD-3-Clause */
/* later.h – nonblocking accesses that the kernel carries out while the program computes (uring.h).
 *
 * Only an access of one member to its own data is such a one: of few and large pieces, without conversion, not in atomic mode,
 * and not one whose data is kept (keep.h).  All others are done in the call.  On one core it would gain nothing to let the kernel
 * copy beside the program: the parameter FILE_ASYNC says when it does.
 *
 * Invariants: a request is in f->later while orders of it are under way, or plain calls carry out the rest; then its
 * buffers are in use, and nothing of it is afterwards; agreements on the file, sync and close come after all of them. */
#ifndef MEND_IO_LATER_H
#define MEND_IO_LATER_H

#include "io/move.h"

/* A run of the file, and what the kernel has done of it. */
struct mend_file_piece {
    struct mend_later *of;
    struct iovec *next; /* of memory, what is left of it */
    int n;
    int64_t offset, asked, done;
    int error;
};

/* What follows from a result of the kernel. */
enum mend_file_piece_step {
    MEND_PIECE_OVER,  /* all is done, or the file has ended, or there is an error */
    MEND_PIECE_AGAIN, /* the result was short: an order for the rest */
    MEND_PIECE_PLAIN, /* the kernel does not do it this way: a plain call for the rest */
};
enum mend_file_piece_step mend_file_piece_take(struct mend_file_piece *p, bool write, int result);

/* Local, does not block.  Begins to read or write d from the etype `at` of the view on.  NULL: it is to be done in the call,
 * nothing was begun.  The request ends as mend_file_move() would, when the kernel is done; no other process is needed. */
struct mend_request *mend_file_begin_later(struct mend_file *f, bool write, MPI_Offset at,
                                           const struct mend_file_data *d);

/* Waits until nothing of the kind is under way on this file; ends when the system is done with it, whichever processes die. */
void mend_file_finish_later(struct mend_file *f);

#endif
