/* SPDX-License-Identifier: BSD-3-Clause */
/* revoked.h – contexts that are revoked and have no bit for it (decide/revoke.c): a set in the segment, which the agent writes.
 *
 *   table 0 | table 1        | table 2                        | ...      each twice the one before
 *   the agent adds to the last one;  when that is half full, it makes the next one with all that is there
 *
 * A context lies at the first free word from where its hash says on, and stays.  So a reader that comes to a free word knows
 * that the context was not revoked when it looked; and the agent interrupts all ranks after it has added one. */
#ifndef MEND_NODE_REVOKED_H
#define MEND_NODE_REVOKED_H

#include "node/layout.h"

#define MEND_NODE_TOLD_WORDS UINT64_C(512) /* of the first table */
#define MEND_NODE_TOLD_TABLES                                                                      \
    13u /* of 2^21 contexts: 32 MiB of addresses, few of which have pages */

static inline uint64_t mend_revoked_words(uint32_t table)
{
    return MEND_NODE_TOLD_WORDS << table;
}

/* From the first word of the first table. */
static inline uint64_t mend_revoked_offset(uint32_t table)
{
    return mend_revoked_words(table) - MEND_NODE_TOLD_WORDS;
}

static inline mend_atomic_u64 *mend_revoked_table(struct mend_node_header *h, uint32_t table)
{
    return (mend_atomic_u64 *)((char *)h + h->at[MEND_NODE_PART_TOLD]) + mend_revoked_offset(table);
}

/* The word of a table that has the context, or else the one for it; at least one is free. */
static inline mend_atomic_u64 *mend_revoked_word(struct mend_node_header *h, uint32_t table,
                                                 uint64_t ctx)
{
    mend_atomic_u64 *words = mend_revoked_table(h, table);
    uint64_t mask = mend_revoked_words(table) - 1;
    uint64_t at = (ctx * UINT64_C(0x9e3779b97f4a7c15)) >> 32, found;

    for (;; at++) {
        found = mend_load_relaxed(&words[at & mask]);
        if (!found || found == ctx)
            return &words[at & mask];
    }
}

/* What is behind it is ordered by the interrupt that follows. */
static inline bool mend_revoked_has(struct mend_node_header *h, uint64_t ctx)
{
    /* acquire: pairs with the release in grow() (launch/agent/revoked.c) */
    uint32_t table = mend_load_acquire(&h->told_table);

    return mend_load_relaxed(mend_revoked_word(h, table, ctx)) == ctx;
}

#endif
