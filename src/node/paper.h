/* SPDX-License-Identifier: BSD-3-Clause */
/* paper.h – decisions that a process has written down, for others that cannot ask it.
 *
 *   vote block of a communicator and one of its sequences (vote_blocks.c):   paper 0 │ paper 1 │ paper 2 │ paper 3
 *                                                                            agreement s is on paper s mod 4
 *   process   begun = s + 1, bytes, done = s + 1       fence, papers_wanted?  then it calls the agent
 *   agent     papers_wanted = 1, fence                 done == s + 1, bytes, begun == s + 1?
 *
 * So one of the two sees the other, and a decision that is written while somebody asks for it is not missed.  Only the process
 * writes, and the agent of its node reads, also when the process is dead (launch/agent/papers.c).  Four papers
 * suffice: an agreement is decided when each member has returned from the one four before (ft/agree_sm.h). */
#ifndef MEND_NODE_PAPER_H
#define MEND_NODE_PAPER_H

#include "node/layout.h"

#include <string.h>

#define MEND_PAPERS      4u
#define MEND_PAPER_BYTES (MEND_NODE_BLOCK_BYTES / MEND_PAPERS - 24)

struct mend_paper {
    mend_atomic_u64 begun, done; /* 1 + the number of the agreement; alike when the rest is whole */
    mend_atomic_u64 len;         /* bytes */
    mend_atomic_u64 word[MEND_PAPER_BYTES / 8];
};

_Static_assert(MEND_PAPERS * sizeof(struct mend_paper) <= MEND_NODE_BLOCK_BYTES, "fits");

/* The label of the papers of a communicator's sequence `which`, 0 to 2; src/decide/memory.c has the last channel. */
static inline uint64_t mend_paper_mark(uint64_t name, unsigned which)
{
    return name | (1 + which);
}

static inline bool mend_paper_is_of(uint64_t mark)
{
    return (mark & 15) >= 1 && (mark & 15) <= 3;
}

/* By its process.  len is at most MEND_PAPER_BYTES. */
static inline void mend_paper_write(struct mend_paper *block, uint64_t seq, const void *bytes,
                                    uint32_t len)
{
    struct mend_paper *p = &block[seq % MEND_PAPERS];
    uint64_t words[MEND_PAPER_BYTES / 8] = {0};

    memcpy(words, bytes, len);
    mend_store_relaxed(&p->begun, seq + 1);
    atomic_thread_fence(memory_order_release); /* pairs with the fence in mend_paper_read() */
    mend_store_relaxed(&p->len, len);
    for (uint32_t i = 0; i < (len + 7) / 8; i++)
        mend_store_relaxed(&p->word[i], words[i]);
    mend_store_release(&p->done, seq + 1); /* pairs with the acquire in mend_paper_read() */
}

/* Copies the paper of an agreement into buf, of MEND_PAPER_BYTES, and returns its length; 0: there is none. */
static inline uint32_t mend_paper_read(struct mend_paper *block, uint64_t seq, void *buf)
{
    struct mend_paper *p = &block[seq % MEND_PAPERS];
    uint64_t words[MEND_PAPER_BYTES / 8], len;

    if (mend_load_acquire(&p->done) != seq + 1) /* pairs with the release in mend_paper_write() */
        return 0;
    len = mend_load_relaxed(&p->len);
    len = len <= MEND_PAPER_BYTES ? len : 0;
    for (uint32_t i = 0; i < (len + 7) / 8; i++)
        words[i] = mend_load_relaxed(&p->word[i]);
    atomic_thread_fence(memory_order_acquire); /* pairs with the fence in mend_paper_write() */
    if (mend_load_relaxed(&p->begun) != seq + 1)
        return 0;
    memcpy(buf, words, len);
    return (uint32_t)len;
}

#endif
