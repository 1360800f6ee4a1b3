/* SPDX-License-Identifier: BSD-3-Clause */
/* play.h – the processes of the plays, as the plays and the checkers see them. */
#ifndef MEND_SIM_PLAY_H
#define MEND_SIM_PLAY_H

#include "ft/agree_sm.h"
#include "ft/detector_sm.h"
#include "ft/notice_sm.h"
#include "ft/revoke_sm.h"
#include "sim.h"

/* A member of a communicator that calls `instances` agreements, one after the other.  Rank r
 * contributes a value with its own bit cleared, so a decision shows who took part. */
struct mend_sim_agree_proc {
    int32_t rank, n;
    int32_t started, decided; /* agreements; decided counts, they may come in any order */
    int32_t fresh_n;          /* decided in the last step */
    uint64_t fresh[MEND_AGREE_WINDOW_MAX];
    uint64_t store[]; /* instances x {print of the decision, contributed failed set}, machine */
};

static inline size_t mend_sim_agree_row(const struct mend_sim_conf *c)
{
    return 1 + mend_bits_words(c->ranks);
}

/* A hash of the decision, 0 as long as there is none; behind it the set of failures that this
 * process had been told of when it contributed. */
static inline uint64_t *mend_sim_agree_print_of(const struct mend_sim_agree_proc *p,
                                                const struct mend_sim_conf *c, uint64_t seq)
{
    return (uint64_t *)p->store + mend_sim_agree_row(c) * seq;
}

static inline uint64_t *mend_sim_agree_told(const struct mend_sim_agree_proc *p,
                                            const struct mend_sim_conf *c)
{
    return mend_sim_agree_print_of(p, c, (uint64_t)c->instances);
}

static inline struct mend_agree *mend_sim_agree_machine(const struct mend_sim_agree_proc *p,
                                                        const struct mend_sim_conf *c)
{
    return (void *)(mend_sim_agree_told(p, c) + mend_bits_words(c->ranks));
}

/* A member of a communicator; the lowest `instances` ranks may revoke it. */
struct mend_sim_revoke_proc {
    int32_t rank;
    bool called;
    struct mend_revoke m;
};

/* An agent; the lowest `instances` agents have a rank each and declare it dead. */
struct mend_sim_notice_proc {
    int32_t rank;
    bool called;
    struct mend_notice m;
};

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
    int32_t ticks;      /* of the agent: how many it may still have */
    uint32_t declared;  /* of the agent: verdicts that it gave */
    uint32_t ended;     /* of the agent: proper ends that it noticed */
    uint32_t twice;     /* of the agent: verdicts given more than once */
    mend_time_ns wake_at;
    struct mend_detector m; /* of the agent */
};

const char *mend_sim_check_agree(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_agree_end(const struct mend_sim_view *v);
const char *mend_sim_check_revoke(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_revoke_end(const struct mend_sim_view *v);
const char *mend_sim_check_notice(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_notice_end(const struct mend_sim_view *v);
const char *mend_sim_check_detector(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_detector_end(const struct mend_sim_view *v);

#endif
