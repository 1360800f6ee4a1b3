/* SPDX-License-Identifier: BSD-3-Clause */
/* rouse.h – ringing ranks whose descriptors are readable (rouse.c). */
#ifndef MEND_LAUNCH_AGENT_ROUSE_H
#define MEND_LAUNCH_AGENT_ROUSE_H

#include "agent/ranks.h"
#include "agent/sources.h"
#include "agent/tell.h"

struct mend_rouse {
    struct mend_ranks *ranks;
    const struct mend_sources *sources;
    const struct mend_tell *tell;
};

/* Takes the epoll set that rings r from now on; fd -1: no number was left for it. */
void mend_rouse_take(const struct mend_rouse *rouse, struct rank *r, int fd);

/* An event of its set has come. */
void mend_rouse_look(const struct mend_rouse *rouse, struct rank *r);

/* Wakes it. */
void mend_rouse_ring(struct mend_ranks *ranks, const struct rank *r);

/* Gives up its set, if it has one. */
void mend_rouse_drop(const struct mend_sources *sources, struct rank *r);

#endif
