/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.h – which decisions the processes of a node have written down, for processes of all nodes (papers.c).  Main thread only. */
#ifndef MEND_LAUNCH_AGENT_PAPERS_H
#define MEND_LAUNCH_AGENT_PAPERS_H

#include "agent/ranks.h"
#include "share/message.h"

struct mend_papers;

/* Those of the ranks of this node.  In a job of one node none is looked for. */
struct mend_papers *mend_papers_new(struct mend_ranks *ranks, const struct mend_post *root);

/* r asks for the paper of an agreement; round: the number of its question, 0: only a paper is an answer. */
void mend_papers_asked(struct mend_papers *p, const struct rank *r, uint64_t mark, uint64_t seq,
                       uint32_t round);

/* r wants it no more. */
void mend_papers_decided(struct mend_papers *p, const struct rank *r, uint64_t mark, uint64_t seq);

/* A rank of this node has written a paper while one was wanted. */
void mend_papers_wrote(struct mend_papers *p);

/* The memory of r, which is dead, is about to be given back: from now on its papers are kept here. */
void mend_papers_keep(struct mend_papers *p, struct rank *r);

/* A message of another agent. */
void mend_papers_hear(struct mend_papers *p, const struct mend_message *m);

/* That node is lost. */
void mend_papers_lost(struct mend_papers *p, int32_t node);

/* Forgets questions of ranks that have ended, and says again what a rank had no room for; returns when to look again. */
mend_time_ns mend_papers_look(struct mend_papers *p, mend_time_ns now);

#endif
