/* SPDX-License-Identifier: BSD-3-Clause */
/* uring.h – the kernel reads and writes while the program computes (io_uring, by liburing).
 *
 *   this process   move ──> queue of orders                        queue of results ──> take
 *   the kernel                    └──> a thread of its own copies ──> result, bell ──┘
 *
 * A process has one such ring, while files use it.  The kernel may refuse it (an old one, a container's filter, no memory),
 * and the library may have been built without liburing: then nothing is ever begun, and files are read and written
 * in the call.  Orders go to threads of the kernel, also if the call would not wait for a device: copying is the work.
 *
 * What a death does: the kernel stops the copying of a process that dies, before it marks the death. */
#ifndef MEND_IO_URING_H
#define MEND_IO_URING_H

#include "proc/proc.h"

#include <sys/uio.h>

struct mend_uring_order {
    int fd;
    bool write;
    const struct iovec *piece; /* stays until the result is taken, and so does the memory */
    int n;
    int64_t offset;
};

/* Makes the ring with the first user; true: there is one.  put: as often as get was true; nothing is under way. */
bool mend_uring_get(struct mend_proc *self);
void mend_uring_put(struct mend_proc *self);

/* Local, does not block.  False: it was not begun, and nothing will be taken. */
bool mend_uring_begin(struct mend_proc *self, const struct mend_uring_order *o, void *tag);

/* The tag of an order that is done, NULL: there is none.  *result_p: bytes moved, or minus an errno value. */
void *mend_uring_take(struct mend_proc *self, int *result_p);

/* A result wakes this process where it sleeps in a wait. */
bool mend_uring_rings(const struct mend_proc *self);

#endif
