/* SPDX-License-Identifier: BSD-3-Clause */
/* doorman.h – taking connections for the ranks of this node (doorman.c). */
#ifndef MEND_LAUNCH_AGENT_DOORMAN_H
#define MEND_LAUNCH_AGENT_DOORMAN_H

#include "agent/ranks.h"
#include "agent/sources.h"
#include "node/greeting.h"
#include "share/port.h"

struct mend_doorman;

/* What the calls of other agents go to. */
struct mend_agent_calls {
    void *to;
    /* Takes the connection of an agent, or its keeper, that has proved to be of this job; NULL: none calls here. */
    void (*take)(void *to, int fd, const struct mend_greeting *g);
    /* Which the agent of this node neither reaps nor sweeps away. */
    bool (*has_child)(const void *to, pid_t pid);
};

/* Opens a port at ranks->nodes.at, and sets its number there and in the segment, if that is there.  NULL: errno. */
struct mend_doorman *mend_doorman_open(struct mend_ranks *ranks, const struct mend_sources *sources,
                                       struct mend_port_range ports,
                                       const struct mend_agent_calls *agents);

/* A second one, at ranks->nodes.at as that is now; the first one stays.  False: errno. */
bool mend_doorman_open_more(struct mend_doorman *d, struct mend_port_range ports);

/* Somebody knocks; bytes of a caller have come. */
void mend_doorman_knock(struct mend_doorman *d);
void mend_doorman_hear(struct mend_doorman *d, int fd);

/* With the lock: lets in the callers at the port, 64 at most. */
void mend_doorman_before_verdict(struct mend_doorman *d);

/* Shows callers out that say nothing; returns when to look again.  NULL: there is nobody. */
mend_time_ns mend_doorman_look(struct mend_doorman *d, mend_time_ns now);

#endif
