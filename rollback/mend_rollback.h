/* SPDX-License-Identifier: BSD-3-Clause */
/* mend_rollback.h – goes back to a safe point in communication, over any MPI library.
 *
 * Link librollback before the MPI library.  It defines the MPI_ names of point-to-point and collective operations,
 * and calls the PMPI_ ones.  Nothing else of the MPI library is needed.
 *
 *     rollback_begin();                 the safe point: from here on operations are logged, without payload
 *     ... MPI_Send, MPI_Irecv, ...
 *     rollback_undo();                  all processes concerned are as if they had not communicated since
 *
 * What it does to the other processes: the starter asks each partner for its partners, and those for theirs, until
 * no new one appears (at most one question per process of the job, so this ends).  Each process reached cancels its
 * pending receives and sends to each partner the part of its log that concerns it; each partner performs dummy
 * operations for what it has not done.  All are told when all have finished; no process communicates in between.
 *
 * Messages, for k processes reached and e pairs of partners among them: 2 (k - 1) to find the processes, 2 e logs,
 * 5 (k - 1) to begin and end the phases, 3 for the right to roll back, which rank 0 of the job gives to one starter at
 * a time.  They travel on a communicator that MPI_Init duplicates.
 *
 * A process takes part when it blocks in MPI, tests a request, calls rollback_poll() or MPI_Finalize().  A roll-back
 * waits for a process that does none of these.
 *
 * Rules
 *   1. No message and no request crosses the safe point: what is sent before it is received before it.
 *   2. Requests made since the safe point are invalid after the roll-back; the layer has completed them.
 *   3. One thread at a time calls MPI.
 *
 * What is not covered is refused, and rollback_why() names the call: anything on files and windows, persistent and
 * partitioned operations, spawning, matched probes, counts of type MPI_Count, collectives with counts
 * for each process that only some have begun, and communicators made or freed since the safe point; refuse.def lists the calls. After a refusal pending receives of other processes may have been cancelled,
 * messages may stay behind, and the log is off: the program can only end, or make new communicators.
 *
 * Rank 0 gives the right to roll back, so it must have its log on, or be in MPI_Finalize(), while others start.
 *
 * Deaths: if a process dies before a roll-back has ended, each of the others ends it with success or with MPI_ERR_OTHER,
 * and later ones are refused if one has seen the death in a roll-back. This needs an MPI library with
 * MPIX_Comm_revoke(), and MPI_ERRORS_RETURN. A process whose call has reported the death must call rollback_undo() or
 * rollback_abandon(), as others may be waiting for it. What a process that has died took part in cannot be rolled back. */
#ifndef MEND_ROLLBACK_H
#define MEND_ROLLBACK_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The safe point of this process; an older one is forgotten.  Local, never blocks.  MPI_ERR_PENDING: requests are
 * pending.  MPI_ERR_OTHER: several threads may call MPI.  A death does nothing to it. */
int rollback_begin(void);

/* The log ends; nothing is rolled back.  Local, never blocks. */
void rollback_end(void);

/* Rolls back all processes that this one has communicated with since their safe points, and their partners.  Not
 * collective; several processes may call it at the same time, and take turns.  Blocks until all processes concerned
 * have taken part.  MPI_ERR_OTHER: refused, see rollback_why(). */
int rollback_undo(void);

/* What each process does when another one's roll-back has reached it, on the stack of the interrupted call.  It may
 * leave by longjmp; when it returns, the call ends with MPI_ERR_OTHER.  Local.  NULL: the call only ends. */
void rollback_on_undo(void (*function)(void *), void *arg);

/* Takes part in a roll-back that waits for this process.  Returns 1 if there was one.  Does not wait for one. */
int rollback_poll(void);

/* For a process that has learned of a death and will not take part in a roll-back: ends those that are under way at all
 * processes, and refuses later ones; they return MPI_ERR_OTHER.  Local, never blocks.  Needs MPIX_Comm_revoke(). */
void rollback_abandon(void);

/* The reason of the last refusal at this process; "" if there was none.  The layer owns the text. */
const char *rollback_why(void);

/* The number of entries in the log, and the size of one of them in bytes.  Local. */
long rollback_logged(void);
int rollback_entry_bytes(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
