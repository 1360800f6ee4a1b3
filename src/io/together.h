/* SPDX-License-Identifier: BSD-3-Clause */
/* together.h – collective reading and writing in two phases. */
#ifndef MEND_IO_TOGETHER_H
#define MEND_IO_TOGETHER_H

#include "io/move.h"
#include "req/request.h"

/* Whether collective calls of this kind exchange anything: the same at all members.  Else each moves its own data, and
 * depends on nobody. */
bool mend_file_gathers(const struct mend_file *f, bool write);

/* Collective over a file that gathers.  Begins to read or write from the etype `at` on; own_error: what is wrong with this
 * member's arguments, which then takes part without data.  Never NULL: the request's error and bytes are as those of
 * mend_file_move(), and MPI_ERR_INVALIDATED.  It completes when all survivors have begun the same call and what they exchange has
 * arrived; no death makes it fail (S0-50). */
struct mend_request *mend_file_begin_together(struct mend_file *f, bool write, MPI_Offset at,
                                              const struct mend_file_data *d, int own_error);

/* Waits until nothing of the kind is under way. */
void mend_file_drain(struct mend_file *f);

#endif
