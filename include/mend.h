/* SPDX-License-Identifier: BSD-3-Clause */
/* mend.h – for programs made of modules: notification of other processes, and safe points.
 *
 * Safe points: a program's memory as it was, to be rolled back to.
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
 * In parentheses: statements (S1-9) of doc/conformance.md.  At length: doc/safe-points.md, doc/modules.md. */
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
 * Errors: MPI_ERR_OTHER: there is none, or it is that of a module. */
extern int MPIX_Safe_point_commit(void);

/* Rolls back to the innermost safe point, which stays.  Returns only with an error, and then nothing has
 * changed.  Communicators, requests and windows made since the safe point still exist in the library, but the program
 * has forgotten their handles.
 * Errors: MPI_ERR_ARG: value is 0; MPI_ERR_OTHER: there is no safe point, or it is a module's; MPI_ERR_UNSUPPORTED_OPERATION: something
 * cannot be undone, such as an MPI call in which a callback of MPIX_Notify runs. */
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

/* Notification: a callback that another process makes run here (S1-1 to S1-4).
 *
 *     MPIX_Notify_register(KEY, recover, &state);           there: in any module, once
 *     MPIX_Notify(group, rank, KEY, data, bytes, &sent);    here: recover(sender, KEY, data, bytes, &state) runs there
 *
 * No call there matches the notification, and the two processes need not have a communicator in common: a group
 * names the target.  The callback runs
 *   - at once, if the process waits in an MPI call: in the wait, which goes on afterwards;
 *   - when the call returns, if it is in an MPI call that does not wait;
 *   - at once, if it is outside MPI, computing or asleep in a system call: in a handler of SIGURG.
 *
 * 1. The callback of each notification runs once, unless one of the two processes dies first.  Those of one sender run in the order in
 *    which they were sent, as far as their keys are registered.
 * 2. One callback runs at a time: those that come meanwhile follow.  It may call MPI and wait there, except in MPI_Finalize and
 *    MPI_Session_finalize (MPI_ERR_OTHER).  Collective calls and MPI_Comm_free are not for the communicator on which the
 *    process is in a call already.  A roll-back to a safe point leaves it, but only from a handler; inside an MPI call it is
 *    refused (MPI_ERR_UNSUPPORTED_OPERATION), and a new safe point is in any callback (MPI_ERR_OTHER).
 * 3. A callback in a handler may have interrupted any instruction: of the functions outside MPI it may call those that
 *    are safe in handlers of signals (signal-safety(7)).  MPIX_Notify_hold() keeps callbacks away from code that they must
 *    not interrupt.
 * 4. System calls that the kernel can restart go on after the callback (SA_RESTART); nanosleep, poll, select and a few
 *    others return EINTR.
 * 5. A process that blocks SIGURG, or is in another PID namespace than the sender (on another machine: than the agent there), runs the
 *    callback with its next MPI call. */

/* The callback.  sender: a group of one process, which with the data is valid until the callback returns. */
typedef void MPIX_Notify_function(MPI_Group sender, int key, const void *data, int bytes,
                                  void *state);

#define MPIX_NOTIFY_MAX 4096 /* bytes of data */

/* From now on notifications with this key run the callback, in place of the one registered before.  What has
 * come for the key before runs at once.  Local; called by the thread that has called MPI_Init.  Ends with MPI_Finalize.
 * Errors: MPI_ERR_ARG: there is no callback; MPI_ERR_OTHER: the program handles SIGURG itself, or another thread calls;
 * MPI_ERR_NO_MEM. */
extern int MPIX_Notify_register(int key, MPIX_Notify_function *callback, void *state);

/* What comes for the key from now on is kept until it is registered again.  Local.
 * Errors: MPI_ERR_ARG: the key is not registered; MPI_ERR_OTHER: another thread calls. */
extern int MPIX_Notify_unregister(int key);

