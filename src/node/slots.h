/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.h – agreement among processes that share memory: each member reads the votes of all others.
 *
 * The memory belongs to the job, so the data that a process wrote into it outlives the process.  And the agent
 * kills before it declares, so no store of a dead process follows its verdict.  So:
 *
 *   contribute   write my value into my slot, then release its word {number, deaths known, acked}
 *   veto         where a member may give up: vote no in every agreement from a number on (`no_from`, once)
 *   evaluate     for each member: its word has the number       -> it contributed, for ever
 *                                 it has vetoed                 -> it will never contribute
 *                                 it is dead, and still neither -> it will never do either
 *                                 else                          -> wait
 *
 * All members that evaluate see the same contributions and compute the same result: uniform agreement in one
 * step, also for members that decide and die.  Cost: one cache line from each member to each; no message.
 *
 *   member m:   slot 0 .. slot 7 | no_from
 *
 * Invariants:
 *   1  agreement s uses slot s % 8; s is begun only when s - 4 is decided here, so a member that writes into
 *      a slot knows that all survivors have read its old contents (they contributed to s - 4, so they have
 *      decided s - 8);
 *   2  the slots of a member that has not contributed yet are zero;
 *   3  a member that vetoes has contributed to none of these agreements, and never will;
 *   4  a member that decides that another has vetoed vetoes as well before it begins another agreement: so no
 *      member gets further ahead of one that has given up than 1 allows;
 *   5  a member that is absent once is absent ever after, whatever its slots hold: their numbers, of 32 bits, come round.
 *      A slot of a living member is written again before that.
 *
 * Pure, like the machines: the state of an evaluation is in struct mend_slots, so it may stop before any
 * member and be called again.  It is inline because it is nearly the whole cost of an agreement. */
#ifndef MEND_NODE_SLOTS_H
#define MEND_NODE_SLOTS_H

#include "base/atomic.h"
#include "ft/agree_sm.h"

/* The simulator has its own: to get to the second use of a slot sooner, and to stop before each access. */
#ifndef MEND_SLOTS_N
#define MEND_SLOTS_N           8u
#define MEND_SLOTS_WINDOW      4u
#define MEND_SLOTS_LOAD(p)     (*(p))
#define MEND_SLOTS_STORE(p, v) (*(p) = (v))
#endif

/* One line: the word is released last. */
struct mend_slot {
    _Alignas(MEND_CACHE_LINE) mend_atomic_u64 word; /* number + 1 | deaths known | acknowledged */
    uint64_t and_word[MEND_AGREE_WORDS];
    uint64_t max_word[MEND_AGREE_WORDS - 1];
};
_Static_assert(sizeof(struct mend_slot) == MEND_CACHE_LINE, "one line per contribution");

/* Where the words of a member are, and what this process knows of deaths; `of` is the caller's. */
struct mend_slots_ops {
    struct mend_slot *(*slot)(const void *of, int rank, unsigned i);
    mend_atomic_u64 *(*no_from)(const void *of, int rank); /* NULL: nobody gives up */
    bool (*is_dead)(const void *of, int rank);
    /* Absent from an earlier agreement, and from this one (invariant 5); NULL: so few that no number comes again. */
    bool (*is_out)(const void *of, int rank);
    void (*put_out)(const void *of, int rank);
    uint32_t (*deaths_n)(const void *of);     /* a log that is the same at all, as far as it goes */
    int (*death)(const void *of, uint32_t i); /* whose the ith was; -1: no member's */
};

/* An agreement that this process has begun. */
struct mend_slots {
    uint64_t seq;
    int32_t members_n;
    int32_t seen;          /* members below it are accounted for, in the value and in these: */
    uint32_t known, acked; /* most deaths known, fewest acknowledged */
    int32_t absent_n;      /* members that died without contributing */
    uint64_t *and_word, *max_word; /* the caller's: its contribution, in the end the result */
};

static inline void mend_slots_init(struct mend_slots *m, int members_n, uint64_t *and_word,
                                   uint64_t *max_word)
{
    *m = (struct mend_slots){
        .members_n = members_n, .acked = UINT32_MAX, .and_word = and_word, .max_word = max_word};
}

/* May another one be begun? */
static inline bool mend_slots_open(uint64_t begun, uint64_t decided)
{
    return begun - decided < MEND_SLOTS_WINDOW;
}

/* known, acked: this process's log of deaths, and how many members in it are acknowledged. */
static inline void mend_slots_contribute(const struct mend_slots *m, struct mend_slot *s,
                                         uint32_t known, uint32_t acked)
{
    for (int i = 0; i < MEND_AGREE_WORDS; i++)
        MEND_SLOTS_STORE(&s->and_word[i], m->and_word[i]);
    for (int i = 0; i < MEND_AGREE_WORDS - 1; i++)
        MEND_SLOTS_STORE(&s->max_word[i], m->max_word[i]);
    /* release: pairs with the acquire in mend_slots_has() */
    mend_store_release(&s->word, (m->seq + 1) << 32 | (uint64_t)known << 16 | acked);
}

/* To every agreement from `seq` on, none of which this process has contributed to.  Once.  The word is
 * number + 1, and the class of its error in bits 63..48; 0: it has not vetoed. */
static inline void mend_slots_say_no(mend_atomic_u64 *no_from, uint64_t seq, uint64_t class)
{
    /* release: pairs with the acquire in mend_slots_declined() */
    mend_store_release(no_from, class << 48 | (seq + 1));
}

/* ---- evaluation; always inline, so that what `ops` names is called directly ---- */

#define MEND_SLOTS_INLINE static inline __attribute__((always_inline))

