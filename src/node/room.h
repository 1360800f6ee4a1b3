/* SPDX-License-Identifier: BSD-3-Clause */
/* room.h – whether the machine still has memory for a piece.
 *
 * The kernel does not refuse pages of a memfd: asked for more than there is, it kills processes until there is
 * enough.  A caller that wants many pages therefore asks here first. */
#ifndef MEND_NODE_ROOM_H
#define MEND_NODE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* Of what is available so much is left for programs that do not ask. */
#define MEND_NODE_LEFT_FOR_OTHERS (UINT64_C(64) << 20)

/* True if this many bytes are available, in the machine and in each control group (of either version) that this process
 * is in, and some are left for others.  What cannot be read does not count.  A few system calls. */
bool mend_node_has_room(uint64_t bytes);

/* For tests: the same with a file for /proc/meminfo, one for /proc/self/cgroup, and a folder for /sys/fs/cgroup. */
bool mend_node_has_room_in(uint64_t bytes, const char *meminfo, const char *cgroup,
                           const char *mount);

#endif
