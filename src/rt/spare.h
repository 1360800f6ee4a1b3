/* SPDX-License-Identifier: BSD-3-Clause */
/* spare.h – a process that waits in MPI_Init until its agent needs it (mpiexec --spares, --copies).
 *
 * It is nobody yet: it has no name, no place in the segment, and nobody watches it.  The agent calls it with one
 * datagram, which has the environment that a rank is started with, as NAME=VALUE strings each ended by '\0', and four
 * descriptors: its input, output, error output, and the request that it is needed for (rt/spawn.h).  From there on it is a
 * process like one that was just started.
 *
 * An original (mpiexec --copies) is never called itself.  It says struct mend_copy_answer when it is in MPI_Init: whether
 * it can be copied.  The agent asks it for a copy with a datagram that has one
 * descriptor, a socket; another such answer comes on that socket.  If it is 0 the copy itself has sent it,
 * and is a spare that waits on this socket for its call.  If the socket ends there is no copy. */
#ifndef MEND_RT_SPARE_H
#define MEND_RT_SPARE_H

#include "proc/proc.h"

#include <sys/types.h>

#define MEND_SPARE_TEXT_MAX 32768
#define MEND_SPARE_FDS      4 /* input, output, error output, request */

#define MEND_SPARE_WAITS    "1" /* values of MEND_SPARE */
#define MEND_SPARE_ORIGINAL "original"

/* What an original has that fork does not copy, or not as a process of its own would have it. */
enum mend_copy_obstacle {
    MEND_COPY_THREADS = 1000, /* above the errno values */
    MEND_COPY_CHILDREN,
    MEND_COPY_DESCRIPTORS,
    MEND_COPY_SHARED
};

struct mend_copy_answer {
    uint32_t magic;
    int32_t error; /* 0, an errno value or an obstacle */
};

#define MEND_COPY_MAGIC 0x59504f43u

/* If this process is a spare: blocks until it is called, and takes what came with the call.  It ends here, silently, if
 * its agent goes: with the job, or dead.  False: the call was damaged. */
bool mend_spare_await(struct mend_proc *self);

/* A datagram of at most len bytes with n descriptors, as text that ends with '\0'; returns its length.  -1: there will
 * be none.  Blocks until it comes or the other end is closed, which the death of its process does. */
ssize_t mend_spare_receive(int ctl_fd, char *text, size_t len, int *fd, int n);

/* copy.c: an original makes copies of itself as its agent asks for them, and ends here with the agent.  Returns in the
 * copies: the socket of this one. */
int mend_spare_copies(struct mend_proc *self, int ctl_fd);

#endif
