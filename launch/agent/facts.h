/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.h – one log of facts for all nodes of a job: ft/log_sm.h, driven by the agent of a node.
 *
 *   watcher, main thread ── a set of deaths, an abort ──> due ── main thread ──> log ── messages ──> agent of the first node
 *   log ── entry, in one order everywhere ──> segment of this node, its ranks interrupted
 *
 * In a job of one node there is none: verdict.c publishes at once.  Main thread only, except where it says otherwise. */
#ifndef MEND_LAUNCH_AGENT_FACTS_H
#define MEND_LAUNCH_AGENT_FACTS_H

#include "agent/agent.h"

void mend_facts_open(struct agent *agent);

/* The agents of all nodes are there. */
void mend_facts_join(struct agent *agent);

/* With the lock, by any thread: these processes of this node are dead, together; the main thread is woken. */
void mend_facts_die(struct agent *agent, const struct mend_verdict *v, int n);

/* With the lock, by any thread: why r, of this node, has died is known now. */
void mend_facts_explain(struct agent *agent, const struct rank *r);

/* A rank ends these processes, some of which are of other nodes. */
void mend_facts_abort(struct agent *agent, const uint64_t *set, uint32_t words,
                      struct mend_abort what);

/* A rank of this node says that the context is revoked. */
void mend_facts_revoke(struct agent *agent, uint64_t ctx);

/* r, of this node, says that it is so far in MPI. */
void mend_facts_presence(struct agent *agent, const struct rank *r, enum mend_presence presence);

/* These, which have left MPI and were not told of so before, have ended. */
void mend_facts_end(struct agent *agent, struct rank *const *r, int n);

/* At the first node: n processes from `first` on are of that node; the root is told when the log has them. */
void mend_facts_name(struct agent *agent, int32_t node, int32_t first, int32_t n);

/* At the first node: the processes of another one are gone. */
void mend_facts_lost(struct agent *agent, int32_t node);

/* A message of the log from the agent of another node. */
void mend_facts_hear(struct agent *agent, int32_t from, const void *data, size_t len);

/* Says what the log knows, beside what the ranks wait for. */
void mend_facts_print(struct agent *agent);

/* At the end: asserts that the log is sound. */
void mend_facts_close(struct agent *agent);

/* Proposes what is due.  Returns when to look again. */
mend_time_ns mend_facts_look(struct agent *agent, mend_time_ns now);

/* Something was proposed of which the log says nothing yet. */
bool mend_facts_pending(struct agent *agent);

#endif
