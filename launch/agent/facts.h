/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.h – one log of facts for all nodes of a job: ft/log_sm.h, driven by the agent of a node.
 *
 *   watcher, main thread ── a set of deaths, an abort ──> due ── main thread ──> log ── messages ──> agent of the first node
 *   log ── entry, in one order everywhere ──> segment of this node, its ranks interrupted
 *
 * In a job of one node there is none: verdict.c publishes at once.  Main thread only, except where it says otherwise. */
#ifndef MEND_LAUNCH_AGENT_FACTS_H
#define MEND_LAUNCH_AGENT_FACTS_H

#include "agent/ranks.h"
#include "agent/sources.h"
#include "agent/tell.h"
#include "ft/log_sm.h"

struct mend_facts;

/* What it needs of the agent. */
struct mend_facts_needs {
    struct mend_ranks *ranks;
    const struct mend_tell *tell;
    const struct mend_sources *sources;
    void *self;
    void (*apply)(void *self, const struct mend_fact *entry); /* it is in the log: entry.c */
    void (*read)(
        void *self,
        struct rank *r); /* what it has said so far: what it has revoked is so before its death */
};

/* The ranks have their nodes.  At the first node the log waits for the agents of all others, and says whose the ranks are. */
struct mend_facts *mend_facts_open(const struct mend_facts_needs *with);

/* The agents of all nodes are there. */
void mend_facts_join(struct mend_facts *f);

/* With the lock, by any thread: these processes of this node are dead, together.  The caller notes that (sources.h) when it has
 * released the lock: a main thread that is woken before waits for it, and then for a core. */
void mend_facts_die(struct mend_facts *f, const struct mend_verdict *v, int n);

/* The same; why r, of this node, has died is known now. */
void mend_facts_explain(struct mend_facts *f, const struct rank *r);

/* A rank ends these processes, some of which are of other nodes. */
void mend_facts_abort(struct mend_facts *f, const uint64_t *set, uint32_t words,
                      struct mend_abort what);

/* A rank of this node says that the context is revoked. */
void mend_facts_revoke(struct mend_facts *f, uint64_t ctx);

/* r, of this node or another job, says that it is so far in MPI: the other nodes hear of it, and the log whether it has left. */
void mend_facts_presence(struct mend_facts *f, const struct rank *r, enum mend_presence presence);

/* These, which have left MPI and were not told of so before, have ended. */
void mend_facts_end(struct mend_facts *f, struct rank *const *r, int n);

/* At the first node: n processes from `first` on are of that node; the root is told when the log has them. */
void mend_facts_name(struct mend_facts *f, int32_t node, int32_t first, int32_t n);

/* At the first node: the processes of another one are gone. */
void mend_facts_lost(struct mend_facts *f, int32_t node);

/* A message of the log from the agent of another node. */
void mend_facts_hear(struct mend_facts *f, int32_t from, const void *data, size_t len);

/* Says what the log knows, beside what the ranks wait for. */
void mend_facts_print(struct mend_facts *f);

/* At the end: asserts that the log is sound. */
void mend_facts_close(struct mend_facts *f);

/* Proposes what is due.  Returns when to look again. */
mend_time_ns mend_facts_look(struct mend_facts *f, mend_time_ns now);

/* Something was proposed of which the log says nothing yet. */
bool mend_facts_pending(struct mend_facts *f);

#endif
