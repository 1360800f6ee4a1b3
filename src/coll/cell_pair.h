/* SPDX-License-Identifier: BSD-3-Clause */
/* cell_pair.h – two members exchange up to 8 bytes in one line that both write.
 *
 *   pair of block 0   | word value | word value |      written by rank 0, by turns
 *                     | word value | word value |      written by rank 1
 *
 * Each writes words of its own, but to the same line: a core that has it from the other one's cache need not ask for
 * it again, so an exchange takes half the time that it takes with a line for each.
 *
 * Both take part in each exchange, so a word is written again only when the other one has read it: it has published the
 * exchange between the two.  The number in a word is a tick, as in a line of the cell; a member that is in a call
 * that goes by lines is seen there by one that waits here, and the other way round, so calls that differ are an
 * error.
 *
 * Longer data go by messages, which do not say what they belong to.  So each says in a line first which call it is in, and
 * looks at the other one's line while it waits for messages. */
#ifndef MEND_COLL_CELL_PAIR_H
#define MEND_COLL_CELL_PAIR_H

#include "coll/cell.h"

#define MEND_CELL_PAIR_BYTES 8u

#define MEND_CELL_PAIR_WORD(tick_, kind_, bytes_)                                                  \
    ((tick_) << 8 | (uint64_t)(kind_) << 4 | (uint64_t)(bytes_))
_Static_assert(MEND_CELL_ALLTOALL < 16, "what a word is about has four bits");

/* The word of a member that has this tick; NULL: none has. */
static inline struct mend_cell_word *mend_cell_pair_find(const struct mend_comm *c, int rank,
                                                         uint64_t tick)
{
    struct mend_cell_word *w = c->coll->pair->row[rank];

    /* acquire: pairs with the release in mend_cell_pair_say() */
    if (mend_load_acquire(&w[0].word) >> 8 == tick)
        return &w[0];
    return mend_load_acquire(&w[1].word) >> 8 == tick ? &w[1] : NULL;
}

static inline void mend_cell_pair_say(struct mend_comm *c, uint64_t word, uint64_t value)
{
    struct mend_coll_comm *cc = c->coll;
    struct mend_cell_word *w = &cc->pair->row[c->rank][cc->pair_turn ^= 1];

    w->value = value;
    /* release: pairs with the acquire in mend_cell_pair_find() */
    mend_store_release(&w->word, word);
    mend_event(c->self, MEND_EV_COLL_SHM_ARRIVED);
    mend_cell_told(c);
}

/* What the other member says, unless it says something else. */
static inline bool mend_cell_pair_has(const struct mend_comm *c, uint64_t word, uint64_t *value_p)
{
    const struct mend_cell_word *w = mend_cell_pair_find(c, !c->rank, word >> 8);

    if (!w || mend_unlikely(mend_load_relaxed(&w->word) != word))
        return false;
    *value_p = w->value;
    return true;
}

/* Waits for the word of the other member.  MPI_ERR_TRUNCATE: it is in another call. */
int mend_cell_pair_wait_slow(struct mend_comm *c, uint64_t word, uint64_t *value_p);
static inline int mend_cell_pair_wait(struct mend_comm *c, uint64_t word, uint64_t *value_p)
{
    const struct mend_proc *self = c->self;

    for (int i = self->oversubscribed || mend_proc_has_threads(self) ? 1 : MEND_CELL_SPINS; i > 0;
         i--) {
        if (mend_cell_pair_has(c, word, value_p))
            return MPI_SUCCESS;
        mend_cpu_relax();
    }
    return mend_cell_pair_wait_slow(c, word, value_p);
}

/* A whole collective: both say `bytes` bytes in a value, and *other_p is that of the other one. */
static inline int mend_cell_pair_exchange(struct mend_comm *c, enum mend_cell_what kind,
                                          size_t bytes, uint64_t value, uint64_t *other_p)
{
    uint64_t tick, word;
    int err = mend_cell_begin(c, 1, &tick);

    if (mend_unlikely(err))
        return err;
    word = MEND_CELL_PAIR_WORD(tick, kind, bytes);
    mend_cell_pair_say(c, word, value);
    err = mend_cell_pair_wait(c, word, other_p);
    if (mend_likely(!err))
        mend_cell_all_past(c, tick - 1);
    mend_cell_end(c, tick);
    return err;
}

/* Before messages: takes a tick, and says which call this member is in.  Waits until its line is free.  l->tick is 0 if
 * it cannot, because c is revoked or the other one is dead. */
void mend_cell_pair_tell(struct mend_cell_look *l, struct mend_comm *c, uint64_t what);

/* The other one has said that it is in another call.  Both have the same class of error then. */
bool mend_cell_pair_differs_slow(struct mend_cell_look *l);
static inline bool mend_cell_pair_differs(struct mend_cell_look *l)
{
    if (l->rank == l->end || (mend_cell_all_seen(l) && mend_likely(!l->wrong)))
        return false;
    return mend_cell_pair_differs_slow(l);
}

#endif
