/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.h – from the first sign of a death to the verdict.
 *
 * Signs come from the watchers of the life words (watch.c), from the exits of children, and from looking at ranks that
 * dump core, cannot die or are stopped in a script.  verdict.c gives all of them to the detector
 * (ft/detector_sm.h) and carries out what it decides: kill, declare, explain. */
#ifndef MEND_LAUNCH_AGENT_VERDICT_H
#define MEND_LAUNCH_AGENT_VERDICT_H

#include "agent/agent.h"

/* The caller of these six holds agent->lock. */

/* Gives an event to the detector; .now is filled in. */
void mend_verdict_event(struct agent *agent, struct mend_detector_event ev);

/* r has said that a script is around it; pid is the process that said so, 0: the kernel does not know. */
void mend_verdict_joined(struct agent *agent, struct rank *r, pid_t pid);

/* The life word of r is marked. */
void mend_verdict_life(struct agent *agent, struct rank *r);

/* The child of r has ended, and was not any more the program that the mark of r was of. */
void mend_verdict_replaced(struct agent *agent, struct rank *r);

/* The kernel told how the child of r ended. */
void mend_verdict_exited(struct agent *agent, struct rank *r);

/* The process of r dumps core. */
void mend_verdict_dumping(struct agent *agent, struct rank *r);

/* Without the lock, by the watcher of r in MEND_MARK_THREADS: looks at the threads, and gives the verdict when all of
 * them are at their ends.  Returns whether to look again. */
bool mend_verdict_threads(struct agent *agent, struct rank *r);

/* Without the lock: tells the reason of the death of r, if that is certain and was not asked for.  A process
 * that is tearing its memory down, for long perhaps, has it in /proc already. */
void mend_verdict_reason(struct agent *agent, struct rank *r);

/* Without the lock: the process executes another program, or did before it ended (execve). */
bool mend_rank_is_replaced(const struct agent *agent, const struct rank *r);

/* Without the lock: the kernel shows that the process of r ends, or has ended. */
bool mend_rank_is_ending(struct agent *agent, struct rank *r);

/* Without the lock: nothing says that the process of r is dead, killed, or about to end itself. */
bool mend_rank_goes_on(struct agent *agent, struct rank *r);

/* Without the lock: the places of these ranks, which have ended after MPI_Finalize, are wanted: the others shall let go
 * of them, as of dead ones. */
void mend_verdict_left(struct agent *agent, struct rank *const *left, int n);

/* Without the lock, by the log of facts: these processes are dead, and known to be so at once; why one of them is. */
void mend_verdict_apply(struct agent *agent, struct mend_verdict *v, uint32_t n);
void mend_verdict_explain(struct agent *agent, const struct mend_verdict *v);

/* There is something for r, or for all, to look at. */
void mend_verdict_call(struct agent *agent, const struct rank *r);
void mend_verdict_call_all(struct agent *agent);

/* Without the lock: guests are dead, by the word of their agent; together. */
void mend_verdict_guests(struct agent *agent, struct mend_verdict *v, uint32_t n);

/* watch.c: starts the threads that wait on the life words of these n ranks, from before they start. */
void mend_watch_start(struct agent *agent, const int *names, int n);

/* watch.c: the calling thread runs before ranks that compute, where we may; where we may not, it asks for a short time
 * slice, so that it comes early. */
void mend_watch_prefer(void);

/* crash.c: a rank has said that it crashes; looks at all that have, and returns when to look again. */
void mend_crash_said(struct agent *agent, struct rank *r);
mend_time_ns mend_crash_look(struct agent *agent, mend_time_ns now);

/* wrapped.c: looks whether ranks in scripts are stopped; returns when to look again. */
mend_time_ns mend_wrapped_look(struct agent *agent, mend_time_ns now);

/* undying.c: ranks whose kill, by another process, is pending (R27).  Returns when to look again. */
mend_time_ns mend_undying_look(struct agent *agent, mend_time_ns now);

#endif
