/* SPDX-License-Identifier: BSD-3-Clause */
/* tally.h – numbers that the job keeps for its ranks: what the agent has to do with them.
 *
 *   rank ── TALLY ──> agent ── UP_TALLY ──> root, which has them (root/tally.c) ── DOWN_TALLIED ──> agent ──> two words of the rank
 *
 * So a number outlives all processes and nodes but the root's, whose loss ends the job. */
#ifndef MEND_LAUNCH_AGENT_TALLY_H
#define MEND_LAUNCH_AGENT_TALLY_H

#include "agent/ranks.h"
#include "share/message.h"

struct mend_ctl;

/* A datagram of r. */
void mend_tally_ask(const struct mend_post *root, const struct rank *r, const struct mend_ctl *m);

/* The answer for a rank of this node, which may be dead. */
void mend_tally_answer(struct mend_ranks *ranks, const struct mend_message *m);

#endif
