/* SPDX-License-Identifier: BSD-3-Clause */
/* doorman.h – taking connections for the ranks of this node (doorman.c). */
#ifndef MEND_LAUNCH_AGENT_DOORMAN_H
#define MEND_LAUNCH_AGENT_DOORMAN_H

#include "agent/agent.h"

/* Opens a port at agent->nodes.at, and sets its number there and in the segment, if that is there.  False: with an errno value. */
bool mend_doorman_open(struct agent *agent);

/* Somebody knocks; bytes of a caller have come. */
void mend_doorman_knock(struct agent *agent);
void mend_doorman_hear(struct agent *agent, int fd);

/* With the lock: lets in the callers at the port, 64 at most. */
void mend_doorman_before_verdict(struct agent *agent);

/* Shows callers out that say nothing; returns when to look again. */
mend_time_ns mend_doorman_look(struct agent *agent, mend_time_ns now);

#endif
