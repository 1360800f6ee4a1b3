/* SPDX-License-Identifier: BSD-3-Clause */
/* ear.h – what the agent says to this rank of other jobs (wire.h).
 *
 *   agent   ABROAD {job, names, segment} ── names_n ── interrupt
 *   rank                                                 names(): hears all that was said, then looks at names_n
 *
 * So a rank that learns of a name has heard where its process is.  The one exception is a rank that begins: the agent
 * says what it knows when it has started it. */
#ifndef MEND_RT_EAR_H
#define MEND_RT_EAR_H

#include "node/greeting.h"
#include "rt/rt.h"

struct mend_ctl_ear {
    int fd;
    struct mend_list asks; /* struct mend_rt_ask.link: without an answer */
    uint64_t asked_n;
    struct mend_list callers; /* ear.c: connections that nobody has taken yet */
    uint32_t callers_n;
    struct mend_list told; /* ear.c: answers about papers that nobody has taken yet */
    bool deaf;             /* there was no memory for what was said */
};

void mend_ctl_open(struct mend_ctl_ear *ear, int fd);

/* Takes all that has been said.  Does not block. */
void mend_ctl_hear(struct mend_proc *self, struct mend_ctl_ear *ear);

/* The next connection that the agent has passed on; false: there is none.  What was said behind it is not heard, so the kernel
 * keeps the descriptors of those that follow. */
bool mend_ctl_caller(struct mend_proc *self, struct mend_ctl_ear *ear, struct mend_greeting *g,
                     int *fd_p);

/* The next answer about a paper; false: there is none. */
bool mend_ctl_told(struct mend_proc *self, struct mend_ctl_ear *ear, struct mend_rt_told *told_p);

/* The number of a new question, which the caller sends. */
uint64_t mend_ctl_ask(struct mend_ctl_ear *ear, struct mend_rt_ask *ask);

/* The peer, of another job, is reached there.  If nothing was said of its job yet this process begins, and waits for the
 * agent to say it, or to end; not if that has forgotten the peer.  False: it has not, or there is no memory. */
bool mend_ctl_meet(struct mend_proc *self, struct mend_ctl_ear *ear, mend_peer p, bool forgotten);

#endif
