/* SPDX-License-Identifier: BSD-3-Clause */
/* room.h – whether the machine still has memory for a piece.
 *
 * The kernel does not refuse pages of a memfd: asked for more than there is, it kills processes until there is
 * enough.  A caller that wants many pages therefore asks here first. */
#ifndef MEND_NODE_ROOM_H
#define MEND_NODE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* True if this many bytes are available, in the machine and in the control group (version 2) of this process, and some
 * are left for others.  What cannot be read does not count.  Two system calls or more. */
bool mend_node_has_room(uint64_t bytes);

/* For tests: the same with files of these names; NULL: there is none. */
bool mend_node_has_room_in(uint64_t bytes, const char *meminfo, const char *max, const char *used);

#endif
