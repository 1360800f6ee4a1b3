/* SPDX-License-Identifier: BSD-3-Clause */
/* far.h – processes of other nodes, as the agent of this one has them.
 *
 * Such a process has a name, and no place in the segment (vacancy.h); its own agent starts it, watches it and tells its end.
 * Here it is what the log of facts (facts.h) and messages from its agent say. */
#ifndef MEND_LAUNCH_AGENT_FAR_H
#define MEND_LAUNCH_AGENT_FAR_H

#include "base/status.h"

struct agent;
struct mend_message;
struct mend_ranks;
struct mend_tell;

/* This node's agent takes connections: tells the root. */
void mend_far_ready(struct mend_ranks *ranks, const struct mend_tell *tell);

/* A message that concerns several nodes. */
void mend_far_hear(struct agent *agent, const struct mend_message *m);

/* When nothing is left here, the root is told. */
mend_time_ns mend_far_look(struct agent *agent, mend_time_ns now);

#endif
