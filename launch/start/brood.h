/* SPDX-License-Identifier: BSD-3-Clause */
/* brood.h – the agents that this process starts, each of them from the start of a process that stands for it (ways.h) until it is ready.
 *
 *   AWAITED ── called ──> CALLED ── ready ──> READY
 *      │                   │  ^
 *      │     connection    v  │ called again
 *      │     ended      EXCUSED
 *      v                   v
 *    FAILED  the process ends, or it is too late
 *
 * A brood writes the letters, hears what ssh and agents say that have no connection, and waits no longer than --connect-timeout.  It knows
 * of no message: its owner takes the calls, and says here what they mean.  All of it belongs to the main thread, of whose loop it is a
 * member.
 *
 * An owner need not know which agents it has started: to any other node nothing happens. */
#ifndef MEND_LAUNCH_START_BROOD_H
#define MEND_LAUNCH_START_BROOD_H

#include "command/options.h"
#include "share/loop.h"
#include "start/letter.h"

/* What happens to an agent that will not be ready. */
enum mend_brood_failure {
    MEND_BROOD_NOT_COME,  /* it has not called, or not again: the sentence says why */
    MEND_BROOD_NOT_READY, /* it is connected, and its time is over */
    MEND_BROOD_ENDED      /* a forked one: its process has ended, before or after its call */
};

/* The owner.  status: what mpiexec shall end with, if not 2; else 0.  The sentence is NULL except for NOT_COME; it has host, reason and next step, and the caller keeps it.  Comes once for a node, in
 * an event or look of the loop or in mend_brood_await_excuse(); the loop then looks at all its members once more.  tell: a ready agent, or its ssh, has said a line on standard error. */
struct mend_brood_owner {
    void *self;
    void (*fail)(void *self, int node, enum mend_brood_failure what, int status,
                 const char *sentence);
    void (*tell)(void *self, int node, const char *line);
};

struct mend_brood_agent;

struct mend_brood {
    struct mend_loop *loop;
    uint32_t member;
    const struct mend_options *o;
    const struct mend_process *before;
    struct mend_letter pattern;
    struct mend_brood_owner owner;
    char *program; /* mpiexec, as other machines have it */
    struct mend_brood_agent *
        *agent;      /* by node; NULL: not started here.  NULL as a whole: no brood */
    int awaited_n;   /* that are not ready, and have not failed */
    bool look_again; /* one has failed */
};

/* o: the hosts of the job.  before: how this process was started.  pattern: what all letters have in common, all but the node, its host and
 * what follows from that; the brood keeps its pointers. */
void mend_brood_open(struct mend_brood *b, struct mend_loop *loop, const struct mend_options *o,
                     const struct mend_process *before, const struct mend_letter *pattern,
                     struct mend_brood_owner owner);

/* Starts the agent of the node, which has not been started.  False: errno. */
bool mend_brood_start(struct mend_brood *b, int node);

/* It has called; it has its lease, too; its connection has ended, which has to be excused if it is not ready. */
void mend_brood_called(struct mend_brood *b, int node);
void mend_brood_ready(struct mend_brood *b, int node);
void mend_brood_await_excuse(struct mend_brood *b, int node);

/* Whether this is a process that stands for an agent, and nobody else may reap it. */
bool mend_brood_has_child(const struct mend_brood *b, pid_t pid);

/* Whether the agent of the node is forked here, so that the end of its process is its own; the host, as the user names it. */
bool mend_brood_forks(const struct mend_options *o, int node);
const char *mend_brood_host(const struct mend_options *o, int node);

/* Waits until its process has ended, at most END_MS long (brood.c) and then kills it.  Of all that are left: at once. */
void mend_brood_end(struct mend_brood *b, int node, bool at_once);
void mend_brood_close(struct mend_brood *b);

#endif
