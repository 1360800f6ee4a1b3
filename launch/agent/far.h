/* SPDX-License-Identifier: BSD-3-Clause */
/* far.h – processes of other nodes, as the agent of this one has them.
 *
 * Such a process has a name, and no place in the segment; its own agent starts it, watches it and tells its end.
 * Here it is what the log of facts (facts.h) and messages from its agent say. */
#ifndef MEND_LAUNCH_AGENT_FAR_H
#define MEND_LAUNCH_AGENT_FAR_H

#include "agent/agent.h"

/* Divides the ranks among the nodes, and makes those of others far.  In a job of one node all are of this one. */
void mend_far_open(struct agent *agent);

/* r, of which name and node are set, is a process of another node; the name i was given where this agent has missed it, and
 * its process never was. */
void mend_far_begin(struct mend_ranks *ranks, struct rank *r);
void mend_far_skip(struct mend_ranks *ranks, int i);

/* This node's agent takes connections: tells the root. */
void mend_far_ready(struct mend_ranks *ranks, const struct mend_tell *tell);

/* A message that concerns several nodes. */
void mend_far_hear(struct agent *agent, const struct mend_message *m);

/* r, of this node or of another job, has changed what it says of itself. */
void mend_far_tell_presence(struct agent *agent, struct rank *r);

/* When nothing is left here, the root is told. */
mend_time_ns mend_far_look(struct agent *agent, mend_time_ns now);

#endif
