/* SPDX-License-Identifier: BSD-3-Clause */
/* entry.h – what the log of facts says, carried out on this node (entry.c). */
#ifndef MEND_LAUNCH_AGENT_ENTRY_H
#define MEND_LAUNCH_AGENT_ENTRY_H

struct agent;
struct mend_fact;

/* By the main thread: the log has this entry. */
void mend_entry_apply(struct agent *agent, const struct mend_fact *entry);

#endif
