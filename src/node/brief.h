/* SPDX-License-Identifier: BSD-3-Clause */
/* brief.h – a vote of two members that is no more than a flag, in one word: a part of agreement by slots (slots.h).
 *
 *   brief    word word      member 0 writes these, by turns: number + 1 | flag
 *            word word      member 1 these
 *
 * Both write the same line, so an agreement takes one transfer of it where a slot of each takes two (coll/cell_pair.h).
 * A member says its vote in a word and then in its slot.  Only the other one reads the word, for a moment in which it knows of no
 * death and has nothing else under way; then it looks at the slot, which says the same.
 *
 * So a member that returns has filled its slot, whatever the other one looks at; and a member that dies between the two has not
 * returned: its vote counts for a survivor that looks at words and for no other, and there is but one survivor.
 *
 * Invariants:
 *   1  a word names its agreement, so one that has been written again is not misread: the other member then looks at the slot,
 *      which is written again later (slots.h); this happens only if agreements that do not block lie between;
 *   2  a vote that knows of a death, does not fit, or has others before it that are not decided, is in no word; a word of an
 *      earlier one becomes 0, which is about no agreement, or would be taken for this one when the numbers have gone round;
 *   3  the words of a free cell are zero. */
#ifndef MEND_NODE_BRIEF_H
#define MEND_NODE_BRIEF_H

#include "node/slots.h"

struct mend_brief {
    mend_atomic_u64 word[2][2];
};

/* This vote as a word; 0: it does not fit.  The one number that would be 0 has no words. */
static inline uint64_t mend_brief_of(const struct mend_slots *m)
{
    uint64_t flag = m->and_word[0], others = UINT64_MAX, max = 0;

    for (int i = 1; i < MEND_AGREE_WORDS; i++) {
        others &= m->and_word[i];
        max |= m->max_word[i - 1];
    }
    return flag <= UINT32_MAX && others == UINT64_MAX && !max && (uint32_t)(m->seq + 1)
               ? (m->seq + 1) << 32 | flag
               : 0;
}

static inline mend_atomic_u64 *mend_brief_word(struct mend_brief *b, const struct mend_slots *m,
                                               int rank)
{
    return &b->word[rank][m->seq & 1];
}

/* To be called before the slot is filled. */
static inline void mend_brief_say(struct mend_brief *b, const struct mend_slots *m, int rank,
                                  uint64_t vote)
{
    mend_atomic_u64 *word = mend_brief_word(b, m, rank);

    /* release: pairs with the acquire in mend_brief_hear() */
    if (vote || mend_load_relaxed(word))
        mend_store_release(word, vote);
}

/* The word is about this agreement. */
static inline bool mend_brief_is_about(const struct mend_slots *m, uint64_t vote)
{
    return vote >> 32 == ((m->seq + 1) & UINT32_MAX);
}

/* *flag &= what the other member, of this rank, has said.  False: it has said nothing about this agreement. */
static inline bool mend_brief_hear(struct mend_brief *b, const struct mend_slots *m, int rank,
                                   uint64_t *flag)
{
    /* acquire: pairs with the release in mend_brief_say() */
    uint64_t vote = mend_load_acquire(mend_brief_word(b, m, rank));

    if (!mend_brief_is_about(m, vote))
        return false;
    *flag &= vote & UINT32_MAX;
    return true;
}

#endif
