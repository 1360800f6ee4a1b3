/* SPDX-License-Identifier: BSD-3-Clause */
/* play.h – the processes of the plays, as the plays and the checkers see them. */
#ifndef MEND_SIM_PLAY_H
#define MEND_SIM_PLAY_H

#include "ft/agree_sm.h"
#include "ft/detector_sm.h"
#include "sim.h"

/* A process of the play of agreement is a member of one communicator, or of several that overlap:
 * communicator k has all processes but the k lowest ones.  On each it calls `instances` agreements.
 * Rank r contributes a value with its own bit cleared, so a decision shows who took part. */
struct mend_sim_agree_comm {
    int32_t calls;     /* agreements called, numbers 0 .. calls - 1 */
    int32_t decided;   /* how many agreements were decided here, in any order */
    int32_t noes_left; /* creation: votes beforehand that are still to be given */
    bool gave_up;      /* creation: nothing is called any more */
    bool refused;      /* creation: what was decided is no */
    bool gone;         /* free: the last agreement was decided here, and all is forgotten */
    int32_t fresh_n;   /* decided in the last step */
    uint64_t fresh[2 * MEND_AGREE_WINDOW_MAX];
    /* Rows of {print of the decision, contributed failed set}, set of those that were decided to be dead, machine. */
    uint64_t store[];
};

struct mend_sim_agree_proc {
    int32_t rank;
    uint64_t store[]; /* set of ranks that it was told are dead; communicators */
};

static inline int mend_sim_agree_comms(const struct mend_sim_conf *c)
{
    return c->comms ? c->comms : 1;
}

/* Members may give up, and veto then. */
static inline bool mend_sim_agree_vetoes(const struct mend_sim_conf *c)
{
    return c->creation || c->validation;
}

static inline size_t mend_sim_agree_row(const struct mend_sim_conf *c)
{
    return 1 + mend_bits_words(c->ranks);
}

static inline int mend_sim_agree_rows(const struct mend_sim_conf *c)
{
    return c->instances + (mend_sim_agree_vetoes(c) ? c->window : 0);
}

static inline size_t mend_sim_agree_comm_bytes(const struct mend_sim_conf *c)
{
    return sizeof(struct mend_sim_agree_comm) +
           mend_sim_agree_row(c) * (size_t)mend_sim_agree_rows(c) * sizeof(uint64_t) +
           mend_bits_words(c->ranks) * sizeof(uint64_t) + mend_agree_size(c->ranks, c->window);
}

static inline uint64_t *mend_sim_agree_told(const struct mend_sim_agree_proc *p)
{
    return (uint64_t *)p->store;
}

static inline struct mend_sim_agree_comm *mend_sim_agree_comm(const struct mend_sim_agree_proc *p,
                                                              const struct mend_sim_conf *c, int k)
{
    return (void *)((char *)(uintptr_t)p->store + mend_bits_words(c->ranks) * sizeof(uint64_t) +
                    mend_sim_agree_comm_bytes(c) * (size_t)k);
}

/* A hash of the decision, 0 as long as there is none; behind it the set of failures that this
 * process had been told of when it contributed. */
static inline uint64_t *mend_sim_agree_print_of(const struct mend_sim_agree_comm *a,
                                                const struct mend_sim_conf *c, uint64_t seq)
{
    return (uint64_t *)a->store + mend_sim_agree_row(c) * seq;
}

static inline uint64_t *mend_sim_agree_buried(const struct mend_sim_agree_comm *a,
                                              const struct mend_sim_conf *c)
{
    return mend_sim_agree_print_of(a, c, (uint64_t)mend_sim_agree_rows(c));
}

static inline struct mend_agree *mend_sim_agree_machine(const struct mend_sim_agree_comm *a,
                                                        const struct mend_sim_conf *c)
{
    return (void *)(mend_sim_agree_buried(a, c) + mend_bits_words(c->ranks));
}

/* It has heard of all that are dead in what was decided on communicator k: it has got that. */
static inline bool mend_sim_agree_heard(const struct mend_sim_agree_proc *p,
                                        const struct mend_sim_conf *c, int k)
{
    const uint64_t *dead = mend_sim_agree_buried(mend_sim_agree_comm(p, c, k), c);
    int n = c->hears_first ? c->ranks - k : 0;

    for (int r = mend_bits_next(dead, n, 0); n && r >= 0; r = mend_bits_next(dead, n, r + 1))
        if (!mend_bits_test(mend_sim_agree_told(p), r + k))
            return false;
    return true;
}

