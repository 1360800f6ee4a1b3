/* SPDX-License-Identifier: BSD-3-Clause */
/* fact.h – what the agents of a job tell each other: facts, and queues of them.
 *
 * A fact is a record of whole words: a head, and behind it the processes that it is about, as runs of names, ascending
 * and disjoint.  What is in one record becomes known at once: the processes of DEATHS are one set.
 *
 *   kind       says                                                    context   agent   runs
 *   NOTHING    a proposal that the log had already                        –        –      –
 *   NAMES      these processes belong to the agent                        –       yes    yes
 *   DEATHS     they are dead                                              –        –     yes, with causes
 *   LOST       the agent and its node are lost, and they with it          –       yes    yes, with causes; may be none
 *   ABORT      they shall end; the agent of each kills it                 –        –     yes, with the code
 *   CAUSE      why they are dead, which was not known at first            –        –     yes, with causes
 *   REVOKED    the context is                                            yes       –      –
 *   LEFT       they have left MPI: their ends will be no failures         –        –     yes
 *   BACK       they are in MPI again                                      –        –     yes
 *   ENDED      those that had left MPI have ended, and do not come back   –        –     yes
 *
 * A queue keeps facts in the words that its owner gives it, one behind the other, the oldest first.  It allocates
 * nothing; a fact stays where it is until the next mend_fact_reserve(). */
#ifndef MEND_FT_FACT_H
#define MEND_FT_FACT_H

#include "ft/verdict.h"

enum mend_fact_kind {
    MEND_FACT_NOTHING,
    MEND_FACT_NAMES,
    MEND_FACT_DEATHS,
    MEND_FACT_LOST,
    MEND_FACT_ABORT,
    MEND_FACT_CAUSE,
    MEND_FACT_REVOKED,
    MEND_FACT_LEFT,
    MEND_FACT_BACK,
    MEND_FACT_ENDED,
    MEND_FACT_KINDS,
};

/* Processes first .. first + n - 1. */
struct mend_fact_run {
    int32_t first, n;
    int32_t cause, code; /* as of a verdict */
};

struct mend_fact {
    uint64_t seq;    /* of the proposals of its agent: 1, 2, ...; 0: of the root's own accord */
    uint64_t before; /* of a proposal: the one before it that its agent still proposes; 0: none */
    uint64_t known;  /* of a proposal: entries that its agent had when it proposed */
    uint64_t left;   /* of a proposal, at its agent: what the log has not said yet; elsewhere 0 */
    uint64_t context;
    int32_t by;    /* the agent that has proposed it */
    int32_t agent; /* which this is about; 0 if none */
    uint32_t kind; /* enum mend_fact_kind */
    uint32_t runs_n;
};
_Static_assert(sizeof(struct mend_fact) % 8 == 0 && sizeof(struct mend_fact_run) % 8 == 0,
               "records are whole words");

static inline uint32_t mend_fact_words(uint32_t runs_n)
{
    return (uint32_t)((sizeof(struct mend_fact) + runs_n * sizeof(struct mend_fact_run)) / 8);
}

static inline struct mend_fact_run *mend_fact_runs(const struct mend_fact *f)
{
    return (struct mend_fact_run *)(uintptr_t)(f + 1);
}

static inline struct mend_fact *mend_fact_behind(const struct mend_fact *f)
{
    return (struct mend_fact *)(uintptr_t)((const uint64_t *)(const void *)f +
                                           mend_fact_words(f->runs_n));
}

/* Whether facts of this kind have runs, a context, an agent. */
bool mend_fact_has_runs(uint32_t kind);
bool mend_fact_has_context(uint32_t kind);
bool mend_fact_has_agent(uint32_t kind);

/* Whether the fact is what the table above says, with all names from 0 to names_n - 1. */
bool mend_fact_is_sound(const struct mend_fact *f, int32_t names_n);

/* In how many parts a proposal may be said by the log, and how many of these an entry says. */
uint64_t mend_fact_weight(const struct mend_fact *proposal);
uint64_t mend_fact_covers(const struct mend_fact *entry, const struct mend_fact *proposal);

struct mend_fact_queue {
    uint32_t begin, end, room; /* words; begin .. end - 1 are facts */
    uint32_t facts_n;
};

/* Room for a fact behind the last; its head says how many runs it has, the rest is 0.  NULL: there is none. */
struct mend_fact *mend_fact_reserve(struct mend_fact_queue *q, uint64_t *words, uint32_t runs_n);

/* The same, and it becomes f. */
struct mend_fact *mend_fact_push(struct mend_fact_queue *q, uint64_t *words,
                                 const struct mend_fact *f);

/* The oldest; NULL: there is none.  The one behind f; NULL: it is the last. */
struct mend_fact *mend_fact_first(const struct mend_fact_queue *q, const uint64_t *words);
struct mend_fact *mend_fact_next(const struct mend_fact_queue *q, const uint64_t *words,
                                 const struct mend_fact *f);

/* Takes f out, and returns the one behind it, wherever that is now; NULL: f was the last. */
struct mend_fact *mend_fact_remove(struct mend_fact_queue *q, uint64_t *words, struct mend_fact *f);

static inline uint32_t mend_fact_used(const struct mend_fact_queue *q)
{
    return q->end - q->begin;
}

#endif
