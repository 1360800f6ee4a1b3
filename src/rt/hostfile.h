/* SPDX-License-Identifier: BSD-3-Clause */
/* hostfile.h – the hint `hostfile` of MPI_Comm_spawn: a list of hosts as `mpiexec --hostfile` takes it (base/host_text.h).
 *
 *   m1 slots=4                      m1:4
 *   ann@[fd77::2]:2 max_slots=8     [fd77::2]:2     no agent is started, so that is all that matters
 *   m3  # a comment                 m3
 *
 * The process that asks reads the file; its agent, and the root, get the value of the hint `host` that means the same. */
#ifndef MEND_RT_HOSTFILE_H
#define MEND_RT_HOSTFILE_H

#include <stddef.h>

/* That value, the caller's (free()).  NULL: *why says in words what is wrong with the file. */
char *mend_hostfile_read(const char *path, char *why, size_t size);

/* The same of a file's text, which is changed. */
char *mend_hostfile_list(char *text, const char *path, char *why, size_t size);

#endif
