/* SPDX-License-Identifier: BSD-3-Clause */
/* papers.h – memory for what members say that share a node, and have no cell: where it lies, nobody has to agree on.
 * The idea stands in papers.c.
 *
 * A paper is MEND_NODE_PAPER_BYTES, cleared, and written by its member only; what lies there is the caller's.  None of
 * these blocks.  A process that finds no pages for its paper ends, because the others would wait for it; so a creation asks
 * mend_papers_room() first, and vetoes without room. */
#ifndef MEND_NODE_PAPERS_H
#define MEND_NODE_PAPERS_H

#include "proc/proc.h"

struct mend_papers;

/* The papers of n members under a mark, which is not 0 and never used again; `me` is this process.  To be completed by
 * mend_papers_set_member() for each member.  Its end is mend_papers_close(). */
struct mend_papers *mend_papers_make(struct mend_proc *self, uint64_t mark, int n, int me);
void mend_papers_set_member(struct mend_papers *p, int rank, mend_peer peer);

/* True if one more paper can be taken: its pages are there from now on. */
bool mend_papers_room(struct mend_proc *self);

/* Takes this process's paper, if it has none yet: to be called before it says anything. */
void mend_papers_open(struct mend_proc *self, struct mend_papers *p);

/* A member's paper, also one of a member that is dead, until this process forgets that.  NULL: it has taken none yet. */
void *mend_papers_look(struct mend_proc *self, struct mend_papers *p, int rank);

/* This process reads nothing of the others any more.  Its own paper stays until all other members have done the same,
 * or are dead. */
void mend_papers_close(struct mend_proc *self, struct mend_papers *p);

/* This process reads no paper of a dead one any more. */
void mend_papers_forget(struct mend_proc *self, mend_peer dead);

#endif