/* Makes the callback that the process of this rank of the group has registered for the key run there, with a copy of
 * the data.  *sent is 0 if that process has left MPI, and so runs nothing (R37); else 1.  Not collective.  Waits only
 * for room on the way to a process that does not take its messages, which the signal makes it do; its death ends the wait.  If that
 * process blocks the signal the wait ends after a second, and if it has registered no key or is in another PID namespace, it gets no
 * signal and there is no wait: then the notification leaves with the next calls of this process, and is lost if it dies before.
 * Errors: MPI_ERR_PROC_FAILED: it is dead.  Success says that it lives, or that its death is not known here yet.
 * MPI_ERR_GROUP, MPI_ERR_RANK; MPI_ERR_ARG: more than MPIX_NOTIFY_MAX bytes; MPI_ERR_NO_MEM. */
extern int MPIX_Notify(MPI_Group group, int rank, int key, const void *data, int bytes, int *sent);

/* Between the two no callback runs in this process; what comes runs at the end.  They may be nested.  Local.
 * Errors of release: MPI_ERR_OTHER: nothing is held. */
extern int MPIX_Notify_hold(void);
extern int MPIX_Notify_release(void);

extern __typeof__(MPIX_Notify_register) PMPIX_Notify_register;
extern __typeof__(MPIX_Notify_unregister) PMPIX_Notify_unregister;
extern __typeof__(MPIX_Notify) PMPIX_Notify;
extern __typeof__(MPIX_Notify_hold) PMPIX_Notify_hold;
extern __typeof__(MPIX_Notify_release) PMPIX_Notify_release;

/* Modules: a part of a program that its participants recover together, wherever each of them is (S1-5, S1-6).
 *
 *     MPIX_Module_create(comm, recover, &state, MPIX_MODULE_IN_CALLS, &m);    in the module, once
 *
 *     MPIX_Module_enter(m, &comm);                         as a call of the module begins
 *     if (work(comm) != MPI_SUCCESS)                       calls on comm return errors
 *         MPIX_Module_recover(m, &comm);                   recover(comm of the survivors, inside, &state) at all of them
 *     MPIX_Module_leave(m, &recovered);
 *
 * A program that calls the module needs to know nothing of this, and neither do other modules.  As soon as one participant calls
 * recover, all others run the recovery function in a callback:
 *   - those inside the module; what they call on its communicator ends with an error, and their own call of
 *     MPIX_Module_recover() then does nothing but give the new communicator;
 *   - those outside it, for example in another module, which goes on where it was.
 * Processes that have no part in the module are not disturbed.  The rules of callbacks hold (above), but that recoveries
 * of several modules may run inside each other, in the same order at all processes.
 *
 * A module that rolls back (MPIX_MODULE_ROLL_BACK) brings all its participants to where the same call of it has ended:
 *
 *     MPIX_Module_create(comm, recover, &state, MPIX_MODULE_ROLL_BACK, &m);    a safe point: call 0 has ended
 *     ...enter, work, leave...                                             a safe point: call 1 has ended
 *     ...other modules...                                                  a failure in call 2, wherever each process is:
 *                                                                          back to the end of call 1, recover(), and on from there
 *
 * 1. Comm has all processes that communicate with the participants between two calls of the module, also those without a part in
 *    it: they give NULL for recover, and make the same calls of enter and leave.  They roll back if they have communicated since their
 *    last leave with a process that rolls back, directly or through others; else they go on.
 * 2. Leave is a barrier of all of them, and its end a safe point: memory (above), and communication.  Each communicator that a
 *    process that rolls back has used since goes on as if what was begun on it since had not been: messages under way are gone, at
 *    all members.  No message and no request but inactive persistent ones may be under way across a leave.
 * 3. Requests and communicators made since are freed; those that were freed since are there again.  Attributes, names, hints and error
 *    handlers that older communicators have got since stay.
 * 4. No window and no file is open at a safe point or a roll-back, and there is one thread; else leave or recover is refused
 *    (MPI_ERR_UNSUPPORTED_OPERATION), with the reason in the text of the error, and no process rolls back.  One that finds only then that
 *    it cannot, ends, and the others learn of its death.
 * 5. All modules of its processes roll back, and have the same members, though not the same participants.  All members enter and leave them in the
 *    same order, one inside the other if they call each other.  A failure in one undoes calls of others that have ended since.
 *    MPIX_Module_recover() of a process that rolls back does not return. */

