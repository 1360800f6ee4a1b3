/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h – from the first sign of a death to the verdict.
 *
 * Signs come from the watchers of the life words (watch.c), from the exits of children, and from looking at ranks that
 * dump core, cannot die or are stopped in a script.  verdict.c gives all of them to the detector
 * (ft/detector_sm.h) and carries out what it decides: kill, declare, explain. */
#ifndef MEND_LAUNCH_AGENT_VERDICT_H
#define MEND_LAUNCH_AGENT_VERDICT_H

#include "agent/ranks.h"
#include "ft/detector_sm.h"

struct mend_options;
struct mend_sources;
struct mend_tell;

/* With several nodes a verdict is proposed to the log of facts (facts.c).  With the lock, by any thread. */
struct mend_verdict_facts {
    void *self;
    void (*die)(void *self, const struct mend_verdict *v, int n); /* these, together */
    void (*explain)(void *self, const struct rank *r);            /* why r has died is known now */
};

/* With a door, callers are let in before a verdict is published (doorman.c).  With the lock, by any thread. */
struct mend_verdict_door {
    void *self;
    void (*let_in)(void *self); /* NULL: there is none */
};

/* (L): guarded by the lock of the ranks. */
struct mend_verdicts {
    struct mend_ranks *ranks;
    struct mend_detector *detector; /* (L) */
    mend_time_ns tick_at;           /* (L) */
    uint32_t ends_n;                /* (L) */
    uint32_t lefts_n;        /* (L) entries of the log of deaths about processes that have left */
    int wrapped_n;           /* (L) ranks that are in scripts */
    uint32_t words_wanted_n; /* (L) how often last datagrams were wanted */
    struct mend_verdict_facts facts;
    struct mend_verdict_door door; /* (L) */

    /* the main thread's */
    uint32_t words_read_n; /* what words_wanted_n was when they were read last */
    int crashes_n;         /* ranks that have said so and are not seen dead yet */
    mend_time_ns wrapped_at, undying_at;
    int undying_next; /* the rank that was looked at last */
};

/* The caller of these six holds the lock of the ranks. */

/* Gives an event to the detector; .now is filled in. */
void mend_verdict_event(struct mend_verdicts *verdicts, struct mend_detector_event ev);

/* r has said that a script is around it; pid is the process that said so, 0: the kernel does not know. */
void mend_verdict_joined(struct mend_verdicts *verdicts, struct rank *r, pid_t pid);

/* The life word of r is marked. */
void mend_verdict_life(struct mend_verdicts *verdicts, struct rank *r);

/* The child of r has ended, and was not any more the program that the mark of r was of. */
void mend_verdict_replaced(struct mend_verdicts *verdicts, struct rank *r);

/* The kernel told how the child of r ended. */
void mend_verdict_exited(struct mend_verdicts *verdicts, struct rank *r);

/* The process of r dumps core. */
void mend_verdict_dumping(struct mend_verdicts *verdicts, struct rank *r);

/* Without the lock, by the watcher of r in MEND_MARK_THREADS: looks at the threads, and gives the verdict when all of
 * them are at their ends.  Returns whether to look again. */
bool mend_verdict_threads(struct mend_verdicts *verdicts, struct rank *r);

/* Without the lock: tells the reason of the death of r, if that is certain and was not asked for.  A process
 * that is tearing its memory down, for long perhaps, has it in /proc already. */
void mend_verdict_reason(struct mend_verdicts *verdicts, struct rank *r);

/* Without the lock: nothing says that the process of r is dead, killed, or about to end itself. */
bool mend_rank_goes_on(struct mend_verdicts *verdicts, struct rank *r);

/* Without the lock: the places of these ranks, which have ended after MPI_Finalize, are wanted: the others shall let go
 * of them, as of dead ones. */
void mend_verdict_left(struct mend_verdicts *verdicts, struct rank *const *left, int n);

/* Without the lock, by the log of facts: these processes are dead, and known to be so at once; why one of them is.  True: it is of this job and
 * of another node, and so connected jobs hear of it here. */
void mend_verdict_apply(struct mend_verdicts *verdicts, struct mend_verdict *v, uint32_t n);
bool mend_verdict_explain(struct mend_verdicts *verdicts, const struct mend_verdict *v);

/* Without the lock: which death of the job that of a dead process is, from 0; in a job of several nodes. */
uint32_t mend_verdict_number(struct mend_verdicts *verdicts, int name);

/* Without the lock: guests are dead, by the word of their agent; together.  Returns the number of the first in the log of deaths. */
uint32_t mend_verdict_guests(struct mend_verdicts *verdicts, struct mend_verdict *v, uint32_t n);

/* watch.c: starts the threads that wait on the life words of these n ranks, from before they start. */
void mend_watch_start(struct mend_verdicts *verdicts, const struct mend_sources *sources,
                      const int *names, int n);

/* watch.c: the calling thread runs before ranks that compute, where we may; where we may not, it asks for a short time
 * slice, so that it comes early. */
void mend_watch_prefer(void);

/* watch.c: r is dead, and ends with the lowest priority, if it is a process of this node without a script around it. */
void mend_watch_let_survivors_run(struct mend_ranks *ranks, const struct rank *r);

/* crash.c: a rank has said that it crashes; looks at all that have, and returns when to look again. */
void mend_crash_said(struct mend_verdicts *verdicts, struct rank *r);
mend_time_ns mend_crash_look(struct mend_verdicts *verdicts, mend_time_ns now);

/* wrapped.c: looks whether ranks in scripts are stopped; returns when to look again. */
mend_time_ns mend_wrapped_look(struct mend_verdicts *verdicts, const struct mend_tell *tell,
                               const struct mend_options *o, mend_time_ns now);

/* wrapped.c: r was seen stopped, or going on. */
void mend_rank_stopped(struct mend_verdicts *verdicts, const struct mend_tell *tell, struct rank *r,
                       bool stopped);

/* undying.c: ranks whose kill, by another process, is pending (R27).  Returns when to look again. */
mend_time_ns mend_undying_look(struct mend_verdicts *verdicts, mend_time_ns now);

#endif
