/* SPDX-License-Identifier: BSD-3-Clause */
/* spare.h – a process that waits in MPI_Init until its agent needs it (mpiexec --spares).
 *
 * It is nobody yet: it has no name, no place in the segment, and nobody watches it.  The agent calls it with one
 * datagram, which has the environment that a rank is started with, as NAME=VALUE strings each ended by '\0', and four
 * descriptors: its input, output, error output, and the request that it is needed for (rt/spawn.h).  From there on it is a
 * process like one that was just started. */
#ifndef MEND_RT_SPARE_H
#define MEND_RT_SPARE_H

#define MEND_SPARE_TEXT_MAX 32768
#define MEND_SPARE_FDS      4 /* input, output, error output, request */

/* If this process is a spare: blocks until it is called, and takes what came with the call.  It ends here, silently, if
 * its agent goes: with the job, or dead.  False: the call was damaged. */
bool mend_spare_await(void);

#endif
