/* SPDX-License-Identifier: BSD-3-Clause */
/* life.h – the beginning and end of a process, and the consequences of another process's death. */
#ifndef MEND_LIFE_LIFE_H
#define MEND_LIFE_LIFE_H

#include "proc/proc.h"

/* Makes *self a running rank: finds its runtime and transport, fills the upward hooks, creates
 * MPI_COMM_WORLD and MPI_COMM_SELF.  Local: waits for nobody.  An MPI error class; *why_p says in
 * words what is wrong. */
int mend_life_start(struct mend_proc *self, int thread_level, const char **why_p);

/* The world or a session opens: starts the process, or brings it back.  level: MPI_THREAD_...; threads: several
 * threads may be in MPI at a time.  Local.  An MPI error class; *why_p as above. */
int mend_life_open(struct mend_proc *self, int level, bool threads, const char **why_p);

/* The world or a session has ended.  If it was the last one: waits until what this process has queued is out,
 * and until all survivors have freed the communicators that it has freed (a death ends the wait for the dead one); then the
 * process is away, and its end does not count as a failure. */
void mend_life_close(struct mend_proc *self);

/* Each communicator that this process has freed was freed by all survivors, or all its members are in MPI_Finalize or behind
 * it; of_world: the latter counts for those that are of no session only. */
bool mend_life_nobody_asks(struct mend_proc *self, bool of_world);

/* Blocks until what is queued is out, and the survivors have freed every communicator that this process has freed; the
 * death of one of them ends the wait for it. */
void mend_life_await_quiet(struct mend_proc *self);

/* The process has its first session. */
void mend_life_first_session(struct mend_proc *self);

/* MPI_Session_finalize: frees what the program has left of the session, and the session; then mend_life_close().
 * The error of an attribute's callback leaves the session open. */
struct mend_session;
int mend_life_end_session(struct mend_proc *self, struct mend_session *s);

/* MPI_Finalize (R19): deletes MPI_COMM_SELF's attributes, delivers what is queued, waits until every
 * other process is in MPI_Finalize too or dead, says good-bye.  Collective over the survivors; when a process
 * dies, its verdict ends the wait for it.  Always MPI_SUCCESS. */
int mend_life_finalize(struct mend_proc *self);

/* Answers the agent's question what this process waits for, from now on (waits.c).  Returns the signal that it
 * handles for that, as a bit (mend_node_rank.handlers). */
uint64_t mend_waits_answer(void);

/* What this process waits for, in words, as the report has it.  Allocates nothing. */
void mend_waits_text(const struct mend_proc *self, char *text, size_t max);

/* Everything that the next n deaths in self->deaths mean to this process (death.c): verdicts that were given together. */
void mend_deaths(struct mend_proc *self, int n);

/* self->let_go: says which dead processes this one looks at nothing of any more, if it can say so now. */
void mend_let_go(struct mend_proc *self);

/* The same of all dead: their places may be others' already, and this process needs them for nothing. */
void mend_let_go_of_all(struct mend_proc *self);

/* From now on a signal that makes this process dump core is told to the agent before the dump.  Leaves
 * signals alone that the program handles or ignores; returns the others, as bits. */
uint64_t mend_crash_tell(struct mend_proc *self);

#endif
