/* SPDX-License-Identifier: BSD-3-Clause */
/* parent.h – the call of an agent in a process of its own to the agent, or root, that it belongs to. */
#ifndef MEND_LAUNCH_AGENT_PARENT_H
#define MEND_LAUNCH_AGENT_PARENT_H

#include "agent/ranks.h"
#include "node/greeting.h"
#include "share/port.h"

struct mend_parent_call {
    const struct mend_address *to;
    const struct mend_nodes *nodes; /* whose node calls, and the key */
    enum mend_greeting_kind kind;
    uint64_t taken; /* bytes of its messages (share/wire.h) */
    mend_time_ns deadline;
    mend_time_ns
        again_until; /* until then it calls again if it is shown out before it is heard; 0: it does not */
};

/* A connection whose other end has proved that it is of this job, too.  -1: *why_p is what failed, errno why.  Waits until the
 * deadline at most. */
int mend_parent_call(const struct mend_parent_call *c, uint64_t *taken_there_p, const char **why_p);

#endif
