/* SPDX-License-Identifier: BSD-3-Clause */
/* birth.h – the processes of the play in which others join a job, as the play and its checkers see them.
 *
 *   0 .. parents - 1    those that ask; 0 is the root
 *   parents .. n - 1    those that are started; the first one leads
 *   n                   the agent */
#ifndef MEND_SIM_BIRTH_H
#define MEND_SIM_BIRTH_H

#include "ft/agree_sm.h"
#include "ft/birth_sm.h"
#include "ft/refill_sm.h"
#include "ft/starter_sm.h"
#include "meeting.h"

/* What an agent, or that of another job in the group, cannot do.  Most lots are that nothing is wrong, for runs with a seed. */
enum mend_sim_lot {
    MEND_SIM_FINE = 3,
    MEND_SIM_NO_ROOM,
    MEND_SIM_NO_PROGRAM,
    MEND_SIM_NO_MEMORY,
    MEND_SIM_NO_FIRST, /* the first process cannot be started, the second, the last */
    MEND_SIM_NO_SECOND,
    MEND_SIM_NO_LAST,
    MEND_SIM_NO_NAMES, /* the other job has no room for them */
    MEND_SIM_LOTS,
};

struct mend_sim_birth_proc {
    int32_t rank;
    uint8_t called;  /* parent: made the call; child: was started */
    uint8_t gone;    /* withdrawn, or ended with its agent */
    uint8_t over;    /* the call has returned, with refill.result or birth.result */
    uint8_t begun;   /* the act was begun */
    uint8_t answer;  /* root: of the agent */
    uint8_t named;   /* root: of the agent, for that of the other job */
    uint8_t news;    /* parent: of the root */
    uint8_t told;    /* root: how its broadcast ended */
    uint8_t seats;   /* what was decided on the seats */
    uint8_t errors;  /* and on the survivors' error */
    uint8_t settles; /* voted on the error */
    uint8_t seated;  /* voted on the seats */
    uint8_t lot;     /* agent: what it cannot do, enum mend_sim_lot */
    struct mend_sim_meeting meeting;
    struct mend_birth birth;
    struct mend_refill refill;
    struct mend_starter starter;
    uint64_t store[]; /* set of ranks that it was told are dead; the agreements */
};

static inline int mend_sim_birth_members(const struct mend_sim_conf *c)
{
    return c->ranks - 1;
}

static inline int mend_sim_birth_parents(const struct mend_sim_conf *c)
{
    return c->inter ? c->inter : mend_sim_birth_members(c) / 2;
}

static inline int mend_sim_birth_agent(const struct mend_sim_conf *c)
{
    return c->ranks - 1;
}

static inline int32_t mend_sim_birth_result(const struct mend_sim_birth_proc *p,
                                            const struct mend_sim_conf *c)
{
    return c->replaces ? p->refill.result : p->birth.result;
}

const char *mend_sim_check_birth(const struct mend_sim_view *v, int rank);
const char *mend_sim_check_birth_end(const struct mend_sim_view *v);

#endif
