/* SPDX-License-Identifier: BSD-3-Clause */
/* revoked.h – revocations of communicators that do not lie in one segment: from a rank to its agent, to the agents of all other nodes
 * and connected jobs, and into the segment of each (node/revoked.h).
 *
 * A rank says it in a datagram, so it does not matter what it does next, or whether it dies.  Between nodes it is a fact of
 * the log (facts.h), and the first node's agent tells all connected jobs what concerns several jobs; between jobs each agent that hears of it passes it on to those that are named, so all have it unless all that heard
 * are gone.  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_REVOKED_H
#define MEND_LAUNCH_AGENT_REVOKED_H

#include "agent/ranks.h"

struct mend_facts;
struct mend_links;
struct mend_tell;

struct mend_revoked {
    struct mend_ranks *ranks;
    const struct mend_tell *tell;
    struct mend_facts *facts; /* NULL: the job has one node */
    uint64_t n;               /* contexts in the segment */
};

/* A rank, or the agent of another job, says that `ctx` is revoked, which has members in these jobs. */
void mend_revoked_heard(struct mend_revoked *revoked, struct mend_links *links, uint64_t ctx,
                        const uint64_t *jobs, uint32_t n);

/* It is known on all nodes: the ranks of this one may see it. */
void mend_revoked_add(struct mend_revoked *revoked, uint64_t ctx);

#endif
