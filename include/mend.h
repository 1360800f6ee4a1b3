/* SPDX-License-Identifier: BSD-3-Clause */
/* mend.h – safe points: a program's memory as it was, to be rolled back to.
 *
 *     MPIX_Safe_point_enter(&value);           the memory is as it is now: heap, globals, stack, registers
 *     if (value == 0) { ...work... }           from here on the kernel records what changes, page by page
 *     else            { ...recover... }        a roll-back returned here; only value differs
 *
 *     MPIX_Safe_point_roll_back(1);            from anywhere, any number of times
 *     MPIX_Safe_point_commit();                no longer needed
 *
 * A safe point is this process's own: nothing here is collective, blocks, sends or is affected by a death.
 * Safe points may be nested; commit and roll-back concern the innermost one.
 *
 * 1. Rolled back: all private writable memory of the process, the C library's included; the stack and the registers
 *    of the caller; the signal mask; mappings made and removed; the end of the heap.
 * 2. Not rolled back: the library's own memory, and so the state of messages and of handles; shared mappings, and so
 *    windows of MPI_Win_allocate_shared; files, descriptors and their offsets; children; timers; handlers
 *    of signals.  MPIX_Safe_point_differences() tells by name what of these has changed (S1-14).
 * 3. One thread: a process that has others is refused.
 * 4. MPIX_Safe_point_enter() returns again in a frame that is exactly as it was, also if the function that
 *    called it has returned in between; no variable needs to be volatile.
 *
 * Errors are those of MPI_COMM_SELF's error handler; the text of the error (MPI_Error_string) has the reason.
 * In parentheses: statements (S1-9) of doc/conformance.md.  At length: doc/safe-points.md. */
#ifndef MEND_MEND_H
#define MEND_MEND_H

#include "mpi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a safe point inside those that exist (S1-8).  *value is 0 at first, and the value of the roll-back each time
 * that one returns here (S1-9).
 * Errors: MPI_ERR_UNSUPPORTED_OPERATION: the process has what cannot be rolled back, e.g. another thread;
 * MPI_ERR_NO_MEM. */
extern int MPIX_Safe_point_enter(int *value);

/* Drops the innermost safe point; what has changed since belongs to the one around it.
 * Errors: MPI_ERR_OTHER: there is none. */
extern int MPIX_Safe_point_commit(void);

/* Rolls back to the innermost safe point, which stays.  Returns only with an error, and then nothing has
 * changed.  Communicators, requests and windows made since the safe point still exist in the library, but the program
 * has forgotten their handles.
 * Errors: MPI_ERR_ARG: value is 0; MPI_ERR_OTHER: there is no safe point; MPI_ERR_UNSUPPORTED_OPERATION: something
 * cannot be undone. */
extern int MPIX_Safe_point_roll_back(int value);

/* How many safe points there are. */
extern int MPIX_Safe_point_depth(int *depth);

/* What has changed since the innermost safe point and no roll-back undoes, one line each (S1-14):
 * "descriptor 5 /tmp/x: offset 0, flags 2, now offset 120, flags 2".  Writes at most size characters of text,
 * with the final zero; *lines is the number of all lines.
 * Errors: MPI_ERR_OTHER: there is no safe point. */
extern int MPIX_Safe_point_differences(char *text, int size, int *lines);

extern __typeof__(MPIX_Safe_point_enter) PMPIX_Safe_point_enter;
extern __typeof__(MPIX_Safe_point_commit) PMPIX_Safe_point_commit;
extern __typeof__(MPIX_Safe_point_roll_back) PMPIX_Safe_point_roll_back;
extern __typeof__(MPIX_Safe_point_depth) PMPIX_Safe_point_depth;
extern __typeof__(MPIX_Safe_point_differences) PMPIX_Safe_point_differences;

#ifdef __cplusplus
}
#endif

#endif