/* The bit of a rank, 0..255: with --inter in the words of its side. */
static inline int mend_sim_agree_bit(const struct mend_sim_conf *c, int rank)
{
    if (c->inter)
        return (rank < c->inter ? 0 : 128) + rank % 128;
    return rank % 256;
}

/* Does the value contain a contribution of rank? */
static inline bool mend_sim_agree_has(const struct mend_sim_conf *c,
                                      const struct mend_agree_value *v, int rank)
{
    int bit = mend_sim_agree_bit(c, rank);

    return !(v->and_word[bit / 64] >> bit % 64 & 1);
}

/* What a member contributes besides: */
enum {
    MEND_SIM_WORD_RANK,   /* max_word: its rank + 1 */
    MEND_SIM_WORD_NUMBER, /* number of the agreement + 1 */
    MEND_SIM_WORD_NO,     /* creation: it does not take part */
    MEND_SIM_WORD_ACKED,  /* ~(failures it has acknowledged: all that it was told of) */
};

/* A move of its processes: it hears of a revocation. */
#define MEND_SIM_AGREE_GIVE_UP 0

/* The answer to a question: a paper, or NULL, that there is none.  Changes its process as recv() does. */
void mend_sim_agree_answered(void *proc, int k, uint64_t seq, uint32_t round,
                             const struct mend_agree_msg *paper, const struct mend_sim_conf *c,
                             struct mend_sim_io *io);

uint64_t mend_sim_agree_hash(const struct mend_agree_value *v, int32_t members);

/* mistakes.c: machines of agreement with a known mistake.  Each is called where its name says and does
 * nothing unless --break says so. */
void mend_sim_mistake_contribute(const struct mend_sim_agree_proc *p, int k, uint64_t seq,
                                 struct mend_agree_value *v, const struct mend_sim_conf *c);
bool mend_sim_mistake_recv(const struct mend_sim_agree_proc *p, int k, struct mend_agree_msg *msg,
                           const struct mend_sim_conf *c); /* false: it is not delivered */
void mend_sim_mistake_stepped(struct mend_sim_agree_proc *p, int k, const struct mend_sim_conf *c);
void mend_sim_mistake_decided(const struct mend_sim_agree_proc *p, int k, uint64_t seq,
                              const struct mend_sim_conf *c);
int mend_sim_mistake_noes(const struct mend_sim_conf *c);     /* votes of a process that gives up */
bool mend_sim_mistake_answers(const struct mend_sim_conf *c); /* after it has forgotten it */
bool mend_sim_mistake_send(const struct mend_sim_agree_proc *p, int k, struct mend_agree_msg *msg,
                           const struct mend_sim_conf *c, int nth); /* is it sent (again)? */

/* Rank 0 is the agent, the others are the processes that it looks after. */
enum mend_sim_life {
    MEND_SIM_RUNS = 0,
    MEND_SIM_STOPPED,
    MEND_SIM_LEAVES,  /* has said that it is finalized */
    MEND_SIM_ENDED,   /* ended after that */
    MEND_SIM_CRASHED, /* ended otherwise */
};

struct mend_sim_detector_proc {
    int32_t rank;
    int32_t life;       /* of a process: enum mend_sim_life */
    int32_t stops;      /* of a process: how often it may stop */
    int32_t suspicions; /* of the agent: how many it may still be told */
    int32_t aborts;     /* of the agent: how many it may still be asked for */
    int32_t ticks;      /* of the agent: how many it may still have */
    uint32_t declared;  /* of the agent: verdicts that it gave */
    uint32_t ended;     /* of the agent: proper ends that it noticed */
    uint32_t twice;     /* of the agent: verdicts given more than once */
    mend_time_ns wake_at;
    struct mend_detector m; /* of the agent */
};

const char *mend_sim_check_agree(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_agree_end(const struct mend_sim_view *v);
const char *mend_sim_check_detector(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_detector_end(const struct mend_sim_view *v);

#endif
