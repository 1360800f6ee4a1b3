/* SPDX-License-Identifier: BSD-3-Clause */
/* bell.h – how a process sleeps, and what wakes it.
 *
 *   arm ──> look at everything once more ──> sleep ──> disarm
 *
 * A process that shares a segment sleeps on its futex there: other processes of the node, the agent and its own threads
 * ring.  Where frames arrive at descriptors, watch.c rings for them.  Only req/wait.c arms and sleeps. */
#ifndef MEND_NODE_BELL_H
#define MEND_NODE_BELL_H

#include "proc/proc.h"

struct mend_bell {
    /* From now on a process that sends to this one or interrupts it wakes it; nudged: by news in shared memory as well
     * (node/node.h). */
    void (*arm)(struct mend_proc *self, bool nudged);
    /* Until something has rung since arm(), a signal comes, or `longest` is over: then false.  A process's death wakes
     * its node through the agent, which rings for each verdict. */
    bool (*sleep)(struct mend_proc *self, mend_time_ns longest);
    /* Counts that a sleep was too long. */
    void (*overslept)(struct mend_proc *self);
    void (*disarm)(struct mend_proc *self);
    /* Called by another thread of this process: ends the sleep that follows the last arm(). */
    void (*rouse)(struct mend_proc *self);
    /* For a transport whose frames arrive at descriptors: from now on a sleep ends, or does not begin, while one of them is
     * readable or its other end has gone.  unwatch() comes before the descriptor is closed, for all of them in the
     * transport's close().  MEND_OK or MEND_ERR_MEM.  Neither waits for another process. */
    enum mend_status (*watch)(struct mend_proc *self, int fd);
    void (*unwatch)(struct mend_proc *self, int fd);
};

extern const struct mend_bell mend_bell_node;

/* Hangs the bell of self->node into self. */
void mend_bell_open(struct mend_proc *self);

#endif
