/* SPDX-License-Identifier: BSD-3-Clause */
/* vote_blocks.h – memory for what members say that share a node, and have no cell: where it lies, nobody has to agree on.
 * The idea stands in vote_blocks.c.
 *
 * A vote block is MEND_NODE_BLOCK_BYTES, cleared, and written by its member only; what lies there is the caller's.  None of
 * these blocks.  A process that finds no pages for its vote block ends, because the others would wait for it; so a creation asks
 * mend_voteblocks_room() first, and vetoes without room. */
#ifndef MEND_NODE_VOTE_BLOCKS_H
#define MEND_NODE_VOTE_BLOCKS_H

#include "proc/proc.h"

struct mend_voteblocks;

/* The vote blocks of n members under a mark, which is not 0 and never used again; `me` is this process.  To be completed by
 * mend_voteblocks_set_member() for each member.  Its end is mend_voteblocks_close(). */
struct mend_voteblocks *mend_voteblocks_make(struct mend_proc *self, uint64_t mark, int n, int me);
void mend_voteblocks_set_member(struct mend_voteblocks *p, int rank, mend_peer peer);

/* True if one more vote block can be taken: its pages are there from now on. */
bool mend_voteblocks_room(struct mend_proc *self);

/* Takes this process's vote block, if it has none yet: to be called before it says anything. */
void mend_voteblocks_open(struct mend_proc *self, struct mend_voteblocks *p);

/* A member's vote block, also one of a member that is dead, until this process forgets that.  NULL: it has taken none yet. */
void *mend_voteblocks_look(struct mend_proc *self, struct mend_voteblocks *p, int rank);

/* This process reads nothing of the others any more.  Its own vote block stays until all other members have done the same,
 * or are dead. */
void mend_voteblocks_close(struct mend_proc *self, struct mend_voteblocks *p);

/* This process reads no vote block of a dead one any more. */
void mend_voteblocks_forget(struct mend_proc *self, mend_peer dead);

#endif
