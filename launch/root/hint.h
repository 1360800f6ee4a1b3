/* SPDX-License-Identifier: BSD-3-Clause */
/* hint.h – the hint `host` of a request for processes. */
#ifndef MEND_LAUNCH_ROOT_HINT_H
#define MEND_LAUNCH_ROOT_HINT_H

#include "root/root.h"

/* The nodes that it names, for a process of node `by`: *on_p, whose memory the caller frees in any case.  False: one of them is not
 * there, as *why says. */
bool mend_root_read_hint(const struct root *root, int by, const char *host,
                         struct mend_hosts_list *on_p, char *why, size_t size);

/* The name of a node's host, as the user or else the machine itself has it. */
const char *mend_root_host_of(const struct root *root, int node);

#endif
