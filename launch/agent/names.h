/* SPDX-License-Identifier: BSD-3-Clause */
/* names.h – names that ranks of a job of several nodes publish and look up (rt/names.h).
 *
 *   rank ── a file ──> agent ── UP_NAME ──> root ── DOWN_NAME ──> agent of the first node, on the machine of mpiexec: it has the
 *                                                                 names of all ranks, as files (rt/service.h)
 *   rank <── answer ── agent <── DOWN_PORT ── root <── UP_PORT ──┘
 *
 * So jobs whose mpiexec run on one machine have names in common, wherever their ranks are.  The publisher of a name is the first
 * agent for the rank: it removes the name with the entry of the log that says that the rank is dead, so a process that knows of the death
 * does not find the name; and all are gone with mpiexec. */
#ifndef MEND_LAUNCH_AGENT_NAMES_H
#define MEND_LAUNCH_AGENT_NAMES_H

#include "agent/ranks.h"
#include "ft/verdict.h"
#include "share/message.h"

struct mend_names;
struct mend_tell;

struct mend_names *mend_names_new(struct mend_ranks *ranks, const struct mend_tell *tell);

/* r asks; takes fd, which came with that; -1: none did. */
void mend_names_asked(struct mend_names *n, struct rank *r, int fd);

/* DOWN_NAME, at the agent of the first node; DOWN_PORT, at that of the rank that has asked. */
void mend_names_hear(struct mend_names *n, const struct mend_message *m);

/* At the agent of the first node: they are dead. */
void mend_names_died(struct mend_names *n, const struct mend_verdict *v, uint32_t dead_n);

#endif
