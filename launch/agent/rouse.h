/* SPDX-License-Identifier: BSD-3-Clause */
/* rouse.h – ringing ranks whose descriptors are readable (rouse.c). */
#ifndef MEND_LAUNCH_AGENT_ROUSE_H
#define MEND_LAUNCH_AGENT_ROUSE_H

#include "agent/agent.h"

/* Takes the epoll set that rings r from now on; fd -1: no number was left for it. */
void mend_rouse_take(struct agent *agent, struct rank *r, int fd);

/* An event of its set has come. */
void mend_rouse_look(struct agent *agent, struct rank *r);

/* Wakes it. */
void mend_rouse_ring(struct agent *agent, const struct rank *r);

/* Gives up its set, if it has one. */
void mend_rouse_drop(struct agent *agent, struct rank *r);

#endif