enum mend_slots_look {
    MEND_SLOTS_WAIT,
    MEND_SLOTS_IN,
    MEND_SLOTS_NO_VOTE,
    MEND_SLOTS_ABSENT,
};

MEND_SLOTS_INLINE struct mend_slot *mend_slots_of(const struct mend_slots *m,
                                                  const struct mend_slots_ops *ops, const void *of,
                                                  int rank)
{
    return ops->slot(of, rank, (unsigned)(m->seq % MEND_SLOTS_N));
}

/* acquire: pairs with the release in mend_slots_contribute() */
MEND_SLOTS_INLINE bool mend_slots_has(const struct mend_slots *m, const struct mend_slot *s)
{
    return mend_load_acquire(&s->word) >> 32 == ((m->seq + 1) & UINT32_MAX);
}

/* acquire: pairs with the release in mend_slots_say_no() */
MEND_SLOTS_INLINE bool mend_slots_declined(const struct mend_slots *m,
                                           const struct mend_slots_ops *ops, const void *of,
                                           int rank)
{
    mend_atomic_u64 *p = ops->no_from(of, rank);
    uint64_t no_from = p ? mend_load_acquire(p) & UINT64_C(0xffffffffffff) : 0;

    return no_from && m->seq + 1 >= no_from;
}

/* The result is final unless it is "wait", and the same at every member. */
MEND_SLOTS_INLINE enum mend_slots_look mend_slots_look(const struct mend_slots *m,
                                                       const struct mend_slots_ops *ops,
                                                       const void *of, int rank)
{
    bool dead = ops->is_dead(of, rank); /* read first: so what a dead member wrote is its last */

    if (mend_unlikely(dead) && ops->is_out && ops->is_out(of, rank))
        return MEND_SLOTS_ABSENT;
    if (mend_slots_has(m, mend_slots_of(m, ops, of, rank)))
        return MEND_SLOTS_IN;
    if (mend_slots_declined(m, ops, of, rank))
        return MEND_SLOTS_NO_VOTE; /* also when it is dead: others may have counted the no */
    return dead ? MEND_SLOTS_ABSENT : MEND_SLOTS_WAIT;
}

static inline void mend_slots_add(struct mend_slots *m, const struct mend_slot *s)
{
    uint64_t word = mend_load_relaxed(&s->word);
    uint32_t known = (uint32_t)(word >> 16) & 0xffff, acked = (uint32_t)word & 0xffff;

    for (int i = 0; i < MEND_AGREE_WORDS; i++)
        m->and_word[i] &= MEND_SLOTS_LOAD(&s->and_word[i]);
    for (int i = 0; i < MEND_AGREE_WORDS - 1; i++) {
        uint64_t max = MEND_SLOTS_LOAD(&s->max_word[i]);

        m->max_word[i] = max > m->max_word[i] ? max : m->max_word[i];
    }
    m->known = known > m->known ? known : m->known;
    m->acked = acked < m->acked ? acked : m->acked;
}

static inline void mend_slots_add_no(struct mend_slots *m, const mend_atomic_u64 *no_from)
{
    uint64_t class = mend_load_relaxed(no_from) >> 48;

    m->and_word[0] = 0;
    if (class > m->max_word[1])
        m->max_word[1] = class;
}

/* The next member has died without contributing. */
MEND_SLOTS_INLINE void mend_slots_miss(struct mend_slots *m, const struct mend_slots_ops *ops,
                                       const void *of)
{
    m->absent_n++;
    if (ops->put_out)
        ops->put_out(of, m->seen);
}

/* Goes on over the members, each of which is accounted for once.  True if nobody is left. */
MEND_SLOTS_INLINE bool mend_slots_account(struct mend_slots *m, const struct mend_slots_ops *ops,
                                          const void *of)
{
    for (; m->seen < m->members_n; m->seen++) {
        enum mend_slots_look l = mend_slots_look(m, ops, of, m->seen);

        if (l == MEND_SLOTS_WAIT)
            return false;
        if (mend_likely(l == MEND_SLOTS_IN))
            mend_slots_add(m, mend_slots_of(m, ops, of, m->seen));
        else if (l == MEND_SLOTS_NO_VOTE)
            mend_slots_add_no(m, ops->no_from(of, m->seen));
        else
            mend_slots_miss(m, ops, of);
    }
    return true;
}

/* True if everybody is accounted for, and all deaths that were known to somebody are known here: then
 * the value is the result. */
MEND_SLOTS_INLINE bool mend_slots_evaluate(struct mend_slots *m, const struct mend_slots_ops *ops,
                                           const void *of)
{
    return mend_slots_account(m, ops, of) && m->known <= ops->deaths_n(of);
}

/* After evaluation, how many may have failed at most; 0: nobody. */
static inline size_t mend_slots_failed_max(const struct mend_slots *m)
{
    return m->known + (size_t)m->absent_n;
}

/* The failed: the ranks in the longest log of deaths that was contributed, and the absent ones.  Returns
 * how many ranks it wrote. */
MEND_SLOTS_INLINE int mend_slots_failed(const struct mend_slots *m,
                                        const struct mend_slots_ops *ops, const void *of,
                                        int32_t *rank_p)
{
    int n = 0, known;

    for (uint32_t i = 0; i < m->known; i++) {
        int rank = ops->death(of, i);

        if (rank >= 0)
            rank_p[n++] = rank;
    }
    known = n;
    for (int r = 0; m->absent_n && r < m->members_n; r++) {
        int k = 0;

        while (k < known && rank_p[k] != r)
            k++;
        if (k == known && mend_slots_look(m, ops, of, r) == MEND_SLOTS_ABSENT)
            rank_p[n++] = r;
    }
    return n;
}

#endif
