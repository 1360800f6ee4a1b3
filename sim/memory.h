/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h – a process of the play of memory, as the play and its checkers see it. */
#ifndef MEND_SIM_MEMORY_H
#define MEND_SIM_MEMORY_H

#include "ft/agree_sm.h"
#include "sim.h"
#include "state.h"

#define MEND_SIM_SLOTS_MAX  16
#define MEND_SIM_SLOT_WORDS (MEND_CACHE_LINE / 8)

/* What a member contributes, so that a decision shows who took part: */
enum {
    MEND_SIM_MEMORY_OK = 0,     /* and_word: all ones, 0 where somebody vetoed */
    MEND_SIM_MEMORY_WHO = 1,    /* and_word: without the bit of its rank */
    MEND_SIM_MEMORY_NUMBER = 3, /* and_word: number of the agreement + 1 */
    MEND_SIM_MEMORY_RANK = 0,   /* max_word: its rank + 1 */
    MEND_SIM_MEMORY_CLASS = 1,  /* max_word: 0, or why somebody vetoed */
    MEND_SIM_MEMORY_LATEST = 2, /* max_word: number of the agreement + 1 */
};

/* With --brief the same in a flag: the ranks that did not take part, the number of the agreement + 1, and its complement. */
#define MEND_SIM_MEMORY_FLAG(rank_, number_)                                                       \
    ((0xffu & ~(UINT64_C(1) << (rank_))) | ((number_) + 1) << 8 | (0xff & ~((number_) + 1)) << 16)

/* Why a member vetoes. */
enum { MEND_SIM_FAILED = 1, MEND_SIM_REVOKED };

/* What a process does between two of its moves. */
enum mend_sim_activity {
    MEND_SIM_IDLE = 0,
    MEND_SIM_CONTRIBUTES,
    MEND_SIM_CONTRIBUTES_LATE, /* a mistake: the value comes after the word */
    MEND_SIM_EVALUATES,
    MEND_SIM_SAYS_NO,
};

struct mend_sim_memory_decision {
    uint64_t number; /* + 1; 0: none was made in this step */
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS];
    uint8_t failed; /* set of ranks */
    bool all_acked;
};

/* An agreement that it has begun: the fields of struct mend_slots, and the value. */
struct mend_sim_memory_op {
    int32_t seen, absent_n;
    uint32_t known, acked;
    uint64_t brief; /* it looks at the other one's word, not at its slot */
    uint64_t and_word[MEND_AGREE_WORDS], max_word[MEND_AGREE_WORDS];
};

/* What is remembered of each agreement, also of the dead. */
struct mend_sim_memory_past {
    uint64_t print; /* hash of what was decided here, 0: nothing yet */
    uint32_t gave;  /* deaths it knew when it contributed, + 1; 0: it has not */
    uint32_t acked; /* of these */
    uint64_t said;  /* --brief: it has said a word; its slot may be empty */
};

struct mend_sim_memory_proc {
    int32_t rank;
    uint8_t activity; /* enum mend_sim_activity */
    bool dead, said_no;
    uint8_t why;            /* it gave up: MEND_SIM_FAILED, MEND_SIM_REVOKED; 0: it has not */
    uint8_t begun, decided; /* agreements */
    uint8_t wrong;          /* rule of checkers.c that an access broke, 0: none */
    uint8_t seen_n;         /* words that the activity has read so far */
    uint8_t deaths_n;       /* deaths that it was told of, in the order of all: */
    uint8_t death[MEND_SIM_SMALL_MAX];
    uint64_t no_from;
    struct mend_sim_memory_decision fresh;
    uint64_t store
        []; /* past of each agreement | op[window] | slots | two words | what the activity has read */
};

static inline int mend_sim_memory_slots(const struct mend_sim_conf *c)
{
    return 2 * c->window - (c->broken == MEND_SIM_NARROW);
}

static inline struct mend_sim_memory_past *
mend_sim_memory_past(const struct mend_sim_memory_proc *p, uint64_t number)
{
    return (struct mend_sim_memory_past *)(uintptr_t)p->store + number;
}

static inline struct mend_sim_memory_op *mend_sim_memory_op(const struct mend_sim_memory_proc *p,
                                                            const struct mend_sim_conf *c,
                                                            uint64_t number)
{
    return (struct mend_sim_memory_op *)(void *)mend_sim_memory_past(p, (uint64_t)c->instances) +
           number % (uint64_t)c->window;
}

static inline uint64_t *mend_sim_memory_row(const struct mend_sim_memory_proc *p,
                                            const struct mend_sim_conf *c)
{
    return (uint64_t *)(void *)(mend_sim_memory_op(p, c, 0) + c->window);
}

static inline size_t mend_sim_memory_row_words(const struct mend_sim_conf *c)
{
    return (size_t)mend_sim_memory_slots(c) * MEND_SIM_SLOT_WORDS + 2;
}

/* The most that is read from where an activity begins: of one member; with --fine of all; and of all once
 * more for the failed. */
static inline int mend_sim_memory_seen_max(const struct mend_sim_conf *c)
{
    return (3 + MEND_SIM_SLOT_WORDS) * (c->fine ? c->ranks : 1) + 3 * c->ranks + 1;
}

static inline uint64_t *mend_sim_memory_seen(const struct mend_sim_memory_proc *p,
                                             const struct mend_sim_conf *c)
{
    return mend_sim_memory_row(p, c) + mend_sim_memory_row_words(c);
}

static inline size_t mend_sim_memory_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct mend_sim_memory_proc) +
           (size_t)c->instances * sizeof(struct mend_sim_memory_past) +
           (size_t)c->window * sizeof(struct mend_sim_memory_op) +
           mend_sim_memory_row_words(c) * sizeof(uint64_t) +
           (size_t)mend_sim_memory_seen_max(c) * sizeof(uint64_t);
}

/* It vetoed this agreement. */
static inline bool mend_sim_memory_declined(const struct mend_sim_memory_proc *p, uint64_t number)
{
    return p->no_from && number + 1 >= (p->no_from & UINT64_C(0xffffffffffff));
}

/* It has a reason to veto (MEND_SIM_FAILED, MEND_SIM_REVOKED), and does so next. */
void mend_sim_memory_give_up(struct mend_sim_memory_proc *p, uint64_t why,
                             const struct mend_sim_conf *c);

/* memory_step.c: one access by p, which goes on with what it does, or begins to veto or to evaluate.
 * procs: all processes. */
void mend_sim_memory_step(struct mend_sim_memory_proc *p, const void *procs,
                          const struct mend_sim_conf *c, bool traced);
bool mend_sim_memory_may_begin(const struct mend_sim_memory_proc *p, const struct mend_sim_conf *c);

const char *mend_sim_check_memory(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_memory_end(const struct mend_sim_view *v);

#endif
