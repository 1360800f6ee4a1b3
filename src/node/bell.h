/* SPDX-License-Identifier: BSD-3-Clause */
/* bell.h – how a process sleeps, and what wakes it.
 *
 *   arm ──> look at everything once more ──> sleep ──> disarm
 *
 * A process that shares a segment sleeps on its futex there: other processes of the node, the agent and its own threads
 * ring.  Where frames arrive at descriptors, the agent rings for them (watch.h).  Only req/wait.c arms and sleeps. */
#ifndef MEND_NODE_BELL_H
#define MEND_NODE_BELL_H

#include "proc/proc.h"

/* Of a part of the library that looks at descriptors, which keeps it from look to look; 0 at first. */
struct mend_look {
    uint32_t rung_n, yields_n, turns_n;
};

struct mend_bell {
    /* From now on a process that sends to this one or interrupts it wakes it; nudged: by news in shared memory as well
     * (node/node.h). */
    void (*arm)(struct mend_proc *self, bool nudged);
    /* Until something has rung since arm(), a signal comes, or `longest` is over: then false.  A process's death wakes
     * its node through the agent, which rings for each verdict. */
    bool (*sleep)(struct mend_proc *self, mend_time_ns longest);
    /* Something watched is readable, and the agent rings for it, sooner or later, unless it is read first. */
    bool (*is_readable)(struct mend_proc *self);
    /* So many frames were read from what is watched. */
    uint32_t (*read_n)(struct mend_proc *self);
    /* Counts that a sleep was too long. */
    void (*overslept)(struct mend_proc *self);
    void (*disarm)(struct mend_proc *self);
    /* Called by another thread of this process: ends the sleep that follows the last arm(). */
    void (*rouse)(struct mend_proc *self);
    /* For a transport whose frames arrive at descriptors: from now on a sleep ends, or does not begin, while one of them is
     * readable or its other end has gone.  unwatch() comes before the descriptor is closed, for all of them in the
     * transport's close().  MEND_OK or MEND_ERR_MEM.  Neither waits for another rank. */
    enum mend_status (*watch)(struct mend_proc *self, int fd);
    void (*unwatch)(struct mend_proc *self, int fd);
    /* Is a look at watched descriptors worth a system call?  In a wait it is when one has become readable since the last look, in
     * the last turn before a sleep, in the first behind one that gave the core away, and in every MEND_LOOK_TURNS-th; else
     * the answer is a load.  Where no core is free, the agent is asked only before a sleep, and looks come sooner.  A call that does not wait looks seldom, and always.  A transport whose poll is hinted at a peer that it reaches need not
     * ask: then it looks in each turn. */
    bool (*is_due)(struct mend_proc *self, struct mend_look *look);
    /* From now on, until that has happened, the process is signalled when a watched descriptor is readable, if it takes pokes
     * (rt.h): for one that is about to leave MPI. */
    void (*ask)(struct mend_proc *self);
};

#define MEND_LOOK_TURNS 256u /* some 20 microseconds of spinning */

extern const struct mend_bell mend_bell_node;

/* Hangs the bell of self->node into self. */
void mend_bell_open(struct mend_proc *self);

#endif