typedef struct MPIX_ABI_Module *MPIX_Module;

#define MPIX_MODULE_NULL ((MPIX_Module)0)

/* Brings the module into order on comm, a communicator of the participants that are left, with the error handler
 * MPI_ERRORS_RETURN, which the library frees.  inside: this process is between enter and leave.  All of them run it, and
 * may communicate on comm.  If it returns an error anywhere, and a process has died meanwhile, it runs again with a new one. */
typedef int MPIX_Module_recover_function(MPI_Comm comm, int inside, void *state);

/* How the recovery function may run: */
#define MPIX_MODULE_IN_CALLS 0 /* inside MPI calls only, so it may use malloc and all else */
#define MPIX_MODULE_ANYTIME  1 /* also in a handler of SIGURG, in a process that computes */
#define MPIX_MODULE_ROLL_BACK                                                                      \
    2 /* after a roll-back, in the call that has made the safe point: so as any other code */

/* Collective over comm, whose members are the participants.  A module that recovers anytime must be created before those
 * that recover in calls, or it does so itself.  One that rolls back: returns again after each roll-back to here.
 * Errors: as MPI_Comm_dup; MPI_ERR_ARG, also if `how` is not the same; MPI_ERR_OTHER, at all members: MPIX_Notify_register is refused
 * at one; MPI_ERR_UNSUPPORTED_OPERATION: it rolls back and a module beside it does not or has other members, or as MPIX_Safe_point_enter. */
extern int MPIX_Module_create(MPI_Comm comm, MPIX_Module_recover_function *recover, void *state,
                              int how, MPIX_Module *module);

/* Local.  *comm is the module's communicator, until the next recovery; MPI_COMM_NULL without a part in it.  Enters may be nested. */
extern int MPIX_Module_enter(MPIX_Module module, MPI_Comm *comm);

/* Local.  *recovered: 1: the module has recovered since the outermost enter, so what has been computed may be worth
 * nothing.  Of a module that rolls back: the outermost one is a barrier of all processes of the module, and begins a recovery if one of
 * them has died; makes a safe point, and returns again after each roll-back to it.
 * Errors: MPI_ERR_OTHER: there was no enter; of a module that rolls back also those of MPIX_Module_recover, and
 * MPI_ERR_UNSUPPORTED_OPERATION: no safe point can be made here, so the next recovery that needs one is refused. */
extern int MPIX_Module_leave(MPIX_Module module, int *recovered);

/* *comm: on which a call has failed, or MPI_COMM_NULL: recovers in any case.  If the module has recovered since, gives its present communicator.
 * Otherwise notifies the other participants first, and returns when the recovery function has succeeded at all that are
 * left: a death ends the wait for the dead process.  Called by any participant, inside or outside.  Of a module that rolls back it
 * returns only with an error.
 * Errors: MPI_ERR_OTHER: the function has failed although nobody died, or it calls this; of a module that rolls back, at all that call it
 * with a communicator: no process has died since the safe point, so what failed would fail again; MPI_ERR_NO_MEM;
 * MPI_ERR_UNSUPPORTED_OPERATION, at all processes of the module: one cannot roll back. */
extern int MPIX_Module_recover(MPIX_Module module, MPI_Comm *comm);

/* Local; after the last call of the module anywhere, e.g. behind a barrier.  One that rolls back goes before MPI_Finalize.
 * Errors: MPI_ERR_OTHER: it is between enter and leave, or recovers. */
extern int MPIX_Module_free(MPIX_Module *module);

extern __typeof__(MPIX_Module_create) PMPIX_Module_create;
extern __typeof__(MPIX_Module_enter) PMPIX_Module_enter;
extern __typeof__(MPIX_Module_leave) PMPIX_Module_leave;
extern __typeof__(MPIX_Module_recover) PMPIX_Module_recover;
extern __typeof__(MPIX_Module_free) PMPIX_Module_free;

#ifdef __cplusplus
}
#endif

#endif
