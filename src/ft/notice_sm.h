/* SPDX-License-Identifier: BSD-3-Clause */
/* notice_sm.h – how verdicts spread between the agents of a job's nodes.
 *
 * A verdict is a small record with a number: numbers below `nranks` are ranks of the job, number
 * nranks + a says that agent a, and with it its node, is lost.  An agent that learns a verdict for
 * the first time hands it to its node and tells its neighbours at distance 2^i on both sides
 * (ft/links.h).  When an agent is lost, the one that takes its place among the neighbours is sent all
 * known verdicts: the lost one may not have passed them on.  With one node nothing is sent.
 *
 *      agent 0 decides "rank 7 died"        every agent, per verdict:
 *        0 -> 1, 2, 4, 7, 6                        LOCAL, RECV
 *        1 -> 2, 3, 5, (0), 7                 UNKNOWN ───────> KNOWN      (for ever)
 *        ...
 *
 *   transition            function (notice_sm.c)
 *   UNKNOWN → KNOWN       become, from learn
 *
 * Invariants:
 *   1  a verdict that is known is never changed: the first one counts (learn());
 *   2  agents whose loss is known are exactly the `dead` ones (mend_notice_check());
 *   3  memory is bounded: one record per rank and per agent (mend_notice_size());
 *   4  all output of a step is fetched before the next step (mend_notice_step()). */
#ifndef MEND_FT_NOTICE_SM_H
#define MEND_FT_NOTICE_SM_H

#include "ft/links.h"
#include "ft/verdict.h"

enum mend_notice_event_kind {
    MEND_NOTICE_LOCAL, /* decided here: a rank of this node, or (number >= nranks) a lost agent */
    MEND_NOTICE_RECV,  /* told by agent `from` */
};

struct mend_notice_event {
    enum mend_notice_event_kind kind;
    int32_t from; /* RECV */
    struct mend_verdict verdict;
};

struct mend_notice_out {
    bool news;                   /* a verdict is new here: carry it out on this node */
    struct mend_verdict verdict; /* which */
    bool excluded;               /* this agent was declared lost: kill the ranks and end */
};

struct mend_notice {
    int32_t nranks, nagents, me;
    int32_t fresh;   /* verdict that is being told to all neighbours, -1: none */
    int32_t from;    /* the process that told us of it, -1: none */
    int32_t lost;    /* neighbour that is being replaced, -1: none */
    int32_t backlog; /* next verdict for the replacement */
    int16_t link;    /* next link to look at */
    bool excluded;
    uint64_t store[]; /* dead agents, known verdicts, records */
};

/* Bytes for one agent of a job of nranks ranks on nagents nodes. */
size_t mend_notice_size(int32_t nranks, int32_t nagents);

/* Prepares the caller's memory, aligned to 8, as agent `me`. */
void mend_notice_init(struct mend_notice *x, int32_t nranks, int32_t nagents, int32_t me);

/* The one transition function; afterwards call mend_notice_next() until it returns false. */
void mend_notice_step(struct mend_notice *x, const struct mend_notice_event *ev,
                      struct mend_notice_out *out);

/* The next verdict to send, and to which agent. */
bool mend_notice_next(struct mend_notice *x, int32_t *to_p, struct mend_verdict *verdict_p);

/* The verdict with that number, if it is known. */
bool mend_notice_known(const struct mend_notice *x, int32_t number, struct mend_verdict *verdict_p);

/* Asserts all invariants.  O(nranks + nagents). */
void mend_notice_check(const struct mend_notice *x);

/* One line into buf, as snprintf. */
int mend_notice_print(const struct mend_notice *x, char *buf, size_t size);

#endif
